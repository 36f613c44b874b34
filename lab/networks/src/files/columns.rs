//! Lines of text in columns: the common part of edge lists, adjacency lists and matrices.

use super::encoding;
use super::raw::Flaw;
use std::borrow::Cow;
use std::io::BufRead;

/// The separator between two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// White space or commas, any number of them. A column that begins with `{`, as the attributes
    /// that networkx writes, takes the rest of the line.
    Any,
    /// One such character, a comma or a semicolon. Columns may contain white space, or stand in
    /// double quotes (RFC 4180, on one line).
    Quoted(char),
    /// One tab. Columns may contain white space.
    Tab,
}

impl Separator {
    pub(super) fn columns<'a>(self, line: &'a str, number: u64) -> Result<Vec<Cow<'a, str>>, Flaw> {
        let mut columns: Vec<Cow<'a, str>> = match self {
            Self::Any => words(line).map(Cow::from).collect(),
            Self::Quoted(separator) => quoted(line, separator, number)?,
            Self::Tab => line.split('\t').map(|column| column.trim().into()).collect(),
        };
        while columns.last().is_some_and(|column| column.is_empty()) {
            columns.pop();
        }
        Ok(columns)
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    let separates = |c: char| c.is_whitespace() || c == ',';
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(separates);
        if rest.is_empty() || rest.starts_with('#') {
            return None;
        }
        let end = match rest.starts_with('{') {
            true => rest.len(),
            false => rest.find(separates).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

fn quoted(line: &str, separator: char, number: u64) -> Result<Vec<Cow<'_, str>>, Flaw> {
    let mut columns = Vec::new();
    let mut rest = Some(line);
    while let Some(text) = rest {
        let Some(mut quote) = text.trim_start().strip_prefix('"') else {
            let (column, after) = match text.split_once(separator) {
                Some((column, after)) => (column, Some(after)),
                None => (text, None),
            };
            rest = after;
            columns.push(column.trim().into());
            continue;
        };
        let mut column = String::new();
        loop {
            let Some((part, after)) = quote.split_once('"') else {
                return Err(Flaw::line(number, "a quote is not closed"));
            };
            column.push_str(part);
            // A doubled quote stands for one.
            match after.strip_prefix('"') {
                Some(after) => {
                    column.push('"');
                    quote = after;
                }
                None => {
                    rest = after.split_once(separator).map(|(_, after)| after);
                    columns.push(column.trim().to_owned().into());
                    break;
                }
            }
        }
    }
    Ok(columns)
}

pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with(['#', '%'])
}

/// Calls `each` with every line that has content, and its number.
pub(super) fn lines(
    mut reader: impl BufRead,
    mut each: impl FnMut(&str, u64) -> Result<(), Flaw>,
) -> Result<(), Flaw> {
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        if let Some(line) = content(&bytes, number)? {
            each(line, number)?;
        }
    }
    Ok(())
}

pub(super) fn content(bytes: &[u8], number: u64) -> Result<Option<&str>, Flaw> {
    let line = encoding::line(bytes, number)?.trim_matches(['\n', '\r', ' ']);
    if is_comment(line) {
        return Ok(None);
    }
    if line.contains('\0') {
        return Err(Flaw::line(number, "a NUL byte: this is no text"));
    }
    Ok(Some(line))
}

#[cfg(test)]
mod tests;
