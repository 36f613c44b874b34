//! Courses: schedules that a checker found, step by step, with the network that they are of.

mod file;
mod found;
mod replay;
#[cfg(test)]
mod tests;

use suffrage::algorithms::{Algorithm, Property};
use suffrage::process::Action;
use suffrage::process::Id;
use suffrage::topology::wiring::End;

/// A schedule of a small network, and what it shows.
#[derive(Clone)]
pub(crate) struct Course {
    pub(crate) algorithm: &'static Algorithm,
    /// The property that it breaks; `None` where it shows a worst case.
    pub(crate) property: Option<Property>,
    /// What it shows, in words.
    pub(crate) detail: String,
    /// For each node and each of its ports the end to which it leads.
    pub(crate) network: Vec<Vec<End>>,
    pub(crate) ids: Vec<Id>,
    /// How many messages a link holds; `None` for any number.
    pub(crate) capacity: Option<u32>,
    pub(crate) faults: Faults,
    /// What [`Net::choose`](suffrage::process::Net::choose) gave, in order.
    pub(crate) coins: Vec<u32>,
    pub(crate) steps: Vec<Action>,
    /// How many steps come before those that lead back to where they began; `None` where the last
    /// ones do not.
    pub(crate) around: Option<usize>,
}

/// The faults that were allowed: the steps have no more of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Faults {
    pub(crate) no_fifo: bool,
    pub(crate) loss: u32,
    pub(crate) duplicate: u32,
    pub(crate) crash: u32,
}

impl Faults {
    /// In words, as `--fault` of the checker takes them.
    pub(crate) fn words(&self) -> Vec<String> {
        let counted = [("loss", self.loss), ("duplicate", self.duplicate), ("crash", self.crash)];
        let counted = counted.into_iter().filter(|&(_, most)| most > 0);
        let fifo = self.no_fifo.then(|| "no-fifo".to_owned());
        fifo.into_iter().chain(counted.map(|(name, most)| format!("{name}:{most}"))).collect()
    }
}
