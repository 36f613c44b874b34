//! One run of an instance, step by step, as chosen by a schedule.

use crate::{
    instance::{Instance, Wake},
    model::{
        EnabledEvent, StateView, Transition, TransitionSystem,
        automaton::Automaton,
        configuration::{GlobalState, NEW},
        leaders,
        processes::LocalInput,
    },
    sampler::{
        instances::RandomInstances,
        scheduler::{RandomSchedule, SampleScheduler, StepSource},
    },
    specification::{Cycles, Properties},
};
use suffrage_algorithms::{ChanceClaim, ElectionCost, Property, Rounds, Sent, Violation};
use suffrage_model::{Kind, Phase, Stage, Timing};
use suffrage_networks::random::{Generator, Key};

/// What to sample, and how: the settings that all threads share.
#[derive(Clone, Copy)]
pub(super) struct SamplePlan<'a> {
    /// The number of the first sample.
    pub first: u64,
    pub samples: u64,
    pub seed: u64,
    pub schedulers: &'a [SampleScheduler],
    pub shrinks: bool,
    /// The number of steps after which a run is given up.
    pub most_steps: u32,
    /// The timing on which the algorithm relies.
    pub timing: Timing,
}

/// The number of local states at which the tables of reactions are dropped.
const LOCALS: usize = 1 << 16;

/// One sample: an instance with a scheduler.
pub(super) struct SampledElection {
    pub number: u64,
    pub instance: Instance,
    pub scheduler: SampleScheduler,
}

impl SampledElection {
    pub(super) fn new(instances: &RandomInstances, plan: &SamplePlan<'_>, number: u64) -> Self {
        let schedulers = plan.schedulers;
        let scheduler = schedulers[(number % schedulers.len() as u64) as usize];
        let mut instance = instances.get(plan.seed, number);
        if plan.timing == Timing::SimultaneousRounds {
            instance.initiators = (0..instance.wiring.nodes()).collect();
            instance.wake = instances.wake.unwrap_or(Wake::AtStart);
        }
        Self { number, instance, scheduler }
    }
}

pub(super) struct SampleRun {
    pub ended: WalkEnd,
    /// The number of messages, and the claimed bound.
    pub messages: u64,
    pub bound: Option<u64>,
    /// The time, and the claimed bound.
    pub units: Option<(u64, u64)>,
    /// The weights of the run for claims about chance.
    pub weights: Vec<(ChanceClaim, u64)>,
    pub steps: Vec<Transition>,
    pub taken: Vec<u32>,
    /// The number of threads and of steps that PCT takes into account.
    pub size: (u64, u64),
}

/// Runs an instance under a scheduler with a seed of its own.
pub(super) fn run_once(
    instance: &Instance,
    scheduler: SampleScheduler,
    seed: Key,
    specification: &dyn Properties,
    automaton: &mut Automaton,
    most_steps: u32,
) -> SampleRun {
    if automaton.locals().max(automaton.effects()) > LOCALS || instance.faults.no_fifo {
        *automaton = specification.automaton();
    }
    let model = TransitionSystem::new(instance);
    let initiators = instance.initiators.len();
    let bound = specification.claims().map(|claims| claims.bound(&instance.parameters(claims)));
    // Each message is delivered once, or twice if it is duplicated, and each initiator wakes.
    let steps = bound.map_or(most_steps.into(), |bound| {
        bound.saturating_add(initiators as u64 + u64::from(instance.faults.duplicate))
    });
    let steps = u32::try_from(steps).unwrap_or(most_steps).clamp(1, most_steps);
    let random = Generator::new(seed.bits(), "schedule");
    let (links, nodes) = (model.links.len(), model.nodes());
    let mut schedule = RandomSchedule::new(scheduler, random, links, nodes, steps);
    let mut walk = RandomWalk::new(&model, automaton, specification);
    let ended = match walk.run(&mut schedule, most_steps) {
        WalkEnd::Endless if walk.should_have_ended(scheduler, bound, most_steps) => {
            let detail = format!("no end after {most_steps} steps");
            WalkEnd::Violated(Violation { property: Property::Termination, detail })
        }
        ended => ended,
    };
    let threads = (links + initiators) as u64;
    SampleRun {
        messages: walk.sent.iter().sum(),
        bound: bound.filter(|_| instance.faults.is_none()),
        units: walk.units(),
        weights: if matches!(ended, WalkEnd::Holds) { walk.weights() } else { Vec::new() },
        ended,
        steps: walk.steps,
        taken: walk.taken,
        size: (threads, steps.into()),
    }
}

