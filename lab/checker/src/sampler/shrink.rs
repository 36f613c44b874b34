//! The shrinking of counterexamples: to fewer processes, fewer initiators and fewer steps.

use crate::{
    execution::Execution,
    explorer::ScheduleExplorer,
    instance::Instance,
    model::{Transition, TransitionSystem, automaton::Automaton},
    outcome::{CheckVerdict, Counterexample, Options, Wanted},
    sampler::{
        instances::RandomInstances,
        scheduler::{RandomSchedule, SampleScheduler},
        walk::{RandomWalk, SamplePlan, SampleRun, SampledElection, WalkEnd, run_once},
    },
    specification::Properties,
};
use std::{cell::Cell, ops::ControlFlow};
use suffrage_algorithms::{Property, Violation};
use suffrage_networks::random::{Generator, Key};

/// The [cost](cost_of) of all runs that look for a violation among fewer processes, for each number of processes.
const COST_PER_SIZE: u64 = 1 << 21;

/// The cost of all runs that look for a violation among fewer processes, and of all that look for one with fewer
/// initiators. (Time would be no measure: the same seed is to find the same.)
const COST_PER_SEARCH: u64 = 1 << 24;

/// The number of runs that look for a violation with one initiator less, if they have few steps together.
const RUNS_PER_INITIATOR: u64 = 256;

/// The number of steps that are shown of a run that does not end.
const SHOWN: usize = 1 << 10;

/// The maximum number of configurations of a small instance that is explored for the shortest counterexample.
const CONFIGURATIONS: u64 = 1 << 19;

/// The cost of all runs that look for a shorter run.
const COST_PER_EXECUTION: u64 = 1 << 23;

/// The number of pairs of processes that are examined after a step in the time that the step takes.
const PAIRS: u64 = 64;

/// Returns what a run costs. Each counts 16 steps more, so that many short ones end, too. After each step, an invariant
/// may examine all pairs of processes.
fn cost_of(steps: usize, instance: &Instance) -> u64 {
    (steps as u64 + 16) * weight(instance)
}

fn weight(instance: &Instance) -> u64 {
    let nodes = u64::from(instance.wiring.nodes());
    1 + nodes * nodes / PAIRS
}

/// A violation: the instance and the schedule that shows it.
struct FailingRun {
    instance: Instance,
    scheduler: SampleScheduler,
    seed: Key,
}

struct Shrinker<'a> {
    property: Property,
    specification: &'a dyn Properties,
    automaton: Automaton,
    most_steps: u32,
    stop: &'a mut dyn FnMut() -> bool,
}

/// Finds a smaller counterexample for the same property: on the smallest network on which a sample
/// violates it, with as few initiators as are needed there, and as few steps.
pub(super) fn shrink(
    sample: SampledElection,
    violation: &Violation,
    specification: &dyn Properties,
    instances: &RandomInstances,
    plan: &SamplePlan<'_>,
    stop: &mut dyn FnMut() -> bool,
) -> Counterexample {
    let automaton = specification.automaton();
    let property = violation.property;
    let most_steps = plan.most_steps;
    let mut shrinker = Shrinker { property, specification, automaton, most_steps, stop };
    let seed = Key::new(plan.seed, "schedules").at(sample.number);
    let (scheduler, nodes) = (sample.scheduler, sample.instance.wiring.nodes());
    let original = FailingRun { instance: sample.instance, scheduler, seed };
    if !plan.shrinks {
        return shrinker.as_found(&original);
    }
    let found = shrinker.fewer_processes(nodes, instances, plan).unwrap_or(original);
    let found = shrinker.fewer_initiators(found, plan);
    shrinker.fewer_steps(&found)
}

