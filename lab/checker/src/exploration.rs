//! The exploration of one instance, and its result.

pub(crate) mod explorer;
pub(crate) mod postorder;
pub(crate) mod state_graph;

use crate::{
    chance::{Chances, Cycles},
    checker::of_algorithm,
    cost::{
        cost_to_go::{CostToGo, Extremes, sent},
        depth,
    },
    counterexample::execution::Execution,
    exploration::{
        explorer::{Explorer, SearchControl, SearchEnd, ViolationSite},
        postorder::{postorder, reverse_topological},
    },
    model::{
        Model, Step,
        instance::{Instance, InvalidInstance},
    },
    property::{
        Specification,
        properties::{Properties, leaders},
    },
    reduction::persistent_set::{ALL_PROCESSES, Choice},
};
use std::{collections::BTreeSet, ops::ControlFlow};
use suffrage_algorithms::{Algorithm, Property, Violation};
use suffrage_model::{Id, Kind, Phase, Process};

/// The options of [`explore`].
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether to explore every configuration, without partial-order reduction.
    pub full: bool,
    /// The maximum memory that the configurations of an instance may take, in bytes.
    pub memory: u64,
    /// Whether to compute costs as well.
    pub costs: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { full: false, memory: 4 << 30, costs: true }
    }
}

/// The result of exploring one instance.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The number of distinct configurations explored.
    pub states: u64,
    /// The number of steps between them.
    pub transitions: u64,
    /// The number of terminal configurations, in which no step is enabled.
    pub terminal: u64,
    /// The costs, if they were requested, everything was explored, and no property is violated.
    pub costs: Option<Costs>,
    /// What is expected over the random choices, if costs were requested, processes make such
    /// choices, every schedule ends with probability 1, and no property is violated.
    pub chances: Option<Chances>,
    /// Whether some execution never ends. With the verdict [`Holds`](Verdict::Holds), if
    /// termination is required, this has probability 0 on every fair schedule.
    pub endless: bool,
    /// An execution with the most messages, if the costs are known.
    pub worst: Option<Box<Execution>>,
    /// The identities that lead in a terminal configuration.
    pub winners: BTreeSet<Id>,
    /// Whether every property holds.
    pub verdict: Verdict,
}

/// The costs of an election over all schedules.
#[derive(Clone, Debug)]
pub struct Costs {
    /// The number of messages.
    pub messages: Extremes,
    /// The number of messages of the election, and of its announcement.
    pub by_phase: [Extremes; 2],
    /// The number of messages of each kind.
    pub by_kind: Vec<(&'static Kind, Extremes)>,
    /// The greatest causal depth.
    pub greatest_depth: u64,
    /// The least causal depth; `None` if computing it takes too much memory, or is stopped.
    pub least_depth: Option<u64>,
    /// The greatest time after the last wake-up, in units of the greatest delay. `None` unless
    /// [everything was explored](Options::full), links hold any number of messages, and computing it
    /// takes no more memory than is allowed. In rounds it is the number of ticks, and is known.
    ///
    /// It is never greater than the causal depth, since each message of the chain that leads to an
    /// event takes at most one unit.
    pub greatest_time: Option<u64>,
}

/// The verdict on an election: whether it has the properties of its specification.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The properties hold on every schedule.
    Holds,
    /// A property is violated on this schedule.
    Broken(Box<Counterexample>),
    /// The memory allowed was used up before everything was explored.
    OutOfMemory,
    /// The exploration was stopped before everything was explored.
    Stopped,
}

/// An execution that violates a property.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The violation.
    pub broken: Violation,
    /// The execution, up to the violation.
    pub execution: Execution,
    /// Whether no execution with fewer steps violates a property. A message bound is violated by a
    /// maximal execution, termination by a lasso. It is not known where the search for a shorter
    /// one takes too much memory, or is stopped.
    pub shortest: bool,
}

/// Explores every schedule of an election.
///
/// # Errors
/// If the instance cannot be explored: its parts do not fit each other.
pub fn explore<P: Process>(
    instance: &Instance,
    specification: &Specification<'_, P>,
    options: &Options,
) -> Result<Exploration, InvalidInstance> {
    instance.check(P::NETWORK, P::TIMING)?;
    let mut explorer = Explorer::new(specification.automaton());
    let mut heartbeat = |_| ControlFlow::Continue(());
    Ok(explorer.examine(instance, specification, options, &|_| true, &mut heartbeat))
}

