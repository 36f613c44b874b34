//! TOML files whose errors name the key and the line.

use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

/// An error in a configuration, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}: {why}", .line.map(|line| format!("line {line}, ")).unwrap_or_default(), .key)]
pub struct ConfigError {
    /// The key.
    pub key: String,
    /// Its line in the file; `None` if the key is missing.
    pub line: Option<usize>,
    /// What is wrong with its value.
    pub why: String,
}

impl ConfigError {
    /// Creates an error at a key.
    #[must_use]
    pub fn new(key: &str, line: Option<usize>, why: impl Display) -> Self {
        Self { key: key.to_owned(), line, why: why.to_string() }
    }
}

/// The lines of keys.
#[derive(Clone, Debug, Default)]
pub struct Lines(BTreeMap<String, usize>);

impl Lines {
    /// Records that the value of a key is in this part of the text.
    pub fn record(&mut self, text: &str, key: &str, span: Range<usize>) {
        self.0.insert(key.to_owned(), line_of(text, span.start));
    }

    /// Creates an error: the value of a key is wrong.
    #[must_use]
    pub fn wrong(&self, key: &str, why: impl Display) -> ConfigError {
        ConfigError::new(key, self.0.get(key).copied(), why)
    }
}

/// Reads a file: `parse` is given its text, and the folder to which paths in it are relative.
///
/// # Errors
/// If the file cannot be read, and those of `parse`.
pub fn read<T>(
    path: &Path,
    parse: impl FnOnce(&str, &Path) -> Result<T, ConfigError>,
) -> Result<T, ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| ConfigError::new("the file", None, format!("cannot be read: {error}")))?;
    parse(&text, path.parent().unwrap_or(Path::new("")))
}

/// Reads a text.
///
/// # Errors
/// If it is not TOML, lacks a key, or has one that is unknown or of the wrong type.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let span = error.span();
        let key = span.clone().and_then(|span| key_at(text, span.start));
        let line = span.map(|span| line_of(text, span.start));
        ConfigError::new(&key.unwrap_or_else(|| "the file".to_owned()), line, error.message())
    })
}

/// Returns the line of this offset, from 1.
fn line_of(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or(text).matches('\n').count() + 1
}

/// Returns the key of the line at this offset.
fn key_at(text: &str, offset: usize) -> Option<String> {
    let start = text.get(..offset)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..)?.lines().next()?;
    let (key, _) = line.split_once('=')?;
    Some(key.trim().to_owned())
}
