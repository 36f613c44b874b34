//! `suffrage check`: explores every schedule of small elections.

mod own;
mod sampled;

use crate::error::{CommandEnding, Error, complain};
use crate::flags::FileFlags;
use crate::interrupt;
use crate::offered;
use crate::output::print;
use crate::progress::{ProgressLine, announce, duration};
use crate::report::{Checked, ReportFormat, json};
use crate::session;
use crate::terminal::fitted;
use crate::trace;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use sampled::Samples;
use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use suffrage::algorithms::{Algorithm, Property};
use suffrage::checker::{
    CheckReport, Checkable, Checker, Family, FaultBudget, Forecast, Forecaster, Incomplete,
    SampleScheduler,
};
use suffrage::experiment::check::{
    Families, FamilyDescription, MemorySize, NodeRange, Numberings, RoomRange, WakeMoment, property,
};
use suffrage::experiment::choice::by_name;
use suffrage::experiment::conditions::Initiators;
use suffrage::experiment::counts::{self, NumberRange, range};
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::{self, CheckSpecification, Specification};
use suffrage::networks::Fault;
use suffrage_parallel::memory::available;

/// Explore every schedule of small elections: which properties hold, and the worst-case costs
///
/// Every interleaving of messages and wake-ups is explored, on every instance of a family: identity
/// orders, sets of initiators, port numberings, networks. Without flags that choose a family, the
/// largest feasible one of this size is taken. A broken property is reported with the shortest
/// execution that breaks it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("samples").args(["sample", "seeds"]).conflicts_with_all([
    "full", "keep_going", "force", "topology", "all_ids", "ids", "all_initiators", "initiators",
    "all_ports", "ports", "all_graphs", "all_shapes",
]))]
pub(crate) struct Args {
    /// A name from `suffrage algorithms`
    #[arg(value_parser = offered::algorithms(), hide_possible_values = true)]
    algorithm: String,

    #[command(flatten)]
    family: FamilyArgs,

    /// A fault: no-fifo, loss:K, duplicate:K or crash:K; the last three may be combined
    ///
    /// At most K messages are lost or duplicated, or K processes crash, at any time; K is a whole
    /// number (probabilities are for `suffrage elect`). With faults only safety is checked: never
    /// two leaders, no decision revoked.
    #[arg(long = "fault", value_name = "FAULT", help_heading = "Conditions")]
    #[arg(value_parser = offered::counted_faults(str::parse::<Fault>), hide_possible_values = true)]
    faults: Vec<Fault>,

    /// Check this property or invariant; may be repeated [default: all, with faults those of
    /// safety]
    #[arg(long = "property", value_name = "NAME", help_heading = "Conditions")]
    #[arg(value_parser = offered::properties(property), hide_possible_values = true)]
    properties: Vec<Property>,

    /// Check this many random runs of random elections instead, for sizes that cannot be explored
    ///
    /// Networks, port numberings, identities, initiators and schedules are drawn at random, with
    /// the number of nodes from --nodes, as in --nodes 5..32. A failure is shrunk to fewer nodes,
    /// fewer initiators and fewer steps.
    #[arg(long, value_name = "SAMPLES", value_parser = suffrage::experiment::counts::positive)]
    #[arg(help_heading = "Sample")]
    sample: Option<u64>,

    /// Check a random run of a random election for each of these seeds, from A to B inclusive;
    /// otherwise as --sample
    ///
    /// `suffrage merge` adds up JSON reports of consecutive seeds.
    #[arg(long, value_name = "A..B", value_parser = range, conflicts_with = "seed")]
    #[arg(help_heading = "Sample")]
    seeds: Option<NumberRange<u64>>,

    /// A scheduler: uniform, newest, oldest, starved-link, starved-process or pct:D; may be repeated
    /// [default: all, with D from 1 to 3]
    ///
    /// pct:D is probabilistic concurrency testing with D - 1 changes of priority.
    #[arg(long = "scheduler", value_name = "NAME", requires = "samples", help_heading = "Sample")]
    schedulers: Vec<SampleScheduler>,

    /// Explore every configuration of every instance, without reductions
    #[arg(long, help_heading = "Exploration")]
    full: bool,

    /// Continue after a broken property, to count the instances that break one
    #[arg(long, help_heading = "Exploration")]
    keep_going: bool,

    /// Memory for configurations, as in 512MiB or 8GiB; if less is free, no more than that
    #[arg(long, value_name = "SIZE", default_value = "4GiB", help_heading = "Exploration")]
    #[arg(allow_hyphen_values = true)]
    memory: MemorySize,

    /// Explore although it is estimated to be too large
    #[arg(long, help_heading = "Exploration")]
    force: bool,

    /// Threads; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", help_heading = "Exploration")]
    #[arg(value_parser = suffrage::experiment::counts::threads)]
    threads: Option<NonZero<usize>>,

