//! The search of one instance for a costly schedule.

use crate::{
    checkable::Checkable,
    execution::Execution,
    instance::{Instance, InvalidInstance},
    model::{
        EnabledEvent, Transition, TransitionSystem,
        automaton::Automaton,
        configuration::{GlobalState, NEW},
    },
};
use std::ops::ControlFlow;
use suffrage_networks::random::Generator;

/// The cost that a search maximizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The number of messages.
    Messages,
    /// The causal depth: the length of the longest chain of messages.
    Depth,
}

/// The costliest execution that a search has found, and its cost.
#[derive(Clone, Debug)]
pub struct Costly {
    /// The execution, from the start to the end.
    pub execution: Execution,
    /// The number of its messages, or its causal depth.
    pub cost: u64,
    /// Whether the search was stopped before it was finished.
    pub stopped: bool,
}

/// The number of steps after which a run is not continued.
const MOST_STEPS: usize = 1 << 16;

/// Searches an instance for an execution with many messages, or a great causal depth.
///
/// At each step every possible next step is tried, and followed by steps at random until the end;
/// the run takes the step after which the costliest end was reached, and remembers the path to it
/// (T. Cazenave, *Nested Monte-Carlo Search*, IJCAI 2009, of level 1). This is done `restarts`
/// times with other random numbers, and the costliest run is kept. The same seed gives the same
/// execution. Its distance from the worst case is unknown;
/// [`Exploration::costs`](crate::Exploration::costs) has the exact extremes of instances that can
/// be explored.
///
/// Takes time proportional to the square of the number of steps and to the number of links.
/// `heartbeat` is called after every step of the search with the greatest cost so far, and may stop
/// it; then the costliest run until then is returned.
///
/// # Errors
/// If the instance is invalid, or not for the algorithm.
pub fn search_worst(
    subject: &impl Checkable,
    instance: &Instance,
    objective: Objective,
    restarts: u64,
    seed: u64,
    heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Costly, InvalidInstance> {
    let specification = subject.specified(&[], true);
    instance.check(specification.network(), specification.timing())?;
    let (automaton, model) = (specification.automaton(), TransitionSystem::new(instance));
    let random = Generator::new(seed, "worst");
    let mut search = NestedSearch { model, automaton, objective, random };
    let (mut costliest, mut stopped) = (CostedRun::default(), false);
    for _ in 0..restarts.max(1) {
        stopped = search.nested(&mut costliest, heartbeat).is_break();
        if stopped {
            break;
        }
    }
    let execution = Execution::new(&search.model, &mut search.automaton, &costliest.steps);
    Ok(Costly { execution, cost: costliest.cost, stopped })
}

#[derive(Clone, Default)]
struct CostedRun {
    cost: u64,
    steps: Vec<Transition>,
}

/// A configuration of a run, with the costs up to it. The tag of a message is its causal depth.
#[derive(Clone)]
struct SearchPosition {
    here: GlobalState,
    sent: u64,
    depths: Vec<u32>,
}

struct NestedSearch<'a> {
    model: TransitionSystem<'a>,
    automaton: Automaton,
    objective: Objective,
    random: Generator,
}

impl NestedSearch<'_> {
    fn first(&mut self) -> SearchPosition {
        let depths = vec![0; self.model.nodes()];
        SearchPosition { here: self.model.first(&mut self.automaton), sent: 0, depths }
    }

    /// Performs a run that takes the most promising step each time.
    fn nested(
        &mut self,
        costliest: &mut CostedRun,
        heartbeat: &mut dyn FnMut(u64) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (mut at, mut taken) = (self.first(), Vec::new());
        let (mut best, mut steps) = (CostedRun::default(), Vec::new());
        loop {
            self.steps(&at, &mut steps);
            if steps.is_empty() || taken.len() >= MOST_STEPS {
                break;
            }
            for &step in &steps.clone() {
                let mut run = self.at_random(at.clone(), step);
                if run.cost > best.cost || best.steps.is_empty() {
                    run.steps.splice(..0, taken.iter().copied());
                    best = run;
                }
            }
            let next = best.steps[taken.len()];
            self.take(next, &mut at);
            taken.push(next);
            if best.cost > costliest.cost || costliest.steps.is_empty() {
                *costliest = best.clone();
            }
            heartbeat(costliest.cost)?;
        }
        ControlFlow::Continue(())
    }

    fn at_random(&mut self, mut at: SearchPosition, first: Transition) -> CostedRun {
        let (mut run, mut steps) = (vec![first], Vec::new());
        self.take(first, &mut at);
        while run.len() < MOST_STEPS {
            self.steps(&at, &mut steps);
            if steps.is_empty() {
                break;
            }
            let step = steps[self.random.below(steps.len() as u64) as usize];
            self.take(step, &mut at);
            run.push(step);
        }
        CostedRun { cost: self.cost(&at), steps: run }
    }

    fn cost(&self, at: &SearchPosition) -> u64 {
        match self.objective {
            Objective::Messages => at.sent,
            Objective::Depth => at.depths.iter().copied().max().unwrap_or(0).into(),
        }
    }

    fn steps(&mut self, at: &SearchPosition, steps: &mut Vec<Transition>) {
        let mut events: Vec<EnabledEvent> = Vec::new();
        self.model.events(&at.here, &self.automaton, u128::MAX, &mut events);
        steps.clear();
        for event in events {
            self.model.steps(event, &at.here, &mut self.automaton, |_, step| steps.push(step));
        }
    }

    fn take(&mut self, step: Transition, at: &mut SearchPosition) {
        let received = self.model.apply(step, &mut at.here, &self.automaton);
        let Transition::React(node, effect) = step else { return };
        at.sent += self.automaton.sends(self.automaton.effect(effect)).len() as u64;
        let depth = &mut at.depths[usize::from(node)];
        *depth = (*depth).max(received.map_or(0, |token| token.tag));
        let waiting = at.here.outboxes[usize::from(node)].iter_mut().map(|(_, token)| token);
        for token in at.here.queues.iter_mut().flatten().chain(waiting) {
            if token.tag == NEW {
                token.tag = *depth + 1;
            }
        }
    }
}
