//! Sweeps: every combination of algorithms, networks and conditions, each with several trials.

use crate::choice::{by_name, fits_all, of_group};
use crate::conditions::{Conditions, ScheduleChoice};
use crate::election::Prepared;
use crate::error::Error;
use crate::monitor::Monitor;
use crate::number::grouped;
use crate::report::{ComparisonRow, TrialFigures};
use crate::source::{GivenNetworks, NetworkSource, for_files, natural};
use crate::specification::ElectionSpecification;
use crate::trials::Many;
use std::num::NonZero;
use std::path::Path;
use suffrage_algorithms::{Algorithm, CATALOGUE, Group};
use suffrage_networks::{Spec, SpecError};

/// The number of messages from which on an election is run only if its algorithm is named, since
/// it may take too much time and memory.
const TOO_MANY: u64 = 1_000_000_000;

/// A comparison whose files have been read, and whose rows are possible.
pub struct Comparison {
    /// The subject of each row, in order.
    pub rows: Vec<Prepared>,
    /// Whether rows differ in their conditions.
    pub varied: bool,
    /// How many trials a row has.
    pub many: Many,
    /// The number of threads; all cores by default.
    pub threads: Option<NonZero<usize>>,
}

impl Comparison {
    /// Prepares every row.
    ///
    /// # Errors
    /// If one is not possible.
    pub fn new(
        sweep: &ElectionSpecification,
        given: &GivenNetworks,
        monitor: &dyn Monitor,
    ) -> Result<Self, Error> {
        let all = sweep.combinations();
        if all.is_empty() {
            return Err(Error::new("a field has an empty list of values"));
        }
        let recorded = |one: &Conditions| matches!(one.schedule, ScheduleChoice::Recorded(_));
        if all.iter().any(recorded) {
            return Err(Error::new(
                "--schedule replay:FILE is for one election: use `suffrage elect`",
            ));
        }
        if sweep.topology.is_empty() && sweep.nodes.is_empty() {
            return Err(Error::new(
                "name numbers of nodes with --nodes, or networks with --topology",
            ));
        }
        let mut rows = Vec::new();
        let kinds: Vec<Option<&String>> = match sweep.topology.0.as_slice() {
            [] => vec![None],
            several => several.iter().map(Some).collect(),
        };
        for kind in kinds {
            let sources = sources(sweep, kind.map(String::as_str), given)?;
            for conditions in &all {
                let algorithms = algorithms(sweep, &sources, conditions)?;
                for source in &sources {
                    add(&mut rows, sweep, source, &algorithms, conditions, monitor)?;
                }
            }
        }
        Ok(Self { rows, varied: all.len() > 1, many: sweep.many(10), threads: None })
    }

    /// Refuses the comparison where trials at the same time surely do not fit in memory.
    ///
    /// # Errors
    /// If so.
    pub fn with_threads(self, threads: Option<NonZero<usize>>) -> Result<Self, Error> {
        let at_a_time = self.many.most.min(crate::trials::threads(threads) as u64);
        self.rows.iter().try_for_each(|row| row.room_for(at_a_time))?;
        Ok(Self { threads, ..self })
    }

    /// The trials of a row, with its report; `None` if it was stopped before the last trial.
    ///
    /// # Errors
    /// If an election is not possible.
    pub fn row(
        &self,
        prepared: &Prepared,
        monitor: &dyn Monitor,
    ) -> Result<Option<(ComparisonRow, Vec<TrialFigures>)>, Error> {
        let of = format!("{} on {}", prepared.algorithm.name, prepared.source.text());
        let finished = prepared.run_trials(self.many, self.threads, Some(&of), monitor)?;
        let trials = finished.results;
        let row = ComparisonRow::of(prepared, &trials).filter(|_| !finished.interrupted);
        Ok(row.map(|row| (row, trials)))
    }

