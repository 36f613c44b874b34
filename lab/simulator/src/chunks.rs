//! Events in chunks of a fixed size.

use std::mem;

/// The number of events in a chunk: large enough that the end of one is rare, small enough that those that
/// are filled in part take little memory.
pub(crate) const CHUNK: usize = 256;

/// A chunk that has been read, or none. All of it is initialized, so that adding an event is a write; and
/// its length is in its type, not in memory.
pub(crate) type Chunk<E> = Option<Box<[E; CHUNK]>>;

#[inline(always)]
pub(crate) fn first<E>(chunk: &Chunk<E>, count: usize) -> &[E] {
    chunk.as_deref().map_or(&[], |chunk| &chunk[..count])
}

/// Events in the order in which they were added.
///
/// They are written to and read from chunks in a row, and a chunk that has been read is filled again. So
/// memory follows the events in flight, not the most that each list has ever held.
pub(crate) struct ChunkList<E> {
    /// The last chunk, which holds events up to `filled`.
    filling: Chunk<E>,
    filled: usize,
    /// The chunks before it, which are full; those before `read` have been taken. All are taken before the list
    /// is filled again, so that a vector does, which is far less to compile for each type than a deque.
    full: Vec<Chunk<E>>,
    read: usize,
}

/// Chunks that have been read.
pub(crate) struct Pool<E>(Vec<Box<[E; CHUNK]>>);

impl<E> Default for ChunkList<E> {
    fn default() -> Self {
        Self { filling: None, filled: 0, full: Vec::new(), read: 0 }
    }
}

impl<E> Default for Pool<E> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<E: Copy> Pool<E> {
    fn begin(&mut self, first: &E) -> Chunk<E> {
        let Some(mut chunk) = self.0.pop() else { return Some(Box::new([*first; CHUNK])) };
        chunk[0] = *first;
        Some(chunk)
    }

    fn keep(&mut self, read: Chunk<E>) {
        if let Some(read) = read {
            self.0.push(read);
        }
    }
}

/// Creates this many empty lists.
pub(crate) fn lists<E>(count: usize) -> Vec<ChunkList<E>> {
    let mut lists = Vec::with_capacity(count);
    for _ in 0..count {
        lists.push(ChunkList::default());
    }
    lists
}

impl<E: Copy> ChunkList<E> {
    #[inline(always)]
    pub(crate) fn push(&mut self, event: E, pool: &mut Pool<E>) {
        // It is passed to no function, not even where room is made: an event that has an address lives in
        // memory, and costs two stalls on its way through it, wherever one is added.
        if let Some(chunk) = &mut self.filling
            && let Some(place) = chunk.get_mut(self.filled)
        {
            *place = event;
            self.filled += 1;
            return;
        }
        let full = self.filling.take();
        self.filling = self.exchange(full, Box::new(event), pool);
        self.filled = 1;
    }

    /// Adds a chunk that is full, if there is one, and returns one that begins with `first`.
    #[cold]
    #[inline(never)]
    pub(crate) fn exchange(
        &mut self,
        full: Chunk<E>,
        first: Box<E>,
        pool: &mut Pool<E>,
    ) -> Chunk<E> {
        if full.is_some() {
            self.full.push(full);
        }
        pool.begin(&first)
    }

    #[inline(always)]
    pub(crate) fn has_room(&self) -> bool {
        self.full.is_empty()
    }

    /// Adds events up to `filled` to chunks that are full. Returns a chunk that may be filled.
    #[cold]
    pub(crate) fn close(&mut self, last: Chunk<E>, filled: usize) -> Chunk<E> {
        self.filled = filled;
        mem::replace(&mut self.filling, last)
    }

    /// Exchanges events that have been read for the first ones, which are removed. Returns their number: 0
    /// if there are none.
    #[inline(always)]
    pub(crate) fn take(&mut self, read: &mut Chunk<E>, pool: &mut Pool<E>) -> usize {
        if !self.full.is_empty() {
            self.take_full(read, pool);
            return CHUNK;
        }
        // The common case: a tick of few events.
        mem::swap(&mut self.filling, read);
        mem::take(&mut self.filled)
    }

    #[cold]
    #[inline(never)]
    fn take_full(&mut self, read: &mut Chunk<E>, pool: &mut Pool<E>) {
        pool.keep(mem::replace(read, self.full[self.read].take()));
        self.read += 1;
        if self.read == self.full.len() {
            self.full.clear();
            self.read = 0;
        }
    }

    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        (self.full.len() - self.read) * CHUNK + self.filled
    }

    pub(crate) fn clear(&mut self, pool: &mut Pool<E>) {
        self.filled = 0;
        self.read = 0;
        while let Some(full) = self.full.pop() {
            pool.keep(full);
        }
    }

    /// Leaves its memory to others.
    pub(crate) fn leave(mut self, pool: &mut Pool<E>) {
        self.clear(pool);
        pool.keep(self.filling);
    }

    /// The number of chunks that hold events.
    pub(crate) fn chunks(&self) -> usize {
        self.full.len() - self.read + 1
    }

    /// Returns the events of one of the [`chunks`](Self::chunks), in order.
    pub(crate) fn chunk(&self, number: usize) -> &[E] {
        match self.full.get(self.read + number) {
            Some(full) => first(full, CHUNK),
            None => first(&self.filling, self.filled),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_the_order_in_which_they_were_added() {
        for count in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 3] {
            let (mut chunks, mut pool) = (ChunkList::default(), Pool::default());
            (0..count).for_each(|event| chunks.push(event, &mut pool));
            assert_eq!(chunks.len(), count);
            assert!(
                (0..chunks.chunks()).flat_map(|chunk| chunks.chunk(chunk)).copied().eq(0..count)
            );
            let (mut read, mut order) = (None, Vec::new());
            loop {
                let taken = chunks.take(&mut read, &mut pool);
                if taken == 0 {
                    break;
                }
                order.extend_from_slice(first(&read, taken));
            }
            assert!(order.into_iter().eq(0..count), "{count} events");
        }
    }

    #[test]
    fn chunks_are_used_again() {
        let (mut chunks, mut pool, mut read) = (ChunkList::default(), Pool::default(), None);
        for _ in 0..50 {
            (0..3 * CHUNK).for_each(|event| chunks.push(event, &mut pool));
            while chunks.take(&mut read, &mut pool) > 0 {}
        }
        assert!(pool.0.len() <= 3, "{} chunks for 3 at a time", pool.0.len());
    }
}
