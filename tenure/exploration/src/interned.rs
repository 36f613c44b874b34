//! Interned values: each has a number, is shared by threads and never removed.

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;
use std::{
    hash::{BuildHasher, Hash},
    sync::{OnceLock, PoisonError, RwLock},
};

/// The number of values in the first chunk; each further chunk is twice as large.
const FIRST: usize = 1 << 10;

/// A list that only grows. Its values do not move, so that they can be read without a lock.
struct AppendOnlyList<T>([OnceLock<Box<[OnceLock<T>]>>; 22]);

impl<T> AppendOnlyList<T> {
    const fn new() -> Self {
        Self([const { OnceLock::new() }; 22])
    }

    const fn place(number: u32) -> (usize, usize) {
        let from_one = number as usize + FIRST;
        let chunk = (from_one.ilog2() - FIRST.ilog2()) as usize;
        (chunk, from_one - (FIRST << chunk))
    }

    /// Returns the value of this number.
    ///
    /// # Panics
    /// If there is no value of this number.
    fn get(&self, number: u32) -> &T {
        let (chunk, at) = Self::place(number);
        let value = self.0[chunk].get().and_then(|chunk| chunk[at].get());
        value.expect("a number is given out after its value was stored")
    }

    fn set(&self, number: u32, value: T) -> &T {
        let (chunk, at) = Self::place(number);
        let chunk =
            self.0[chunk].get_or_init(|| (0..FIRST << chunk).map(|_| OnceLock::new()).collect());
        chunk[at].get_or_init(|| value)
    }
}

/// Distinct values, each with a number.
pub(super) struct InternTable<T> {
    numbers: RwLock<HashTable<u32>>,
    values: AppendOnlyList<T>,
}

impl<T: Eq + Hash> InternTable<T> {
    pub(super) fn new() -> Self {
        Self { numbers: RwLock::default(), values: AppendOnlyList::new() }
    }

    pub(super) fn number(&self, value: T) -> u32 {
        let hash = FxBuildHasher.hash_one(&value);
        let find = |numbers: &HashTable<u32>| {
            numbers.find(hash, |&number| *self.values.get(number) == value).copied()
        };
        if let Some(number) = find(&self.numbers.read().unwrap_or_else(PoisonError::into_inner)) {
            return number;
        }
        let mut numbers = self.numbers.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = find(&numbers) {
            return number;
        }
        let number = numbers.len() as u32;
        self.values.set(number, value);
        let again = |&number: &u32| FxBuildHasher.hash_one(self.values.get(number));
        numbers.insert_unique(hash, number, again);
        number
    }

    pub(super) fn get(&self, number: u32) -> &T {
        self.values.get(number)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let len = self.numbers.read().unwrap_or_else(PoisonError::into_inner).len();
        (0..len as u32).map(|number| self.get(number))
    }
}

/// Values by key, each computed once.
pub(super) struct Indices<K, T> {
    numbers: RwLock<HashMap<K, u32, FxBuildHasher>>,
    values: AppendOnlyList<T>,
}

impl<K: Eq + Hash, T> Indices<K, T> {
    pub(super) fn new() -> Self {
        Self { numbers: RwLock::default(), values: AppendOnlyList::new() }
    }

    pub(super) fn get_or_insert(&self, key: K, compute: impl FnOnce() -> T) -> &T {
        let known = self.numbers.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = known.get(&key) {
            return self.values.get(number);
        }
        drop(known);
        // Two threads may compute the same value; the first is kept.
        let value = compute();
        let mut known = self.numbers.write().unwrap_or_else(PoisonError::into_inner);
        let next = known.len() as u32;
        let number = *known.entry(key).or_insert(next);
        if number == next { self.values.set(number, value) } else { self.values.get(number) }
    }
}
