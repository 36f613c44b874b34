//! How the command ends: its exit codes, and what it says of an error.

use std::fmt::{self, Display};
use std::io::{self, Write};
use std::process::ExitCode;

/// The exit code of a wrong command line and of input that cannot be used; clap's own.
pub(crate) const USAGE: u8 = 2;

/// The end of a command that has done what it could.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// All is well.
    Fine,
    /// A run broke a property.
    Broken,
    /// A leader was elected, but not all nodes are known to have halted.
    Doubtful,
    /// A signal asked for an end, and what was finished has been printed.
    Interrupted,
    /// A command of the service has ended, with this exit code.
    Service(u8),
}

impl Ending {
    /// The end of a command of the service. What went wrong is said.
    pub(crate) fn of_service(done: Result<u8, crate::service::Error>) -> Self {
        Self::Service(done.unwrap_or_else(|error| {
            complain(format_args!("error: {error}"));
            error.code
        }))
    }

    /// The end of a command that was perhaps interrupted, and perhaps saw a broken property.
    pub(crate) const fn of(interrupted: bool, broken: bool) -> Self {
        match (interrupted, broken) {
            (true, _) => Self::Interrupted,
            (false, true) => Self::Broken,
            (false, false) => Self::Fine,
        }
    }

    /// The exit code.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Broken => 1,
            Self::Doubtful => 3,
            Self::Interrupted => 130,
            Self::Service(code) => code,
        }
    }
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        Self::from(ending.code())
    }
}

/// What is wrong, where, and what to do about it.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The same error, with where it comes from in front.
    pub(crate) fn of(place: impl Display, error: impl Display) -> Self {
        Self(format!("{place}: {error}"))
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Writes a line to standard error, unlike `eprintln!` without a panic where that cannot be written.
pub(crate) fn complain(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}
