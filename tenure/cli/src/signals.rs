//! Signals of the user and the service manager.

use std::io::{IsTerminal, stdin};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that ask to end: SIGTERM, SIGINT, and SIGHUP where there is a terminal, which is
/// being closed then.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    terminal: bool,
}

impl Signals {
    /// Starts to handle these signals.
    pub(crate) fn listen() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            terminal: stdin().is_terminal(),
        })
    }

    /// Waits for a request to end. Cancellation-safe.
    pub(crate) async fn quit(&mut self) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hang_up.recv() => if self.terminal { return },
            }
        }
    }
}