    /// All rows, up to the one at which it was stopped.
    ///
    /// # Errors
    /// If an election is not possible.
    pub fn run(&self, monitor: &dyn Monitor) -> Result<Vec<ComparisonRow>, Error> {
        let mut rows = Vec::new();
        for prepared in &self.rows {
            if monitor.is_stopped() {
                break;
            }
            let Some((row, _)) = self.row(prepared, monitor)? else { break };
            if let Some(missed) = row.missed(self.many) {
                monitor.remark(&format!("{}: {missed}", row.name()));
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

/// Adds the rows of algorithms on a network. Refuses those that do not fit before anything runs.
fn add(
    rows: &mut Vec<Prepared>,
    sweep: &ElectionSpecification,
    source: &NetworkSource,
    algorithms: &[&'static Algorithm],
    conditions: &Conditions,
    monitor: &dyn Monitor,
) -> Result<(), Error> {
    for &algorithm in algorithms {
        let least = source.shape().least(algorithm, conditions);
        if sweep.algorithm.is_empty() && least > TOO_MANY {
            monitor.remark(&format!(
                "left out: {} on {} sends some {} messages; --algorithms {} asks for it",
                algorithm.name,
                source.text(),
                grouped(least),
                algorithm.name
            ));
            continue;
        }
        let row = Prepared::new(algorithm, source.clone(), conditions.clone())?;
        row.instance(conditions.seed)?;
        rows.push(row);
    }
    Ok(())
}

fn sources(
    sweep: &ElectionSpecification,
    kind: Option<&str>,
    given: &GivenNetworks,
) -> Result<Vec<NetworkSource>, Error> {
    let options = sweep.file_options();
    if let Some(text) = kind.filter(|_| sweep.nodes.is_empty()) {
        return Ok(vec![NetworkSource::named(text, options, given)?]);
    }
    if let Some(flag) = for_files(options) {
        return Err(Error::new(format!("{flag} is for files, and a file has no --nodes")));
    }
    let group = group(sweep)?;
    let of_size = |&nodes: &u32| {
        let spec = match (kind, group) {
            (None, Some(group)) => natural(group.class, nodes),
            (kind, _) => {
                let kind = kind.unwrap_or("complete");
                Spec::of_family(kind, nodes).map_err(|error| sized(kind, nodes, error))
            }
        };
        spec.map(NetworkSource::Made)
    };
    sweep.nodes.0.iter().map(of_size).collect()
}

fn group(sweep: &ElectionSpecification) -> Result<Option<&'static Group>, Error> {
    let Some(class) = sweep.class.as_deref() else { return Ok(None) };
    if !sweep.algorithm.is_empty() {
        return Err(Error::new("--class is for all algorithms of a class: leave out --algorithms"));
    }
    let found = Group::ALL.iter().find(|group| group.name == class);
    found.map(Some).ok_or_else(|| {
        let names = Group::ALL.map(|group| group.name).join(", ");
        Error::new(format!("--class {class}: there is no such class; they are {names}"))
    })
}

fn algorithms(
    sweep: &ElectionSpecification,
    sources: &[NetworkSource],
    conditions: &Conditions,
) -> Result<Vec<&'static Algorithm>, Error> {
    if !sweep.algorithm.is_empty() {
        return sweep.algorithm.0.iter().map(|name| by_name(name)).collect();
    }
    let networks: Vec<_> =
        sources.iter().map(|source| source.build(sweep.seed)).collect::<Result<_, _>>()?;
    if let Some(group) = group(sweep)? {
        return Ok(of_group(group, &networks, conditions));
    }
    let fit = |algorithm: &&Algorithm| fits_all(algorithm, &networks, conditions.ports);
    Ok(CATALOGUE.iter().filter(fit).collect())
}

/// Creates the error for a kind of network that does not exist with this number of nodes.
fn sized(kind: &str, nodes: u32, error: SpecError) -> Error {
    let place = format!("--topology {kind} --nodes {nodes}");
    if Path::new(kind).exists() {
        return Error::of(place, "the file has a number of nodes of its own: leave out --nodes");
    }
    match kind.parse::<Spec>() {
        Ok(spec) => Error::of(
            place,
            format!(
                "`{kind}` has a number of nodes of its own: leave out --nodes, or name a kind \
                 without one, as in --topology {}",
                spec.family()
            ),
        ),
        Err(_) => Error::of(place, error),
    }
}
