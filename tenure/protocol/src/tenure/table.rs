//! What a process keeps by office, and in which offices something may be unsettled.

use alloc::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    vec::Vec,
};
use core::{
    hash::{Hash, Hasher},
    ops::Deref,
};
use tenure_model::Office;

/// Entries by office. An office is noted whenever its entry can be changed, until a heartbeat finds that the
/// entry is settled: so a heartbeat at rest looks at no entry, however many there are.
///
/// Which offices are noted is no part of the state. An entry is noted while it is unsettled, and who asks
/// for those that are noted looks at each; so nothing depends on what else is noted.
#[derive(Clone, Debug)]
pub(super) struct Table<T> {
    entries: BTreeMap<Office, T>,
    noted: BTreeSet<Office>,
}

impl<T> Table<T> {
    pub(super) const fn new() -> Self {
        Self { entries: BTreeMap::new(), noted: BTreeSet::new() }
    }

    pub(super) fn entry(&mut self, office: Office) -> Entry<'_, Office, T> {
        self.noted.insert(office);
        self.entries.entry(office)
    }

    pub(super) fn get_mut(&mut self, office: &Office) -> Option<&mut T> {
        let entry = self.entries.get_mut(office)?;
        self.noted.insert(*office);
        Some(entry)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.noted.extend(self.entries.keys());
        self.entries.values_mut()
    }

    pub(super) fn remove(&mut self, office: &Office) {
        self.noted.remove(office);
        self.entries.remove(office);
    }

    /// Returns the offices, ascending, whose entries are unsettled; the others are noted no longer. A table
    /// is always asked by the same rule.
    pub(super) fn unsettled(&mut self, unsettled: impl Fn(Office, &T) -> bool) -> Vec<Office> {
        let entries = &self.entries;
        self.noted.retain(|office| entries.get(office).is_some_and(|it| unsettled(*office, it)));
        self.noted.iter().copied().collect()
    }

    pub(super) fn noted(&self) -> impl Iterator<Item = &T> {
        self.noted.iter().filter_map(|office| self.entries.get(office))
    }
}

impl<T> Deref for Table<T> {
    type Target = BTreeMap<Office, T>;

    fn deref(&self) -> &Self::Target {
        &self.entries
    }
}

impl<T: PartialEq> PartialEq for Table<T> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<T: Eq> Eq for Table<T> {}

impl<T: Hash> Hash for Table<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_changed_is_looked_at_until_it_is_settled() {
        let offices = |numbers: &[u64]| numbers.iter().copied().map(Office).collect::<Vec<_>>();
        let unsettled = |_, &entry: &bool| entry;
        let mut table = Table::new();
        for office in 0..1000 {
            table.entry(Office(office)).or_insert(false);
        }
        assert_eq!(table.unsettled(unsettled), []);
        assert_eq!(table.unsettled(|_, _| panic!("it looks where nothing has changed")), []);
        for office in offices(&[7, 3, 5]) {
            *table.get_mut(&office).unwrap() = true;
        }
        assert_eq!(table.noted().filter(|entry| **entry).count(), 3);
        assert_eq!(table.unsettled(unsettled), offices(&[3, 5, 7]));
        assert_eq!(table.noted().count(), 3);
        table.remove(&Office(5));
        assert_eq!(table.unsettled(unsettled), offices(&[3, 7]));
        table.values_mut().for_each(|entry| *entry = !*entry);
        assert_eq!(table.unsettled(unsettled).len(), 997);
    }
}
