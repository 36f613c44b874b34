//! How a command ends.

use std::fmt::{self, Display};

/// The exit code of a wrong command line and of input that cannot be used; clap's own.
pub(crate) const USAGE: u8 = 2;

/// The exit code of a command that could not do what it should.
pub(crate) const FAILED: u8 = 1;

/// What is wrong, where, what to do about it, and with which exit code the program ends.
#[derive(Debug)]
pub struct Error {
    message: String,
    /// The exit code.
    pub code: u8,
}

impl Error {
    /// Wrong input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: USAGE }
    }

    /// Something that did not work.
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
