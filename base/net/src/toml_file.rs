//! TOML files whose errors name the key and the line.

use crate::small_file;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use suffrage_numbers::in_words;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// An error in a configuration, with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{why}", place(.line, .key))]
pub struct ConfigError {
    /// The key; empty if it is about the file as a whole.
    pub key: String,
    /// Its line in the file; `None` if the key is missing.
    pub line: Option<usize>,
    /// Why its value is invalid.
    pub why: String,
}

impl ConfigError {
    /// Creates an error at a key.
    #[must_use]
    pub fn new(key: &str, line: Option<usize>, why: impl Display) -> Self {
        Self { key: key.to_owned(), line, why: why.to_string() }
    }
}

fn place(line: &Option<usize>, key: &str) -> String {
    match line {
        Some(line) if key.is_empty() => format!("line {line}: "),
        Some(line) => format!("line {line}, {key}: "),
        None if key.is_empty() => String::new(),
        None => format!("{key}: "),
    }
}

/// The places of the values of keys.
#[derive(Clone, Debug, Default)]
pub struct KeyPlaces(BTreeMap<String, KeyPlace>);

/// The place of a value.
#[derive(Clone, Copy, Debug)]
enum KeyPlace {
    /// A line of the file, from 1.
    Line(usize),
    /// The flag of the command line that overrides the file.
    Flag,
}

impl KeyPlaces {
    /// Finds the values in a text. A key of a table is `table.key`. The tables of a list are [numbered](element), and
    /// those with a key `name` are ``list, `NAME` ``, at the line of the name, with ``list, `NAME`, key``.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut places = Self::default();
        if let Ok(root) = DeTable::parse(text) {
            let newlines: Vec<usize> = text.match_indices('\n').map(|(place, _)| place).collect();
            let line = |value: &Spanned<DeValue<'_>>| {
                newlines.partition_point(|&newline| newline < value.span().start) + 1
            };
            places.find(&line, "", root.get_ref());
        }
        places
    }

    fn find(
        &mut self,
        line: &impl Fn(&Spanned<DeValue<'_>>) -> usize,
        before: &str,
        table: &DeTable<'_>,
    ) {
        let mut record = |key: &str, value: &Spanned<DeValue<'_>>| {
            self.0.insert(key.to_owned(), KeyPlace::Line(line(value)));
        };
        let mut inner = Vec::new();
        for (key, value) in table {
            let key = format!("{before}{}", key.get_ref());
            record(&key, value);
            match value.get_ref() {
                DeValue::Table(table) => inner.push((format!("{key}."), table)),
                DeValue::Array(list) => {
                    for (place, entry) in list.iter().enumerate() {
                        let DeValue::Table(table) = entry.get_ref() else { continue };
                        record(&element(&key, place), entry);
                        let Some(name) = table.get("name") else { continue };
                        let shown = name.get_ref().as_str().unwrap_or_default().escape_debug();
                        let key = format!("{key}, `{shown}`");
                        record(&key, name);
                        inner.push((format!("{key}, "), table));
                    }
                }
                _ => {}
            }
        }
        for (before, table) in inner {
            self.find(line, &before, table);
        }
    }

    /// Records that the value of a key comes from the flag of this name.
    pub fn record_flag(&mut self, key: &str) {
        self.0.insert(key.to_owned(), KeyPlace::Flag);
    }

    /// Creates an error: the value of a key is wrong.
    #[must_use]
    pub fn wrong(&self, key: &str, why: impl Display) -> ConfigError {
        match self.0.get(key) {
            Some(KeyPlace::Line(line)) => ConfigError::new(key, Some(*line), why),
            Some(KeyPlace::Flag) => ConfigError::new(&format!("--{key}"), None, why),
            None => ConfigError::new(key, None, why),
        }
    }
}

/// Names an element of an array, for messages: "peers, the 2nd".
#[must_use]
pub fn element(key: &str, place: usize) -> String {
    let number = place + 1;
    let suffix = match (number % 10, number % 100) {
        (1, not) if not != 11 => "st",
        (2, not) if not != 12 => "nd",
        (3, not) if not != 13 => "rd",
        _ => "th",
    };
    format!("{key}, the {number}{suffix}")
}

/// Reads a file: `parse` is given its text, and the folder to which paths in it are relative.
///
/// # Errors
/// If the file cannot be read, and those of `parse`.
pub fn read<T>(
    path: &Path,
    parse: impl FnOnce(&str, &Path) -> Result<T, ConfigError>,
) -> Result<T, ConfigError> {
    let text = small_file::text(path)
        .map_err(|error| ConfigError::new("", None, format!("cannot be read: {error}")))?;
    parse(&text, path.parent().unwrap_or(Path::new("")))
}

/// Reads a text.
///
/// # Errors
/// If it is not TOML, lacks a key, or has a key that is unknown or of the wrong type.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ConfigError> {
    toml::from_str(text).map_err(|error| {
        let span = error.span();
        let key = missing(error.message())
            .or_else(|| span.clone().and_then(|span| key_at(text, span.start)));
        // A key that is missing is missed where its table begins.
        let line = span.map(|span| line_of(text, span.start));
        ConfigError::new(&key.unwrap_or_default(), line, in_words(error.message()))
    })
}

fn missing(message: &str) -> Option<String> {
    Some(message.strip_prefix("missing field `")?.split_once('`')?.0.to_owned())
}

fn line_of(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or(text).matches('\n').count() + 1
}

fn key_at(text: &str, offset: usize) -> Option<String> {
    let start = text.get(..offset)?.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text.get(start..)?.lines().next()?;
    let (key, _) = line.split_once('=')?;
    Some(key.trim().to_owned())
}
