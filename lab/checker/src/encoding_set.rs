//! Strings of bytes, numbered.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Distinct strings of bytes, numbered in the order of their insertion. They lie one after another in one
/// vector, since each takes only some bytes.
pub(crate) struct EncodingSet {
    bytes: Vec<u8>,
    /// The offset at which each string begins, and the total length.
    first: Vec<u64>,
    index: HashTable<u32>,
    /// A buffer for the string that is inserted.
    written: Vec<u8>,
}

impl EncodingSet {
    pub(crate) fn new() -> Self {
        Self { bytes: Vec::new(), first: vec![0], index: HashTable::new(), written: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.first.truncate(1);
        self.index.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.first.len() - 1
    }

    pub(crate) fn get(&self, number: u32) -> &[u8] {
        get(&self.bytes, &self.first, number)
    }

    /// Returns the number of the string that is written.
    pub(crate) fn insert_written(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> u32 {
        let mut written = std::mem::take(&mut self.written);
        written.clear();
        write(&mut written);
        let (number, _) = self.insert(&written);
        self.written = written;
        number
    }

    /// Returns the number of a string, and whether it is new.
    pub(crate) fn insert(&mut self, written: &[u8]) -> (u32, bool) {
        let Self { bytes, first, index, .. } = self;
        let hash = hash(written);
        let same = |&number: &u32| get(bytes, first, number) == written;
        if let Some(&number) = index.find(hash, same) {
            return (number, false);
        }
        let number = first.len() as u32 - 1;
        let rehash = |&number: &u32| self::hash(get(bytes, first, number));
        index.insert_unique(hash, number, rehash);
        bytes.extend_from_slice(written);
        first.push(bytes.len() as u64);
        (number, true)
    }

    /// Returns the memory that is allocated, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let offsets = self.first.capacity() * size_of::<u64>();
        self.bytes.capacity() + offsets + self.index.allocation_size()
    }
}

fn get<'b>(bytes: &'b [u8], first: &[u64], number: u32) -> &'b [u8] {
    let number = number as usize;
    &bytes[first[number] as usize..first[number + 1] as usize]
}

fn hash(written: &[u8]) -> u64 {
    FxBuildHasher.hash_one(written)
}
