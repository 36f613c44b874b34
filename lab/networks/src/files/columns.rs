//! Lines of text in columns: the common part of all tables.

use super::encoding;
use super::raw::Flaw;
use crate::format::{FileFormat, FileSyntax, Separator};
use std::borrow::Cow;
use std::io::BufRead;

/// A row of a table, and the number of its first line.
#[derive(Clone, Debug)]
pub(super) struct Row<'a> {
    pub(super) line: u64,
    pub(super) columns: Vec<Cow<'a, str>>,
}

impl<'a> Row<'a> {
    /// Removes the empty columns at the end.
    pub(super) fn trimmed(mut self) -> Self {
        while self.columns.last().is_some_and(|column| column.is_empty()) {
            self.columns.pop();
        }
        self
    }
}

/// What a line of a table is.
pub(super) enum Line<'a> {
    Blank,
    Comment,
    /// The second line of what networkx writes, a comment with the time: the first one, with the command, is a
    /// comment, too, although no blank follows its sign.
    Stamp,
    /// A line that begins with the sign of a comment and a label: a comment, or a row.
    Doubtful(Vec<Cow<'a, str>>),
    Row(Vec<Cow<'a, str>>),
    /// A line in which a quote is not closed.
    Open,
}

/// The rule by which lines are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) separator: Separator,
    quotes: bool,
    comments: Option<bool>,
    /// Whether rows have any number of columns.
    any_width: bool,
}

const SIGNS: [&str; 3] = ["#", "%", "//"];

/// Returns whether a word consists of signs of comments alone.
fn is_sign(word: &str) -> bool {
    SIGNS.iter().any(|sign| word.starts_with(sign))
        && word.trim_matches(['#', '%', '/', '!']).is_empty()
}

impl Columns {
    pub(super) fn new(syntax: &FileSyntax, separator: Separator) -> Self {
        let any_width =
            matches!(syntax.format, FileFormat::AdjacencyList | FileFormat::MultilineAdjacencyList);
        Self { separator, quotes: !syntax.no_quotes, comments: syntax.comments, any_width }
    }

    /// Divides a line.
    pub(super) fn line<'a>(&self, line: &'a str, number: u64) -> Result<Line<'a>, Flaw> {
        if line.contains('\0') {
            return Err(Flaw::line(number, encoding::NUL));
        }
        let mut line = line.trim_end_matches(['\n', '\r']);
        let start = line.trim_start();
        if start.is_empty() {
            return Ok(Line::Blank);
        }
        if number == 1 && separator_line(line).is_some() {
            return Ok(Line::Comment);
        }
        let marked = SIGNS.iter().any(|sign| start.starts_with(sign));
        match self.comments {
            Some(true) if marked => return Ok(Line::Comment),
            Some(true) => {
                let ends = SIGNS.iter().filter_map(|sign| line.find(&format!(" {sign}"))).min();
                line = &line[..ends.unwrap_or(line.len())];
            }
            None if number == 2 && line.starts_with("# GMT ") => return Ok(Line::Stamp),
            None if marked && start.split_whitespace().next().is_some_and(is_sign) => {
                return Ok(Line::Comment);
            }
            _ => {}
        }
        match self.split(line, number) {
            Ok(None) | Err(_) if marked && self.comments.is_none() => Ok(Line::Comment),
            Ok(None) => Ok(Line::Open),
            Ok(Some(columns)) if marked && self.comments.is_none() => Ok(Line::Doubtful(columns)),
            Ok(Some(columns)) => match columns.iter().find(|column| is_sign(column)) {
                Some(sign) if self.comments.is_none() => Err(doubtful(sign, number)),
                _ => Ok(Line::Row(columns)),
            },
            Err(flaw) => Err(flaw),
        }
    }

    /// Returns the columns; `None` if a quote is not closed.
    fn split<'a>(&self, line: &'a str, number: u64) -> Result<Option<Vec<Cow<'a, str>>>, Flaw> {
        let character = self.separator.character();
        let mut columns: Vec<Cow<'a, str>> = Vec::new();
        let mut rest = line;
        loop {
            rest = match character {
                None => rest.trim_start(),
                Some(_) => rest.trim_start_matches(' '),
            };
            if character.is_none() && rest.is_empty() {
                return Ok(Some(columns));
            }
            // The attributes that networkx writes take the rest of the line.
            if character.is_none() && rest.starts_with('{') && !columns.is_empty() {
                columns.push(rest.trim_end().into());
                return Ok(Some(columns));
            }
            let (column, after) = match rest.strip_prefix('"').filter(|_| self.quotes) {
                Some(quoted) => match unquoted(quoted) {
                    Some((column, after)) => (Cow::from(column), after),
                    None => return Ok(None),
                },
                None => {
                    let end = match character {
                        Some(character) => rest.find(character),
                        None => rest.find(char::is_whitespace),
                    };
                    let (column, after) = rest.split_at(end.unwrap_or(rest.len()));
                    let column = column.trim_end_matches(' ');
                    if column.contains('\t') {
                        return Err(Flaw::line(number, "a tab stands within a column"));
                    }
                    (Cow::from(column), after)
                }
            };
            columns.push(column);
            let (next, behind) = match character {
                Some(character) => {
                    let after = after.trim_start_matches(' ');
                    (after.strip_prefix(character), after)
                }
                None => (after.strip_prefix(char::is_whitespace), after),
            };
            rest = match next {
                Some(next) => next,
                None if behind.is_empty() => return Ok(Some(columns)),
                None => {
                    let what = "text behind a quote that is closed; --topology-format with the option \
                                no-quotes takes quotes as parts of labels";
                    return Err(Flaw::line(number, what));
                }
            };
        }
    }
}

