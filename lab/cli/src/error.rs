//! Exit codes and errors of the command.

use crate::terminal::{fitted_message, harmless};
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

pub(crate) use suffrage::experiment::Error;
use suffrage::experiment::{EarlyEnd, ExperimentRun};

/// The exit code of a wrong command line and of input that cannot be used; clap's own.
pub const USAGE: u8 = 2;

/// The end of a command without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnding {
    /// Every property held.
    Fine,
    /// A run broke a property.
    Broken,
    /// A leader was elected, but not all nodes are known to have halted.
    Doubtful,
    /// A signal asked for an end, and what was finished has been printed.
    Interrupted,
}

impl CommandEnding {
    /// The end of a command that was interrupted, or whose run broke a property.
    #[must_use]
    pub const fn of(interrupted: bool, broken: bool) -> Self {
        match (interrupted, broken) {
            (true, _) => Self::Interrupted,
            (false, true) => Self::Broken,
            (false, false) => Self::Fine,
        }
    }

    /// The end of an experiment. Says why it ended early, if it did.
    ///
    /// # Errors
    /// If it could not go on.
    pub fn after(ran: ExperimentRun) -> Result<Self, Error> {
        match ran.early {
            None => Ok(Self::of(false, ran.report.is_none_or(|report| !report.is_good()))),
            Some(EarlyEnd::Interrupted(words)) => {
                complain(words);
                Ok(Self::Interrupted)
            }
            Some(EarlyEnd::GaveUp(words)) => {
                match ran.report {
                    Some(_) => complain(words),
                    None => complain(format_args!("error: {words}")),
                }
                Ok(Self::Broken)
            }
            Some(EarlyEnd::Failed(error)) => Err(error),
        }
    }

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Fine => 0,
            Self::Broken => 1,
            Self::Doubtful => 3,
            Self::Interrupted => 130,
        }
    }
}

impl From<CommandEnding> for ExitCode {
    fn from(ending: CommandEnding) -> Self {
        Self::from(ending.code())
    }
}

/// Writes a line to standard error, wrapped to fit if that is a terminal; unlike `eprintln!` it does
/// not panic if that fails: there is nowhere left to say it.
pub fn complain(line: impl Display) {
    let text = fitted_message(&harmless(&format!("{line}\n"), false));
    let _ = io::stderr().write_all(text.as_bytes());
}
