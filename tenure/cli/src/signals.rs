//! Signals of the user and the service manager.

use crate::error::CommandError;
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
    pub(crate) fn listen() -> Result<Self, CommandError> {
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: listen(SignalKind::hangup())?,
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

pub(crate) fn listen(kind: SignalKind) -> Result<Signal, CommandError> {
    signal(kind).map_err(|error| CommandError::failed(format!("signals: {error}")))
}
