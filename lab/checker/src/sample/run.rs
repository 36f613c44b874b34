//! Samples on several threads.

use super::{
    Failure, Guarantee, Plan, SampleProgress, SampleReport, SampleSettings, Scheduler,
    instances::RandomInstances,
    scheduler::Schedule,
    shrink,
    walk::{Ended, Walk},
};
use crate::{
    counterexample::execution::Execution,
    exploration::Counterexample,
    model::{
        Model,
        automaton::Automaton,
        instance::{Instance, InvalidInstance},
    },
    property::properties::Properties,
};
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
};
use suffrage_algorithms::Violation;
use suffrage_networks::{
    random::{Generator, Key},
    wiring::Unsuited,
};
use suffrage_parallel::{JobEvent, ordered};

/// The number of samples that a thread takes at once.
const CHUNK: u64 = 32;

/// The number of local states at which the tables of reactions are dropped.
const LOCALS: usize = 1 << 16;

/// One sample: an instance with a scheduler.
pub(super) struct Sample {
    pub number: u64,
    pub instance: Instance,
    pub scheduler: Scheduler,
}

impl Sample {
    pub(super) fn new(instances: &RandomInstances, plan: &Plan<'_>, number: u64) -> Self {
        let schedulers = plan.schedulers;
        let scheduler = schedulers[(number % schedulers.len() as u64) as usize];
        Self { number, instance: instances.get(plan.seed, number), scheduler }
    }
}

/// The result of a run of a sample.
pub(super) struct Run {
    pub ended: Ended,
    /// The number of messages, and the claimed bound.
    pub messages: u64,
    pub bound: Option<u64>,
    /// The time, and the claimed bound.
    pub units: Option<(u64, u64)>,
    pub steps: Vec<crate::model::Step>,
    pub taken: Vec<u32>,
    /// The number of threads and of steps that PCT takes into account.
    pub size: (u64, u64),
}

/// Runs an instance under a scheduler with a seed of its own.
pub(super) fn run_once(
    instance: &Instance,
    scheduler: Scheduler,
    seed: Key,
    specification: &dyn Properties,
    automaton: &mut Automaton,
    most_steps: u32,
) -> Run {
    if automaton.locals() > LOCALS || instance.faults.no_fifo {
        *automaton = specification.automaton();
    }
    let model = Model::new(instance);
    let initiators = instance.initiators.len();
    let bound = specification.claims().map(|claims| claims.bound(&instance.parameters(claims)));
    // Each message is delivered once, or twice if it is duplicated, and each initiator wakes.
    let steps = bound.map_or(most_steps.into(), |bound| {
        bound.saturating_add(initiators as u64 + u64::from(instance.faults.duplicate))
    });
    let steps = u32::try_from(steps).unwrap_or(most_steps).clamp(1, most_steps);
    let random = Generator::new(seed.bits(), "schedule");
    let (links, nodes) = (model.links.len(), model.nodes());
    let mut schedule = Schedule::new(scheduler, random, links, nodes, steps);
    let mut walk = Walk::new(&model, automaton, specification);
    let ended = walk.run(&mut schedule, most_steps);
    let threads = (links + initiators) as u64;
    Run {
        ended,
        messages: walk.sent.iter().sum(),
        bound: bound.filter(|_| instance.faults.is_none()),
        units: walk.units(),
        steps: walk.steps,
        taken: walk.taken,
        size: (threads, steps.into()),
    }
}

/// The results of a chunk of samples.
struct Chunk {
    runs: u64,
    steps: u64,
    endless: u64,
    nearest: Option<(u64, u64)>,
    longest: Option<(u64, u64)>,
    guarantees: Vec<Guarantee>,
    /// The first sample that fails.
    failed: Option<(Sample, Violation, usize)>,
}

