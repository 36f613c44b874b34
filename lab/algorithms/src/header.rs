//! The header of an algorithm's file: its description for people.

use crate::announced::NAMED;
use crate::{Algorithm, Property};
use alloc::{format, string::String, vec::Vec};

/// The description of an algorithm, which its file begins with.
///
/// Texts have the line breaks of the file, at most 100 characters apart; words in code are in
/// backquotes. A line break before or after a text does not count.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmHeader {
    /// Its name: lower case, words joined by `-`; of a form, its algorithm's name, `@`, and its own.
    pub name: &'static str,
    /// Its authors, or its usual name, and its idea in a few words.
    pub title: &'static str,
    /// Its paper in one line: authors, venue, year.
    pub paper: &'static str,
    /// The papers, in full.
    pub citation: &'static str,
    /// Its assumptions: networks, knowledge, links.
    pub assumes: &'static str,
    /// The idea, in about four sentences.
    pub idea: &'static str,
    /// The numbers of messages and of units of time, with proofs.
    pub cost: &'static str,
    /// The differences from its sources, and the reasons.
    pub deviations: &'static str,
    /// The names of its invariants, and what each says: a sentence and, after a line break, a formula if
    /// there is one.
    pub invariants: &'static [(&'static str, &'static str)],
}

/// The difference of a printed form from the algorithm of the catalogue whose name stands before
/// the `@` of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Whether it is faulty or a variant.
    pub kind: FormKind,
    /// The difference, as a predicate whose subject is the form.
    pub difference: &'static str,
    /// A command that shows the difference.
    pub shown_by: &'static str,
    /// The property that is broken there; `None` if it is a variant, which breaks none.
    pub breaks: Option<Property>,
    /// The text of the source; empty if its algorithm's file describes the form.
    pub printed: &'static str,
    /// The consequences; empty if its algorithm's file describes them.
    pub explained: &'static str,
}

/// The relation of a printed form to the algorithm of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FormKind {
    /// It breaks a property that the algorithm has.
    Faulty,
    /// It has all properties that are claimed of it, which differ from those of the algorithm.
    Variant,
}

impl FormKind {
    /// Returns the kind in a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Faulty => "faulty",
            Self::Variant => "variant",
        }
    }
}

impl AlgorithmHeader {
    /// A header without any text.
    pub const EMPTY: Self = Self {
        name: "",
        title: "",
        paper: "",
        citation: "",
        assumes: "",
        idea: "",
        cost: "",
        deviations: "",
        invariants: &[],
    };
}

/// The greatest number of characters in a line of a list.
const WIDTH: usize = 96;

impl Algorithm {
    /// Returns its name and its idea in a few words.
    #[must_use]
    pub const fn title(&self) -> &'static str {
        self.header.title
    }

    /// Returns the papers, in full.
    #[must_use]
    pub fn citation(&self) -> &'static str {
        self.header.citation.trim()
    }

    /// Returns the sections of its header, in order: heading and text. A text has no line breaks
    /// around it.
    #[must_use]
    pub fn sections(&self) -> Vec<(&'static str, String)> {
        let header = self.header;
        let texts = match &self.form {
            Some(form) if !form.printed.is_empty() => {
                alloc::vec![("Form", form.printed), ("Difference", form.explained)]
            }
            _ => alloc::vec![
                ("Assumes", header.assumes),
                ("Idea", header.idea),
                ("Cost", header.cost),
                ("Deviations", header.deviations),
            ],
        };
        let mut all: Vec<_> =
            texts.into_iter().map(|(heading, text)| (heading, text.trim().into())).collect();
        if !header.invariants.is_empty() {
            let items = self.statements().map(|stated| item(stated.name, stated.says));
            let items: Vec<_> = items.collect();
            all.push(("Invariants", items.join("\n")));
        }
        all
    }

    /// Returns what its header states, in order.
    pub fn statements(&self) -> impl Iterator<Item = Statement> {
        self.header.invariants.iter().map(Statement::of)
    }

    /// Returns the statement of one of its [invariants](Self::invariants); `None` for a name that is none
    /// of them.
    #[must_use]
    pub fn statement(&self, invariant: &str) -> Option<Statement> {
        let mut all = self.statements().chain([Statement::of(&NAMED)]);
        all.find(|stated| stated.name == invariant)
    }
}

/// An invariant as the header of an algorithm's file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its name.
    pub name: &'static str,
    /// What it says, as a sentence.
    pub says: &'static str,
    /// The same as a formula, which can be [read](crate::assertion::Assertion::read).
    pub formula: Option<&'static str>,
}

impl Statement {
    /// Reads a name, and a sentence with a formula beneath it or without one.
    #[must_use]
    pub fn of(&(name, text): &(&'static str, &'static str)) -> Self {
        match text.split_once('\n') {
            Some((says, formula)) => Self { name, says, formula: Some(formula.trim()) },
            None => Self { name, says: text, formula: None },
        }
    }
}

/// Formats an item of a list, whose further lines are indented.
fn item(name: &str, says: &str) -> String {
    let (mut text, mut width) = (format!("- *{name}*:"), name.len() + 5);
    for word in says.split(' ') {
        let length = word.chars().count() + 1;
        let (space, before) = if width + length > WIDTH { ("\n  ", 1) } else { (" ", width) };
        text = text + space + word;
        width = before + length;
    }
    text
}
