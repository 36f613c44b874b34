//! Runs elections: one, or many that differ in their seeds.

use crate::choice::{Choice, by_name};
use crate::conditions::{Conditions, ScheduleChoice};
use crate::election::Prepared;
use crate::error::Error;
use crate::initiators;
use crate::monitor::{ExperimentProgress, Monitor};
use crate::number::count;
use crate::options::{EarlyEnd, ExperimentRun, RunOptions};
use crate::report::{
    ElectionReport, ExperimentReport, NetworkSummary, RunTiming, TrialFigures, TrialsReport,
};
use crate::source::{GivenNetworks, NetworkSource, for_files, natural};
use crate::specification::ElectionSpecification;
use crate::trials::{self, Many};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::time::Instant;
use suffrage_algorithms::{Algorithm, CATALOGUE, Rule};
use suffrage_checker::Objective;
use suffrage_model::NetworkClass;
use suffrage_simulator::Finished;

/// The number of nodes if no network is named.
pub const DEFAULT_NODES: u32 = 16;

/// An election whose algorithm is known, with the reason for it if none was named.
pub struct Chosen {
    /// The election.
    pub prepared: Prepared,
    /// Why this algorithm.
    pub reason: Option<String>,
    /// Whether no network was named.
    pub by_default: bool,
}

impl ElectionSpecification {
    /// Finds the algorithm and the network, and reads what the conditions name.
    ///
    /// # Errors
    /// If something does not exist or does not fit, or a field has several values.
    pub fn prepare(&self, given: &GivenNetworks) -> Result<Chosen, Error> {
        let conditions = self.conditions()?;
        let many = self.many_words();
        if let (Some(many), ScheduleChoice::Recorded(_)) = (&many, &conditions.schedule) {
            return Err(for_one("--schedule replay:FILE", many));
        }
        if let (Some(many), true) = (&many, self.rounds) {
            return Err(for_one("--rounds", many));
        }
        if self.algorithm.0.len() > 1 {
            return Err(Error::new("several algorithms are for `suffrage compare`"));
        }
        let named = self.algorithm.0.first().map(|name| by_name(name)).transpose()?;
        let class = named.map_or(NetworkClass::Complete, |algorithm| algorithm.network);
        self.prepare_on(named, self.source(class, given)?)
    }

    /// Finds the algorithm, if none is named, for a network that has been read.
    pub(crate) fn prepare_on(
        &self,
        named: Option<&'static Algorithm>,
        source: NetworkSource,
    ) -> Result<Chosen, Error> {
        let conditions = self.conditions()?;
        let (algorithm, reason) = match named {
            Some(algorithm) => (algorithm, None),
            None => choose(&source, &conditions)?,
        };
        let prepared = Prepared::new(algorithm, source, conditions)?;
        let by_default = self.nodes.is_empty() && self.topology.is_empty();
        Ok(Chosen { prepared, reason, by_default })
    }

    /// The flag that asks for many elections, if one does.
    #[must_use]
    pub fn many_words(&self) -> Option<String> {
        match self {
            _ if self.is_single() => None,
            Self { trials: Some(trials), .. } => Some(format!("--trials {trials}")),
            Self { seeds: Some(_), .. } => Some("--seeds".to_owned()),
            _ => Some("--precision".to_owned()),
        }
    }

    /// The named network, or the natural one for algorithms of this class.
    ///
    /// # Errors
    /// If there is none.
    pub fn source(
        &self,
        class: NetworkClass,
        given: &GivenNetworks,
    ) -> Result<NetworkSource, Error> {
        if let Some(text) = self.topology.0.first() {
            if !self.nodes.is_empty() {
                return Err(Error::new("--topology and --nodes: leave one of them out"));
            }
            return NetworkSource::named(text, self.file_options(), given);
        }
        if let Some(flag) = for_files(self.file_options()) {
            return Err(Error::new(format!("{flag} is for files: name one with --topology")));
        }
        let nodes = self.nodes.0.first().copied().unwrap_or(DEFAULT_NODES);
        natural(class, nodes).map(NetworkSource::Made)
    }
}

