//! The share of a block in an outcome, and the outcome.

use super::{Block, Election, RoundClock};
use crate::{
    Busiest, Outcome,
    node::SimulatedProcess,
    outcome::MessagesByKind,
    reaction::KINDS,
    verdict::{Accounts, JudgedSetting},
};
use serde::{Deserialize, Serialize};
use std::{cell::Cell, iter};
use suffrage_algorithms::{Claims, FinalState};
use suffrage_model::{Id, Message, Process, Stage, Status, Timing};

/// The share of a block in an outcome: its costs, and the last states of its processes.
///
/// Neighbours in the same state are one entry, so that it is small where an election has come to its
/// end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    first: u64,
    counts: [u64; KINDS],
    busiest: (u64, u64),
    depth: u32,
    late: u64,
    woken: u64,
    states: Vec<Alike>,
}

/// The last state of some neighbouring processes, without their identities.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Alike {
    /// The number of the first process after them.
    until: u64,
    woke: bool,
    stage: Stage,
    status: Status,
    leader: Option<Id>,
}

impl Alike {
    fn of<P: Process>(node: &SimulatedProcess<P>) -> Self {
        let SimulatedProcess { woke, stage, status, .. } = *node;
        Self { until: 0, woke, stage, status, leader: node.process.leader() }
    }

    fn includes(&self, state: &Self) -> bool {
        Self { until: self.until, ..*state } == *self
    }
}

impl Share {
    /// Returns the nodes of the block that a report may name: the busiest one, and the first that leads.
    #[must_use]
    pub fn outstanding(&self) -> Vec<u64> {
        let begins = iter::once(self.first).chain(self.states.iter().map(|alike| alike.until));
        let mut states = begins.zip(&self.states);
        let leader = states.find(|(_, alike)| alike.status == Status::Leader);
        iter::once(self.busiest.0).chain(leader.map(|(node, _)| node)).collect()
    }
}

impl<P: Process> Block<P> {
    /// Returns its share in the outcome, when the election is over.
    #[must_use]
    pub fn share(&self) -> Share {
        let (mut busiest, mut depth) = ((0, 0), 0);
        for (number, node) in (self.first..).zip(&self.nodes) {
            depth = depth.max(node.depth);
            if u64::from(node.load) > busiest.1 {
                busiest = (number, node.load.into());
            }
        }
        let mut states: Vec<Alike> = Vec::new();
        for (number, state) in (self.first..).zip(self.nodes.iter().map(Alike::of)) {
            match states.last_mut() {
                Some(alike) if alike.includes(&state) => alike.until = number + 1,
                _ => states.push(Alike { until: number + 1, ..state }),
            }
        }
        let (late, woken) = (self.late, self.woken);
        Share { first: self.first, counts: self.counts(), busiest, depth, late, woken, states }
    }
}

/// Returns the outcome of an election that is over, of the shares of all blocks in any order.
#[must_use]
pub fn conclude<P: Process>(
    election: &Election<'_>,
    claims: Option<&Claims>,
    clock: RoundClock,
    mut shares: Vec<Share>,
) -> Outcome {
    shares.sort_by_key(|share| share.first);
    let ended = !clock.is_interrupted();
    let clock = clock.state;
    let mut accounts = Accounts {
        ended,
        time: clock.time,
        // In rounds, where each message takes one unit, units are ticks.
        units: Some(match P::TIMING {
            Timing::Asynchronous => clock.rounds.since_last_wake(),
            Timing::Rounds | Timing::SimultaneousRounds => {
                clock.time.saturating_sub(clock.woken_at)
            }
        }),
        peak_in_flight: clock.peak_in_flight,
        delivered: clock.delivered,
        monitor: clock.monitor,
        ..Accounts::default()
    };
    let (mut busiest, mut depth) = (Busiest::default(), 0);
    for share in &shares {
        for (sum, count) in accounts.counts.iter_mut().zip(share.counts) {
            *sum += count;
        }
        accounts.late += share.late;
        accounts.woken += share.woken;
        depth = depth.max(share.depth);
        if share.busiest.1 > busiest.messages {
            busiest = Busiest { node: share.busiest.0, messages: share.busiest.1 };
        }
    }
    let states: Vec<Alike> = shares.into_iter().flat_map(|share| share.states).collect();
    // The judge asks for one process after the other: the next is mostly in the same place.
    let place = Cell::new(0);
    let state = |node: u64| {
        let mut at = place.get();
        let holds =
            |at: usize| (at == 0 || states[at - 1].until <= node) && node < states[at].until;
        if !holds(at) {
            at = states.partition_point(|alike| alike.until <= node);
            place.set(at);
        }
        let Alike { woke, stage, status, leader, .. } = states[at];
        FinalState { id: election.ids.of(node), woke, stage, status, leader }
    };
    let network = election.network;
    let (largest, nodes) = (election.ids.largest(), network.nodes());
    let messages = MessagesByKind::new(P::Msg::KINDS, &accounts.counts, largest, nodes);
    let diameter = &|| network.diameter();
    let setting = JudgedSetting { nodes, links: network.links(), diameter, faultless: true };
    accounts.outcome(&state, messages, busiest, depth, &setting, claims)
}
