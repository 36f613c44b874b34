//! Chance: whether an election ends with probability 1, and its expectations.
//!
//! The graph of configurations is a Markov decision process: in each configuration a schedule
//! chooses an event, and the random choices of the process that reacts choose one of its outcomes.

pub(crate) mod end_components;
mod expectation;
pub(crate) mod livelock;

use crate::{
    chance::{
        end_components::{DecisionProcess, EndComponents},
        expectation::{Equations, TOLERANCE},
    },
    cost::{of, sent},
    execution::Execution,
    explorer::ScheduleExplorer,
    instance::Wake,
    model::{TransitionSystem, leaders},
    outcome::{Counterexample, Expectations, ExpectedExtremes},
    specification::Cycles,
};
use std::ops::ControlFlow;
use suffrage_algorithms::{Bound, Claims, Guarantee, Property, Violation};
use suffrage_model::Phase;

impl ScheduleExplorer {
    pub(crate) fn draws(&self) -> bool {
        let process = || DecisionProcess::new(&self.graph, &self.automaton, Wake::AnyTime);
        self.automaton.draws() && process().draws()
    }

    /// Returns what is expected of a finished and complete exploration. Returns `None` if some
    /// schedule does not end with probability 1, or the computation is stopped.
    pub(crate) fn chances(
        &mut self,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> Option<Expectations> {
        let Self { graph, automaton, here, .. } = self;
        let process = DecisionProcess::new(graph, automaton, Wake::AnyTime);
        if !EndComponents::new(&process, automaton, Cycles::Probable).is_empty() {
            return None;
        }
        let equations = Equations::new(&process, heartbeat)?;
        let kinds = automaton.kinds();
        let mut of_kinds = |counts: &dyn Fn(usize) -> bool| {
            let cost = sent(automaton, counts);
            equations.sum(&|edge| f64::from(of(edge, &cost)), heartbeat)
        };
        let messages = of_kinds(&|kind| kinds[kind].phase != Phase::Synchronizer)?;
        let mut of_phase = |phase| of_kinds(&|kind| kinds[kind].phase == phase);
        let by_phase = [of_phase(Phase::Election)?, of_phase(Phase::Announcement)?];
        let mut one_leads = Vec::with_capacity(graph.len());
        for number in 0..graph.len() as u32 {
            here.read(graph.get(number));
            one_leads.push(leaders(here, automaton).count() == 1);
        }
        let elected = equations.probability(|number| one_leads[number as usize], heartbeat)?;
        Some(Expectations { messages, by_phase, elected })
    }

    /// Returns a violation: more messages are expected on some schedule than an expected bound
    /// allows where all initiators wake. The execution is one that ends: none is at fault alone.
    pub(crate) fn beyond_expectation(
        &mut self,
        model: &TransitionSystem<'_>,
        claims: &Claims,
        chances: &Expectations,
    ) -> Option<Counterexample> {
        let instance = model.instance;
        let parameters = instance.parameters(claims);
        let exceeded = |bound: &Bound, expected: ExpectedExtremes| {
            bound.guarantee == Guarantee::Expected
                && expected.max > bound.at(&parameters) as f64 * (1.0 + TOLERANCE)
        };
        let bounds = [(claims.election, "election"), (claims.announcement, "announcement")];
        let mut bounds = bounds.into_iter().zip(chances.by_phase);
        let ((bound, phase), expected) =
            bounds.find(|((bound, _), expected)| exceeded(bound, *expected))?;
        let detail = format!(
            "{:.3} {phase} messages are expected on some schedule, where there are {}",
            expected.max,
            bound.stated().equal_to(bound.at(&parameters))
        );
        let violation = Violation { property: Property::MessageBound, detail };
        self.at_some_end(model, violation, &|_| true)
    }

    /// Returns a violation: on some schedule one process leads with a probability below `1 - 1/n`.
    /// The execution is one in which none leads, or several do.
    pub(crate) fn errs_too_often(
        &mut self,
        model: &TransitionSystem<'_>,
        chances: &Expectations,
    ) -> Option<Counterexample> {
        let claimed = 1.0 - 1.0 / model.nodes() as f64;
        let least = chances.elected.min;
        if least >= claimed * (1.0 - TOLERANCE) {
            return None;
        }
        let detail = format!(
            "one process leads with a probability of {least:.6} on some schedule, where at least \
             1 - 1/n = {claimed:.6} is claimed"
        );
        let violation = Violation { property: Property::ExactlyOneLeader, detail };
        self.at_some_end(model, violation, &|leaders| leaders != 1)
    }

    pub(crate) fn at_some_end(
        &mut self,
        model: &TransitionSystem<'_>,
        violation: Violation,
        with: &dyn Fn(usize) -> bool,
    ) -> Option<Counterexample> {
        let Self { graph, automaton, here, .. } = self;
        let end = (0..graph.len() as u32).find(|&number| {
            graph.is_end(number) && {
                here.read(graph.get(number));
                with(leaders(here, automaton).count())
            }
        })?;
        let steps = self.path_to(end);
        let execution = Execution::new(model, &mut self.automaton, &steps);
        Some(Counterexample { violation, execution, shortest: false })
    }
}