/// Creates the error for a flag of one election that is combined with many elections.
#[must_use]
pub fn for_one(flag: &str, many: &str) -> Error {
    Error::new(format!("{flag} is for one election, {many} are many: leave one of them out"))
}

/// Chooses an algorithm, and says why.
///
/// # Errors
/// If none fits, or the schedule belongs to one algorithm.
pub fn choose(
    source: &NetworkSource,
    conditions: &Conditions,
) -> Result<(&'static Algorithm, Option<String>), Error> {
    if matches!(conditions.schedule, ScheduleChoice::Recorded(_)) {
        return Err(Error::new(
            "a recorded schedule belongs to one algorithm: name it, as in `suffrage elect \
             humblet --schedule replay:FILE`",
        ));
    }
    let topology = source.build(conditions.seed)?;
    let initiators = initiators::wakes(conditions, &topology, conditions.seed)?.1;
    let choice = Choice::best(&topology, conditions.ports.ports(), initiators)
        .ok_or_else(|| Error::new("no algorithm of the catalogue fits this network"))?;
    Ok((choice.algorithm, Some(choice.reason())))
}

/// Runs one election, or many.
pub(crate) fn run(
    asked: &ElectionSpecification,
    options: &mut RunOptions<'_>,
) -> Result<ExperimentRun, Error> {
    let chosen = asked.prepare(options.given)?;
    match asked.is_single() {
        true => chosen.once(asked.rounds, options),
        false => chosen.often(asked.many(1), options),
    }
}

impl Chosen {
    /// Runs one election. If the search for its schedule is stopped, it is run on the best one so far, to its
    /// end.
    fn once(&self, rounds: bool, options: &mut RunOptions<'_>) -> Result<ExperimentRun, Error> {
        let (prepared, monitor) = (&self.prepared, options.monitor);
        prepared.remark(monitor);
        if rounds && prepared.algorithm.stages().is_none() {
            return Err(no_rounds(prepared.algorithm));
        }
        let seed = prepared.conditions.seed;
        let Some(mut instance) = prepared.instance_unless(seed, monitor)? else {
            let words = "interrupted before the election began".to_owned();
            return Ok(ExperimentRun::without_report(EarlyEnd::Interrupted(words)));
        };
        instance.rounds = rounds;
        let mut stopped = false;
        if let ScheduleChoice::Worst(objective) = prepared.conditions.schedule {
            let what = match objective {
                Objective::Messages => "messages in the costliest run found",
                Objective::Depth => "messages in the longest chain found",
            };
            stopped = instance.search(objective, &mut |done| {
                monitor.progress(ExperimentProgress::Done { what, done, of: None });
                monitor.go_on()
            })?;
            monitor.progress(ExperimentProgress::Ended);
        }
        let observer = match &mut options.sink {
            Some(sink) => sink.election(prepared, &instance)?,
            None => None,
        };
        let start = Instant::now();
        let outcome = instance.run(observer, |done| {
            let what = "messages delivered";
            monitor.progress(ExperimentProgress::Done { what, done, of: None });
            if stopped { ControlFlow::Continue(()) } else { monitor.go_on() }
        })?;
        let seconds = start.elapsed().as_secs_f64();
        monitor.progress(ExperimentProgress::Ended);
        let report = ElectionReport {
            choice: self.reason.clone(),
            by_default: self.by_default,
            timing: options.timing.then(|| RunTiming::of(outcome.messages.total(), seconds)),
            ..ElectionReport::of(prepared, &instance, &outcome)
        };
        let run = ExperimentRun::from(ExperimentReport::Election(report.into()));
        let searched = "interrupted: the schedule is the costliest that was found up to here";
        let cut = "interrupted: the figures are for the run so far";
        Ok(run.interrupted(stopped, searched).interrupted(outcome.interrupted, cut))
    }

