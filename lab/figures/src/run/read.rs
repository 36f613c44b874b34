//! Reads runs.

use super::{Run, RunHeader, format::HeaderLine};
use std::io::{BufRead, Read};
use suffrage_model::Action;
use suffrage_networks::{Amount, Fault};
use suffrage_simulator::{Recording, RecordingError};

/// Why a file is not a run that can be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// It cannot be read, or a line of it is not one of a run.
    #[error(transparent)]
    Line(#[from] RecordingError),
    /// Its header is not the header of a run.
    #[error("{name}, line 1: {what}")]
    Header {
        /// The name of the input.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// Its actions are not possible under its header.
    #[error("{name}, action {number}: {what}")]
    Action {
        /// The name of the input.
        name: String,
        /// The number of the action, from 1 on.
        number: u64,
        /// What is wrong.
        what: String,
    },
}

impl Run {
    /// Reads a run in the [format](super#format); `name` stands in errors.
    ///
    /// # Errors
    /// If the input cannot be read or is not a run; the error names the line.
    pub fn read(name: &str, mut input: impl BufRead) -> Result<Self, RunError> {
        let wrong = |what| RunError::Header { name: name.to_owned(), what };
        let mut first = Vec::new();
        input.read_until(b'\n', &mut first).map_err(|error| wrong(error.to_string()))?;
        // The reader of schedules decides whether it is a run at all.
        let recording = Recording::read(name, first.as_slice().chain(input))?;
        let header: HeaderLine = serde_json::from_slice(&first)
            .map_err(|error| wrong(format!("not the header of a run: {error}")))?;
        let header = header.header().map_err(wrong)?;
        let run = Self { header, actions: recording.steps().to_vec() };
        run.check(name)?;
        Ok(run)
    }

    /// Whether the actions have no more faults than the header allows.
    fn check(&self, name: &str) -> Result<(), RunError> {
        let wrong = |number, what| RunError::Action { name: name.to_owned(), number, what };
        if let Some(before) = self.header.loop_start
            && before >= self.actions.len()
        {
            let all = self.actions.len();
            let what = format!("`loop_start`: {before} actions before the loop, and {all} in all");
            return Err(RunError::Header { name: name.to_owned(), what });
        }
        let no_fifo = self.header.faults.contains(&Fault::NoFifo);
        let mut left = FaultsLeft::of(&self.header.faults, &[]);
        for (number, &(_, action)) in (1..).zip(&self.actions) {
            if matches!(action, Action::Deliver { overtakes, .. } if overtakes > 0 && !no_fifo) {
                let what = "a message overtakes another, and `faults` does not have no-fifo";
                return Err(wrong(number, what.to_owned()));
            }
            if matches!(action, Action::Crash(node) if self.header.crashes(node)) {
                continue;
            }
            let Some((budget, name, does)) = left.of_action(action) else { continue };
            *budget = budget.checked_sub(1).ok_or_else(|| {
                wrong(number, format!("more {does} than {name} in `faults` allows"))
            })?;
            if self.header.loop_start.is_some_and(|before| number > before as u64) {
                let what = format!("a loop, as `loop_start` says, has no {does}: they are counted");
                return Err(wrong(number, what));
            }
        }
        Ok(())
    }
}

/// How often each fault may still strike, of those that are counted.
pub(crate) struct FaultsLeft {
    pub(crate) loss: u32,
    pub(crate) duplicate: u32,
    pub(crate) crash: u32,
}

impl FaultsLeft {
    /// What these actions leave of these faults.
    pub(crate) fn of(faults: &[Fault], actions: &[(u64, Action)]) -> Self {
        let mut left = Self { loss: 0, duplicate: 0, crash: 0 };
        for fault in faults {
            match *fault {
                Fault::Loss(Amount::Count(count)) => left.loss = count,
                Fault::Duplicate(Amount::Count(count)) => left.duplicate = count,
                Fault::Crashes(count) => left.crash = count,
                _ => {}
            }
        }
        for &(_, action) in actions {
            if let Some((budget, ..)) = left.of_action(action) {
                *budget = budget.saturating_sub(1);
            }
        }
        left
    }

    /// The budget that an action takes one from, its name, and its plural for errors.
    fn of_action(&mut self, action: Action) -> Option<(&mut u32, &'static str, &'static str)> {
        match action {
            Action::Wake(_) | Action::Alarm(_) | Action::Deliver { .. } => None,
            Action::Crash(_) => Some((&mut self.crash, "crash", "crashes")),
            Action::Lose { .. } => Some((&mut self.loss, "loss", "losses")),
            Action::Duplicate { .. } => Some((&mut self.duplicate, "duplicate", "duplicates")),
        }
    }
}

impl RunHeader {
    /// Whether it is a fault of the election that this node crashes.
    fn crashes(&self, node: u32) -> bool {
        self.faults.iter().any(|fault| matches!(fault, Fault::Crash { node: n, .. } if *n == node))
    }
}
