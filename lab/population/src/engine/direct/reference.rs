//! The direct engine for any protocol, by the protocol's own definition.

use crate::{
    engine::{Supervisor, TrialEngine},
    meetings::Pairs,
    protocol::{Belief, PopulationProtocol},
    random::RandomStream,
    trial::Trial,
};

/// The number of meetings between two calls of the supervisor.
const SLICE: u64 = 1 << 12;

/// The number of agents that are initialized between two calls of the supervisor.
const INITIALIZED_AT_ONCE: u32 = 1 << 20;

/// The direct engine for any protocol and any source of meetings.
#[derive(Debug)]
pub struct Reference<P: PopulationProtocol, M, I, W> {
    protocol: P,
    meetings: M,
    init: I,
    watch: W,
    states: Vec<P::State>,
}

/// An observer of a run that decides when the run is over.
pub trait RunObserver<O> {
    /// Begins a trial of this many agents with these outputs. Returns whether the trial is over
    /// already.
    fn start(&mut self, agents: u32, outputs: &mut dyn Iterator<Item = O>) -> bool;
    /// Observes interaction number `time`, from 1, which changed the outputs of agents `i` and `j`
    /// from `before` to `after`. Returns whether the trial is over.
    fn interaction(&mut self, time: u64, pair: (u32, u32), before: (O, O), after: (O, O)) -> bool;
    /// Returns the trial that was observed.
    fn trial(&self) -> Trial;
}

impl<P, M, I, W> Reference<P, M, I, W>
where
    P: PopulationProtocol,
    M: Pairs,
    I: Fn(u32) -> P::State,
    W: RunObserver<P::Output>,
{
    /// Creates an engine for the agents of `meetings`, in which agent `i` begins in state
    /// `init(i)`.
    #[must_use]
    pub const fn new(protocol: P, meetings: M, init: I, watch: W) -> Self {
        Self { protocol, meetings, init, watch, states: Vec::new() }
    }

    /// Returns the observer.
    pub fn into_watch(self) -> W {
        self.watch
    }
}