    /// Runs many elections.
    fn often(&self, many: Many, options: &mut RunOptions<'_>) -> Result<ExperimentRun, Error> {
        let prepared = &self.prepared;
        prepared.remark(options.monitor);
        prepared.room_for(many.most.min(trials::threads(options.threads) as u64))?;
        let network = NetworkSummary::of(&prepared.site(prepared.conditions.seed)?.topology);
        let network = network.with(prepared.id_notes());
        let finished = prepared.run_trials(many, options.threads, "trials", options.monitor)?;
        let trials = finished.results;
        let held = trials.len() as u64;
        // With a precision, as many are wanted as it takes.
        let enough = many.precision.is_some() && !finished.interrupted;
        let wanted = if enough { held } else { many.most };
        let Some(report) = TrialsReport::of(prepared, network, wanted, &trials) else {
            let words = "interrupted before the first trial was finished".to_owned();
            return Ok(ExperimentRun::without_report(EarlyEnd::Interrupted(words)));
        };
        if let Some(sink) = &mut options.sink {
            sink.trials(prepared, &trials)?;
        }
        if let Some(missed) = report.missed(many) {
            options.monitor.remark(&missed);
        }
        let report = TrialsReport { choice: self.reason.clone(), ..report };
        let run = ExperimentRun::from(ExperimentReport::Trials(report.into()));
        let words = format!("interrupted: the figures are for the first {}", count(held, "trial"));
        Ok(run.interrupted(held < wanted, words))
    }
}

impl Prepared {
    /// Runs elections that differ in their seeds. `what` is what the monitor calls them.
    ///
    /// # Errors
    /// If one is not possible.
    pub fn run_trials(
        &self,
        many: Many,
        threads: Option<NonZero<usize>>,
        what: &str,
        monitor: &dyn Monitor,
    ) -> Result<Finished<TrialFigures>, Error> {
        let of = Some(many.most);
        let finished = trials::run(
            many,
            trials::threads(threads),
            |number| self.trial(number, monitor),
            |trial| trial.messages,
            monitor,
            |done| monitor.progress(ExperimentProgress::Done { what, done, of }),
        )?;
        monitor.progress(ExperimentProgress::Ended);
        Ok(finished)
    }

    /// Says that links hold too few messages, if so; and that a schedule that is searched for also decides what
    /// processes draw, if they do.
    pub(crate) fn remark(&self, monitor: &dyn Monitor) {
        let nodes = self.source.shape().nodes();
        if let Some(shortage) = self.conditions.capacity.shortage(self.algorithm, nodes) {
            monitor.remark(&shortage);
        }
        let searched = matches!(self.conditions.schedule, ScheduleChoice::Worst(_));
        let claims = &self.algorithm.claims;
        if searched && matches!(claims.rule, Rule::Chance | Rule::MonteCarlo) {
            monitor.remark(&format!(
                "{}: the search also chooses what processes draw, so that bounds on averages and \
                 probabilities do not apply to what it finds",
                self.conditions.schedule
            ));
        }
    }

    /// Runs one trial of many; `None` if it was stopped.
    fn trial(&self, number: u64, monitor: &dyn Monitor) -> Result<Option<TrialFigures>, Error> {
        let seed = self.seed_of(number);
        let place = |error| match number {
            0 => error,
            _ => Error::of(format!("trial {number}, seed {seed}"), error),
        };
        let Some(mut instance) = self.instance_unless(seed, monitor).map_err(place)? else {
            return Ok(None);
        };
        if let ScheduleChoice::Worst(objective) = self.conditions.schedule
            && instance.search(objective, &mut |_| monitor.go_on()).map_err(place)?
        {
            return Ok(None);
        }
        let outcome = instance.run(None, |_| monitor.go_on()).map_err(place)?;
        Ok((!outcome.interrupted).then(|| TrialFigures::of(&instance, &outcome)))
    }
}

/// The processes of an algorithm do not compete in rounds or by levels.
fn no_rounds(algorithm: &Algorithm) -> Error {
    let others = CATALOGUE.iter().filter(|row| row.stages().is_some()).map(|row| row.name);
    let others: Vec<_> = others.collect();
    Error::new(format!(
        "--rounds: {} has neither rounds nor levels; these have: {}",
        algorithm.name,
        others.join(", ")
    ))
}

#[cfg(test)]
mod tests;