    /// Write a run to this file, for `suffrage replay`: one that breaks a property, or else one
    /// with the most messages
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) save: Option<PathBuf>,

    /// How to write the report
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: ReportFormat,

    /// Print the specification of the exploration as TOML, and run nothing
    ///
    /// `suffrage run FILE` runs it.
    #[arg(long, help_heading = "Output")]
    print_spec: bool,
}

const EXAMPLES: &str = "\
Examples:
  suffrage check humblet --nodes 4
  suffrage check villadangos@published --nodes 3 --save deadlock.jsonl
  suffrage check afek-gafni --nodes 4 --all-ports --all-initiators
  suffrage check echo-extinction --topology ring:5 --all-ids --initiators 2
  suffrage check chang-roberts --nodes 12 --ids descending --wake start
  suffrage check dolev-klawe-rodeh --nodes 3 --fault no-fifo
  suffrage check humblet --nodes 5 --ports random:100
  suffrage check humblet --nodes 5..32 --sample 100000
  suffrage check humblet --nodes 5..32 --seeds 1..50000 --format json >first.json
  suffrage check lelann --nodes 4 --fault crash:1 --property at-most-one-leader";

/// The flags that choose a family.
#[derive(clap::Args)]
struct FamilyArgs {
    /// The number of nodes, on the networks that the algorithm is for; with --sample also a range,
    /// as in 5..32, both included [default: 4, with --sample 5..16]
    #[arg(long, value_name = "N", conflicts_with = "topology", help_heading = "Family")]
    nodes: Option<NodeRange>,

    /// One network: a file, or a specification such as ring:4 (see `suffrage elect --help`)
    #[arg(long, value_name = "SPEC|FILE", help_heading = "Family")]
    #[arg(value_parser = offered::specs(), hide_possible_values = true)]
    topology: Option<String>,

    #[command(flatten)]
    file: FileFlags,

    /// All assignments of the ids 1 to N, up to symmetry
    #[arg(long, conflicts_with = "ids", help_heading = "Family")]
    all_ids: bool,

    /// Every set of initiators
    #[arg(long, conflicts_with = "initiators", help_heading = "Family")]
    all_initiators: bool,

    /// Every numbering of the ports
    #[arg(long, help_heading = "Family")]
    all_ports: bool,

    /// The numbering of the ports: rotation, or random:K for K random numberings of each network
    #[arg(long, value_name = "PORTS", conflicts_with_all = ["all_ports", "all_graphs", "all_shapes"])]
    #[arg(default_value = "rotation", help_heading = "Family")]
    ports: Numberings,

    /// Every connected network of this size, with every order of the ids
    #[arg(long, conflicts_with_all = ["topology", "ids", "all_ports"], help_heading = "Family")]
    all_graphs: bool,

    /// Every connected network of this size up to isomorphism, with one order of the ids
    #[arg(long, conflicts_with_all = ["topology", "ids", "all_ports", "all_ids", "all_graphs"])]
    #[arg(help_heading = "Family")]
    all_shapes: bool,

    /// The order of the identities: ascending, descending, bit-reversed, random, scattered,
    /// homonyms:K, list:ID,.., or a file
    #[arg(long, value_name = "IDS", help_heading = "Family")]
    #[arg(value_parser = offered::ids(), hide_possible_values = true)]
    ids: Option<String>,

    /// Who may start: all, a number K (of nodes drawn at random), or nodes:LIST
    #[arg(long, value_name = "WHO", help_heading = "Family")]
    initiators: Option<Initiators>,

    /// When they start [default: any; with --sample either]
    #[arg(long, value_name = "WAKE", value_parser = wake_moments(), help_heading = "Conditions")]
    wake: Option<WakeMoment>,

    /// Messages that a link holds: unbounded, or a number, with --sample also a range; the sender
    /// waits for room
    #[arg(long, value_name = "C", default_value = "unbounded", help_heading = "Conditions")]
    capacity: RoomRange,

    /// Drives what is random: networks, initiators
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Conditions")]
    #[arg(value_parser = counts::count)]
    seed: u64,
}

/// Offers the moments at which initiators start.
fn wake_moments() -> impl TypedValueParser<Value = WakeMoment> {
    let value = |moment: WakeMoment| {
        PossibleValue::new(moment.name()).help(match moment {
            WakeMoment::Any => "Each at any moment before a message reaches it",
            WakeMoment::Start => "All before anything else happens",
        })
    };
    let values = [WakeMoment::Any, WakeMoment::Start].map(value);
    PossibleValuesParser::new(values).try_map(|name| name.parse::<WakeMoment>())
}

/// The number of configurations from which on `--force` is needed.
const TOO_MANY: u64 = 1_000_000_000;

/// The maximal number of configurations of a family that is chosen by default.
const SENSIBLE: u64 = 20_000_000;

