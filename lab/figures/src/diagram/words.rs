//! The text of a row: shortened messages, and lines that fit.

use std::fmt::{Debug, Write};

/// No message is longer.
const LONGEST: usize = 48;

/// A message by its kind and what it carries: `token(3)`, `capture(level 0, id 7)`.
pub(super) fn message(kind: &str, message: &dyn Debug) -> String {
    let debug = format!("{message:?}");
    // A wrapper around the messages of an election says nothing.
    let inner = debug.strip_prefix("Elect(").and_then(|rest| rest.strip_suffix(')'));
    let debug = inner.unwrap_or(&debug);
    let content = debug
        .find(['(', ' '])
        .map(|at| debug[at..].trim())
        .and_then(|rest| {
            let tuple = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
            tuple.or_else(|| rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')))
        })
        .map(|content| plain(content.trim()));
    let mut text = match content {
        Some(content) => format!("{kind}({content})"),
        None => kind.to_owned(),
    };
    if text.chars().count() > LONGEST {
        text = text.chars().take(LONGEST - 1).collect();
        text.push('…');
    }
    text
}

/// Values without the names of their types: `Candidate { id: Id(3), place: Place(0) }` is
/// `id 3, place 0`.
fn plain(debug: &str) -> String {
    let mut text = String::new();
    let mut rest = debug;
    // Brackets that are open, and whether each was left out.
    let mut open = Vec::new();
    while let Some(next) = rest.chars().next() {
        let name = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if next.is_ascii_uppercase() {
            let after = &rest[name..];
            let wraps = after.strip_prefix('(').is_some_and(|inner| {
                let number = inner.trim_start_matches(|c: char| c.is_ascii_digit());
                number.len() < inner.len() && number.starts_with(')')
            });
            if wraps {
                open.push(false);
                rest = &after[1..];
            } else if let Some(fields) = after.strip_prefix(" { ") {
                open.push(false);
                rest = fields;
            } else {
                let _ = write!(text, "{}", rest[..name].to_lowercase());
                rest = after;
            }
        } else if name > 0 {
            text.push_str(&rest[..name]);
            rest = &rest[name..];
        } else if rest.starts_with(" }") || next == ')' {
            let kept = open.pop().unwrap_or(true);
            let length = if next == ')' { 1 } else { 2 };
            if kept {
                text.push_str(&rest[..length]);
            }
            rest = &rest[length..];
        } else {
            if next == '(' {
                open.push(true);
            }
            if next != ':' {
                text.push(next);
            }
            rest = &rest[next.len_utf8()..];
        }
    }
    text
}

/// Joins phrases with a dot between them, in lines of at most `width` characters where words allow
/// it. A phrase that does not fit any more begins a line of its own, after its dot.
pub(super) fn wrapped(phrases: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for phrase in phrases {
        let fits = |line: &&mut String| length(line) + 3 + length(phrase) <= width;
        if let Some(line) = lines.last_mut().filter(fits) {
            line.push_str(" · ");
            line.push_str(phrase);
            continue;
        }
        let mut line = if lines.is_empty() { String::new() } else { "· ".to_owned() };
        for word in phrase.split(' ') {
            if length(&line) + length(word) > width && line.len() > 3 {
                lines.push(line.trim_end().to_owned());
                line = "  ".to_owned();
            }
            line.push_str(word);
            line.push(' ');
        }
        lines.push(line.trim_end().to_owned());
    }
    lines
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests;