pub(super) enum WalkEnd {
    /// No step is possible any more, and every property holds.
    Holds,
    /// A property is violated.
    Violated(Violation),
    /// The run was not finished after the maximum number of steps, and may be without an end.
    Endless,
}

/// How many times as many steps as messages a run may take before it counts as one without an end.
const LONGER: u64 = 16;

pub(super) struct RandomWalk<'a> {
    model: &'a TransitionSystem<'a>,
    automaton: &'a mut Automaton,
    specification: &'a dyn Properties,
    here: GlobalState,
    /// The possible steps by source, and the place of each source among them.
    sources: Vec<StepSource>,
    places: Vec<u32>,
    /// The step at which the alarm of each process was set.
    alarms: Vec<u32>,
    now: u32,
    /// The rounds, and for each step the mark of the messages that it sent.
    pub rounds: Rounds,
    /// Whether anything has been drawn.
    drew: bool,
    /// The present tick, where processes run in rounds.
    tick: u64,
    /// The tick of the last wake-up.
    woken: u64,
    marks: Vec<bool>,
    /// The messages sent in each phase.
    pub sent: [u64; 2],
    /// The steps taken, and the sources that took them.
    pub steps: Vec<Transition>,
    pub taken: Vec<u32>,
}

/// The place of a source that offers no step.
const NOWHERE: u32 = u32::MAX;

/// The mean number of steps per fault, as long as faults may still occur.
const FAULTS: u64 = 8;

impl<'a> RandomWalk<'a> {
    pub(super) fn new(
        model: &'a TransitionSystem<'a>,
        automaton: &'a mut Automaton,
        specification: &'a dyn Properties,
    ) -> Self {
        let here = model.first(automaton);
        let sources = model.links.len() + 2 * model.nodes();
        Self {
            model,
            automaton,
            specification,
            here,
            sources: Vec::new(),
            places: vec![NOWHERE; sources],
            alarms: vec![0; model.nodes()],
            now: 0,
            rounds: Rounds::default(),
            drew: false,
            tick: 0,
            woken: 0,
            marks: vec![false],
            sent: [0; 2],
            steps: Vec::new(),
            taken: Vec::new(),
        }
    }

    pub(super) fn run(&mut self, schedule: &mut RandomSchedule, limit: u32) -> WalkEnd {
        self.follow(&[], schedule, limit)
    }

    /// Takes the steps of these sources where they offer any, and then those that are chosen until the
    /// end.
    pub(super) fn follow(
        &mut self,
        order: &[u32],
        schedule: &mut RandomSchedule,
        limit: u32,
    ) -> WalkEnd {
        if let Some(ended) = self.begin(schedule) {
            return ended;
        }
        if self.here.round.is_some() {
            return self.run_in_rounds(schedule, limit);
        }
        for &source in order {
            if self.places[source as usize] != NOWHERE
                && let Some(violation) = self.take(source, schedule)
            {
                return WalkEnd::Violated(violation);
            }
        }
        loop {
            if self.taken.len() >= limit as usize {
                return WalkEnd::Endless;
            }
            if self.sources.is_empty() {
                return self.end();
            }
            let source = schedule.choose(self.taken.len() as u32, &self.sources);
            if let Some(violation) = self.take(source, schedule) {
                return WalkEnd::Violated(violation);
            }
        }
    }