pub(super) fn run(
    specification: &dyn Properties,
    instances: &RandomInstances,
    settings: SampleSettings<'_>,
) -> Result<SampleReport, InvalidInstance> {
    let SampleSettings { plan, mut on_progress } = settings;
    let most = *instances.nodes.end();
    if most > crate::MAX_NODES {
        return Err(InvalidInstance::TooManyNodes(most));
    }
    let mut sizes = instances.nodes.clone().filter(|&nodes| instances.network.has_size(nodes));
    let least = sizes.next().ok_or(Unsuited::Network(instances.network))?;
    for nodes in [least, sizes.next_back().unwrap_or(least)] {
        let size = RandomInstances { nodes: nodes..=nodes, ..instances.clone() };
        size.get(plan.seed, 0).check(specification.network(), specification.timing())?;
        if specification.timing().in_rounds() {
            return Err(InvalidInstance::SampledInRounds);
        }
    }
    let samples = plan.samples;
    // Chunks from here on are not begun any more.
    let (next, end) = (AtomicU64::new(0), AtomicU64::new(samples.div_ceil(CHUNK)));
    let worker = || {
        let mut automaton = specification.automaton();
        let (next, end, plan) = (&next, &end, &plan);
        move |_: &AtomicBool| {
            let chunk = next.fetch_add(1, Relaxed);
            if chunk >= end.load(Relaxed) {
                return None;
            }
            let found = sample(chunk, specification, instances, plan, &mut automaton);
            if found.failed.is_some() {
                end.fetch_min(chunk + 1, Relaxed);
            }
            Some((chunk, found))
        }
    };
    let mut report = SampleReport::new(samples);
    let mut failed = None;
    let threads = usize::try_from(plan.threads(samples)).unwrap_or(usize::MAX);
    ordered(threads, worker, |event| {
        if let JobEvent::Next(found) = event
            && failed.is_none()
        {
            report.add(&found);
            failed = found.failed;
        }
        let progress = SampleProgress { samples: report.samples, of: samples };
        if on_progress.as_mut().is_some_and(|call| call(progress).is_break()) {
            end.store(0, Relaxed);
        }
        ControlFlow::Continue(())
    });
    report.stopped = failed.is_none() && report.samples < samples;
    if let Some((sample, violation, steps)) = failed {
        let (number, scheduler) = (sample.number, sample.scheduler);
        let (nodes, initiators) =
            (sample.instance.wiring.nodes(), sample.instance.initiators.len() as u64);
        let counterexample =
            shrink::shrink(sample, &violation, specification, instances, &plan, &mut || {
                let progress = SampleProgress { samples: report.samples, of: samples };
                on_progress.as_mut().is_some_and(|call| call(progress).is_break())
            });
        report.failure = Some(Failure {
            sample: number,
            scheduler,
            violation,
            nodes,
            initiators,
            steps: steps as u64,
            counterexample: Box::new(counterexample),
        });
    }
    Ok(report)
}

fn sample(
    chunk: u64,
    specification: &dyn Properties,
    instances: &RandomInstances,
    plan: &Plan<'_>,
    automaton: &mut Automaton,
) -> Chunk {
    let mut found = Chunk {
        runs: 0,
        steps: 0,
        endless: 0,
        nearest: None,
        longest: None,
        guarantees: Vec::new(),
        failed: None,
    };
    for place in chunk * CHUNK..((chunk + 1) * CHUNK).min(plan.samples) {
        let number = plan.first.checked_add(place).expect("its number has 64 bits");
        let sample = Sample::new(instances, plan, number);
        let seed = Key::new(plan.seed, "schedules").at(number);
        let Sample { instance, scheduler, .. } = &sample;
        let most = plan.most_steps;
        let run = run_once(instance, *scheduler, seed, specification, automaton, most);
        found.runs += 1;
        found.steps += run.steps.len() as u64;
        if let Some(bound) = run.bound.filter(|&bound| bound > 0) {
            found.nearest = nearest(found.nearest, Some((run.messages, bound)));
        }
        found.longest = nearest(found.longest, run.units.filter(|&(_, most)| most > 0));
        if let Scheduler::Pct(depth) = sample.scheduler {
            let (threads, steps) = run.size;
            found.guarantees.push(Guarantee { depth, threads, steps, samples: 1 });
        }
        match run.ended {
            Ended::Holds => {}
            Ended::Endless => found.endless += 1,
            Ended::Violated(violation) => {
                found.failed = Some((sample, violation, run.steps.len()));
                return found;
            }
        }
    }
    found
}

fn nearest(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    let key = |pair: (u64, u64), of: u64| (u128::from(pair.0) * u128::from(of), pair.0);
    match (one, other) {
        (Some(a), Some(b)) => Some(if key(b, a.1) > key(a, b.1) { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl SampleReport {
    fn add(&mut self, found: &Chunk) {
        self.samples += found.runs;
        self.steps += found.steps;
        self.endless += found.endless;
        self.nearest = nearest(self.nearest, found.nearest);
        self.longest = nearest(self.longest, found.longest);
        for guarantee in &found.guarantees {
            match self.guarantees.iter_mut().find(|known| known.depth == guarantee.depth) {
                Some(known) => {
                    known.samples += guarantee.samples;
                    if guarantee.probability() < known.probability() {
                        (known.threads, known.steps) = (guarantee.threads, guarantee.steps);
                    }
                }
                None => self.guarantees.push(*guarantee),
            }
        }
        self.guarantees.sort_by_key(|guarantee| guarantee.depth);
    }
}

pub(super) fn counterexample(
    instance: &Instance,
    steps: &[crate::model::Step],
    violation: Violation,
    automaton: &mut Automaton,
) -> Counterexample {
    let execution = Execution::new(&Model::new(instance), automaton, steps);
    Counterexample { broken: violation, execution, shortest: false }
}
