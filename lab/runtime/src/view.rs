//! The observable state of a running node.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Instant;
use suffrage_model::{Id, Port, Status};
use tokio::sync::watch;

/// A snapshot of a running node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeView {
    /// The decision of its process.
    pub status: Status,
    /// The identity of the leader, once the process knows it.
    pub leader: Option<Id>,
    /// The stage that the node has reached.
    pub stage: NodeStage,
    /// The number of links that are up.
    pub connected: usize,
    /// Neighbours that cannot be reached, by the ports that lead to them.
    pub missing: BTreeMap<Port, Absence>,
}

/// The stages of a node, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeStage {
    /// Nothing has happened to its process yet.
    #[default]
    Asleep,
    /// The process takes part.
    Running,
    /// Its process has halted; others may not have.
    Halted,
    /// All have halted.
    Released,
}

/// A missing neighbour, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absence {
    /// The identity of the neighbour.
    pub id: Id,
    /// Its label in the network, if nodes have labels.
    pub label: Option<String>,
    /// The address that was dialled.
    pub address: String,
    /// The reason why it cannot be reached.
    pub why: String,
    /// When its last connection ended, or the first attempt began.
    pub since: Instant,
    /// Whether it was connected before.
    pub met: bool,
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)?;
        if let Some(label) = &self.label {
            write!(f, " `{}`", label.escape_debug())?;
        }
        write!(f, " ({}): {}", self.address, self.why)
    }
}

#[derive(Debug)]
pub(crate) struct Viewed(watch::Sender<NodeView>);

impl Viewed {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(NodeView::default()))
    }

    pub(crate) fn watch(&self) -> watch::Receiver<NodeView> {
        self.0.subscribe()
    }

    /// Changes the view, and notifies watchers if `change` returns `true`.
    pub(crate) fn change(&self, change: impl FnOnce(&mut NodeView) -> bool) {
        self.0.send_if_modified(change);
    }

    pub(crate) fn enter(&self, stage: NodeStage) {
        self.change(|view| std::mem::replace(&mut view.stage, stage) != stage);
    }

    pub(crate) fn now(&self) -> NodeView {
        self.0.borrow().clone()
    }
}
