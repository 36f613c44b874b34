//! Errors of commands, with their exit codes.

use std::fmt::{self, Display};

/// The exit code of a wrong command line and of input that cannot be used; clap's own.
pub(crate) const USAGE: u8 = 2;

/// The exit code of a command that failed.
pub(crate) const FAILED: u8 = 1;

/// An error message (what is wrong, where, and what to do about it), and the exit code.
#[derive(Debug)]
pub struct Error {
    message: String,
    /// The exit code.
    pub code: u8,
}

impl Error {
    /// Creates an error for wrong input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: USAGE }
    }

    /// Creates an error for a command that failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: FAILED }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
