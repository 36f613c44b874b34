//! The settings of `tenure lead`, from its flags.

use crate::error::Error;
use clap::ValueEnum;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;
use tenure_node::OfficeName;

/// The reaction to a command that ends by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnExit {
    /// Release the office, and stand for it again
    #[default]
    Release,
    /// Start the command again, and keep the office
    Restart,
    /// Release the office, and end with the command's exit code
    Stop,
}

/// A health probe of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    /// A shell's command line, which succeeds while the command is healthy.
    Command(String),
    /// A server, which answers GET with a status of 200 to 299 while the command is healthy.
    Http { host: String, path: String },
}

impl Health {
    /// Parses a command line, or an address that begins with `http://`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with("https://") {
            return Err(format!(
                "the health of a server on this host is asked without TLS: write http://, or a \
                 command such as `curl --fail --silent {text}`"
            ));
        }
        let Some(rest) = text.strip_prefix("http://") else {
            return Ok(Self::Command(text.to_owned()));
        };
        let (host, path) = rest.find('/').map_or((rest, "/"), |slash| rest.split_at(slash));
        let port = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok());
        match host {
            "" => Err("write a host, as in http://127.0.0.1:8080/health".to_owned()),
            _ if port.is_some() => Ok(Self::Http { host: host.to_owned(), path: path.to_owned() }),
            _ => Ok(Self::Http { host: format!("{host}:80"), path: path.to_owned() }),
        }
    }
}

/// The command and how to run it.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) office: String,
    pub(crate) priority: Option<u32>,
    /// For how long it stands before it asks for the office.
    pub(crate) take_back: Option<Duration>,
    pub(crate) command: Vec<OsString>,
    pub(crate) grace: Duration,
    pub(crate) on_exit: OnExit,
    pub(crate) ready: Option<String>,
    pub(crate) health: Option<Health>,
    pub(crate) interval: Duration,
    pub(crate) failures: u32,
    pub(crate) warm_up: Duration,
    pub(crate) probe_limit: Duration,
}

impl Plan {
    /// Checks the name of the office, and that the command exists. It may be gone when the office is won;
    /// but this reports most mistakes early.
    pub(crate) fn check(&self) -> Result<(), Error> {
        OfficeName::new(&self.office)?;
        let program = self.command.first().map_or(OsStr::new(""), OsString::as_os_str);
        if is_program(program) {
            return Ok(());
        }
        let program = program.display();
        Err(Error::usage(format!(
            "COMMAND: there is no program `{program}`, or it cannot be executed"
        )))
    }
}

fn is_program(name: &OsStr) -> bool {
    use rustix::fs::{Access, access};
    let executable = |path: &Path| path.is_file() && access(path, Access::EXEC_OK).is_ok();
    if name.as_encoded_bytes().contains(&b'/') {
        return executable(Path::new(name));
    }
    let folders = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    !name.is_empty() && std::env::split_paths(&folders).any(|folder| executable(&folder.join(name)))
}

/// The waits between starts of a command that ends soon: each longer than the one before.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
}

impl Backoff {
    const FIRST: Duration = Duration::from_millis(100);
    const LONGEST: Duration = Duration::from_secs(30);
    /// A command that has run for this long resets the waits.
    const STEADY: Duration = Duration::from_secs(30);

    pub(crate) const fn new() -> Self {
        Self { next: Self::FIRST }
    }

    pub(crate) fn after(&mut self, run: Duration) -> Duration {
        if run >= Self::STEADY {
            self.next = Self::FIRST;
        }
        let wait = self.next;
        self.next = (wait * 2).min(Self::LONGEST);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_is_a_command_or_an_address() {
        let http = |host: &str, path: &str| {
            Ok(Health::Http { host: host.to_owned(), path: path.to_owned() })
        };
        assert_eq!(Health::parse("pg_isready -q"), Ok(Health::Command("pg_isready -q".to_owned())));
        assert_eq!(
            Health::parse("http://127.0.0.1:8080/health?x"),
            http("127.0.0.1:8080", "/health?x")
        );
        assert_eq!(Health::parse("http://localhost"), http("localhost:80", "/"));
        assert_eq!(Health::parse("http://[::1]:80/"), http("[::1]:80", "/"));
        assert!(Health::parse("https://localhost/").unwrap_err().contains("curl"));
        assert!(Health::parse("http://").is_err());
    }

    #[test]
    fn commands_are_found_as_a_shell_finds_them() {
        for (name, is) in [("sh", true), ("/bin/sh", true), ("no-such-program", false), ("", false)]
        {
            assert_eq!(is_program(OsStr::new(name)), is, "{name}");
        }
        assert!(!is_program(OsStr::new("/etc/passwd")) && !is_program(OsStr::new("/bin")));
    }

    #[test]
    fn waits_grow_until_a_run_is_long() {
        let mut backoff = Backoff::new();
        let waits: Vec<_> = (0..12).map(|_| backoff.after(Duration::ZERO).as_millis()).collect();
        assert_eq!(
            waits,
            [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]
        );
        assert_eq!(backoff.after(Duration::from_secs(40)).as_millis(), 100);
    }
}
