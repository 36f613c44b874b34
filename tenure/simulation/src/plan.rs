//! The plan of a run: everything that determines it.

use super::{SimulationDescription, clock::REAL};
use crate::promises::Promise;
use tenure_model::Setting;

/// The length of a tick of a process's clock, in nanoseconds: durations of a [`Setting`] are in
/// microseconds.
pub(crate) const TICK: u64 = 1000;

pub(crate) struct SimulationPlan {
    /// The setting of participant 0.
    pub(crate) setting: Setting,
    /// The run, with the faults that were drawn.
    pub(crate) run: SimulationDescription,
    /// The time for which an office may be vacant.
    pub(crate) bound: u64,
    /// The time for which a holder must have been able to exchange messages with a majority before
    /// it may not lose the office.
    pub(crate) steady: u64,
    /// The longest time for which a member owes its votes to a participant that it no longer hears.
    pub(crate) owed: u64,
    /// The time within which a leader that is told of other members has asked them all, and knows who is silent.
    pub(crate) settling: u64,
    /// The promise that ends the run when it is broken.
    pub(crate) stop_at: Option<Promise>,
}

impl SimulationPlan {
    pub(crate) const fn peers(&self) -> u32 {
        self.setting.members + self.run.clients
    }

    pub(crate) const fn stands(&self, peer: u32) -> bool {
        peer < self.setting.members - self.run.witnesses || peer >= self.setting.members
    }

    pub(crate) const fn fastest(&self) -> u64 {
        let clocks = self.setting.clocks;
        (REAL as u128 * clocks.fastest as u128 / clocks.slowest as u128) as u64
    }

    pub(crate) const fn tick_nanos(&self, ticks: u32) -> u64 {
        ticks as u64 * TICK
    }

    pub(crate) const fn ppm(&self) -> u64 {
        ((self.fastest() - REAL) as u128 * 1_000_000 / REAL as u128) as u64
    }
}
