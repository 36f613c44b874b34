//! `suffrage check`: every schedule of small elections.

use super::elect::ending;
use crate::error::{Ending, Error, print};
use crate::flags::{Capacity, FileFlags, Initiators};
use crate::interrupt;
use crate::plan::by_name;
use crate::plan::family::{self, Families};
use crate::progress::Progress;
use crate::report::{Checked, Format, grouped, json};
use crate::trials;
use clap::ValueEnum;
use std::fmt;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;
use suffrage::algorithms::{Algorithm, Property};
use suffrage::checker::{
    Conditions, Family, Faults, Incomplete, Options, Report, Wake, check_catalogued, forecast,
};

/// Explore every schedule of small elections: what always holds, and what they cost at most
///
/// Every interleaving of messages and wake-ups is explored, on every instance of a family: identity
/// orders, sets of initiators, port numberings, networks. Without flags that choose a family, the
/// largest sensible one of this size is taken. A broken property comes with the shortest course on
/// which it is broken.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A name from `suffrage algorithms`
    algorithm: String,

    /// So many nodes, on the networks that the algorithm is for [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(conflicts_with = "topology", help_heading = "Family")]
    pub(crate) nodes: Option<u32>,

    /// One network: a file, or a specification such as ring:4 (see `suffrage elect --help`)
    #[arg(long, value_name = "SPEC|FILE", help_heading = "Family")]
    pub(crate) topology: Option<String>,

    #[command(flatten)]
    pub(crate) file: FileFlags,

    /// Every order of the ids 1 to N, of those that an automorphism makes alike only one
    #[arg(long, conflicts_with = "ids", help_heading = "Family")]
    pub(crate) all_ids: bool,

    /// Every set of initiators
    #[arg(long, conflicts_with = "initiators", help_heading = "Family")]
    pub(crate) all_initiators: bool,

    /// Every numbering of the ports
    #[arg(long, help_heading = "Family")]
    pub(crate) all_ports: bool,

    /// Every connected network of this size, with every order of the ids
    #[arg(long, conflicts_with_all = ["topology", "ids", "all_ports"], help_heading = "Family")]
    pub(crate) all_graphs: bool,

    /// Every connected network of this size up to isomorphism, with one order of the ids
    #[arg(long, conflicts_with_all = ["topology", "ids", "all_ports", "all_ids", "all_graphs"])]
    #[arg(help_heading = "Family")]
    pub(crate) all_shapes: bool,

    /// The order of the identities: ascending, descending, bit-reversed, random, or a file
    #[arg(long, value_name = "IDS", help_heading = "Family")]
    pub(crate) ids: Option<String>,

    /// Who may start: all, a number K (so many, at random), or nodes:LIST
    #[arg(long, value_name = "WHO", help_heading = "Family")]
    pub(crate) initiators: Option<Initiators>,

    /// When they start
    #[arg(long, value_enum, default_value_t, help_heading = "Conditions")]
    pub(crate) wake: Moment,

    /// Messages that a link holds: unbounded, or a number; the sender waits for room
    #[arg(long, value_name = "C", default_value = "unbounded", help_heading = "Conditions")]
    pub(crate) capacity: Capacity,

    /// A fault: no-fifo, loss:K, duplicate:K or crash:K; the last three may be combined
    ///
    /// At most K messages are lost or doubled, or K processes crash, at any time. With faults an
    /// election is held to safety: never two leaders, no decision taken back.
    #[arg(long = "fault", value_name = "FAULT", help_heading = "Conditions")]
    pub(crate) faults: Vec<Fault>,

    /// Hold it to this property; may be repeated [default: all, with faults those of safety]
    #[arg(long = "property", value_name = "NAME", help_heading = "Conditions")]
    #[arg(value_parser = property)]
    properties: Vec<Property>,

    /// Drives what is random: networks, initiators
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Conditions")]
    pub(crate) seed: u64,

    /// Explore every configuration of every instance, also where fewer are enough
    #[arg(long, help_heading = "Exploration")]
    full: bool,

    /// Go on after a broken property, to count the instances that break one
    #[arg(long, help_heading = "Exploration")]
    keep_going: bool,

    /// Memory for configurations, as in 512MiB or 8GiB
    #[arg(long, value_name = "SIZE", default_value = "4GiB", help_heading = "Exploration")]
    memory: Memory,

    /// Explore although it is estimated to be too large
    #[arg(long, help_heading = "Exploration")]
    force: bool,

    /// Threads; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", help_heading = "Exploration")]
    threads: Option<NonZero<usize>>,

    /// Write a course to this file, for `suffrage replay`: that on which a property is broken, or
    /// else one with the most messages
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    save: Option<PathBuf>,

    /// How to write the report
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  suffrage check humblet --nodes 4
  suffrage check villadangos-published --nodes 3 --save deadlock.json
  suffrage check afek-gafni --nodes 4 --all-ports --all-initiators
  suffrage check echo-extinction --topology ring:5 --all-ids --initiators 2
  suffrage check chang-roberts --nodes 12 --ids descending --wake start
  suffrage check dolev-klawe-rodeh --nodes 3 --fault no-fifo
  suffrage check lelann --nodes 4 --fault crash:1 --property at-most-one-leader";

