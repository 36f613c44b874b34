//! Runs explorations and samples.

use super::{CheckSpecification, Families, FamilyDescription};
use crate::choice::by_name;
use crate::conditions::Capacity;
use crate::counts::NumberRange;
use crate::custom::not_of_the_catalogue;
use crate::error::Error;
use crate::monitor::ExperimentProgress;
use crate::number::{count, grouped};
use crate::options::{EarlyEnd, ExperimentRun, RunOptions};
use crate::report::{Checked, ExperimentReport, Sampled, run_of};
use crate::trials;
use suffrage_algorithms::{Algorithm, Claims, Custom, Property};
use suffrage_checker::{
    CheckProgress, CheckReport, Checkable, Checker, Family, FaultBudget, Forecast, Forecaster,
    Incomplete, RandomInstances, SampleScheduler, Sampler, TabulatedElection, WideIds,
};
use suffrage_figures::diagram::Diagram;
use suffrage_model::{NetworkClass, Process, Timing};
use suffrage_parallel::memory::{available_to, size};

/// The number of configurations from which on `--force` is needed.
const TOO_MANY: u64 = 1_000_000_000;

/// The maximal number of configurations of a family that is chosen by default.
const SENSIBLE: u64 = 20_000_000;

/// From this number of configurations for each thread on, a forecast is printed first: some ten seconds' work.
const MANY: u64 = 1_000_000;

/// The number of nodes up to which every instance of a process of the caller's own is explored by default. Of
/// larger networks it is a single instance, since it is not known how many configurations there are.
const EVERYTHING: u32 = 3;

/// The least memory with which an exploration begins, in bytes: what it takes besides configurations.
const LEAST: u64 = 16 << 20;

/// Explores, or samples.
pub(crate) fn run(
    asked: &CheckSpecification,
    options: &mut RunOptions<'_>,
) -> Result<ExperimentRun, Error> {
    let algorithm = by_name(&asked.algorithm)?;
    let faults = asked.faults()?;
    asked.check(algorithm)?;
    if asked.seeds.is_some() || asked.sample.is_some() {
        let about = SampledProcess {
            name: algorithm.name,
            claims: Some(&algorithm.claims),
            invariants: asked.invariants(algorithm, faults),
        };
        let instances = asked.random(algorithm.network, WideIds::of(&algorithm.claims), faults)?;
        let least = instances.capacity.as_ref().map(|sizes| *sizes.start());
        let nodes = u64::from(*instances.nodes.end());
        remark_on_room(Capacity(least), algorithm, nodes, options);
        let sampler = Sampler::new(algorithm, &instances).properties(&asked.property);
        return sample(asked, about, &instances, sampler, options);
    }
    let (family, description, forecast) = asked.family(algorithm, faults, options)?;
    remark_on_room(Capacity(family.capacity), algorithm, family.nodes().into(), options);
    if forecast.total / threads(&family, options) as u64 >= MANY {
        // No time: a forecast is often wrong by a factor of ten.
        options.monitor.remark(&format!(
            "an estimated {} configurations, perhaps a tenth or ten times as many. Ctrl-C stops, and reports \
             the finished part",
            about(forecast.total)
        ));
    }
    let checker = Checker::new(algorithm, &family).properties(&asked.property);
    let (report, memory) = asked.explore(checker, &family, options)?;
    let how = (asked.full, asked.invariants(algorithm, faults));
    let claims = Some(&algorithm.claims);
    let command = options.command.as_ref();
    let checked = Checked::of(algorithm.name, claims, description, how, &report, command);
    Ok(ended(memory, &report, checked, threads(&family, options) as u64))
}

/// Says that links hold too few messages, if so.
fn remark_on_room(capacity: Capacity, of: &Algorithm, nodes: u64, options: &RunOptions<'_>) {
    if let Some(shortage) = capacity.shortage(of, nodes) {
        options.monitor.remark(&shortage);
    }
}