    /// Takes steps until the end: any that is possible, at random.
    fn run_in_rounds(&mut self, schedule: &mut RandomSchedule, limit: u32) -> WalkEnd {
        let mut events = Vec::new();
        // Messages of a tick are delivered to one process after another.
        let mut receivers = u128::MAX;
        while self.steps.len() < limit as usize {
            self.model.events(&self.here, self.automaton, receivers, &mut events);
            let (faults, regular): (Vec<_>, Vec<_>) = events.iter().partition(|one| one.is_fault());
            let strikes = !faults.is_empty() && schedule.below(FAULTS) == 0;
            let choices = if strikes { faults } else { regular };
            if choices.is_empty() {
                return self.end();
            }
            let event = choices[schedule.below(choices.len() as u64) as usize];
            receivers = match event {
                EnabledEvent::React(to, LocalInput::Deliver(..)) => u128::MAX << to,
                EnabledEvent::Tick => u128::MAX,
                _ => receivers,
            };
            if let Some(violation) = self.step(event, schedule) {
                return WalkEnd::Violated(violation);
            }
        }
        WalkEnd::Endless
    }

    /// Wakes the initiators that wake before anything else, and finds the possible steps.
    fn begin(&mut self, schedule: &mut RandomSchedule) -> Option<WalkEnd> {
        if self.model.instance.wake == Wake::AtStart {
            let mut events = Vec::new();
            while self.model.begins(&self.here, self.automaton) {
                self.model.events(&self.here, self.automaton, u128::MAX, &mut events);
                if let Some(violation) = self.step(events[0], schedule) {
                    return Some(WalkEnd::Violated(violation));
                }
            }
        }
        (0..self.places.len() as u32).for_each(|source| self.refresh(source));
        None
    }

    /// Takes the step of a source, or a fault before it.
    fn take(&mut self, source: u32, schedule: &mut RandomSchedule) -> Option<Violation> {
        if self.here.budget != [0; 3] && schedule.below(FAULTS) == 0 {
            let mut events = Vec::new();
            self.model.events(&self.here, self.automaton, u128::MAX, &mut events);
            events.retain(EnabledEvent::is_fault);
            if !events.is_empty() {
                let event = events[schedule.below(events.len() as u64) as usize];
                let violation = self.step(event, schedule);
                (0..self.places.len() as u32).for_each(|source| self.refresh(source));
                if violation.is_some() || self.places[source as usize] == NOWHERE {
                    return violation;
                }
            }
        }
        let links = self.model.links.len();
        let nodes = self.model.nodes();
        let place = source as usize;
        let event = if place < links {
            let end = self.model.links.to(place);
            let queue = &self.here.queues[place];
            let at = match self.model.instance.faults.no_fifo {
                // Tokens are sorted by number; their age does not depend on it.
                true => {
                    let rank = schedule.below(queue.len() as u64) as usize;
                    let mut order: Vec<usize> = (0..queue.len()).collect();
                    order.sort_unstable_by_key(|&at| queue[at].tag);
                    order[rank]
                }
                false => 0,
            };
            EnabledEvent::React(
                end.node as u16,
                LocalInput::Deliver(end.port.0 as u16, queue[at].msg),
            )
        } else if place < links + nodes {
            EnabledEvent::React((place - links) as u16, LocalInput::Wake)
        } else {
            EnabledEvent::React((place - links - nodes) as u16, LocalInput::Alarm)
        };
        self.taken.push(source);
        let violation = self.step(event, schedule);
        if let EnabledEvent::React(node, _) = event {
            self.refresh_around(node.into());
        }
        violation
    }