/// Explores every schedule of an election, of an algorithm of the catalogue: for everything that is
/// claimed of it and its invariants or, where faults are allowed, for safety. `heartbeat` is called
/// from time to time with the number of configurations so far, and may stop it.
///
/// # Errors
/// If the instance is invalid, or not for the algorithm.
pub fn explore_of(
    algorithm: &Algorithm,
    instance: &Instance,
    options: &Options,
    heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Exploration, InvalidInstance> {
    instance.check(algorithm.network, algorithm.timing)?;
    let specification = of_algorithm(algorithm, &[], instance.faults.is_none());
    let mut explorer = Explorer::new(specification.automaton());
    Ok(explorer.examine(instance, specification.as_ref(), options, &|_| true, heartbeat))
}

fn has_time(instance: &Instance) -> bool {
    instance.faults.is_none() && instance.capacity.is_none()
}

impl Explorer {
    pub(crate) fn examine(
        &mut self,
        instance: &Instance,
        specification: &dyn Properties,
        options: &Options,
        keep_worst: &dyn Fn(u64) -> bool,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Exploration {
        let model = Model::new(instance);
        // In rounds, the model itself leaves out equivalent interleavings.
        let rounds = self.automaton.timing().in_rounds();
        let full = options.full || rounds;
        let mut control = SearchControl { full, memory: options.memory, heartbeat };
        let mut end = self.explore(&model, specification, &mut control);
        let mut order = self.order(&end);
        let mut livelock = None;
        let cycles = specification.cycles();
        // The reduction is proved correct only where every run terminates, and keeps expectations
        // of no schedule but those that are explored.
        let complete = matches!(end, SearchEnd::Complete) && self.has_left_out();
        let chances = options.costs && instance.faults.is_none();
        if complete && (order.is_none() || chances && self.draws()) {
            if order.is_none() && cycles == Some(Cycles::All) {
                livelock = self.livelock(&model, Cycles::All);
            }
            control.full = true;
            end = self.explore(&model, specification, &mut control);
            order = self.order(&end);
        }
        let mut found = Exploration {
            states: self.graph.len() as u64,
            transitions: self.graph.transitions(),
            terminal: 0,
            costs: None,
            chances: None,
            endless: false,
            worst: None,
            winners: BTreeSet::new(),
            verdict: Verdict::Holds,
        };
        // The wake-ups at the start happen one after another without a choice, and are not counted.
        let waking = self.waking(&model);
        found.states -= waking.min(found.states);
        found.transitions -= waking.min(found.transitions);
        let broken = |counterexample| Verdict::Broken(Box::new(counterexample));
        match (end, livelock) {
            (SearchEnd::Full | SearchEnd::Stopped, Some(livelock)) => {
                found.verdict = broken(Counterexample { shortest: false, ..livelock });
            }
            (SearchEnd::Full, None) => found.verdict = Verdict::OutOfMemory,
            (SearchEnd::Stopped, None) => found.verdict = Verdict::Stopped,
            (SearchEnd::Broken(violation), _) => {
                let reduced = self.counterexample(&model, violation);
                found.verdict = broken(if control.full {
                    Counterexample { shortest: true, ..reduced }
                } else {
                    self.shorten(&model, specification, &mut control).unwrap_or(reduced)
                });
            }
            (SearchEnd::Complete, _) => {
                self.count_ends(&model, &mut found);
                let timed = options.costs && control.full && has_time(instance);
                let time = order.as_ref().filter(|_| timed).and_then(|order| match rounds {
                    true => Some(self.greatest_ticks(&model, specification.claims(), order)),
                    false => {
                        self.greatest_time(&model, specification.claims(), order, &mut control)
                    }
                });
                let (units, beyond) =
                    time.map_or((None, None), |time| (Some(time.units), time.beyond));
                found.endless = order.is_none();
                let livelock = cycles.filter(|_| order.is_none());
                let counterexample = livelock.and_then(|cycles| self.livelock(&model, cycles));
                let bounded = specification
                    .claims()
                    .filter(|_| specification.requires(Property::MessageBound));
                let counterexample = counterexample.or_else(|| match &order {
                    Some(order) => self.beyond(&model, bounded?, order, true, &mut control),
                    None => {
                        let order = reverse_topological(&self.graph);
                        self.beyond(&model, bounded?, &order, false, &mut control)
                    }
                });
                if counterexample.is_none() && chances && self.draws() {
                    found.chances = self.chances(control.heartbeat);
                }
                let counterexample = counterexample
                    .or_else(|| self.beyond_expectation(&model, bounded?, &found.chances?));
                let counterexample = counterexample.or_else(|| {
                    let may_err = specification.may_err().then_some(found.chances?)?;
                    self.errs_too_often(&model, &may_err)
                });
                let late = beyond.filter(|_| specification.requires(Property::TimeBound));
                let counterexample = counterexample.or_else(|| {
                    let (steps, units, most) = late?;
                    let broken = Violation::time(&specification.claims()?.time?, units, most);
                    let execution = Execution::new(&model, &mut self.automaton, &steps);
                    Some(Counterexample { broken, execution, shortest: false })
                });
                match (counterexample, order) {
                    (Some(counterexample), _) => found.verdict = broken(counterexample),
                    (None, Some(order)) if options.costs && instance.faults.is_none() => {
                        let (mut costs, messages) = self.costs(&model, &order, control.heartbeat);
                        costs.greatest_time = units;
                        if keep_worst(costs.messages.max) {
                            found.worst = Some(Box::new(self.worst(&model, &messages)));
                        }
                        found.costs = Some(costs);
                    }
                    (None, _) => {}
                }
            }
        }
        found
    }

    fn waking(&mut self, model: &Model<'_>) -> u64 {
        let (mut number, mut steps) = (0, 0);
        loop {
            self.here.read(self.graph.get(number));
            match (model.begins(&self.here, &self.automaton), self.graph.steps(number)) {
                (true, [edge]) => number = edge.to,
                _ => return steps,
            }
            steps += 1;
        }
    }

    /// Finds a shortest counterexample, by full exploration.
    fn shorten(
        &mut self,
        model: &Model<'_>,
        specification: &dyn Properties,
        control: &mut SearchControl<'_>,
    ) -> Option<Counterexample> {
        match self.explore_all(model, specification, control) {
            SearchEnd::Broken(violation) => {
                Some(Counterexample { shortest: true, ..self.counterexample(model, violation) })
            }
            SearchEnd::Complete | SearchEnd::Full | SearchEnd::Stopped => None,
        }
    }

    fn counterexample(&mut self, model: &Model<'_>, violation: ViolationSite) -> Counterexample {
        let mut steps = self.path_to(violation.at);
        steps.extend(violation.last);
        let execution = Execution::new(model, &mut self.automaton, &steps);
        Counterexample { broken: violation.broken, execution, shortest: false }
    }

    pub(crate) fn path_to(&self, mut number: u32) -> Vec<Step> {
        let mut path = Vec::new();
        while number != 0 {
            let parent = self.graph.parents[number as usize];
            let edge = self.graph.steps(parent).iter().find(|edge| edge.to == number);
            path.extend(edge.map(|edge| edge.step));
            number = parent;
        }
        path.reverse();
        path
    }

    fn order(&self, end: &SearchEnd) -> Option<Vec<u32>> {
        matches!(end, SearchEnd::Complete).then(|| postorder(&self.graph)).flatten()
    }

    fn has_left_out(&self) -> bool {
        self.choices.iter().any(|&choice| choice != Choice::Persistent(ALL_PROCESSES))
    }

    /// Counts the terminal configurations of a finished exploration, and collects their leaders.
    fn count_ends(&mut self, model: &Model<'_>, found: &mut Exploration) {
        for number in 0..self.graph.len() as u32 {
            if self.graph.steps(number).is_empty() {
                found.terminal += 1;
                self.here.read(self.graph.get(number));
                let leaders = leaders(&self.here, &self.automaton);
                found.winners.extend(leaders.map(|node| model.instance.ids[node]));
            }
        }
    }

    /// Computes the costs, and the messages that are still to be sent from each configuration.
    fn costs(
        &mut self,
        model: &Model<'_>,
        order: &[u32],
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> (Costs, CostToGo) {
        let (least_depth, greatest_depth) = depth::extremes(model, self, order, heartbeat);
        let to_go = |counts: &dyn Fn(usize) -> bool| {
            CostToGo::new(&self.graph, order, &sent(&self.automaton, counts), |_| (0, 0))
        };
        let kinds = self.automaton.kinds();
        let of_phase = |phase| to_go(&|kind| kinds[kind].phase == phase).extremes();
        let of_kind = |number: usize| to_go(&|kind| kind == number).extremes();
        let all = to_go(&|_| true);
        let costs = Costs {
            messages: all.extremes(),
            by_phase: [of_phase(Phase::Election), of_phase(Phase::Announcement)],
            by_kind: (0..).zip(kinds).map(|(k, kind)| (kind, of_kind(k))).collect(),
            greatest_depth,
            least_depth,
            greatest_time: None,
        };
        (costs, all)
    }

    fn worst(&mut self, model: &Model<'_>, to_go: &CostToGo) -> Execution {
        let cost = sent(&self.automaton, |_| true);
        let path = to_go.path(&self.graph, &cost, true);
        Execution::new(model, &mut self.automaton, &path)
    }
}
