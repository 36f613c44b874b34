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

mod batch;
mod counts;
mod ranks;
mod table;

pub use counts::{Goal, StateCounts};
pub use ranks::{BYTES_PER_CLASS, Ranks, RanksState};
pub use table::{MeetingTable, TooManyStates};

#[cfg(test)]
mod tests;