/// The approximate number of configurations that a thread explores per second, with their costs:
/// `suffrage check afek-gafni --nodes 4 --all-ids --all-initiators` shows the rate on a machine.
const RATE: f64 = 100_000.0;

/// The time between two lines of progress if standard error is not a terminal.
const PIPED: Duration = Duration::from_secs(30);

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let asked = args.specification(args.algorithm.clone());
    if args.print_spec {
        print(&Specification::Check(asked.into()).to_toml())?;
        return Ok(CommandEnding::Fine);
    }
    let (threads, save) = (args.threads, args.save.as_deref());
    CheckRun { asked: &asked, threads, save, format: args.format }.run()
}

impl Args {
    /// The specification that the flags describe.
    fn specification(&self, algorithm: String) -> CheckSpecification {
        let FamilyArgs { file, .. } = &self.family;
        let family = &self.family;
        CheckSpecification {
            algorithm,
            nodes: family.nodes.clone(),
            topology: family.topology.clone(),
            topology_format: file.topology_format,
            largest_component: file.largest_component,
            all_ids: family.all_ids,
            all_initiators: family.all_initiators,
            all_ports: family.all_ports,
            ports: family.ports,
            all_graphs: family.all_graphs,
            all_shapes: family.all_shapes,
            ids: family.ids.clone(),
            initiators: family.initiators.clone(),
            wake: family.wake,
            capacity: family.capacity.clone(),
            fault: self.faults.clone(),
            property: self.properties.clone(),
            sample: self.sample,
            seeds: self.seeds,
            scheduler: self.schedulers.clone(),
            full: self.full,
            keep_going: self.keep_going,
            memory: self.memory,
            force: self.force,
            seed: family.seed,
        }
    }
}

/// An exploration, with what is written besides the report.
pub(super) struct CheckRun<'a> {
    pub(super) asked: &'a CheckSpecification,
    pub(super) threads: Option<NonZero<usize>>,
    /// The file for a run.
    pub(super) save: Option<&'a Path>,
    pub(super) format: ReportFormat,
}

