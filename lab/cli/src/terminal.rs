//! The width and the colours of standard output.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{IsTerminal, stderr, stdout};
use suffrage::diagram;
use terminal_size::{Height, Width, terminal_size_of};

/// The width of lines if standard output is no terminal, so that the bytes are the same everywhere.
const PIPED: usize = 96;

/// The range to which the width of a terminal is limited: longer lines are hard to read.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=240;

pub(crate) fn width() -> usize {
    let size = terminal_size_of(stdout()).filter(|_| stdout().is_terminal());
    size.map_or(PIPED, limited)
}

fn limited((Width(columns), _): (Width, Height)) -> usize {
    usize::from(columns).clamp(*WIDTHS.start(), *WIDTHS.end())
}

pub(crate) fn table_width() -> usize {
    if stdout().is_terminal() { width() } else { usize::MAX }
}

pub(crate) fn diagram_width() -> usize {
    if stdout().is_terminal() { width() } else { diagram::WIDTH }
}

/// Returns a text without the characters that a terminal would obey, which names of files may hold: control characters,
/// and those that turn the direction of a line. They are written as escapes, in the form that JSON has, since a document
/// may hold them, too. Colours stay if they are `coloured`: those are of this program.
pub(crate) fn harmless(text: &str, coloured: bool) -> Cow<'_, str> {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let obeyed = |c: char| turns(c) || c.is_control() && !matches!(c, '\n' | '\t');
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if !obeyed(c) || coloured && c == '\u{1b}' && is_colour(&text[at + 1..]) {
            out.push(c);
        } else {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
    }
    Cow::Owned(out)
}

/// Whether the rest of an escape sequence sets what an [`Emphasis`] sets.
fn is_colour(rest: &str) -> bool {
    ["[0m", "[1m", "[31m", "[32m", "[33m"].iter().any(|colour| rest.starts_with(colour))
}

/// Wraps text into lines of at most `width` characters, as far as its words allow.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let long = lines[last].chars().count() + 1 + word.chars().count();
        if lines[last].is_empty() {
            lines[last].push_str(word);
        } else if long > width {
            lines.push(word.to_owned());
        } else {
            lines[last].push(' ');
            lines[last].push_str(word);
        }
    }
    lines
}

/// Wraps the lines of a text that are too long for the terminal; does nothing if standard output is
/// no terminal.
///
/// Text after a name and two blanks or more continues in its own column. Commands, so that they can
/// be copied, and drawings are not wrapped.
#[must_use]
pub fn fitted(text: &str) -> String {
    if stdout().is_terminal() { broken(text, width()) } else { text.to_owned() }
}

/// As [`fitted`], for standard error.
pub(crate) fn fitted_message(text: &str) -> String {
    let size = terminal_size_of(stderr()).filter(|_| stderr().is_terminal());
    size.map_or_else(|| text.to_owned(), |size| broken(text, limited(size)))
}

fn broken(text: &str, width: usize) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let is_drawn = line.contains(['┊', '│', '║', '◆', '●', '─']);
        if line.trim_end().chars().count() <= width
            || is_drawn
            || line.trim_start().starts_with("suffrage ")
            || line.contains('\u{1b}')
        {
            all.push_str(line);
            continue;
        }
        let indent = line.chars().take_while(|&c| c == ' ').count();
        let words = line.trim();
        let gap = words.find("  ").map(|name| {
            let value = words[name..].trim_start();
            indent + words.chars().count() - value.chars().count()
        });
        let hang = gap.filter(|&column| column <= width / 2).unwrap_or(indent + 2);
        let (first, rest) =
            line.trim_end().split_at(byte_at(line, hang.min(gap.unwrap_or(indent))));
        let mut lines = wrapped(rest, width.saturating_sub(hang.max(1))).into_iter();
        all.push_str(first);
        all.push_str(&lines.next().unwrap_or_default());
        for more in lines {
            all.push('\n');
            all.extend(std::iter::repeat_n(' ', hang));
            all.push_str(&more);
        }
        all.push('\n');
    }
    all
}

fn byte_at(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(place, _)| place)
}

/// Whether standard output is a terminal with colours and `NO_COLOR` is not set.
pub(crate) fn coloured() -> bool {
    AutoStream::choice(&stdout()) != ColorChoice::Never
}

/// The meaning of a text that has a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Emphasis {
    /// The leader.
    Leader,
    /// A broken property.
    Broken,
    /// A warning.
    Warning,
}

impl Emphasis {
    const fn style(self) -> Style {
        let colour = match self {
            Self::Leader => AnsiColor::Green,
            Self::Broken => AnsiColor::Red,
            Self::Warning => AnsiColor::Yellow,
        };
        colour.on_default().bold()
    }

    /// Colours the text, if standard output [has colours](coloured).
    pub(crate) fn paint(self, text: &str) -> String {
        if !coloured() {
            return text.to_owned();
        }
        let style = self.style();
        format!("{style}{text}{style:#}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words_and_continue_below_their_values() {
        let text = "title of a report\n\n  name      one two three four five six\n  more  words\n";
        let narrow = broken(text, 26);
        assert_eq!(
            narrow,
            "title of a report\n\n  name      one two three\n            four five six\n  more  words\n"
        );
        assert_eq!(broken(text, 80), text);
        let sentence = "    a sentence that has no name before it\n";
        assert_eq!(
            broken(sentence, 20),
            "    a sentence\n      that has no\n      name before it\n"
        );
    }

    #[test]
    fn control_characters_of_names_do_not_reach_a_terminal() {
        let text = "a\u{1b}[2Jb\u{7}\r\u{1b}[1mbold\u{1b}[0m\u{9b}c\n\t\u{1b}[8m";
        let said = "a\\u001b[2Jb\\u0007\\u000d\u{1b}[1mbold\u{1b}[0m\\u009bc\n\t\\u001b[8m";
        assert_eq!(harmless(text, true), said);
        assert!(!harmless(text, false).contains('\u{1b}'));
        // Within a document they are what JSON has, and mean the same.
        let json = serde_json::to_string("net\u{7f}\u{85}\u{202e}\u{2066}.dot").unwrap();
        let shown = harmless(&json, true);
        assert_eq!(shown, "\"net\\u007f\\u0085\\u202e\\u2066.dot\"");
        assert_eq!(
            serde_json::from_str::<String>(&shown).unwrap(),
            "net\u{7f}\u{85}\u{202e}\u{2066}.dot"
        );
    }

    #[test]
    fn commands_and_drawings_stay_on_their_lines() {
        let text = "  suffrage elect humblet --topology complete:1000 --seed 1\n  1      ◆       ┊       ┊\n";
        assert_eq!(broken(text, 20), text);
    }
}
