//! The header of an algorithm's file, as text to display.

use crate::Algorithm;
use crate::announced::{NAMED, NAMED_SAYS};
use alloc::{format, string::String, vec::Vec};

/// The headings of every header, in their order. A title and the paper come before the first.
pub const HEADINGS: [&str; 5] = ["Assumes", "Idea", "Cost", "Deviations", "Invariants"];

impl Algorithm {
    /// Returns the first line of its header: its name and its idea in a few words.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.lines().next().unwrap_or_default()
    }

    /// Returns the text of its header between the title and the first section: the papers, in full.
    #[must_use]
    pub fn citation(&self) -> String {
        join(self.lines().skip(1).take_while(|line| heading(line).is_none()))
    }

    /// Returns the sections of its header, in order: heading and text. The text has the line breaks
    /// of the file, at most 100 characters apart, and no others around it; words in code are in
    /// backquotes.
    pub fn sections(&self) -> impl Iterator<Item = (&'static str, String)> {
        let mut lines = self.lines().peekable();
        core::iter::from_fn(move || {
            let heading = lines.by_ref().find_map(heading)?;
            let mut text = Vec::new();
            while let Some(line) = lines.next_if(|line| self::heading(line).is_none()) {
                text.push(line);
            }
            Some((heading, join(text.into_iter())))
        })
    }

    /// Returns what one of its [invariants](Self::invariants) says, as its header has it, on one line;
    /// `None` for a name that is none of them.
    pub fn statement(&self, invariant: &str) -> Option<String> {
        if invariant == NAMED {
            return Some(NAMED_SAYS.into());
        }
        let (_, text) = self.sections().find(|(heading, _)| *heading == "Invariants")?;
        let (_, rest) = text.split_once(&format!("- *{invariant}*: "))?;
        let words = rest.split("\n- ").next()?.split_whitespace();
        Some(words.collect::<Vec<_>>().join(" "))
    }

    fn lines(&self) -> impl Iterator<Item = &'static str> + use<> {
        let source: &'static str = self.source;
        let header = source.lines().map_while(|line| line.strip_prefix("//!"));
        header.map(|line| line.strip_prefix(' ').unwrap_or(line))
    }
}

fn heading(line: &'static str) -> Option<&'static str> {
    line.strip_prefix("# ")
}

fn join(lines: impl Iterator<Item = &'static str>) -> String {
    let lines: Vec<_> = lines.collect();
    String::from(lines.join("\n").trim())
}
