//! Detects that all processes have halted, along a spanning tree.
//!
//! A node reports to its parent when its process has halted, all its children have reported, and
//! all its messages were taken (a convergecast). When all children of the root have reported, it
//! tells them that they may leave, and they tell theirs (a broadcast).

use std::collections::BTreeSet;
use suffrage_model::Port;

/// The part of one node in the detection.
#[derive(Debug)]
pub(super) struct Termination {
    parent: Option<Port>,
    children: BTreeSet<Port>,
    /// The children that have reported.
    reported_below: BTreeSet<Port>,
    stage: TerminationStage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TerminationStage {
    /// Not all processes of this subtree are known to have halted.
    Collecting,
    /// The parent has been told that this subtree has halted.
    Reported,
    /// This node may leave; `certain` if all have halted.
    Released { certain: bool },
}

/// A message about the end that this neighbour cannot send at this time, and which is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unexpected {
    #[error("it is not below this node in the tree")]
    NotAChild,
    #[error("it is not above this node in the tree")]
    NotTheParent,
    #[error("it has said so before")]
    Twice,
    #[error("this node has not reported that it has halted")]
    TooEarly,
}

/// The action by which a node reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HaltReport {
    /// Tell the parent.
    Tell(Port),
    /// Tell no node: this is the root, and all have halted.
    AllHalted,
}

impl Termination {
    pub(super) fn new(parent: Option<Port>, children: &[Port]) -> Self {
        Self {
            parent,
            children: children.iter().copied().collect(),
            reported_below: BTreeSet::new(),
            stage: TerminationStage::Collecting,
        }
    }

    /// Handles the report of a neighbour that its subtree has halted.
    pub(super) fn halted(&mut self, port: Port) -> Result<(), Unexpected> {
        if !self.children.contains(&port) {
            return Err(Unexpected::NotAChild);
        }
        if self.reported_below.insert(port) { Ok(()) } else { Err(Unexpected::Twice) }
    }

    /// Handles the message of a neighbour that this node may leave, or the neighbour's own leaving.
    pub(super) fn released(&mut self, port: Port, certain: bool) -> Result<(), Unexpected> {
        if self.parent != Some(port) {
            return Err(Unexpected::NotTheParent);
        }
        match self.stage {
            TerminationStage::Collecting => Err(Unexpected::TooEarly),
            TerminationStage::Reported => {
                self.stage = TerminationStage::Released { certain };
                Ok(())
            }
            TerminationStage::Released { .. } => Err(Unexpected::Twice),
        }
    }

    pub(super) fn may_report(&self) -> bool {
        self.stage == TerminationStage::Collecting
            && self.reported_below.len() == self.children.len()
    }

    /// Reports. To be called when [`may_report`](Self::may_report) holds, this node has halted and
    /// all its messages were taken.
    pub(super) fn report(&mut self) -> HaltReport {
        match self.parent {
            Some(parent) => {
                self.stage = TerminationStage::Reported;
                HaltReport::Tell(parent)
            }
            None => {
                self.stage = TerminationStage::Released { certain: true };
                HaltReport::AllHalted
            }
        }
    }

    pub(super) fn waits_for(&self) -> Option<Port> {
        self.parent.filter(|_| self.stage == TerminationStage::Reported)
    }

    /// Gives up on the parent, which cannot be reached any more.
    pub(super) fn give_up(&mut self) {
        self.stage = TerminationStage::Released { certain: false };
    }

    pub(super) fn verdict(&self) -> Option<bool> {
        match self.stage {
            TerminationStage::Released { certain } => Some(certain),
            TerminationStage::Collecting | TerminationStage::Reported => None,
        }
    }

    pub(super) fn children(&self) -> impl Iterator<Item = Port> + use<> {
        self.children.clone().into_iter()
    }
}

#[cfg(test)]
mod tests;
