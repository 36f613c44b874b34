//! The error of an experiment.

use std::fmt::Display;

/// An error message: the error, its place, and a remedy. Fields of a specification go by the names
/// of the flags that set them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

impl Error {
    /// Creates an error of this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Creates an error with its place in front.
    pub fn of(place: impl Display, error: impl Display) -> Self {
        Self(format!("{place}: {error}"))
    }
}