/// What programs write where a value is missing, in any case.
const MISSING: [&str; 6] = ["nan", "na", "<na>", "#n/a", "null", "none"];

/// Refuses a label that stands for a missing value, or is rather part of another way to write columns: between blanks one
/// that ends in a separator, as in `1, 2` and `1: 2 3`, and one with half of a pair of brackets, as in `(1, 2)`, or with
/// an arrow.
pub(super) fn refuse_part(label: &str, separator: Separator, line: u64) -> Result<(), Flaw> {
    let before =
        label.strip_suffix([',', ';', '|', ':']).filter(|_| separator == Separator::Blanks);
    // Addresses of IPv6 have colons.
    let ended = before.is_some_and(|before| !before.is_empty() && !before.contains(':'));
    let half = |(open, close)| {
        label.starts_with(open) && !label.contains(close)
            || label.ends_with(close) && !label.contains(open)
    };
    let arrow = label.contains("->") || label.contains("<-");
    let is_missing = MISSING.iter().any(|missing| label.eq_ignore_ascii_case(missing));
    let pairs = half(('(', ')')) || half(('[', ']'));
    let label = label.escape_debug();
    if is_missing {
        let what = format!(
            "`{label}` is a label, or stands for a value that is missing: with a --topology-format it is a label"
        );
        return Err(Flaw::line(line, what));
    }
    if !ended && !arrow && !pairs {
        return Ok(());
    }
    let what = format!(
        "`{label}` has a separator, an arrow or a bracket that is hardly part of a label: write the columns with one \
         separator and nothing around them, or say with --topology-format that it is"
    );
    Err(Flaw::line(line, what))
}

/// Takes a quoted text after its first quote, up to the quote that closes it: a doubled one stands for one.
fn unquoted(mut quoted: &str) -> Option<(String, &str)> {
    let mut column = String::new();
    loop {
        let (part, after) = quoted.split_once('"')?;
        column.push_str(part);
        match after.strip_prefix('"') {
            Some(after) => {
                column.push('"');
                quoted = after;
            }
            None => return Some((column, after)),
        }
    }
}

/// Returns the separator that a first line `sep=;` names, as spreadsheets read it.
pub(super) fn separator_line(line: &str) -> Option<Separator> {
    let mut named = line.trim().trim_matches('"').strip_prefix("sep=")?.chars();
    let character = named.next().filter(|_| named.next().is_none());
    Separator::ALL.into_iter().find(|one| one.character() == character)
}

