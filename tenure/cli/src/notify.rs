//! Notifications of the service manager; see `sd_notify(3)`.
//!
//! The crate `sd-notify` (0.5) does not take its place: it knows no abstract addresses (`@name`), and waits for a
//! manager that does not read.

pub(crate) mod watchdog_state;

use std::env;
use std::ffi::OsStr;
use std::future::{Future, pending};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::pin::Pin;
use std::time::Duration;
use tenure_node::Participant;
use tokio::time::{Instant, sleep_until};
use watchdog_state::{WatchdogInput, WatchdogOutput, WatchdogState};

/// The socket of the service manager, if there is one.
pub(crate) struct Notify {
    socket: Option<(UnixDatagram, SocketAddr)>,
    /// If the manager wants watchdog notifications.
    watchdog: Option<Watchdog>,
}

struct Watchdog {
    state: WatchdogState,
    /// The instant from which it counts.
    began: Instant,
    /// The participant whose loop has to answer before each.
    participant: Option<Participant>,
    /// The question that its loop has not answered yet.
    asking: Option<Asking>,
}

/// The answer of a participant's loop: whether there is one.
type Asking = Pin<Box<dyn Future<Output = bool> + Send>>;

impl Watchdog {
    fn every(interval: Duration) -> Self {
        let state = WatchdogState::new(interval, false);
        Self { state, began: Instant::now(), participant: None, asking: None }
    }

    /// Waits until the next notification is due, and may be sent. Cancellation-safe.
    async fn due(&mut self) {
        loop {
            let input = match (&mut self.asking, self.state.due()) {
                (Some(asking), _) => {
                    let answered = asking.await;
                    self.asking = None;
                    WatchdogInput::Answered(answered)
                }
                (None, Some(due)) => {
                    sleep_until(self.began + due).await;
                    WatchdogInput::Due
                }
                (None, None) => return pending().await,
            };
            match self.state.step(self.began.elapsed(), input) {
                Some(WatchdogOutput::Ask) => {
                    self.asking = self.participant.clone().map(|participant| -> Asking {
                        Box::pin(async move { participant.status().await.is_ok() })
                    });
                }
                Some(WatchdogOutput::Tell) => return,
                None => {}
            }
        }
    }
}

impl Notify {
    pub(crate) fn from_environment() -> Self {
        let socket = env::var_os("NOTIFY_SOCKET").and_then(|path| open(&path));
        let number = |name| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
        // Twice as often as required, as the manual advises.
        let watchdog = number("WATCHDOG_USEC")
            .filter(|&period| socket.is_some() && ours && period > 1)
            .map(|period| Watchdog::every(Duration::from_micros(period / 2)));
        Self { socket, watchdog }
    }

    fn say(&self, text: &str) {
        if let Some((socket, address)) = &self.socket {
            // Errors are ignored, and this does not wait for a manager that does not read.
            let _ = socket.send_to_addr(text.as_bytes(), address);
        }
    }

    pub(crate) fn ready(&self) {
        self.say("READY=1");
    }

    pub(crate) fn status(&self, text: &str) {
        self.say(&format!("STATUS={}", text.replace('\n', " ")));
    }

    /// Makes watchdog notifications depend on the participant of this process: where its loop stands
    /// still, there are none.
    pub(crate) fn depend_on(&mut self, participant: &Participant) {
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.state.ask();
            watchdog.participant = Some(participant.clone());
        }
    }

    pub(crate) fn stopping(&self) {
        self.say("STOPPING=1");
    }

    /// Waits until the next watchdog notification is due, and sends it. Cancellation-safe: when it is due
    /// does not depend on how often this is called, and given up.
    pub(crate) async fn beat(&mut self) {
        match &mut self.watchdog {
            Some(watchdog) => watchdog.due().await,
            None => pending().await,
        }
        self.say("WATCHDOG=1");
    }
}

fn open(path: &OsStr) -> Option<(UnixDatagram, SocketAddr)> {
    let address = match path.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name).ok()?,
        [b'/', ..] => SocketAddr::from_pathname(path).ok()?,
        _ => return None,
    };
    let socket = UnixDatagram::unbound().ok()?;
    socket.set_nonblocking(true).ok()?;
    Some((socket, address))
}

#[cfg(test)]
mod tests;
