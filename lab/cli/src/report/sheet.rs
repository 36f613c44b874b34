//! The form of reports for people: names on the left, values on the right, in lines that fit a terminal.

use crate::terminal::{Emphasis, width, wrapped};
use std::fmt::Write;

/// A report with a title, and lines of a name and a value each.
#[derive(Default)]
pub(crate) struct Sheet {
    text: String,
}

impl Sheet {
    pub(crate) fn titled(title: &str) -> Self {
        Self { text: format!("{title}\n\n") }
    }

    /// Adds a line: a name, and a value that is wrapped if it is too long.
    pub(crate) fn line(&mut self, name: &str, value: &str) {
        self.marked(name, value, None);
    }

    /// Adds a line that is emphasized if colours are shown.
    pub(crate) fn emphasized(&mut self, name: &str, value: &str, emphasis: Emphasis) {
        self.marked(name, value, Some(emphasis));
    }

    fn marked(&mut self, mut name: &str, value: &str, emphasis: Option<Emphasis>) {
        for line in wrapped(value, width() - 18) {
            let line = emphasis.map_or_else(|| line.clone(), |emphasis| emphasis.paint(&line));
            let _ = writeln!(self.text, "  {name:<14}  {line}");
            name = "";
        }
    }

    /// Adds an indented, wrapped paragraph.
    pub(crate) fn wrapped(&mut self, text: &str) {
        for line in wrapped(text, width() - 4) {
            self.plain(&format!("    {line}"));
        }
    }

    /// Adds a headline about a broken property, after an empty line.
    pub(crate) fn headline(&mut self, text: &str) {
        let _ = writeln!(self.text, "\n{}", Emphasis::Broken.paint(text));
    }

    /// Adds text without changes.
    pub(crate) fn plain(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}
