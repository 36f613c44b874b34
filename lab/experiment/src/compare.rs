//! Sweeps: every combination of algorithms, networks and conditions, each with several trials.

use crate::choice::{by_name, fits_all, of_group};
use crate::conditions::{Conditions, ScheduleChoice};
use crate::election::Prepared;
use crate::error::Error;
use crate::monitor::Monitor;
use crate::number::grouped;
use crate::options::{ExperimentRun, RunOptions};
use crate::report::{ComparisonRow, ExperimentReport};
use crate::source::{GivenNetworks, NetworkSource, for_files, natural};
use crate::specification::ElectionSpecification;
use crate::trials;
use std::path::Path;
use suffrage_algorithms::{Algorithm, CATALOGUE, Group};
use suffrage_networks::{Input, Spec, SpecError};

/// The number of messages from which on an election is run only if its algorithm is named, since
/// it may take too much time and memory.
const TOO_MANY: u64 = 1_000_000_000;

/// Runs a comparison, up to the row at which it is stopped.
pub(crate) fn run(
    sweep: &ElectionSpecification,
    options: &mut RunOptions<'_>,
) -> Result<ExperimentRun, Error> {
    let monitor = options.monitor;
    let (all, many) = (rows(sweep, options.given, monitor)?, sweep.many(10));
    let at_a_time = many.most.min(trials::threads(options.threads) as u64);
    all.iter().try_for_each(|row| row.room_for(at_a_time))?;
    if let Some(sink) = &mut options.sink {
        sink.rows(sweep.combinations().len() > 1)?;
    }
    let (mut finished, mut wanted) = (Vec::new(), true);
    for prepared in &all {
        if monitor.is_stopped() || !wanted {
            break;
        }
        prepared.remark(monitor);
        let what = format!("trials: {} on {}", prepared.algorithm.name, prepared.source.text());
        let trials = prepared.run_trials(many, options.threads, &what, monitor)?;
        let row = ComparisonRow::of(prepared, &trials.results).filter(|_| !trials.interrupted);
        let Some(row) = row else { break };
        if let Some(missed) = row.missed(many) {
            monitor.remark(&format!("{}: {missed}", row.name()));
        }
        for refuted in row.refuted() {
            monitor.remark(&format!("{}: {}", row.name(), refuted.why()));
        }
        if let Some(sink) = &mut options.sink {
            wanted = sink.row(&row)?;
            sink.trials(prepared, &trials.results)?;
        }
        finished.push(row);
    }
    let (done, all) = (finished.len(), all.len());
    let run = ExperimentRun::from(ExperimentReport::Comparison(finished));
    let words = format!("interrupted: {done} of {all} rows were finished");
    Ok(run.interrupted(done < all && wanted, words))
}

/// What each row is about, in their order: files have been read, and every row is possible.
fn rows(
    sweep: &ElectionSpecification,
    given: &GivenNetworks,
    monitor: &dyn Monitor,
) -> Result<Vec<Prepared>, Error> {
    let all = sweep.combinations();
    if all.is_empty() {
        return Err(Error::new("a field has an empty list of values"));
    }
    let recorded = |one: &Conditions| matches!(one.schedule, ScheduleChoice::Recorded(_));
    if all.iter().any(recorded) {
        return Err(Error::new("--schedule replay:FILE is for one election: use `suffrage elect`"));
    }
    if sweep.topology.is_empty() && sweep.nodes.is_empty() {
        return Err(Error::new("name numbers of nodes with --nodes, or networks with --topology"));
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
    Ok(rows)
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
    if Input::exists(Path::new(kind)) {
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
