//! Notifications of the service manager; see `sd_notify(3)`.

use std::env;
use std::ffi::OsStr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// The socket of the service manager, if there is one.
pub(crate) struct Notify {
    socket: Option<(UnixDatagram, SocketAddr)>,
    /// The interval of watchdog notifications, if the manager wants them.
    pub(crate) watchdog: Option<Duration>,
}

impl Notify {
    /// Creates it from the environment.
    pub(crate) fn from_environment() -> Self {
        let socket = env::var_os("NOTIFY_SOCKET").and_then(|path| open(&path));
        let number = |name| env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
        // Twice as often as required, as the manual advises.
        let watchdog = number("WATCHDOG_USEC")
            .filter(|&period| socket.is_some() && ours && period > 1)
            .map(|period| Duration::from_micros(period / 2));
        Self { socket, watchdog }
    }

    fn say(&self, text: &str) {
        if let Some((socket, address)) = &self.socket {
            // Errors are ignored, and this does not wait for a manager that does not read.
            let _ = socket.send_to_addr(text.as_bytes(), address);
        }
    }

    /// Notifies that the service is up.
    pub(crate) fn ready(&self) {
        self.say("READY=1");
    }

    /// Sends a status line.
    pub(crate) fn status(&self, text: &str) {
        self.say(&format!("STATUS={}", text.replace('\n', " ")));
    }

    /// Sends a watchdog notification.
    pub(crate) fn alive(&self) {
        self.say("WATCHDOG=1");
    }

    /// Notifies that the service is about to end.
    pub(crate) fn stopping(&self) {
        self.say("STOPPING=1");
    }

    /// Waits for the next watchdog notification.
    pub(crate) async fn beat(&self) {
        match self.watchdog {
            Some(period) => tokio::time::sleep(period).await,
            None => std::future::pending().await,
        }
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
mod tests {
    use super::*;

    #[test]
    fn a_service_manager_hears_by_file_and_by_abstract_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let name = format!("suffrage-test-{}", std::process::id());
        let listeners = [
            (UnixDatagram::bind(&path).unwrap(), path.into_os_string()),
            (
                UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap(),
                format!("@{name}").into(),
            ),
        ];
        for (listener, path) in listeners {
            let notify = Notify { socket: open(&path), watchdog: None };
            notify.ready();
            notify.status("leads\nterm 7");
            for expected in ["READY=1", "STATUS=leads term 7"] {
                let mut text = [0; 100];
                let length = listener.recv(&mut text).unwrap();
                assert_eq!(std::str::from_utf8(&text[..length]).unwrap(), expected);
            }
        }
        assert!(open(OsStr::new("relative")).is_none());
    }
}
