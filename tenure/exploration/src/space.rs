//! The configurations found so far, by fingerprint.
//!
//! A configuration is identified by 128 bits of its hash and its remaining budget. If the hash were
//! a random function, two of `n` configurations would have the same one with a probability below
//! `n^2 / 2^129`: 10^-22 for 10^8. (Hash compaction: P. Wolper, D. Leroy, "Reliable hashing without
//! collision detection", *CAV*, 1993.)

use super::history::RemainingBudget;
use hashbrown::HashTable;
use xxhash_rust::xxh3::Xxh3;

/// 128 bits of the hash of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fingerprint([u64; 2]);

impl Fingerprint {
    pub(super) fn of(row: &[u32]) -> Self {
        let mut hash = Xxh3::new();
        for words in row.chunks(16) {
            let mut bytes = [0; 64];
            for (four, word) in bytes.chunks_exact_mut(4).zip(words) {
                four.copy_from_slice(&word.to_le_bytes());
            }
            hash.update(&bytes[..4 * words.len()]);
        }
        let hash = hash.digest128();
        Self([hash as u64, (hash >> 64) as u64])
    }
}

/// A list that grows without moving its elements.
struct ChunkedList<T>(Vec<Vec<T>>);

const CHUNK: usize = 1 << 18;

impl<T: Copy> ChunkedList<T> {
    fn push(&mut self, value: T) {
        match self.0.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(value),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(value);
                self.0.push(chunk);
            }
        }
    }

    fn get(&self, at: usize) -> T {
        self.0[at / CHUNK][at % CHUNK]
    }
}

/// The configurations found so far, in the order in which they were found.
pub(super) struct ConfigurationSpace {
    /// Whether a configuration with a greater remaining budget covers one with a smaller.
    covering: bool,
    marks: ChunkedList<([u64; 2], u64)>,
    parents: ChunkedList<u32>,
    index: HashTable<u32>,
    len: usize,
    /// The number of the first configuration of the next level.
    base: usize,
    /// Whether each configuration is covered by another of its level: those of the next level, and
    /// of this one.
    dead: [Vec<bool>; 2],
    deaths: usize,
}

impl ConfigurationSpace {
    pub(super) fn new(covering: bool) -> Self {
        Self {
            covering,
            marks: ChunkedList(Vec::new()),
            parents: ChunkedList(Vec::new()),
            index: HashTable::new(),
            len: 0,
            base: 0,
            dead: [Vec::new(), Vec::new()],
            deaths: 0,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) const fn live(&self) -> usize {
        self.len - self.deaths
    }

    pub(super) fn left(&self, number: u32) -> Option<RemainingBudget> {
        let first = self.base - self.dead[1].len();
        (!self.dead[1][number as usize - first])
            .then(|| RemainingBudget::unpack(self.mark(number).1))
    }

    fn mark(&self, number: u32) -> ([u64; 2], u64) {
        self.marks.get(number as usize)
    }

    pub(super) fn covers(&self, Fingerprint(hash): Fingerprint, left: RemainingBudget) -> bool {
        let same = |&number: &u32| {
            let (known, budget) = self.mark(number);
            known == hash
                && (budget == left.pack()
                    || self.covering && RemainingBudget::unpack(budget).covers(left))
        };
        self.index.find(hash[0], same).is_some()
    }

    /// Adds a configuration to the next level, unless it is covered. Configurations of that level
    /// that it covers become dead.
    pub(super) fn add(
        &mut self,
        fingerprint: Fingerprint,
        left: RemainingBudget,
        parent: u32,
    ) -> bool {
        if self.covers(fingerprint, left) {
            return false;
        }
        let Fingerprint(hash) = fingerprint;
        if self.covering {
            for &number in self.index.iter_hash(hash[0]) {
                let (known, budget) = self.marks.get(number as usize);
                if number as usize >= self.base
                    && known == hash
                    && left.covers(RemainingBudget::unpack(budget))
                    && !std::mem::replace(&mut self.dead[0][number as usize - self.base], true)
                {
                    self.deaths += 1;
                }
            }
        }
        let number = self.len as u32;
        self.marks.push((hash, left.pack()));
        self.parents.push(parent);
        let marks = &self.marks;
        self.index.insert_unique(hash[0], number, |&number| marks.get(number as usize).0[0]);
        self.dead[0].push(false);
        self.len += 1;
        if number == 0 {
            self.end_level();
        }
        true
    }

    /// Makes the next level the current one.
    pub(super) fn end_level(&mut self) {
        self.dead.swap(0, 1);
        self.dead[0].clear();
        self.base = self.len;
    }

    pub(super) fn path(&self, mut at: u32) -> Vec<u32> {
        let mut path = Vec::new();
        while at != 0 {
            path.push(at);
            at = self.parents.get(at as usize);
        }
        path.reverse();
        path
    }

    pub(super) fn is(
        &self,
        number: u32,
        Fingerprint(hash): Fingerprint,
        left: RemainingBudget,
    ) -> bool {
        self.mark(number) == (hash, left.pack())
    }
}

/// The configurations of a level, in sequence.
#[derive(Default)]
pub(super) struct SearchLevel {
    words: Vec<u32>,
    ends: Vec<usize>,
}

impl SearchLevel {
    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn push(&mut self, row: &[u32]) {
        self.words.extend_from_slice(row);
        self.ends.push(self.words.len());
    }

    pub(super) fn row(&self, at: usize) -> &[u32] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.words[start..self.ends[at]]
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|at| self.row(at))
    }

    pub(super) fn clear(&mut self) {
        self.words.clear();
        self.ends.clear();
    }
}
