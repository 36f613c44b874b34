//! Any protocol, as its definition says.

use crate::{
    engine::{Engine, Supervisor},
    protocol::{Belief, PopulationProtocol},
    random::{Meetings, Stream},
    trial::Trial,
};

/// Meetings between two questions whether to go on.
const SLICE: u64 = 1 << 12;

/// An array of agents and a protocol.
#[derive(Debug)]
pub struct Reference<P: PopulationProtocol, I, W> {
    protocol: P,
    agents: u32,
    init: I,
    watch: W,
    states: Vec<P::State>,
}

/// What looks at a run and decides when it is over.
pub trait Watch<O> {
    /// Begins a trial; gets what every agent shows. Whether the trial is over already.
    fn start(&mut self, outputs: &mut dyn Iterator<Item = O>) -> bool;
    /// Interaction number `time`, from 1: agents `i` and `j` showed `before`, now show `after`.
    /// Whether the trial is over.
    fn interaction(&mut self, time: u64, pair: (u32, u32), before: (O, O), after: (O, O)) -> bool;
    /// The trial that was watched.
    fn trial(&self) -> Trial;
}

impl<P, I, W> Reference<P, I, W>
where
    P: PopulationProtocol,
    I: Fn(u32) -> P::State,
    W: Watch<P::Output>,
{
    /// `agents` agents, at least two, agent `i` beginning in state `init(i)`.
    #[must_use]
    pub const fn new(protocol: P, agents: u32, init: I, watch: W) -> Self {
        Self { protocol, agents, init, watch, states: Vec::new() }
    }
}

impl<P, I, W> Engine for Reference<P, I, W>
where
    P: PopulationProtocol,
    I: Fn(u32) -> P::State,
    W: Watch<P::Output>,
{
    fn trial(&mut self, stream: &mut Stream, supervisor: &dyn Supervisor) -> Option<Trial> {
        let Self { protocol, agents, init, watch, states } = self;
        states.clear();
        states.extend((0..*agents).map(&*init));
        let mut over = watch.start(&mut states.iter().map(|state| protocol.output(state)));
        let meetings = Meetings::among(*agents);
        let mut time = 0;
        while !over {
            supervisor.go_on(time)?;
            for _ in 0..SLICE {
                let (i, j) = meetings.next(stream);
                let Ok([a, b]) = states.get_disjoint_mut([i as usize, j as usize]) else {
                    unreachable!("a meeting is of two different agents");
                };
                let before = (protocol.output(a), protocol.output(b));
                protocol.interact(a, b);
                let after = (protocol.output(a), protocol.output(b));
                time += 1;
                if watch.interaction(time, (i, j), before, after) {
                    over = true;
                    break;
                }
            }
        }
        Some(watch.trial())
    }
}

/// Watches until a number of agents show one thing: when all are infected, when one leader is left.
#[derive(Clone, Copy, Debug)]
pub struct WatchUntil<O> {
    shown: O,
    wanted: u64,
    now: u64,
    completed_at: Option<u64>,
}

impl<O: Copy + Eq> WatchUntil<O> {
    /// Over when exactly `wanted` agents show `shown`.
    #[must_use]
    pub const fn new(shown: O, wanted: u64) -> Self {
        Self { shown, wanted, now: 0, completed_at: None }
    }
}

impl<O: Copy + Eq> Watch<O> for WatchUntil<O> {
    fn start(&mut self, outputs: &mut dyn Iterator<Item = O>) -> bool {
        self.now = outputs.filter(|&output| output == self.shown).count() as u64;
        self.completed_at = (self.now == self.wanted).then_some(0);
        self.completed_at.is_some()
    }

    fn interaction(&mut self, time: u64, _: (u32, u32), before: (O, O), after: (O, O)) -> bool {
        let show = |(a, b): (O, O)| u64::from(a == self.shown) + u64::from(b == self.shown);
        self.now = self.now + show(after) - show(before);
        self.completed_at = (self.now == self.wanted).then_some(time);
        self.completed_at.is_some()
    }

    fn trial(&self) -> Trial {
        Trial { completed_at: self.completed_at, ..Trial::default() }
    }
}

/// Watches an election among numbered agents, whose identities are their indices.
#[derive(Clone, Copy, Debug, Default)]
pub struct WatchElection {
    /// Whether the protocol declares: else a trial is over when all hold the maximum.
    declares: bool,
    /// Whether all that can still happen to the fields happens only by declarations.
    freezes: bool,
    agents: u32,
    holders: u32,
    told: u32,
    conversions: u64,
    followers_met: u64,
    trial: Trial,
}

impl WatchElection {
    /// A watch of a protocol that declares or not, and freezes beliefs when it has or not.
    #[must_use]
    pub fn new(declares: bool, freezes: bool) -> Self {
        Self { declares, freezes, ..Self::default() }
    }

    const fn complete(&self) -> bool {
        self.holders == self.agents
    }

    const fn over(&self) -> bool {
        if !self.declares {
            return self.complete();
        }
        let told = self.told == self.agents;
        if self.freezes {
            // Nothing can happen when all are told; nobody declares when conversions are over.
            return told || (self.complete() && self.trial.declared_at.is_none());
        }
        told && self.complete() && self.trial.leader_declared_at.is_some()
    }
}

impl Watch<Belief> for WatchElection {
    fn start(&mut self, outputs: &mut dyn Iterator<Item = Belief>) -> bool {
        let beliefs: Vec<_> = outputs.collect();
        let highest = beliefs.len() as u32 - 1;
        *self = Self {
            agents: beliefs.len() as u32,
            holders: beliefs.iter().filter(|belief| belief.leader == highest).count() as u32,
            told: beliefs.iter().filter(|belief| belief.complete).count() as u32,
            ..Self::new(self.declares, self.freezes)
        };
        self.over()
    }

    fn interaction(
        &mut self,
        time: u64,
        (i, j): (u32, u32),
        before: (Belief, Belief),
        after: (Belief, Belief),
    ) -> bool {
        let highest = self.agents - 1;
        let was_complete = self.complete();
        let [one, two] = [(i, before.0, after.0), (j, before.1, after.1)];
        for (agent, before, after, met) in
            [(one.0, one.1, one.2, two.1), (two.0, two.1, two.2, one.1)]
        {
            self.holders += u32::from(before.leader != highest && after.leader == highest);
            self.told += u32::from(!before.complete && after.complete);
            let frozen = self.freezes && (before.complete || met.complete);
            if agent == highest && !was_complete && !frozen {
                self.conversions += u64::from(met.leader != highest);
                self.followers_met += u64::from(met.leader == highest);
            }
        }
        let complete = self.complete();
        let trial = &mut self.trial;
        if complete && !was_complete {
            trial.completed_at = Some(time);
            trial.conversions = Some(self.conversions);
            trial.followers_met = Some(self.followers_met);
        }
        for (agent, before, after) in [one, two] {
            if after.declared && !before.declared {
                if trial.declared_at.is_none() {
                    trial.declared_at = Some(time);
                    trial.first_ok = Some(complete);
                }
                if agent == highest {
                    trial.leader_declared_at = Some(time);
                    trial.leader_ok = Some(complete);
                }
            }
        }
        if self.told == self.agents && trial.final_ok.is_none() && self.declares {
            trial.final_ok = Some(complete);
        }
        self.over()
    }

    fn trial(&self) -> Trial {
        self.trial
    }
}