/// When initiators start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Moment {
    /// Each at any moment before a message reaches it
    #[default]
    Any,
    /// All before anything else happens
    Start,
}

impl Moment {
    pub(crate) const fn wake(self) -> Wake {
        match self {
            Self::Any => Wake::AnyTime,
            Self::Start => Wake::AtStart,
        }
    }
}

/// A fault, as a value of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NoFifo,
    Loss(u8),
    Duplicate(u8),
    Crash(u8),
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, number) = text.split_once(':').unwrap_or((text, ""));
        let count = || match number.parse::<u8>() {
            Ok(0) => Err(format!("fault `{text}`: at most 0 times is no fault")),
            Ok(count) => Ok(count),
            Err(_) => Err(format!(
                "fault `{text}`: write at most how often, from 1 to 255, as in {name}:1"
            )),
        };
        match name {
            "no-fifo" if number.is_empty() && !text.contains(':') => Ok(Self::NoFifo),
            "loss" => count().map(Self::Loss),
            "duplicate" => count().map(Self::Duplicate),
            "crash" => count().map(Self::Crash),
            _ => Err(format!(
                "unknown fault `{text}`; choose no-fifo, loss:K, duplicate:K or crash:K"
            )),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFifo => f.write_str("no-fifo"),
            Self::Loss(k) => write!(f, "loss:{k}"),
            Self::Duplicate(k) => write!(f, "duplicate:{k}"),
            Self::Crash(k) => write!(f, "crash:{k}"),
        }
    }
}

/// A size of memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Memory(u64);

impl FromStr for Memory {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => 0,
        };
        match digits.parse::<u64>().ok().and_then(|size| size.checked_mul(unit)) {
            Some(bytes) if bytes >= 1 << 20 => Ok(Self(bytes)),
            _ => Err("write a number with MiB or GiB, from 1MiB on, as in 8GiB".to_owned()),
        }
    }
}

fn property(name: &str) -> Result<Property, String> {
    Property::named(name).ok_or_else(|| {
        let names: Vec<_> = Property::ALL.iter().map(|property| property.name()).collect();
        format!("there is no property `{name}`; they are {}", names.join(", "))
    })
}

/// More configurations than these are not explored without being asked for twice.
const TOO_MANY: u64 = 1_000_000_000;

/// A family that is chosen for the user has at most so many.
const SENSIBLE: u64 = 20_000_000;

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let algorithm = by_name(&args.algorithm)?;
    let faults = args.faults()?;
    let (family, words) = match family::families(args, algorithm, faults)? {
        Families::Named(family, words) => (family, words),
        Families::Ladder(ladder) => args.sensible(algorithm, ladder),
    };
    args.refuse_too_large(algorithm, &family)?;
    let report = args.explore(algorithm, &family)?;
    let checked = Checked::of(algorithm, &family, words, args.full, &report);
    let course = checked.course(algorithm, &family, &report, &args.options())?;
    if let (Some(path), Some(course)) = (&args.save, &course) {
        course.write("--save", path)?;
    }
    print(&match args.format {
        Format::Text => checked.text(course.as_ref())?,
        Format::Json => json(&checked)?,
    })?;
    if report.incomplete == Some(Incomplete::Stopped) {
        eprintln!("interrupted: the figures are those of what was explored until then");
    }
    match report.incomplete {
        Some(Incomplete::OutOfMemory(number)) => Err(Error::new(format!(
            "instance {} of {} takes more than the memory allowed, {} MiB for each of {} threads; \
             explored until then: {} instances, {} configurations. Give it more with --memory, use \
             fewer --threads, or take fewer nodes or initiators",
            grouped(number + 1),
            grouped(report.of),
            (args.memory.0 / args.threads(&family) as u64) >> 20,
            args.threads(&family),
            grouped(report.instances),
            grouped(report.states),
        ))),
        incomplete => {
            Ok(ending(incomplete == Some(Incomplete::Stopped), report.counterexample.is_some()))
        }
    }
}