impl CheckSpecification {
    /// Explores the schedules of a process of the caller's own, which is for networks of this class.
    ///
    /// # Errors
    /// If the exploration is not possible, or a field is set that is for algorithms of the catalogue.
    pub fn run_custom<P: Process>(
        &self,
        process: &Custom<P>,
        class: NetworkClass,
        options: &mut RunOptions<'_>,
    ) -> Result<(ExperimentRun, Option<String>), Error> {
        let invariant = |property: &&Property| matches!(property, Property::Invariant(_));
        if let Some(name) = self.property.iter().find(invariant) {
            return Err(not_of_the_catalogue(&format!("--property {name}")));
        }
        self.check_fields()?;
        let faults = self.faults()?;
        // Nothing is lost, whatever overtakes it: the election is to end as one without faults.
        let only_order = faults == FaultBudget { no_fifo: true, ..FaultBudget::default() };
        let properties = match self.property.as_slice() {
            [] if only_order => Property::OF_ELECTIONS,
            named => named,
        };
        let ran = if self.seeds.is_some() || self.sample.is_some() {
            let about =
                SampledProcess { name: process.name(), claims: None, invariants: Vec::new() };
            let instances = self.random(class, WideIds::Powers, faults)?;
            let sampler = Sampler::new(process, &instances).properties(properties);
            sample(self, about, &instances, sampler, options)?
        } else {
            self.explore_custom(process, class, (faults, properties), options)?
        };
        let Some(run) = ran.report.as_ref().and_then(ExperimentReport::run) else {
            return Ok((ran, None));
        };
        // One with the most messages breaks nothing, and is not drawn.
        if run.header.breaks.is_none() {
            return Ok((ran, None));
        }
        let mut diagram = Diagram::new(&run.header.wiring, &run.header.ids);
        let replayed = run.replay_of(process, Some(&mut diagram));
        replayed.map_err(|error| Error::new(error.to_string()))?;
        Ok((ran, Some(diagram.text())))
    }

    fn explore_custom<P: Process>(
        &self,
        process: &Custom<P>,
        class: NetworkClass,
        (faults, properties): (FaultBudget, &[Property]),
        options: &RunOptions<'_>,
    ) -> Result<ExperimentRun, Error> {
        let timing = Timing::Asynchronous;
        let of = self.families(process.name(), class, timing, faults, options.given)?;
        let (family, description) = match of {
            Families::Named(family, description) => (family, description),
            Families::Ladder(mut ladder) => {
                let all = ladder.first().is_some_and(|(all, _)| all.nodes() <= EVERYTHING);
                ladder.swap_remove(if all { 0 } else { ladder.len() - 1 })
            }
        };
        let checker = Checker::new(process, &family).properties(properties);
        let (report, memory) = self.explore(checker, &family, options)?;
        let how = (self.full, Vec::new());
        let command = options.command.as_ref();
        let checked = Checked::of(process.name(), None, description, how, &report, command);
        Ok(ended(memory, &report, checked, threads(&family, options) as u64))
    }

    /// The family to check, what it is, and the size of its exploration: of several families the first that
    /// is not too large, or the last if all are.
    fn family(
        &self,
        algorithm: &Algorithm,
        faults: FaultBudget,
        options: &RunOptions<'_>,
    ) -> Result<(Family, FamilyDescription, Forecast), Error> {
        let mut forecaster = Forecaster::new(algorithm, self.full, self.room(1)?);
        let Algorithm { name, network, timing, .. } = *algorithm;
        let ladder = match self.families(name, network, timing, faults, options.given)? {
            Families::Named(family, description) => vec![(family, description)],
            Families::Ladder(ladder) => ladder,
        };
        let last = ladder.len() - 1;
        for (step, (family, description)) in ladder.into_iter().enumerate() {
            let family = algorithm.tell_apart(&family);
            let family = family.map_err(|invalid| Error::new(invalid.to_string()))?;
            let forecast = forecaster.forecast(&family);
            let sensible = family.nodes() <= 3
                || forecast.total <= SENSIBLE && self.has_room(forecast.largest);
            if sensible || step == last {
                if u32::from(faults.crash) > family.nodes() {
                    let nodes = count(family.nodes().into(), "node");
                    return Err(Error::new(format!(
                        "--fault crash:{}: the network has only {nodes}",
                        faults.crash
                    )));
                }
                self.refuse_too_large(&family, forecast)?;
                return Ok((family, description, forecast));
            }
        }
        unreachable!("the last one is taken")
    }

