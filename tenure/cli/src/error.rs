//! Errors of commands, with their exit codes.

use std::fmt::{self, Display};
use tenure_node::{OfficeError, StandError, StartError};

/// The exit code of a wrong command line and of input that cannot be used; clap's own.
pub(crate) const USAGE: u8 = 2;

/// The exit code of a command that failed.
pub(crate) const FAILED: u8 = 1;

/// The exit code of `tenure try` where this host does not lead.
const NOT_LED: u8 = 3;

/// An error message (the error, its place, and a remedy), and the exit code.
#[derive(Debug)]
pub struct CommandError {
    message: String,
    /// The exit code.
    pub code: u8,
}

impl CommandError {
    /// Creates an error for wrong input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: USAGE }
    }

    /// Creates an error for a command that failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: FAILED }
    }

    /// Creates an error for an office that was not won in the time that was given.
    pub(crate) fn not_led(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: NOT_LED }
    }

    /// Says where it is, before what is wrong.
    pub(crate) fn at(self, place: impl Display) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }

    pub(crate) const fn is_usage(&self) -> bool {
        self.code == USAGE
    }

    pub(crate) const fn is_not_led(&self) -> bool {
        self.code == NOT_LED
    }
}

impl From<StartError> for CommandError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Config(_)
            | StartError::Timing(_)
            | StartError::Members(_)
            | StartError::Office(_)
            | StartError::Thread(_) => Self::usage(error.to_string()),
            StartError::Store(_) | StartError::Clock(_) | StartError::Network(_) => {
                Self::failed(error.to_string())
            }
        }
    }
}

impl From<StandError> for CommandError {
    fn from(error: StandError) -> Self {
        match error {
            StandError::Office(_) | StandError::Stop { .. } | StandError::Witness => {
                Self::usage(error.to_string())
            }
            StandError::Ended => Self::failed(error.to_string()),
        }
    }
}

impl From<OfficeError> for CommandError {
    fn from(error: OfficeError) -> Self {
        Self::usage(error.to_string())
    }
}

impl Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CommandError {}
