//! What can be seen of a node while it runs.

use std::collections::BTreeMap;
use std::fmt;
use suffrage_process::{Id, Status};
use tokio::sync::watch;

/// What a node knows at the moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// What its process has decided.
    pub status: Status,
    /// Who leads, once the process knows.
    pub leader: Option<Id>,
    /// Where the node is in its life.
    pub stage: Stage,
    /// Links that are up.
    pub connected: usize,
    /// Neighbours that were tried and are not there, by their numbers, and why.
    pub missing: BTreeMap<u32, Absence>,
}

/// Where a node is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Nothing has happened to its process yet.
    #[default]
    Asleep,
    /// It takes part.
    Running,
    /// Its process has halted; others may not have.
    Halted,
    /// All have halted.
    Released,
}

/// Why a neighbour is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// The identity of the neighbour.
    pub id: Id,
    /// Where it was looked for.
    pub address: String,
    /// What came of it.
    pub why: String,
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.id, self.address, self.why)
    }
}

/// The side that knows.
#[derive(Debug)]
pub(crate) struct Viewed(watch::Sender<View>);

impl Viewed {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(View::default()))
    }

    pub(crate) fn watch(&self) -> watch::Receiver<View> {
        self.0.subscribe()
    }

    /// Changes the view; who watches is told if that makes it another one.
    pub(crate) fn change(&self, change: impl FnOnce(&mut View) -> bool) {
        self.0.send_if_modified(change);
    }

    pub(crate) fn enter(&self, stage: Stage) {
        self.change(|view| std::mem::replace(&mut view.stage, stage) != stage);
    }

    pub(crate) fn now(&self) -> View {
        self.0.borrow().clone()
    }
}
