//! Compares the engines with others. Only `xtask` depends on this crate.
//!
//! The library has hand-written loops, which do the least work that an election needs, as a measure
//! for the simulator: `cargo xtask bench`, `cargo bench -p suffrage-comparisons`. The example
//! `peers` and the test `stateright` run the same elections in our checker and in [stateright];
//! `spin/compare.sh` runs them in Spin.
//!
//! [stateright]: https://docs.rs/stateright
//!
//! Each loop knows one algorithm and one network, keeps a few words per process, counts only
//! messages and checks nothing. The ratio of the simulator to these loops is the cost of its
//! additional work: any algorithm, any network, accounts, causal depth, properties.

mod chang_roberts;
mod humblet;
mod memory;

pub use chang_roberts::chang_roberts;
pub use humblet::humblet;
pub use memory::RecordMemory;

/// The simulator's seed.
const SEED: u64 = 1;

/// What a loop has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The number of messages.
    pub messages: u64,
    /// The tick at which the last of them arrived.
    pub time: u64,
}

/// The delays of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delays {
    /// One tick.
    Unit,
    /// 1 to 10 ticks, on FIFO links: those of the simulator under `uniform:10`, with its seed 1.
    UpToTen,
}

/// Events by tick: one vector for each of 16 ticks.
struct Buckets<E> {
    ticks: [Vec<E>; 16],
    pending: usize,
    now: u32,
}

impl<E> Buckets<E> {
    fn new() -> Self {
        Self { ticks: std::array::from_fn(|_| Vec::new()), pending: 0, now: 0 }
    }

    #[inline]
    fn push(&mut self, tick: u32, event: E) {
        self.pending += 1;
        self.ticks[(tick & 15) as usize].push(event);
    }

    /// Takes the events of the next tick. Return the vector with [`recycle`](Self::recycle).
    fn next_tick(&mut self) -> Option<Vec<E>> {
        if self.pending == 0 {
            return None;
        }
        self.now += 1;
        let events = std::mem::take(&mut self.ticks[(self.now & 15) as usize]);
        self.pending -= events.len();
        Some(events)
    }

    fn recycle(&mut self, mut events: Vec<E>) {
        events.clear();
        self.ticks[(self.now & 15) as usize] = events;
    }
}

#[cfg(test)]
mod tests;
