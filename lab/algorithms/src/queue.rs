//! A queue for the state of a process, and a loop over it.

use alloc::{boxed::Box, collections::VecDeque};
use core::{
    fmt,
    hash::{Hash, Hasher},
};
use serde::{Deserialize, Serialize};

/// A first-in-first-out queue that costs a process one word until it is used.
///
/// Most processes of a large network never queue anything. One that has done so keeps its
/// allocation, so that a busy process does not allocate again and again. Queues with the same
/// contents are equal and hash alike: an unused queue equals one that has been emptied.
#[derive(Clone, Serialize, Deserialize)]
#[expect(clippy::box_collection, reason = "alone it takes four words in every process, boxed one")]
pub(crate) struct LazyQueue<T>(Option<Box<VecDeque<T>>>);

impl<T> LazyQueue<T> {
    pub(crate) const fn new() -> Self {
        Self(None)
    }

    pub(crate) fn push(&mut self, item: T) {
        self.0.get_or_insert_default().push_back(item);
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        self.0.as_mut()?.pop_front()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flat_map(|items| items.iter())
    }
}

impl<T: PartialEq> PartialEq for LazyQueue<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for LazyQueue<T> {}

impl<T: Hash> Hash for LazyQueue<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The length goes first, so that what follows the queue is not mistaken for its contents.
        self.iter().count().hash(state);
        self.iter().for_each(|item| item.hash(state));
    }
}

impl<T: fmt::Debug> fmt::Debug for LazyQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Does something with what `next` gives, until it gives nothing.
///
/// It is the last thing that a reaction does: proofs take each turn of it for a reaction of its own.
#[inline(always)]
pub(crate) fn serve<P, N, T>(
    process: &mut P,
    net: &mut N,
    next: impl Fn(&mut P) -> Option<T>,
    turn: impl Fn(&mut P, T, &mut N),
) {
    while let Some(item) = next(process) {
        turn(process, item, net);
    }
}

#[cfg(test)]
mod tests;
