//! How the command ends.

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
    /// Somebody pressed Ctrl-C.
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

/// Writes a line to standard error. If that fails there is nobody left to tell.
pub(crate) fn complain(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Prints to standard output. Says whether anybody still reads: `suffrage algorithms | head -1`
/// is no error.
pub(crate) fn print(text: &str) -> Result<bool, Error> {
    print_piece(text, None)
}

/// Prints a piece of a document, and sets what closes the document from then on.
pub(crate) fn print_piece(text: &str, closing: Option<&'static str>) -> Result<bool, Error> {
    let mut whole = crate::interrupt::writing();
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Some(closing) = closing {
        *whole = closing;
    }
    match written {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::of("cannot write to standard output", error)),
    }
}
