//! Interning: numbers for values.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// Assigns numbers to values, from 0 on: the same to equal values, different ones to different
/// values.
pub(crate) struct Interner<T> {
    values: Vec<T>,
    index: HashTable<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), index: HashTable::new() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    pub(crate) fn number(&mut self, value: T) -> u32 {
        let hash = |value: &T| FxBuildHasher.hash_one(value);
        let Self { values, index } = self;
        let found = index.find(hash(&value), |&number| values[number as usize] == value);
        if let Some(&number) = found {
            return number;
        }
        let number = values.len() as u32;
        index.insert_unique(hash(&value), number, |&number| hash(&values[number as usize]));
        values.push(value);
        number
    }

    pub(crate) fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}