    /// Carries out an event. Returns the property that it violates, if any.
    fn step(&mut self, event: EnabledEvent, schedule: &mut RandomSchedule) -> Option<Violation> {
        let Self { model, automaton, specification, here, .. } = self;
        let in_rounds = here.round.is_some();
        let step = match event {
            EnabledEvent::React(node, input) => {
                let drew = &mut self.drew;
                let mut draw = |max: u32| match max {
                    0 => 0,
                    _ => {
                        *drew = true;
                        schedule.below(u64::from(max) + 1) as u32
                    }
                };
                let local = here.locals[usize::from(node)];
                Transition::React(node, automaton.react_by_lot(local, input, &mut draw))
            }
            EnabledEvent::Lose(link) => Transition::Lose(link),
            EnabledEvent::Double(link) => Transition::Double(link),
            EnabledEvent::Tick => {
                self.tick += u64::from(model.ticks(here, automaton));
                Transition::Tick
            }
        };
        let received = model.apply(step, here, automaton);
        self.steps.push(step);
        self.now += 1;
        self.marks.push(false);
        let mut violated = None;
        if let Transition::React(node, effect) = step {
            let effect = automaton.effect(effect);
            match (effect.input, received) {
                (LocalInput::Wake, _) => {
                    self.rounds.wake();
                    self.woken = self.tick;
                }
                _ if in_rounds => {} // Ticks are counted.
                (_, Some(token)) => self.rounds.receive(self.marks[token.tag as usize]),
                (_, None) => self.rounds.event(),
            }
            for &(_, msg) in automaton.sends(effect) {
                if !in_rounds {
                    self.marks[self.now as usize] = self.rounds.send();
                }
                match automaton.kinds()[automaton.kind(msg)].phase {
                    Phase::Election => self.sent[0] += 1,
                    Phase::Announcement => self.sent[1] += 1,
                    Phase::Synchronizer => {}
                }
            }
            violated = effect.fault.and_then(|fault| specification.violated_by(fault, node));
            if automaton.view(effect.to).alarm && effect.input != LocalInput::Crash {
                self.alarms[usize::from(node)] = self.now;
            }
            // Only what the process has just sent is new, unless messages waited for room.
            let model: &TransitionSystem<'_> = model;
            let every = model.instance.capacity.is_some();
            let leaving = (0..model.links.degree(node.into()))
                .map(|port| model.links.leaving(node.into(), port));
            let all = 0..if every { model.links.len() } else { 0 };
            for link in leaving.filter(|_| !every).chain(all) {
                for token in here.queues[link].iter_mut().filter(|token| token.tag == NEW) {
                    token.tag = self.now;
                }
            }
        }
        violated
            .or_else(|| specification.at(StateView { state: here, automaton, model }, false))
            .or_else(|| self.bound(false))
    }

    /// Updates the possible steps of a process, and of the links around it.
    fn refresh_around(&mut self, node: usize) {
        let links = &self.model.links;
        if self.model.instance.capacity.is_some() {
            return (0..self.places.len() as u32).for_each(|source| self.refresh(source));
        }
        for port in 0..links.degree(node) {
            self.refresh(links.entering(node, port) as u32);
            self.refresh(links.leaving(node, port) as u32);
        }
        self.refresh((links.len() + node) as u32);
        self.refresh((links.len() + self.model.nodes() + node) as u32);
    }

    fn refresh(&mut self, number: u32) {
        let (links, nodes) = (self.model.links.len(), self.model.nodes());
        let source = number as usize;
        let node = match source {
            _ if source < links => self.model.links.to(source).node as usize,
            _ => (source - links) % nodes,
        };
        let view = self.automaton.view(self.here.locals[node]);
        let waits = !self.here.outboxes[node].is_empty() || view.stage == Stage::Crashed;
        let since = if waits {
            None
        } else if source < links {
            let queue = &self.here.queues[source];
            queue.iter().map(|token| token.tag).min()
        } else if source < links + nodes {
            self.model.may_wake(node, &self.here, self.automaton).then_some(0)
        } else {
            view.alarm.then_some(self.alarms[node])
        };
        let place = self.places[source];
        match (since, place) {
            (Some(since), NOWHERE) => {
                self.places[source] = self.sources.len() as u32;
                self.sources.push(StepSource { number, since, node: node as u16 });
            }
            (Some(since), place) => self.sources[place as usize].since = since,
            (None, NOWHERE) => {}
            (None, place) => {
                self.sources.swap_remove(place as usize);
                self.places[source] = NOWHERE;
                if let Some(moved) = self.sources.get(place as usize) {
                    self.places[moved.number as usize] = place;
                }
            }
        }
    }

