//! The batched engine: keeps the number of agents in each state, and runs meetings in batches.
//!
//! Agents in the same state are equivalent, so a configuration is a multiset of states. Until an agent meets for a
//! second time, all meetings are between fresh agents, so that about 0.63 sqrt(n) of them can be drawn at once: how
//! many agents of each state take part, how they are paired, and which meeting ends the run (P. Berenbrink, D. Hammer,
//! D. Kaaser, U. Meyer, M. Penschuck, H. Tran, "Simulating population protocols in sub-constant time per interaction",
//! ESA 2020). Where few meetings change anything, the next one that does is drawn instead.
//!
//! [`StateCounts`] runs any protocol with few states, given as a [`MeetingTable`]. [`Ranks`] runs an election
//! among numbered agents, in which it tells the highest identities apart.

mod counts;
mod ranks;
mod table;
#[cfg(test)]
mod tests;

pub use counts::{Goal, StateCounts};
pub use ranks::{BYTES_PER_CLASS, Ranks, RanksState};
pub use table::{MeetingTable, TooManyStates};

use crate::{random::RandomStream, sampling::hypergeometric};

/// Splits a sample of `draws` items, without replacement, over the kinds of a multiset: `taken[k]`
/// becomes the number of items of kind k. `total` is the sum of `counts`.
fn split(
    stream: &mut RandomStream,
    counts: &[u64],
    mut total: u64,
    mut draws: u64,
    taken: &mut [u64],
) {
    for (taken, &count) in taken.iter_mut().zip(counts) {
        total -= count;
        *taken = if draws == 0 { 0 } else { hypergeometric(stream, count, total, draws) };
        draws -= *taken;
    }
}

#[inline]
fn pick(counts: &[u64], mut place: u64) -> usize {
    for (kind, &count) in counts.iter().enumerate() {
        if place < count {
            return kind;
        }
        place -= count;
    }
    unreachable!("a place is below the number of items")
}
