//! The shrinking of counterexamples: to fewer processes, fewer initiators and fewer steps.

use super::{
    Plan, Scheduler,
    instances::RandomInstances,
    run::{Run, Sample, counterexample, run_once},
    scheduler::Schedule,
    walk::{Ended, Walk},
};
use crate::{
    exploration::{Counterexample, Options, Verdict, explorer::Explorer},
    model::{
        Model, Step,
        automaton::Automaton,
        instance::{Instance, InvalidInstance},
    },
    property::properties::Properties,
};
use std::ops::ControlFlow;
use suffrage_algorithms::{Property, Violation};
use suffrage_model::{NetworkClass, Timing};
use suffrage_networks::random::{Generator, Key};

/// The number of steps of all runs that look for a violation among fewer processes, for each
/// number of processes. Each run counts 16 more, so that many short ones end, too.
const STEPS_PER_SIZE: u64 = 1 << 21;

/// The number of runs that look for a violation with one initiator less.
const RUNS_PER_INITIATOR: u64 = 256;

/// The maximum number of configurations of an instance that is explored for the shortest
/// counterexample.
const CONFIGURATIONS: u64 = 1 << 19;

/// The number of steps of all runs that look for a shorter run, counted in the same way.
const STEPS_PER_EXECUTION: u64 = 1 << 23;

/// A violation: the instance and the schedule that shows it.
struct Found {
    instance: Instance,
    scheduler: Scheduler,
    seed: Key,
}

/// Looks for violations of one property.
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
    sample: Sample,
    violation: &Violation,
    specification: &dyn Properties,
    instances: &RandomInstances,
    plan: &Plan<'_>,
    stop: &mut dyn FnMut() -> bool,
) -> Counterexample {
    let automaton = specification.automaton();
    let property = violation.property;
    let most_steps = plan.most_steps;
    let mut shrinker = Shrinker { property, specification, automaton, most_steps, stop };
    let seed = Key::new(plan.seed, "schedules").at(sample.number);
    let (scheduler, nodes) = (sample.scheduler, sample.instance.wiring.nodes());
    let original = Found { instance: sample.instance, scheduler, seed };
    if !plan.shrinks {
        return shrinker.as_found(&original);
    }
    let found = shrinker.fewer_processes(nodes, instances, plan).unwrap_or(original);
    let found = shrinker.fewer_initiators(found, plan);
    shrinker.fewer_steps(&found)
}

impl Shrinker<'_> {
    fn run(&mut self, found: &Found) -> Run {
        let Found { instance, scheduler, seed } = found;
        let (specification, most) = (self.specification, self.most_steps);
        run_once(instance, *scheduler, *seed, specification, &mut self.automaton, most)
    }

    fn as_found(&mut self, found: &Found) -> Counterexample {
        let run = self.run(found);
        let Ended::Violated(violation) = run.ended else {
            unreachable!("the same seed gives the same run")
        };
        counterexample(&found.instance, &run.steps, violation, &mut self.automaton)
    }

    fn violates(&self, ended: &Ended) -> bool {
        matches!(ended, Ended::Violated(violation) if violation.property == self.property)
    }

    /// Finds a violation in samples of fewer processes, from one process on.
    fn fewer_processes(
        &mut self,
        nodes: u32,
        instances: &RandomInstances,
        plan: &Plan<'_>,
    ) -> Option<Found> {
        for fewer in 1..nodes {
            let smaller = RandomInstances { nodes: fewer..=fewer, ..instances.clone() };
            if is_invalid(&smaller, plan, self.specification.network()) {
                continue;
            }
            let key = Key::new(plan.seed, "shrink").at(fewer.into());
            let (mut steps, mut number) = (0, 0);
            while steps < STEPS_PER_SIZE && !(self.stop)() {
                for _ in 0..64 {
                    let Sample { instance, scheduler, .. } = Sample::new(&smaller, plan, number);
                    let found = Found { instance, scheduler, seed: key.at(number) };
                    let run = self.run(&found);
                    if self.violates(&run.ended) {
                        return Some(found);
                    }
                    // A run without steps takes time as well.
                    steps += run.steps.len() as u64 + 16;
                    number += 1;
                }
            }
        }
        None
    }

    /// Removes one initiator after another, as long as the property is still violated.
    fn fewer_initiators(&mut self, mut found: Found, plan: &Plan<'_>) -> Found {
        let mut place = 0;
        while place < found.instance.initiators.len() && found.instance.initiators.len() > 1 {
            let mut instance = found.instance.clone();
            instance.initiators.remove(place);
            let key = Key::new(plan.seed, "initiators").at(place as u64);
            let fewer = (0..RUNS_PER_INITIATOR).find_map(|number| {
                let schedulers = plan.schedulers;
                let scheduler = schedulers[(number % schedulers.len() as u64) as usize];
                let fewer = Found { instance: instance.clone(), scheduler, seed: key.at(number) };
                let run = self.run(&fewer);
                self.violates(&run.ended).then_some(fewer)
            });
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
    fn fewer_steps(&mut self, found: &Found) -> Counterexample {
        let options = Options { costs: false, memory: 1 << 29, ..Options::default() };
        let stop = &mut *self.stop;
        let mut limit = |states: u64| match states > CONFIGURATIONS || stop() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let explored = Explorer::new(self.specification.automaton()).examine(
            &found.instance,
            self.specification,
            &options,
            &|_| false,
            &mut limit,
        );
        let run = self.run(found);
        let Ended::Violated(violation) = run.ended else {
            unreachable!("the same seed gives the same run")
        };
        match explored.verdict {
            Verdict::Broken(shortest)
                if shortest.broken.property == self.property
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
    fn without(&mut self, found: &Found, taken: &[u32]) -> Option<(Vec<Step>, Violation)> {
        let (mut order, mut best) = (taken.to_vec(), None::<(Vec<Step>, Violation)>);
        let mut length = usize::MAX;
        let (mut spent, mut part) = (0, order.len());
        while part > 0 && spent < STEPS_PER_EXECUTION && !(self.stop)() {
            let mut from = 0;
            while from < order.len() && spent < STEPS_PER_EXECUTION {
                let to = (from + part).min(order.len());
                // The first attempt leaves out nothing.
                let to = if best.is_none() && length == usize::MAX { from } else { to };
                let rest = [&order[..from], &order[to..]].concat();
                let (steps, kept, ended) = self.follow(found, &rest);
                spent += steps.len() as u64 + 16;
                match ended {
                    Ended::Violated(violation)
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

    fn follow(&mut self, found: &Found, order: &[u32]) -> (Vec<Step>, Vec<u32>, Ended) {
        let model = Model::new(&found.instance);
        let random = Generator::new(found.seed.bits(), "follow");
        let (links, nodes) = (model.links.len(), model.nodes());
        let mut schedule = Schedule::new(Scheduler::Oldest, random, links, nodes, 1);
        let mut walk = Walk::new(&model, &mut self.automaton, self.specification);
        let limit = (4 * order.len() + 1024).min(1 << 20) as u32;
        let ended = walk.follow(order, &mut schedule, limit);
        (walk.steps, walk.taken, ended)
    }
}

fn is_invalid(instances: &RandomInstances, plan: &Plan<'_>, network: NetworkClass) -> bool {
    let check = |instance: Instance| -> Result<(), InvalidInstance> {
        instance.check(network, Timing::Asynchronous)
    };
    check(instances.get(plan.seed, 0)).is_err()
}