pub(super) fn open_quote(line: u64) -> Flaw {
    let what = "a quote is not closed; --topology-format with the option no-quotes takes quotes as parts of \
                labels";
    Flaw::line(line, what)
}

/// The most lines that one quoted text may take.
const QUOTED: u64 = 100;

/// The lines that precede the first row.
#[derive(Default)]
pub(super) struct Rows {
    /// The number of comments.
    pub(super) comments: u64,
    /// The number of columns of the first row.
    width: Option<usize>,
    /// Lines before the first row that can be rows as well, each with its columns.
    doubtful: Vec<(u64, Vec<String>)>,
}

impl Rows {
    /// After the first row, which has this number of columns.
    pub(super) fn after(width: usize) -> Self {
        Self { width: Some(width), ..Self::default() }
    }

    /// Takes up a line, and returns its columns if it is a row.
    pub(super) fn take<'a>(
        &mut self,
        columns: &Columns,
        line: Line<'a>,
        number: u64,
    ) -> Result<Option<Vec<Cow<'a, str>>>, Flaw> {
        match line {
            Line::Blank => Ok(None),
            Line::Comment => {
                self.comments += 1;
                Ok(None)
            }
            Line::Stamp => {
                self.comments += 1;
                self.doubtful.clear();
                Ok(None)
            }
            Line::Open => Err(open_quote(number)),
            Line::Doubtful(found) => {
                self.comments += 1;
                if let Some(width) = self.width {
                    doubt(columns, width, &found, number)?;
                } else if self.doubtful.len() < 100 {
                    self.doubtful.push((number, found.iter().map(ToString::to_string).collect()));
                }
                Ok(None)
            }
            Line::Row(found) => {
                if self.width.is_none() {
                    self.width = Some(found.len());
                    for (line, before) in std::mem::take(&mut self.doubtful) {
                        let before: Vec<_> = before.into_iter().map(Cow::from).collect();
                        doubt(columns, found.len(), &before, line)?;
                    }
                }
                Ok(Some(found))
            }
        }
    }
}

/// Refuses a line that can be a comment and a row.
fn doubt(columns: &Columns, width: usize, found: &[Cow<'_, str>], line: u64) -> Result<(), Flaw> {
    let is_row = found.len() > 1 && (columns.any_width || found.len() == width);
    if !is_row || super::header::Header::of(found).is_some() {
        return Ok(());
    }
    Err(doubtful(&found[0], line))
}

fn doubtful(word: &str, line: u64) -> Flaw {
    let what = format!(
        "`{}` begins a comment or is a label: --topology-format with the option comments says the one, with \
         no-comments the other",
        word.escape_debug()
    );
    Flaw::line(line, what)
}

/// Calls `each` with every row, and returns the number of comments.
pub(super) fn rows(
    mut reader: impl BufRead,
    columns: &Columns,
    mut each: impl FnMut(Row<'_>) -> Result<(), Flaw>,
) -> Result<u64, Flaw> {
    let (mut bytes, mut state) = (Vec::new(), Rows::default());
    let (mut number, mut begun) = (0, 1);
    loop {
        let read = reader.read_until(b'\n', &mut bytes)?;
        number += 1;
        if read == 0 {
            if !bytes.is_empty() {
                return Err(open_quote(begun));
            }
            // Without any row, what may be one is no mere comment.
            if let (None, Some((line, words))) = (state.width, state.doubtful.first())
                && words.len() > 1
            {
                return Err(doubtful(&words[0], *line));
            }
            return Ok(state.comments);
        }
        let line = columns.line(encoding::line(&bytes, number)?, begun)?;
        if matches!(line, Line::Open) && number - begun < QUOTED {
            continue;
        }
        if let Some(columns) = state.take(columns, line, begun)? {
            each(Row { line: begun, columns })?;
        }
        bytes.clear();
        begun = number + 1;
    }
}

#[cfg(test)]
mod tests;
