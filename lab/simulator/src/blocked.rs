//! The processes that wait for room on a link.

use crate::medium::Dispatch;
use slab::Slab;
use std::collections::{BTreeMap, VecDeque};

/// A process that has sent into a full link: it receives nothing until all its messages have
/// entered their links.
pub(crate) struct Blocked<M> {
    /// The messages that it has sent since, in order.
    pub outbox: VecDeque<Dispatch<M>>,
    /// The links whose message has arrived and waits for this process, each with the serial number
    /// of that message if one was drawn.
    pub parked: Vec<(u32, Option<u32>)>,
}

impl<M> Blocked<M> {
    /// Creates a process whose first message does not fit on its link.
    pub(crate) fn new(first: Dispatch<M>) -> Self {
        Self { outbox: VecDeque::from([first]), parked: Vec::new() }
    }
}

/// All blocked processes, by number.
// The map holds indices and not the processes themselves, so that it is compiled once and not for
// every kind of message.
pub(crate) struct AllBlocked<M> {
    places: BTreeMap<u32, usize>,
    blocked: Slab<Blocked<M>>,
}

impl<M> Default for AllBlocked<M> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), blocked: Slab::new() }
    }
}

impl<M> AllBlocked<M> {
    pub(crate) fn len(&self) -> u64 {
        self.places.len() as u64
    }

    pub(crate) fn contains(&self, node: u32) -> bool {
        self.places.contains_key(&node)
    }

    pub(crate) fn get_mut(&mut self, node: u32) -> Option<&mut Blocked<M>> {
        // Mostly no process waits.
        self.blocked.get_mut(*self.places.get(&node)?)
    }

    /// Adds a process that is not blocked yet.
    pub(crate) fn insert(&mut self, node: u32, blocked: Blocked<M>) {
        self.places.insert(node, self.blocked.insert(blocked));
    }

    pub(crate) fn remove(&mut self, node: u32) -> Option<Blocked<M>> {
        self.blocked.try_remove(self.places.remove(&node)?)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Blocked<M>)> {
        self.places.iter().filter_map(|(&node, &place)| Some((node, self.blocked.get(place)?)))
    }
}