    fn end(&mut self) -> WalkEnd {
        let Self { specification, here, automaton, model, .. } = self;
        let view = StateView { state: here, automaton, model };
        let violation = specification.at(view, true).or_else(|| self.bound(true));
        violation.or_else(|| self.time()).map_or(WalkEnd::Holds, WalkEnd::Violated)
    }

    /// Returns whether a run violates the specification if it has not finished after so many steps. It does not if
    /// the specification allows runs without an end, if the claimed messages may take that long, or if a synchronizer
    /// sends messages of its own.
    fn should_have_ended(
        &self,
        scheduler: SampleScheduler,
        bound: Option<u64>,
        steps: u32,
    ) -> bool {
        let of_synchronizer = |kind: &Kind| kind.phase == Phase::Synchronizer;
        let many = bound.is_none_or(|most| most.saturating_mul(LONGER) < steps.into());
        let violates = match self.specification.cycles() {
            None => false,
            Some(Cycles::FairAndProbable) => self.here.round.is_some() || scheduler.is_fair(),
            Some(Cycles::All | Cycles::Probable) => true,
        };
        violates && many && !self.automaton.kinds().iter().any(of_synchronizer)
    }

    pub(super) fn units(&self) -> Option<(u64, u64)> {
        let Self { model, automaton, here, .. } = self;
        let instance = model.instance;
        let applies = instance.faults.is_none() && instance.capacity.is_none();
        let claims = self.specification.claims()?;
        let time = claims.time.filter(|time| applies && time.is_sure())?;
        let parameters = model.parameters(claims, model.woken(here, automaton));
        let most = time.within(&parameters, &|| instance.wiring.diameter().into());
        Some((self.since_last_wake(), most))
    }

    fn since_last_wake(&self) -> u64 {
        match self.here.round {
            Some(_) => self.tick - self.woken,
            None => self.rounds.since_last_wake(),
        }
    }

    /// Returns the weights of an ended run for the claims about chance that are required.
    fn weights(&self) -> Vec<(ChanceClaim, u64)> {
        let Self { model, automaton, here, specification, .. } = self;
        let instance = model.instance;
        let Some(claims) = specification.claims().filter(|_| instance.faults.is_none()) else {
            return Vec::new();
        };
        let [election, announcement] = self.sent;
        let cost = ElectionCost {
            sent: Sent { election, announcement },
            units: instance.capacity.is_none().then(|| self.since_last_wake()),
            one_leads: leaders(here, automaton).count() == 1,
        };
        let parameters = instance.parameters(claims);
        let diameter = || instance.wiring.diameter().into();
        ChanceClaim::weights(claims, &parameters, &diameter, &cost)
            .filter(|(claim, _)| specification.held_to().required.contains(&claim.property()))
            .collect()
    }

    fn time(&self) -> Option<Violation> {
        let (units, most) = self.units()?;
        let time = self.specification.claims()?.time?;
        let broken = units > most && self.specification.requires(Property::TimeBound);
        broken.then(|| Violation::time(&time, units, most))
    }

    /// Returns the message bound that is violated: exceeded for every set of initiators or, at the
    /// end, not met for those that woke. If nothing was drawn, a bound on an expectation applies to the run.
    fn bound(&self, ended: bool) -> Option<Violation> {
        let Self { model, automaton, here, .. } = self;
        if !self.specification.requires(Property::MessageBound) {
            return None;
        }
        let claims = self.specification.claims()?;
        let parameters = if ended {
            model.parameters(claims, model.woken(here, automaton))
        } else {
            model.instance.parameters(claims)
        };
        let led = || leaders(here, automaton).count() == 1;
        let bounds = [(&claims.election, "election"), (&claims.announcement, "announcement")];
        bounds.into_iter().zip(self.sent).find_map(|((bound, phase), sent)| {
            let most = bound.at(&parameters);
            let applies = bound.is_sure() || ended && !self.drew;
            let less = ended && sent < bound.least(&parameters) && led();
            let missed = applies && sent > most || less;
            missed.then(|| Violation::bound(bound, phase, sent, &parameters))
        })
    }
}
