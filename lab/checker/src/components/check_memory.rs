//! Where invariants held that are functions, so that they need not be evaluated where they would read the same.

use crate::{
    components::{
        tables::ComponentTables,
        word::{Word, change, get, hash},
    },
    snapshot::NarrowChecks,
};
use hashbrown::{HashTable, hash_table::Entry};

/// Where invariants held that do not read everything. They are functions of what they read, and nothing else.
#[derive(Default)]
pub(crate) struct CheckMemory<const L: usize> {
    /// For each component, by number, those that looked at it by itself.
    each: Vec<u64>,
    /// In this instance, for the states of all processes, those that read them alone.
    processes: HashTable<(Word<L>, u64)>,
}

impl<const L: usize> CheckMemory<L> {
    /// Returns the memory that is allocated, in bytes.
    pub(crate) fn memory(&self) -> u64 {
        (self.processes.allocation_size() + self.each.capacity() * size_of::<u64>()) as u64
    }

    /// Begins an instance.
    pub(crate) fn begin(&mut self) {
        self.processes.clear();
    }

    /// Forgets what is known of components.
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Returns the invariants that hold in a configuration, among others, as bits.
    #[inline]
    pub(crate) fn known(&self, now: &Word<L>, nodes: usize, tables: &ComponentTables) -> u64 {
        let of = |node| self.each.get(usize::from(get(now, node))).copied().unwrap_or(0);
        let each = (0..nodes).fold(u64::MAX, |all, node| all & of(node));
        let states = states(now, nodes, tables);
        let same = states.and_then(|of| self.processes.find(hash(&of), |(known, _)| *known == of));
        each | same.map_or(0, |&(_, held)| held)
    }

    /// Adds invariants that were found to hold in a configuration.
    pub(crate) fn add(
        &mut self,
        held: NarrowChecks,
        now: &Word<L>,
        nodes: usize,
        tables: &ComponentTables,
    ) {
        if held.each != 0 {
            self.each.resize(tables.flags.len(), 0);
            (0..nodes).for_each(|node| self.each[usize::from(get(now, node))] |= held.each);
        }
        if held.processes != 0
            && let Some(states) = states(now, nodes, tables)
        {
            let same = |(known, _): &(Word<L>, u64)| *known == states;
            match self.processes.entry(hash(&states), same, |(known, _)| hash(known)) {
                Entry::Occupied(mut known) => known.get_mut().1 |= held.processes,
                Entry::Vacant(place) => {
                    place.insert((states, held.processes));
                }
            }
        }
    }
}

/// Returns the states of all processes, by number; `None` if a number is too great.
#[inline]
fn states<const L: usize>(
    now: &Word<L>,
    nodes: usize,
    tables: &ComponentTables,
) -> Option<Word<L>> {
    let mut states = [0; L];
    for node in 0..nodes {
        let state = u16::try_from(tables.known.get(get(now, node).into()).local).ok()?;
        change(&mut states, node, 0, state);
    }
    Some(states)
}
