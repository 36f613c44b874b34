//! Experiments: everything that determines a simulated election.

use crate::{Amount, Fault, FaultError, FifoMethod, Pace, Schedule, ScheduleError, Wakes};
use std::collections::BTreeSet;
use suffrage_model::{Id, NetworkClass, Timing};
use suffrage_networks::wiring::{Unsuited, Wiring};

/// An election to be simulated: everything that determines its execution.
///
/// Two equal experiments have the same outcome, on any machine.
#[derive(Clone, Debug)]
pub struct Experiment<'a> {
    /// The network, its ports numbered.
    pub wiring: &'a Wiring,
    /// The identity of each process; they must be distinct, or asymmetric labels of
    /// [homonyms](NetworkClass::HomonymRing).
    pub ids: &'a [Id],
    /// The initiators, and the ticks at which they wake.
    pub wakes: Wakes,
    /// The schedule, which determines when messages arrive.
    pub schedule: Schedule,
    /// The method that keeps links FIFO where messages have delays of their own.
    pub fifo: FifoMethod,
    /// The number of messages that a link holds; `None` for any number. A process that has sent
    /// into a full link waits until there is room, in order, before it receives any more messages.
    pub capacity: Option<u32>,
    /// The faults of the network.
    pub faults: Vec<Fault>,
    /// The seed of all randomness.
    pub seed: u64,
    /// The number of deliveries and alarms after which an election that has not ended counts as
    /// endless.
    pub event_limit: u64,
}

impl<'a> Experiment<'a> {
    /// Creates an experiment in which every process wakes at the start, every message takes one
    /// tick, and there are no faults.
    #[must_use]
    pub const fn new(wiring: &'a Wiring, ids: &'a [Id]) -> Self {
        Self {
            wiring,
            ids,
            wakes: Wakes::All,
            schedule: Schedule::Synchronous,
            fifo: FifoMethod::Cheapest,
            capacity: None,
            faults: Vec::new(),
            seed: 1,
            event_limit: u64::MAX,
        }
    }

    pub(crate) fn is_fifo(&self) -> bool {
        !self.faults.contains(&Fault::NoFifo)
    }

    pub(crate) fn is_faultless(&self) -> bool {
        let recorded = match &self.schedule {
            Schedule::Replay(recording) => recording.has_faults(),
            _ => false,
        };
        self.faults.is_empty() && !recorded
    }

    /// Returns whether the bounds on time apply to it: they are claimed of networks without faults,
    /// whose links hold any number of messages.
    pub(crate) fn has_time(&self) -> bool {
        self.is_faultless() && self.capacity.is_none_or(|room| room == u32::MAX)
    }

    pub(crate) fn crashes(&self) -> Vec<(u64, u32)> {
        let crash = |fault: &Fault| match *fault {
            Fault::Crash { node, at } => Some((at, node)),
            _ => None,
        };
        let mut crashes: Vec<_> = self.faults.iter().filter_map(crash).collect();
        crashes.sort_unstable();
        crashes.reverse();
        crashes
    }

    fn all_wake_together(&self) -> bool {
        match &self.wakes {
            Wakes::All => true,
            Wakes::At(wakes) => all_together(wakes, self.wiring.nodes().into()),
        }
    }

    /// Checks the experiment for an algorithm that needs this network and this timing.
    pub(crate) fn check(&self, network: NetworkClass, timing: Timing) -> Result<(), Impossible> {
        self.wiring.suits(network, self.ids, self.capacity)?;
        if timing.in_rounds() {
            // A recording says when everything happened.
            if !matches!(self.schedule, Schedule::Rounds(Pace::Unit) | Schedule::Replay(_)) {
                return Err(Impossible::NotInRounds(self.schedule.to_string()));
            }
            if self.capacity.is_some() {
                return Err(Impossible::WaitsInRounds);
            }
        }
        let recorded = matches!(self.schedule, Schedule::Replay(_));
        if timing == Timing::SimultaneousRounds && !recorded && !self.all_wake_together() {
            return Err(Impossible::NotSimultaneous);
        }
        if let Wakes::At(wakes) = &self.wakes {
            if wakes.is_empty() && !matches!(self.schedule, Schedule::Replay(_)) {
                return Err(Unsuited::NoInitiator.into());
            }
            wakes.iter().try_for_each(|&(_, node)| self.wiring.has(node))?;
        }
        // A schedule is in range exactly if the text that it is written as can be read.
        if !matches!(self.schedule, Schedule::Replay(_)) {
            self.schedule.to_string().parse::<Schedule>()?;
        }
        Fault::check_all(&self.faults)?;
        for fault in &self.faults {
            match *fault {
                Fault::NoFifo if !self.schedule.can_reorder() => {
                    return Err(Impossible::NothingToReorder(self.schedule.to_string()));
                }
                Fault::Crash { node, .. } => self.wiring.has(node)?,
                Fault::Loss(Amount::Count(_)) => {
                    return Err(Impossible::CountedFault(*fault, "loss"));
                }
                Fault::Duplicate(Amount::Count(_)) => {
                    return Err(Impossible::CountedFault(*fault, "duplicate"));
                }
                Fault::Crashes(_) => return Err(Impossible::CountedCrash(*fault)),
                _ => {}
            }
        }
        Ok(())
    }
}

pub(crate) fn all_together<N: Copy + Ord>(wakes: &[(u64, N)], processes: u64) -> bool {
    let nodes: BTreeSet<N> = wakes.iter().map(|&(_, node)| node).collect();
    let together = wakes.windows(2).all(|two| two[0].0 == two[1].0);
    together && nodes.len() as u64 == processes
}

/// An error: an experiment is not possible.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Impossible {
    /// Network, identities, initiators and links do not fit each other.
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    /// A parameter of the schedule is out of its range.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// A parameter of a fault is out of its range, or two faults contradict each other.
    #[error(transparent)]
    Fault(#[from] FaultError),
    /// A fault gives a count of messages, where a simulation draws for each message whether it is
    /// struck.
    #[error(
        "fault `{0}`: a simulation draws a fault for each message, so write a \
         probability, as in {1}:20% or {1}:0.2; a count is for the checker, which explores every case"
    )]
    CountedFault(Fault, &'static str),
    /// A fault gives a count of crashes, where a crash needs its process and its tick.
    #[error(
        "fault `{0}`: write which process crashes at which tick, as in crash:3@10; a count is for \
         the checker, which explores every case"
    )]
    CountedCrash(Fault),
    /// An algorithm in rounds, under a schedule that has none.
    #[error(
        "this algorithm runs in rounds: a message takes exactly one tick, and an alarm rings after \
         the messages of its tick. The schedule `rounds` is like that, but not `{0}`"
    )]
    NotInRounds(String),
    /// An algorithm in rounds, on links of bounded capacity.
    #[error(
        "this algorithm runs in rounds: a message takes exactly one tick, and cannot wait for room \
         on its link; leave the capacity unbounded"
    )]
    WaitsInRounds,
    /// Processes that start at different ticks, or not at all.
    #[error(
        "in this algorithm all processes start in the same round: give no initiators and no \
         wake-up ticks"
    )]
    NotSimultaneous,
    /// The fault would have no effect.
    #[error(
        "without FIFO links nothing changes under the schedule `{0}`, which gives all messages on \
         a link the same delay; choose uniform:D, exponential:MEAN, pareto:ALPHA or random"
    )]
    NothingToReorder(String),
}