impl Shrinker<'_> {
    fn run(&mut self, found: &FailingRun) -> SampleRun {
        let FailingRun { instance, scheduler, seed } = found;
        let (specification, most) = (self.specification, self.most_steps);
        run_once(instance, *scheduler, *seed, specification, &mut self.automaton, most)
    }

    fn as_found(&mut self, found: &FailingRun) -> Counterexample {
        let run = self.run(found);
        let WalkEnd::Violated(violation) = run.ended else {
            unreachable!("the same seed gives the same run")
        };
        counterexample(&found.instance, &run.steps, violation, &mut self.automaton)
    }

    fn violates(&self, ended: &WalkEnd) -> bool {
        matches!(ended, WalkEnd::Violated(violation) if violation.property == self.property)
    }

    /// Finds a violation in samples of fewer processes, from one process on.
    fn fewer_processes(
        &mut self,
        nodes: u32,
        instances: &RandomInstances,
        plan: &SamplePlan<'_>,
    ) -> Option<FailingRun> {
        let per_size = COST_PER_SIZE.min(COST_PER_SEARCH / u64::from(nodes));
        let mut all = 0;
        for fewer in 1..nodes {
            let smaller = instances.of_size(fewer);
            if !instances.network.has_size(fewer) || is_invalid(&smaller, plan) {
                continue;
            }
            if all >= COST_PER_SEARCH {
                return None;
            }
            let key = Key::new(plan.seed, "shrink").at(fewer.into());
            let (mut cost, mut number) = (0, 0);
            while cost < per_size && !(self.stop)() {
                for _ in 0..64 {
                    let SampledElection { instance, scheduler, .. } =
                        SampledElection::new(&smaller, plan, number);
                    let found = FailingRun { instance, scheduler, seed: key.at(number) };
                    let run = self.run(&found);
                    if self.violates(&run.ended) {
                        return Some(found);
                    }
                    cost += cost_of(run.steps.len(), &found.instance);
                    number += 1;
                    if cost >= per_size {
                        break;
                    }
                }
            }
            all += cost;
        }
        None
    }

    /// Removes one initiator after another, as long as the property is still violated.
    fn fewer_initiators(&mut self, mut found: FailingRun, plan: &SamplePlan<'_>) -> FailingRun {
        let (mut place, mut all) = (0, 0);
        while all < COST_PER_SEARCH
            && place < found.instance.initiators.len()
            && found.instance.initiators.len() > 1
        {
            let mut instance = found.instance.clone();
            instance.initiators.remove(place);
            let key = Key::new(plan.seed, "initiators").at(place as u64);
            let cost = Cell::new(0);
            let mut runs = (0..RUNS_PER_INITIATOR).take_while(|_| cost.get() < COST_PER_SIZE);
            let fewer = runs.find_map(|number| {
                let schedulers = plan.schedulers;
                let scheduler = schedulers[(number % schedulers.len() as u64) as usize];
                let fewer =
                    FailingRun { instance: instance.clone(), scheduler, seed: key.at(number) };
                let run = self.run(&fewer);
                cost.set(cost.get() + cost_of(run.steps.len(), &fewer.instance));
                self.violates(&run.ended).then_some(fewer)
            });
            all += cost.get();
            match fewer {
                Some(fewer) => (found, place) = (fewer, 0),
                None => place += 1,
            }
            if (self.stop)() {
                break;
            }
        }
        found
    }

    /// Finds the shortest counterexample, if the instance is small enough to explore it; or else a
    /// run without the steps that are not needed.
    fn fewer_steps(&mut self, found: &FailingRun) -> Counterexample {
        let (network, timing) = (self.specification.network(), self.specification.timing());
        // What is drawn in rounds may have too many results, of a single reaction.
        let too_many = timing.in_rounds() && self.automaton.draws();
        if too_many || found.instance.check(network, timing).is_err() {
            return self.as_found(found);
        }
        let options = Options { costs: false, memory: 1 << 29, ..Options::default() };
        let stop = &mut *self.stop;
        let most = CONFIGURATIONS / (1 + weight(&found.instance) / 4);
        let mut limit = |states: u64| match states > most || stop() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let explored = ScheduleExplorer::new(self.specification.automaton()).examine(
            &found.instance,
            self.specification,
            &options,
            &Wanted::NOTHING,
            &mut limit,
        );
        let run = self.run(found);
        let WalkEnd::Violated(violation) = run.ended else {
            unreachable!("the same seed gives the same run")
        };
        match explored.verdict {
            CheckVerdict::Violated(shortest)
                if shortest.violation.property == self.property
                    && shortest.execution.moves.len() <= run.steps.len() =>
            {
                *shortest
            }
            _ => {
                let (steps, violation) =
                    self.without(found, &run.taken).unwrap_or((run.steps, violation));
                counterexample(&found.instance, &steps, violation, &mut self.automaton)
            }
        }
    }

    /// Removes parts of a run, half of it first and single steps last (A. Zeller, R. Hildebrandt,
    /// *Simplifying and Isolating Failure-Inducing Input*, IEEE TSE 28, 2002). The remaining steps
    /// are taken where they are possible, and the run is then continued to the end.
    fn without(
        &mut self,
        found: &FailingRun,
        taken: &[u32],
    ) -> Option<(Vec<Transition>, Violation)> {
        let (mut order, mut best) = (taken.to_vec(), None::<(Vec<Transition>, Violation)>);
        let mut length = usize::MAX;
        let (mut spent, mut part) = (0, order.len());
        while part > 0 && spent < COST_PER_EXECUTION && !(self.stop)() {
            let mut from = 0;
            while from < order.len() && spent < COST_PER_EXECUTION {
                let to = (from + part).min(order.len());
                // The first attempt leaves out nothing.
                let to = if best.is_none() && length == usize::MAX { from } else { to };
                let rest = [&order[..from], &order[to..]].concat();
                let (steps, kept, ended) = self.follow(found, &rest);
                spent += cost_of(steps.len(), &found.instance);
                match ended {
                    WalkEnd::Violated(violation)
                        if violation.property == self.property && steps.len() < length =>
                    {
                        length = steps.len();
                        (order, best) = (kept, Some((steps, violation)));
                    }
                    _ if best.is_none() => return None,
                    _ => from += part,
                }
            }
            part /= 2;
        }
        best
    }

    fn follow(
        &mut self,
        found: &FailingRun,
        order: &[u32],
    ) -> (Vec<Transition>, Vec<u32>, WalkEnd) {
        let model = TransitionSystem::new(&found.instance);
        let random = Generator::new(found.seed.bits(), "follow");
        let (links, nodes) = (model.links.len(), model.nodes());
        let mut schedule = RandomSchedule::new(SampleScheduler::Oldest, random, links, nodes, 1);
        let mut walk = RandomWalk::new(&model, &mut self.automaton, self.specification);
        let limit = (4 * order.len() + 1024).min(1 << 20) as u32;
        let ended = walk.follow(order, &mut schedule, limit);
        (walk.steps, walk.taken, ended)
    }
}

fn is_invalid(instances: &RandomInstances, plan: &SamplePlan<'_>) -> bool {
    let SampledElection { instance, .. } = SampledElection::new(instances, plan, 0);
    instance.check(instances.network, plan.timing).is_err()
}

fn counterexample(
    instance: &Instance,
    steps: &[Transition],
    mut violation: Violation,
    automaton: &mut Automaton,
) -> Counterexample {
    let endless = violation.property == Property::Termination;
    let steps = match steps.get(..SHOWN).filter(|_| endless) {
        Some(first) => {
            violation.detail += &format!(" (the first {SHOWN} are shown)");
            first
        }
        None => steps,
    };
    let execution = Execution::new(&TransitionSystem::new(instance), automaton, steps);
    Counterexample { violation, execution, shortest: false }
}