    fn has_room(&self, states: u64) -> bool {
        states.saturating_mul(Forecast::BYTES) <= self.allowed(available_to(1))
    }

    /// The memory that an exploration by this many threads is allowed.
    fn room(&self, threads: usize) -> Result<u64, Error> {
        let free = available_to(threads);
        if let Some(free) = free.filter(|&free| free < LEAST) {
            return Err(Error::new(format!(
                "an exploration needs {}, more than the memory allowed or free: {}",
                size(LEAST),
                size(free)
            )));
        }
        Ok(self.allowed(free))
    }

    fn allowed(&self, free: Option<u64>) -> u64 {
        // A table that grows is copied to one of twice its size, and costs are computed beside the configurations.
        free.map_or(self.memory.0, |free| (free / 3).min(self.memory.0))
    }

    /// Tabulates the election that is explored, as a model for other checkers.
    ///
    /// # Errors
    /// If it is not one election with one network, one order of identities and one set of initiators, or has
    /// what [tables do not say](suffrage_checker::NotExported), or is too large, or the monitor ends it.
    pub fn tabulate(&self, options: &RunOptions<'_>) -> Result<TabulatedElection, Error> {
        let algorithm = by_name(&self.algorithm)?;
        let faults = self.faults()?;
        let Algorithm { name, network, timing, .. } = *algorithm;
        let family = match self.families(name, network, timing, faults, options.given)? {
            Families::Named(family, _) if family.len() == 1 => family,
            _ => {
                return Err(Error::new(
                    "a model is of one election: choose its identities and initiators, as in --ids \
                     ascending --initiators all",
                ));
            }
        };
        let instance = family.get(0);
        let ids: Vec<_> = instance.ids.iter().map(ToString::to_string).collect();
        let of = count(family.nodes().into(), "node");
        let title = format!("{name}, {of} with the identities {}", ids.join(", "));
        let monitor = options.monitor;
        let tabulated = TabulatedElection::of(title, algorithm, &instance, &mut |states| {
            let now = CheckProgress { instances: 0, of: 1, states, alike: true };
            monitor.progress(ExperimentProgress::Explored { now });
            monitor.go_on()
        });
        monitor.progress(ExperimentProgress::Ended);
        tabulated.map_err(|error| Error::new(error.to_string()))
    }

    fn refuse_too_large(&self, family: &Family, forecast: Forecast) -> Result<(), Error> {
        let fits = forecast.total <= TOO_MANY && self.has_room(forecast.largest);
        if self.force || fits || family.nodes() <= 3 {
            return Ok(());
        }
        Err(Error::new(format!(
            "that is too large: an estimated {} configurations in {}, the largest with \
             {} of about {} bytes; take fewer nodes or initiators, --wake start, or one order of \
             ids, or explore anyway with --force, as far as --memory allows",
            about(forecast.total),
            count(family.len(), "instance"),
            about(forecast.largest),
            Forecast::BYTES,
        )))
    }

    /// Explores a family, and returns the memory that it was allowed, too.
    fn explore(
        &self,
        checker: Checker<'_, impl Checkable>,
        family: &Family,
        options: &RunOptions<'_>,
    ) -> Result<(CheckReport, u64), Error> {
        let (monitor, threads) = (options.monitor, threads(family, options));
        let memory = self.room(threads)?;
        let report = checker
            .full(self.full)
            .symmetry(!self.full)
            .memory(memory)
            .keep_going(self.keep_going)
            .threads(threads)
            .on_progress(|now| {
                monitor.progress(ExperimentProgress::Explored { now });
                monitor.go_on()
            })
            .run();
        monitor.progress(ExperimentProgress::Ended);
        let report = report.map_err(|invalid| Error::new(invalid.to_string()))?;
        Ok((report, memory))
    }
}

