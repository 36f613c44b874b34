//! Compares the engines with others. No other crate depends on this one but `xtask`.
//!
//! The library has hand-written loops, which do the least work that an election needs, to measure
//! the simulator against: `cargo xtask bench`, `cargo bench -p suffrage-comparisons`. The example
//! `peers` and the test `stateright` run the same elections in our checker and in [stateright];
//! `spin/compare.sh` runs them in Spin.
//!
//! [stateright]: https://docs.rs/stateright
//!
//! Each loop knows one algorithm and one network, keeps a few words per process, counts only
//! messages and checks nothing. The ratio of the simulator to these loops is the cost of what it
//! does beyond that: any algorithm, any network, accounts, causal depth, properties.

mod chang_roberts;
mod humblet;
mod memory;

pub use chang_roberts::chang_roberts;
pub use humblet::humblet;
pub use memory::Memory;

use suffrage_topology::random::mix;

/// The delays of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delays {
    /// One tick.
    Unit,
    /// 1 to 10 ticks, on FIFO links: the simulator's `uniform:10`, with its seed 1.
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

/// Returns a pseudo-random number below `bound` for each state of a counter.
#[inline]
fn draw(counter: &mut u64, bound: u64) -> u32 {
    *counter = counter.wrapping_add(0x9E37_79B9_7F4A_7C15);
    ((u128::from(mix(*counter)) * u128::from(bound)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage_algorithms::Algorithm;
    use suffrage_simulator::{Experiment, Schedule, Simulator};
    use suffrage_topology::{Ids, wiring::Wiring};

    /// The loops do the same work, among the same identities and under the same schedules.
    #[test]
    fn the_reference_loops_send_as_many_messages_as_the_simulator() {
        for (name, loop_, ring) in [
            ("chang-roberts", chang_roberts as fn(&[u32], Delays) -> u64, true),
            ("humblet", humblet as fn(&[u32], Delays) -> u64, false),
        ] {
            for nodes in [1, 2, 3, 10, 1000] {
                let wiring = if ring { Wiring::ring(nodes) } else { Wiring::complete(nodes) };
                let ids = Ids::Random.assign(nodes, 5);
                let algorithm = Algorithm::named(name).unwrap();
                let small: Vec<u32> = ids.iter().map(|id| id.get() as u32).collect();
                for (schedule, delays) in [
                    (Schedule::Synchronous, Delays::Unit),
                    (Schedule::Uniform(10), Delays::UpToTen),
                ] {
                    let experiment = Experiment { schedule, ..Experiment::new(&wiring, &ids) };
                    let outcome = Simulator::of(algorithm, experiment).run().unwrap();
                    let messages = outcome.messages.total();
                    assert_eq!(loop_(&small, delays), messages, "{name} {nodes} {delays:?}");
                }
            }
        }
    }
}
