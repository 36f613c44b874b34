//! Chance: whether an election ends with probability 1, and what is expected of it.
//!
//! The graph of configurations is a Markov decision process: in each configuration a schedule
//! chooses an event, and the random choices of the process that reacts choose one of its outcomes.

mod end_components;
mod expectation;

pub(crate) use end_components::{Cycles, EndComponents, NOWHERE};
pub(crate) use expectation::Equations;
pub use expectation::Expectation;

use crate::{
    cost::cost_to_go::{of, sent},
    counterexample::execution::Execution,
    exploration::{
        Counterexample,
        explorer::Explorer,
        state_graph::{Edge, StateGraph},
    },
    model::{Model, Step, automaton::Automaton},
    property::properties::leaders,
};
use std::ops::ControlFlow;
use suffrage_algorithms::{Bound, Claims, Guarantee, Property, Violation};
use suffrage_model::Phase;

/// What is expected of an election over the random choices of its processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// The expected number of messages.
    pub messages: Expectation,
    /// The expected number of messages of the election, and of its announcement.
    pub by_phase: [Expectation; 2],
    /// The probability that in the end exactly one process leads.
    pub elected: Expectation,
}

impl Chances {
    /// Returns the union of two ranges.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let [election, announcement] = self.by_phase;
        Self {
            messages: self.messages.and(other.messages),
            by_phase: [election.and(other.by_phase[0]), announcement.and(other.by_phase[1])],
            elected: self.elected.and(other.elected),
        }
    }
}

impl Explorer {
    pub(crate) fn draws(&self) -> bool {
        self.automaton.draws() && DecisionProcess::new(&self.graph, &self.automaton).draws()
    }

    /// Returns what is expected of a finished and complete exploration. Returns `None` if some
    /// schedule does not end with probability 1, or the computation is stopped.
    pub(crate) fn chances(
        &mut self,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<Chances> {
        let Self { graph, automaton, here, .. } = self;
        let process = DecisionProcess::new(graph, automaton);
        if !EndComponents::new(&process, automaton, Cycles::Probable).is_empty() {
            return None;
        }
        let equations = Equations::new(&process, heartbeat)?;
        let kinds = automaton.kinds();
        let mut of_kinds = |counts: &dyn Fn(usize) -> bool| {
            let cost = sent(automaton, counts);
            equations.sum(&|edge| f64::from(of(edge, &cost)), heartbeat)
        };
        let messages = of_kinds(&|_| true)?;
        let mut of_phase = |phase| of_kinds(&|kind| kinds[kind].phase == phase);
        let by_phase = [of_phase(Phase::Election)?, of_phase(Phase::Announcement)?];
        let mut one_leads = Vec::with_capacity(graph.len());
        for number in 0..graph.len() as u32 {
            here.read(graph.get(number));
            one_leads.push(leaders(here, automaton).count() == 1);
        }
        let elected = equations.probability(|number| one_leads[number as usize], heartbeat)?;
        Some(Chances { messages, by_phase, elected })
    }

    /// Returns a violation: more messages are expected on some schedule than an expected bound
    /// allows where all initiators wake. The execution is one that ends: none is at fault alone.
    pub(crate) fn beyond_expectation(
        &mut self,
        model: &Model<'_>,
        claims: &Claims,
        chances: &Chances,
    ) -> Option<Counterexample> {
        let instance = model.instance;
        let parameters = instance.parameters(claims);
        let exceeded = |bound: &Bound, expected: Expectation| {
            bound.guarantee == Guarantee::Expected
                && expected.max > bound.at(&parameters) as f64 * (1.0 + expectation::TOLERANCE)
        };
        let bounds = [(claims.election, "election"), (claims.announcement, "announcement")];
        let mut bounds = bounds.into_iter().zip(chances.by_phase);
        let ((bound, phase), expected) =
            bounds.find(|((bound, _), expected)| exceeded(bound, *expected))?;
        let detail = format!(
            "{:.3} {phase} messages are expected on some schedule, where there are {} {} = {}",
            expected.max,
            bound.guarantee.words(),
            bound.formula,
            bound.at(&parameters)
        );
        let broken = Violation { property: Property::MessageBound, detail };
        self.at_some_end(model, broken, &|_| true)
    }

    /// Returns a violation: on some schedule one process leads with a probability below `1 - 1/n`.
    /// The execution is one in which none leads, or several do.
    pub(crate) fn errs_too_often(
        &mut self,
        model: &Model<'_>,
        chances: &Chances,
    ) -> Option<Counterexample> {
        let claimed = 1.0 - 1.0 / model.nodes() as f64;
        let least = chances.elected.min;
        if least >= claimed * (1.0 - expectation::TOLERANCE) {
            return None;
        }
        let detail = format!(
            "one process leads with a probability of {least:.6} on some schedule, where at least \
             1 - 1/n = {claimed:.6} is claimed"
        );
        let broken = Violation { property: Property::ExactlyOneLeader, detail };
        self.at_some_end(model, broken, &|leaders| leaders != 1)
    }

    fn at_some_end(
        &mut self,
        model: &Model<'_>,
        broken: Violation,
        with: &dyn Fn(usize) -> bool,
    ) -> Option<Counterexample> {
        let Self { graph, automaton, here, .. } = self;
        let end = (0..graph.len() as u32).find(|&number| {
            graph.steps(number).is_empty() && {
                here.read(graph.get(number));
                with(leaders(here, automaton).count())
            }
        })?;
        let steps = self.path_to(end);
        let execution = Execution::new(model, &mut self.automaton, &steps);
        Some(Counterexample { broken, execution, shortest: false })
    }
}

/// A finished graph of configurations with the probabilities of its steps.
pub(crate) struct DecisionProcess<'a> {
    pub graph: &'a StateGraph,
    /// For each effect, its probability, and whether it is the last outcome of its event.
    effects: Vec<(f64, bool)>,
}

impl<'a> DecisionProcess<'a> {
    pub(crate) fn new(graph: &'a StateGraph, automaton: &Automaton) -> Self {
        Self { graph, effects: automaton.probabilities() }
    }

    pub(crate) fn events(&self, number: u32) -> impl Iterator<Item = &'a [Edge]> {
        self.graph.steps(number).split_inclusive(|edge| match edge.step {
            Step::React(_, effect) => self.effects[effect as usize].1,
            Step::Lose(_) | Step::Double(_) | Step::Tick => true,
        })
    }

    pub(crate) fn probability(&self, edge: &Edge) -> f64 {
        match edge.step {
            Step::React(_, effect) => self.effects[effect as usize].0,
            Step::Lose(_) | Step::Double(_) | Step::Tick => 1.0,
        }
    }

    pub(crate) fn draws(&self) -> bool {
        let steps = |number| self.graph.steps(number).iter();
        let mut all = (0..self.graph.len() as u32).flat_map(steps);
        all.any(|edge| self.probability(edge) < 1.0)
    }
}