fn threads(family: &Family, options: &RunOptions<'_>) -> usize {
    trials::threads(options.threads).min(usize::try_from(family.len()).unwrap_or(usize::MAX))
}

/// The result of an exploration, and how it ended, if not by itself.
fn ended(memory: u64, report: &CheckReport, checked: Checked, threads: u64) -> ExperimentRun {
    let early = match report.incomplete {
        Some(Incomplete::Stopped) => Some(EarlyEnd::Interrupted(
            "interrupted: the figures are for the explored part".to_owned(),
        )),
        Some(Incomplete::OutOfMemory(number)) => Some(EarlyEnd::Failed(Error::new(format!(
            "instance {} of {} takes more than the memory allowed or free, {} MiB for each of \
                 {}; explored until then: {}, {} configurations. Give it more with --memory, use \
                 fewer --threads, or take fewer nodes or initiators",
            grouped(number + 1),
            grouped(report.of),
            (memory / threads) >> 20,
            count(threads, "thread"),
            count(report.instances, "instance"),
            grouped(report.states),
        )))),
        Some(Incomplete::Violated) | None => None,
    };
    ExperimentRun { report: Some(ExperimentReport::Exploration(checked.into())), early }
}

/// Formats a number to one digit.
fn about(number: u64) -> String {
    match number {
        0..1000 => grouped(number),
        _ => format!("{:.0e}", number as f64).replace('e', "·10^"),
    }
}

/// What a report of samples says of the algorithm or process.
struct SampledProcess {
    name: &'static str,
    claims: Option<&'static Claims>,
    invariants: Vec<&'static str>,
}

/// Checks random runs of random elections. Runs of seeds have the seeds as their numbers, under one and the
/// same seed of the sampler.
fn sample(
    asked: &CheckSpecification,
    about: SampledProcess,
    instances: &RandomInstances,
    sampler: Sampler<'_, impl Checkable>,
    options: &RunOptions<'_>,
) -> Result<ExperimentRun, Error> {
    let (first, samples) = match (asked.seeds, asked.sample) {
        (Some(NumberRange { first, last }), _) => (first, (last - first).saturating_add(1)),
        (None, samples) => (0, samples.unwrap_or_default()),
    };
    let schedulers: &[SampleScheduler] = match asked.scheduler.as_slice() {
        [] => &SampleScheduler::ALL,
        named => named,
    };
    let monitor = options.monitor;
    let report = sampler
        .samples(samples)
        .first(first)
        .seed(asked.seed)
        .schedulers(schedulers)
        .threads(trials::threads(options.threads))
        .on_progress(|now| {
            let (what, of) = ("samples", Some(samples));
            monitor.progress(ExperimentProgress::Done { what, done: now.samples, of });
            monitor.go_on()
        })
        .run();
    monitor.progress(ExperimentProgress::Ended);
    let report = report.map_err(|invalid| Error::new(invalid.to_string()))?;
    let run = report.violation.as_ref().map(|failure| {
        let found = &failure.counterexample;
        let command = options.command.as_ref();
        run_of(about.name, &found.execution, Some(&found.violation), command)
    });
    let seed = asked.seeds.map_or(asked.seed, |seeds| seeds.first);
    let sampled = Sampled {
        consecutive: asked.seeds.is_some(),
        invariants: about.invariants.into_iter().map(str::to_owned).collect(),
        ..Sampled::of((about.name, about.claims), instances, seed, schedulers, &report, run)
    };
    let words = "interrupted: the figures are for the samples so far";
    let run = ExperimentRun::from(ExperimentReport::Sample(sampled.into()));
    Ok(run.interrupted(report.stopped, words))
}