impl CheckRun<'_> {
    pub(super) fn run(&self) -> Result<CommandEnding, Error> {
        let asked = self.asked;
        let algorithm = by_name(&asked.algorithm)?;
        let faults = asked.faults()?;
        asked.check(algorithm)?;
        if let Some(samples) = Samples::of(asked) {
            return sampled::run(self, algorithm, faults, samples);
        }
        let (family, description, forecast) = self.family(algorithm, faults)?;
        self.announce(&family, forecast);
        let memory = self.allowed();
        let checker = Checker::new(algorithm, &family).properties(&asked.property);
        let report = self.explore(checker, &family, forecast, memory)?;
        let invariants = asked.invariants(algorithm, faults);
        let (name, claims) = (algorithm.name, Some(&algorithm.claims));
        let checked =
            Checked::of(name, claims, &family, description, asked.full, invariants, &report);
        let run = checked.run(&report);
        if let (Some(path), Some(run)) = (self.save, &run) {
            trace::write(run, "--save", path)?;
        }
        print(&match self.format {
            ReportFormat::Text => fitted(&checked.text(run.as_ref())?),
            ReportFormat::Json => json(&checked, Some(&self.specification()))?,
        })?;
        self.ending(&family, memory, &report)
    }

    fn specification(&self) -> Specification {
        Specification::Check(self.asked.clone().into())
    }

    /// Says how an exploration has ended, if not by itself.
    fn ending(
        &self,
        family: &Family,
        memory: u64,
        report: &CheckReport,
    ) -> Result<CommandEnding, Error> {
        if report.incomplete == Some(Incomplete::Stopped) {
            complain("interrupted: the figures are for the explored part");
        }
        match report.incomplete {
            Some(Incomplete::OutOfMemory(number)) => Err(Error::new(format!(
                "instance {} of {} takes more than the memory allowed or free, {} MiB for each of {}; \
                 explored until then: {}, {} configurations. Give it more with \
                 --memory, use fewer --threads, or take fewer nodes or initiators",
                grouped(number + 1),
                grouped(report.of),
                (memory / self.threads(family) as u64) >> 20,
                count(self.threads(family) as u64, "thread"),
                count(report.instances, "instance"),
                grouped(report.states),
            ))),
            incomplete => {
                let stopped = incomplete == Some(Incomplete::Stopped);
                Ok(CommandEnding::of(stopped, report.counterexample.is_some()))
            }
        }
    }

    fn threads(&self, family: &Family) -> usize {
        experiment::threads(self.threads).min(usize::try_from(family.len()).unwrap_or(usize::MAX))
    }

    /// Returns the family to check, a note on it, and the size of its exploration: of several
    /// families the first that is not too large, or the last if all are.
    fn family(
        &self,
        algorithm: &Algorithm,
        faults: FaultBudget,
    ) -> Result<(Family, FamilyDescription, Forecast), Error> {
        let mut forecaster = Forecaster::new(algorithm, self.asked.full);
        let ladder = match self.asked.families(
            algorithm.name,
            algorithm.network,
            algorithm.timing,
            faults,
            &session::networks(),
        )? {
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
        states.saturating_mul(Forecast::BYTES) <= self.allowed()
    }

    fn allowed(&self) -> u64 {
        available().map_or(self.asked.memory.0, |free| free.min(self.asked.memory.0))
    }

    fn refuse_too_large(&self, family: &Family, forecast: Forecast) -> Result<(), Error> {
        let fits = forecast.total <= TOO_MANY && self.has_room(forecast.largest);
        if self.asked.force || fits || family.nodes() <= 3 {
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

    /// Announces the approximate time of a long exploration, on a terminal or not.
    fn announce(&self, family: &Family, forecast: Forecast) {
        let what = format!("an estimated {} configurations", about(forecast.total));
        announce(&what, forecast.total as f64 / RATE, self.threads(family));
    }

    fn explore(
        &self,
        checker: Checker<'_, impl Checkable>,
        family: &Family,
        forecast: Forecast,
        memory: u64,
    ) -> Result<CheckReport, Error> {
        let one = family.len() == 1;
        let mut progress = match one {
            true => ProgressLine::counting("configurations"),
            false => ProgressLine::estimated(family.len(), "instances"),
        };
        let since = Instant::now();
        let mut piped = Piped::default();
        let watch = |now: suffrage::checker::CheckProgress| {
            let words = so_far(&now, forecast.total, since.elapsed());
            let unseen = !io::stderr().is_terminal() && !session::is_one();
            if unseen && piped.is_due(since.elapsed()) {
                complain(format_args!(
                    "{} of {} instances, {words}",
                    grouped(now.instances),
                    grouped(family.len())
                ));
            }
            progress.say(words);
            progress.at(if one { now.states } else { now.instances });
            interrupt::stop_if_asked()
        };
        let report = checker
            .full(self.asked.full)
            .symmetry(!self.asked.full)
            .memory(memory)
            .keep_going(self.asked.keep_going)
            .threads(self.threads(family))
            .on_progress(watch)
            .run();
        progress.clear();
        report.map_err(|invalid| Error::new(invalid.to_string()))
    }
}

/// Progress where standard error is no terminal: a line from time to time.
#[derive(Default)]
struct Piped {
    spoken: Duration,
}

impl Piped {
    fn is_due(&mut self, elapsed: Duration) -> bool {
        let due = elapsed.saturating_sub(self.spoken) >= PIPED;
        if due {
            self.spoken = elapsed;
        }
        due
    }
}

/// Formats the progress of an exploration of this estimated number of configurations, its speed,
/// and the remaining time.
fn so_far(now: &suffrage::checker::CheckProgress, estimated: u64, elapsed: Duration) -> String {
    let elapsed = elapsed.as_secs_f64();
    let rate = now.states as f64 / elapsed.max(0.001);
    // An estimate that has been exceeded is not shown.
    let expected = now.states as f64 / estimated.max(1) as f64;
    let share = if expected < 1.0 { expected } else { 0.0 };
    let share = share.max(now.instances as f64 / now.of.max(1) as f64);
    let left = match share > 0.0 && elapsed > 2.0 {
        true => format!(", about {} left", duration(elapsed / share - elapsed)),
        false => String::new(),
    };
    format!("{} configurations, {} a second{left}", grouped(now.states), grouped(rate as u64))
}

/// Formats a number to one digit.
fn about(number: u64) -> String {
    match number {
        0..1000 => grouped(number),
        _ => format!("{:.0e}", number as f64).replace('e', "·10^"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage::checker::CheckProgress;

    #[test]
    fn a_pipe_gets_a_line_from_time_to_time() {
        let mut piped = Piped::default();
        let lines = (0..=100).filter(|&second| piped.is_due(Duration::from_secs(second)));
        assert_eq!(lines.collect::<Vec<_>>(), [30, 60, 90]);
    }

    #[test]
    fn the_time_that_is_left_is_estimated() {
        let at = |states, instances| CheckProgress { states, instances, of: 100 };
        let words = |now, seconds| so_far(&now, 1000, Duration::from_secs(seconds));
        assert_eq!(words(at(500, 1), 1), "500 configurations, 500 a second");
        assert_eq!(words(at(500, 1), 10), "500 configurations, 50 a second, about 10 seconds left");
        // More than was estimated: the instances tell how much is left.
        assert_eq!(
            words(at(2000, 20), 10),
            "2,000 configurations, 200 a second, about 40 seconds left"
        );
        assert_eq!(words(at(2000, 0), 10), "2,000 configurations, 200 a second");
    }
}
