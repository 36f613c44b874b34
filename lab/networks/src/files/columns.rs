//! Lines of text in columns: the common part of edge lists, adjacency lists and matrices.

use super::encoding;
use super::raw::FileFault;
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
    pub(super) fn columns<'a>(
        self,
        line: &'a str,
        number: u64,
    ) -> Result<Vec<Cow<'a, str>>, FileFault> {
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

fn quoted(line: &str, separator: char, number: u64) -> Result<Vec<Cow<'_, str>>, FileFault> {
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
                return Err(FileFault::line(number, "a quote is not closed"));
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
    mut each: impl FnMut(&str, u64) -> Result<(), FileFault>,
) -> Result<(), FileFault> {
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

pub(super) fn content(bytes: &[u8], number: u64) -> Result<Option<&str>, FileFault> {
    let line = encoding::line(bytes, number)?.trim_matches(['\n', '\r', ' ']);
    if is_comment(line) {
        return Ok(None);
    }
    if line.contains('\0') {
        return Err(FileFault::line(number, "a NUL byte: this is no text"));
    }
    Ok(Some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(separator: Separator, line: &str) -> Vec<String> {
        separator.columns(line, 1).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn words_are_separated_by_white_space_or_commas() {
        assert_eq!(columns(Separator::Any, " 4 , 1\t0.5,x # y"), ["4", "1", "0.5", "x"]);
        assert_eq!(
            columns(Separator::Any, "1 2 {'weight': 3, 'x': 4}")[2],
            "{'weight': 3, 'x': 4}"
        );
    }

    #[test]
    fn separated_values_may_contain_white_space_and_quotes() {
        let comma = Separator::Quoted(',');
        assert_eq!(columns(comma, "New York, Los Angeles,5,,"), ["New York", "Los Angeles", "5"]);
        assert_eq!(
            columns(comma, r#""Washington, D.C.","a ""b""""#),
            ["Washington, D.C.", r#"a "b""#]
        );
        assert_eq!(columns(Separator::Quoted(';'), "a,b;c"), ["a,b", "c"]);
        assert_eq!(columns(Separator::Tab, "New York\tLos Angeles"), ["New York", "Los Angeles"]);
        assert!(
            matches!(comma.columns("\"c,d", 7), Err(FileFault::Syntax { at, .. }) if at.line == 7)
        );
    }
}
