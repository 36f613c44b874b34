//! The rows of a diagram, and its text.

use super::WIDTH;
use super::canvas::{self, Canvas, Life, Stroke};
use super::words::wrapped;
use std::fmt::Write;

/// The least number of characters a line for the text beside the columns, and in narrow diagrams.
const LEAST: usize = 44;
const LEAST_IN_NARROW: usize = 24;

/// A column for each process, and a row for each event that is drawn.
pub(super) struct Drawing {
    /// The width of the labels before the columns.
    margin: usize,
    /// What stands below the name of each process.
    heads: Vec<String>,
    /// What each process is before the first event.
    first: Life,
    lives: Vec<Life>,
    rows: Vec<Row>,
}

/// An event with a line of its own, and the events that follow from it.
struct Row {
    label: String,
    strokes: Vec<Stroke>,
    said: Vec<Said>,
    /// The processes after it.
    lives: Vec<Life>,
}

pub(super) enum Said {
    Phrase(String),
    /// A message, and the processes to which it is sent.
    Sends(String, Vec<u32>),
}

impl Drawing {
    pub(super) fn new(margin: usize, heads: Vec<String>, first: Life) -> Self {
        let lives = vec![first; heads.len()];
        Self { margin, heads, first, lives, rows: Vec::new() }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn life(&self, node: u32) -> Life {
        self.lives[node as usize]
    }

    pub(super) fn begin(&mut self, label: String, strokes: Vec<Stroke>, phrase: String) {
        let (said, lives) = (vec![Said::Phrase(phrase)], self.lives.clone());
        self.rows.push(Row { label, strokes, said, lives });
    }

    /// Adds a phrase about what follows from the event that was drawn last.
    pub(super) fn then(&mut self, said: Said) {
        if let Some(row) = self.rows.last_mut() {
            row.said.push(said);
        }
    }

    /// A process sends a message, because of the event that was drawn last.
    pub(super) fn sends(&mut self, message: String, to: u32) {
        match self.rows.last_mut().and_then(|row| row.said.last_mut()) {
            Some(Said::Sends(same, receivers)) if *same == message => receivers.push(to),
            _ => self.then(Said::Sends(message, vec![to])),
        }
    }

    /// Adds a stroke to the event that was drawn last.
    pub(super) fn mark(&mut self, stroke: Stroke) {
        if let Some(row) = self.rows.last_mut() {
            row.strokes.push(stroke);
        }
    }

    /// A process is in another stage of its life from here on.
    pub(super) fn becomes(&mut self, node: u32, life: Life) {
        self.lives[node as usize] = life;
        if let Some(row) = self.rows.last_mut() {
            row.lives[node as usize] = life;
        }
    }

    /// The whole diagram, in lines of at most `width` characters where it has few enough processes.
    /// Below it is what its signs mean, the line of a process that is `quiet` among them, and what is
    /// said of lines that end.
    pub(super) fn text(&self, width: usize, quiet: Life, ends: &str) -> String {
        let mut text = String::new();
        let canvas = Canvas::new(self.heads.len());
        let names: Vec<_> = (0..self.heads.len()).map(|node| format!("p{node}")).collect();
        // Heads that are wider than a column have a line each.
        let wide = self.heads.iter().any(|head| head.len() >= canvas::COLUMN);
        let margin = self.margin;
        let mut line = |label: &str, columns: &str, said: &str| {
            let line = format!("{label:>margin$}  {columns}  {said}");
            let _ = writeln!(text, "{}", line.trim_end());
        };
        line("", &canvas.words(&names), "");
        if wide {
            for (name, head) in names.iter().zip(&self.heads) {
                line("", &format!("{name}: {head}"), "");
            }
        } else {
            line("", &canvas.words(&self.heads), "");
        }
        let least = if width < WIDTH { LEAST_IN_NARROW } else { LEAST };
        let room = width.saturating_sub(margin + 2 + canvas.width() + 2).max(least);
        let mut marks = Vec::new();
        let mut lives = vec![self.first; self.heads.len()];
        line("", &canvas.between(&lives), "");
        for row in &self.rows {
            let (columns, drawn) = canvas.row(&lives, &row.strokes);
            marks.extend(drawn);
            lives.clone_from(&row.lives);
            let phrases: Vec<_> = row.said.iter().map(|said| self.phrase(said)).collect();
            let mut said = wrapped(&phrases, room).into_iter();
            line(&row.label, &columns, &said.next().unwrap_or_default());
            for more in said {
                line("", &canvas.between(&lives), &more);
            }
        }
        let words: Vec<_> = self.lives.iter().map(|life| life.word().to_owned()).collect();
        line("", &canvas.words(&words), "");
        let leads = self.rows.iter().flat_map(|row| &row.lives).any(|&life| life == Life::Leader);
        let mut signs = canvas::legend(&marks);
        signs.push(quiet.explained());
        if leads {
            signs.push(Life::Leader.explained());
        }
        signs.push(ends.to_owned());
        let _ = writeln!(text);
        for line in wrapped(&signs, width.saturating_sub(margin + 2)) {
            let _ = writeln!(text, "{}{line}", " ".repeat(margin + 2));
        }
        text
    }

    fn phrase(&self, said: &Said) -> String {
        match said {
            Said::Phrase(phrase) => phrase.clone(),
            Said::Sends(message, to) => {
                let mut names: Vec<_> = to.iter().map(|node| format!("p{node}")).collect();
                names.dedup();
                if names.len() > 1 && names.len() + 1 == self.heads.len() {
                    return format!("sends {message} to all");
                }
                let last = names.pop().unwrap_or_default();
                let others = names.join(", ");
                let and = if others.is_empty() { "" } else { " and " };
                format!("sends {message} to {others}{and}{last}")
            }
        }
    }
}