impl<P, M, I, W> TrialEngine for Reference<P, M, I, W>
where
    P: PopulationProtocol,
    M: Pairs,
    I: Fn(u32) -> P::State,
    W: RunObserver<P::Output>,
{
    fn trial(&mut self, stream: &mut RandomStream, supervisor: &dyn Supervisor) -> Option<Trial> {
        let Self { protocol, meetings, init, watch, states } = self;
        meetings.start(stream);
        states.clear();
        let agents = meetings.agents();
        // No more than the plan has found room for.
        states.reserve_exact(agents as usize);
        for agent in 0..agents {
            if agent % INITIALIZED_AT_ONCE == 0 {
                supervisor.go_on(0)?;
            }
            states.push(init(agent));
        }
        let mut over = watch.start(agents, &mut states.iter().map(|state| protocol.output(state)));
        let mut time = 0;
        while !over {
            supervisor.go_on(time)?;
            for _ in 0..SLICE {
                let (i, j) = meetings.next(stream);
                let (before, after) = meet(protocol, states, (i, j));
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

/// The outputs of initiator and responder.
type Shown<P> = (<P as PopulationProtocol>::Output, <P as PopulationProtocol>::Output);

/// Applies a meeting of two agents, or of one with itself, and returns both outputs before and
/// after.
fn meet<P: PopulationProtocol>(
    protocol: &P,
    states: &mut [P::State],
    (i, j): (u32, u32),
) -> (Shown<P>, Shown<P>) {
    let show = |a: &P::State, b: &P::State| (protocol.output(a), protocol.output(b));
    if let Ok([a, b]) = states.get_disjoint_mut([i as usize, j as usize]) {
        let before = show(a, b);
        protocol.interact(a, b);
        (before, show(a, b))
    } else {
        let agent = &mut states[i as usize];
        let before = show(agent, agent);
        protocol.interact_with_itself(agent);
        (before, show(agent, agent))
    }
}

/// Observes a run until a number of agents show one output: all infected, or one leader left.
#[derive(Clone, Copy, Debug)]
pub struct WatchUntil<O> {
    shown: O,
    wanted: u64,
    now: u64,
    completed_at: Option<u64>,
}

impl<O: Copy + Eq> WatchUntil<O> {
    /// Creates a watch that ends a trial when exactly `wanted` agents show `shown`.
    #[must_use]
    pub const fn new(shown: O, wanted: u64) -> Self {
        Self { shown, wanted, now: 0, completed_at: None }
    }
}

impl<O: Copy + Eq> RunObserver<O> for WatchUntil<O> {
    fn start(&mut self, _: u32, outputs: &mut dyn Iterator<Item = O>) -> bool {
        self.now = outputs.filter(|&output| output == self.shown).count() as u64;
        self.completed_at = (self.now == self.wanted).then_some(0);
        self.completed_at.is_some()
    }

    fn interaction(
        &mut self,
        time: u64,
        (i, j): (u32, u32),
        before: (O, O),
        after: (O, O),
    ) -> bool {
        let show = |(a, b): (O, O)| u64::from(a == self.shown) + u64::from(b == self.shown);
        // A meeting of an agent with itself counts the same agent twice, before and after.
        debug_assert!(i != j || before == after, "a self-meeting changes nothing that is counted");
        self.now = self.now + show(after) - show(before);
        self.completed_at = (self.now == self.wanted).then_some(time);
        self.completed_at.is_some()
    }

    fn trial(&self) -> Trial {
        Trial { completed_at: self.completed_at, ..Trial::default() }
    }
}

/// Observes an election among numbered agents, whose identities are their indices.
#[derive(Clone, Copy, Debug, Default)]
pub struct WatchElection {
    /// Whether the protocol declares; otherwise a trial is over when all hold the maximum.
    declares: bool,
    /// Whether only declarations can still change the fields.
    freezes: bool,
    agents: u32,
    holders: u32,
    told: u32,
    conversions: u64,
    followers_met: u64,
    trial: Trial,
}

impl WatchElection {
    /// Creates a watch of a protocol that declares or not, and freezes beliefs when it has or not.
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
            // All have been told, or conversions are over and no agent declares any more.
            return told || (self.complete() && self.trial.declared_at.is_none());
        }
        told && self.complete() && self.trial.leader_declared_at.is_some()
    }
}

impl RunObserver<Belief> for WatchElection {
    fn start(&mut self, agents: u32, outputs: &mut dyn Iterator<Item = Belief>) -> bool {
        *self = Self { agents, ..Self::new(self.declares, self.freezes) };
        for belief in outputs {
            self.holders += u32::from(belief.leader == agents - 1);
            self.told += u32::from(belief.complete);
        }
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
        for (agent, before, met) in [(one.0, one.1, two.1), (two.0, two.1, one.1)] {
            let frozen = self.freezes && (before.complete || met.complete);
            if agent == highest && !was_complete && !frozen {
                self.conversions += u64::from(met.leader != highest);
                self.followers_met += u64::from(met.leader == highest);
            }
        }
        // An agent that meets itself is one agent, although it counts two followers.
        for (_, before, after) in [one, two].into_iter().take(if i == j { 1 } else { 2 }) {
            self.holders += u32::from(before.leader != highest && after.leader == highest);
            self.told += u32::from(!before.complete && after.complete);
        }
        let complete = self.complete();
        let trial = &mut self.trial;
        if complete && !was_complete {
            trial.complete(time, self.conversions, self.followers_met);
        }
        for (agent, before, after) in [one, two] {
            if after.declared && !before.declared {
                trial.declare(time, complete, agent == highest);
            }
        }
        if self.told == self.agents && trial.final_ok.is_none() && self.declares {
            trial.final_ok = Some(complete);
            trial.told_at = Some(time);
        }
        self.over()
    }

    fn trial(&self) -> Trial {
        self.trial
    }
}