impl Args {
    fn faults(&self) -> Result<Faults, Error> {
        let mut faults = Faults::default();
        for (i, fault) in self.faults.iter().enumerate() {
            let same =
                |other: &&Fault| std::mem::discriminant(*other) == std::mem::discriminant(fault);
            if let Some(other) = self.faults[..i].iter().find(same) {
                return Err(Error::new(format!(
                    "--fault {other} and --fault {fault} contradict each other: give one of them"
                )));
            }
            match *fault {
                Fault::NoFifo => faults.no_fifo = true,
                Fault::Loss(k) => faults.loss = k,
                Fault::Duplicate(k) => faults.duplicate = k,
                Fault::Crash(k) => faults.crash = k,
            }
        }
        Ok(faults)
    }

    fn options(&self) -> Options {
        Options { full: self.full, memory: self.memory.0, costs: true }
    }

    fn threads(&self, family: &Family) -> usize {
        trials::threads(self.threads).min(usize::try_from(family.len()).unwrap_or(usize::MAX))
    }

    /// The first of some families that is not too large; the last if all are.
    fn sensible(&self, algorithm: &Algorithm, ladder: Vec<(Family, String)>) -> (Family, String) {
        let last = ladder.len() - 1;
        for (step, (family, words)) in ladder.into_iter().enumerate() {
            if step == last || family.nodes() <= 3 || {
                let forecast = forecast(algorithm, &family, self.full);
                forecast.total <= SENSIBLE && self.has_room(forecast.largest)
            } {
                return (family, words);
            }
        }
        unreachable!("the last one is taken")
    }

    fn has_room(&self, states: u64) -> bool {
        states.saturating_mul(suffrage::checker::Forecast::BYTES) <= self.memory.0
    }

    fn refuse_too_large(&self, algorithm: &Algorithm, family: &Family) -> Result<(), Error> {
        if self.force || family.nodes() <= 3 {
            return Ok(());
        }
        let forecast = forecast(algorithm, family, self.full);
        if forecast.total <= TOO_MANY && self.has_room(forecast.largest) {
            return Ok(());
        }
        let about = |number: u64| match number {
            0..1000 => grouped(number),
            _ => format!("{:.0e}", number as f64).replace('e', "·10^"),
        };
        Err(Error::new(format!(
            "that is too large: an estimated {} configurations in {} instances, the largest with \
             {} of about {} bytes; take fewer nodes or initiators, --wake start, or one order of \
             ids, or explore it all the same with --force, as far as --memory allows",
            about(forecast.total),
            grouped(family.len()),
            about(forecast.largest),
            suffrage::checker::Forecast::BYTES,
        )))
    }

    fn explore(&self, algorithm: &Algorithm, family: &Family) -> Result<Report, Error> {
        let one = family.len() == 1;
        let mut progress = match one {
            true => Progress::counting("configurations"),
            false => Progress::towards(family.len(), "instances"),
        };
        let since = std::time::Instant::now();
        let mut watch = |now: suffrage::checker::Progress| {
            let rate = now.states as f64 / since.elapsed().as_secs_f64().max(0.001);
            progress.say(format!(
                "{} configurations, {} a second",
                grouped(now.states),
                grouped(rate as u64)
            ));
            progress.at(if one { now.states } else { now.instances });
            if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let threads = NonZero::new(self.threads(family)).unwrap_or(NonZero::<usize>::MIN);
        let mut conditions = Conditions {
            options: self.options(),
            keep_going: self.keep_going,
            each: self.full,
            threads,
            watch: &mut watch,
        };
        let report = check_catalogued(algorithm, &self.properties, family, &mut conditions);
        progress.clear();
        report.map_err(|impossible| Error::new(impossible.to_string()))
    }
}
