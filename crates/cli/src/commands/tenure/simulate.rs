//! `suffrage tenure simulate`: simulates a protocol under faults.

use super::cluster::{Cluster, ClusterArgs, protocol};
use crate::error::{Ending, Error, complain};
use crate::number::{count, grouped};
use crate::output::{Output, print};
use crate::report::{Format, Sheet, json};
use crate::terminal::fitted;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use suffrage::protocols::Protocol;
use suffrage::recovery::promises::Promise;
use suffrage::recovery::simulation::{
    Faults, Kind, Nanos, Report, Script, Shrunk, Spread, Summary, Violation,
};

/// Simulate a protocol under faults, and check its promises
///
/// Faults are drawn from the seed, or are those of a script. A run that breaks a promise is shrunk:
/// repeated with fewer and shorter faults as long as it still does; the shortest script is printed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The protocol
    #[arg(long, value_name = "NAME", default_value = "tenure")]
    protocol: String,

    /// The faults: none, all, kinds of faults separated by commas, or a file with a script
    #[arg(long, value_name = "FAULTS", default_value = "none", help_heading = "Faults")]
    faults: String,

    /// The mean time between the beginnings of two random faults
    #[arg(long, value_name = "TIME", default_value = "4s", help_heading = "Faults")]
    every: Nanos,

    /// The longest time that a random fault lasts
    #[arg(long, value_name = "TIME", default_value = "4s", help_heading = "Faults")]
    longest: Nanos,

    /// The length of a run, in simulated hours [default: 0.1]
    #[arg(long, value_name = "H", conflicts_with = "duration")]
    hours: Option<String>,

    /// The length of a run, as in 90s
    #[arg(long, value_name = "TIME")]
    duration: Option<Nanos>,

    /// The number of runs
    #[arg(long, value_name = "T", default_value_t = 1)]
    #[arg(value_parser = crate::counts::positive)]
    trials: u64,

    #[command(flatten)]
    cluster: ClusterArgs,

    /// How to write the report
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,

    /// Write the events of a run to this file, as lines of JSON: of the first run that fails, its
    /// faults shrunk, or else of the first run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(in crate::commands) trace: Option<PathBuf>,

    /// Write a script to this file: the shortest with which a run fails, or else that of the first run
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    save: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Kinds of faults: crash, lost-record, suspend, clock, slow-disk, stuck-disk, failed-disk, split,
bridge, one-way, chain, star, link, flapping, loss, duplicate, overtake, delay, resign, transfer;
and, beyond the model and not in `all`: clock-beyond, restored-record.

A script has a fault a line: {\"at\": \"2s\", \"for\": \"500ms\", \"crash\": {\"peer\": \"leader\"}}

Examples:
  suffrage tenure simulate --faults all --hours 1 --trials 10
  suffrage tenure simulate --members 3 --standers 20 --offices 100 --faults crash,split
  suffrage tenure simulate --faults clock-beyond,split --trials 100
  suffrage tenure simulate --profile wan --heartbeat 200ms --lease 1s --faults all
  suffrage tenure simulate --faults script.jsonl --trace run.jsonl";

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let protocol = protocol(&args.protocol)?;
    let mut cluster = args.cluster.read()?;
    cluster.faults = args.faults()?;
    cluster.length = args.length()?;
    let reports = cluster.trials(protocol, args.trials, &format!("runs of {}", protocol.name))?;
    let interrupted = (reports.len() as u64) < args.trials;
    let Some(first) = reports.first() else {
        complain("interrupted before the first run was finished");
        return Ok(Ending::Interrupted);
    };
    let mut summary = Summary::default();
    reports.iter().for_each(|report| summary.add(report));
    let failing = summary.violations.iter().next().map(|(promise, (seed, _))| (*promise, *seed));
    let shrunk = match failing {
        Some((promise, seed)) if !interrupted => cluster.shrink(protocol, seed, promise)?,
        _ => None,
    };
    if let Some(path) = &args.save {
        let script = shrunk.as_ref().map_or(&first.script, |shrunk| &shrunk.script);
        save(path, script)?;
    }
    if let Some(path) = &args.trace {
        let mut cluster = cluster.clone();
        let seed = shrunk.as_ref().map_or(first.seed, |shrunk| shrunk.report.seed);
        if let Some(shrunk) = &shrunk {
            cluster.faults = Faults::Script(shrunk.script.clone());
            cluster.length = Nanos(shrunk.report.length.0 + Nanos::seconds(1).0);
        }
        cluster.trace(protocol, seed, path)?;
    }
    let figures = Figures::new(args, &cluster, protocol, &summary, shrunk.as_ref());
    print(&match args.format {
        Format::Text => fitted(&figures.text(first)),
        Format::Json => json(&figures)?,
    })?;
    if interrupted {
        complain(format_args!(
            "interrupted: the figures are those of the first {} runs",
            summary.runs
        ));
    }
    Ok(Ending::of(interrupted, failing.is_some()))
}

fn save(path: &Path, script: &Script) -> Result<(), Error> {
    const FLAG: &str = "--save";
    let mut file = Output::begin(FLAG, path)?;
    write!(file, "{script}").map_err(|error| Output::failed(FLAG, path, error))?;
    file.finish()
}

impl Args {
    fn faults(&self) -> Result<Faults, Error> {
        let random =
            |kinds: Vec<Kind>| Faults::Random { kinds, every: self.every, longest: self.longest };
        match self.faults.as_str() {
            "none" => Ok(Faults::none()),
            "all" => Ok(random(Kind::ALL.to_vec())),
            list => {
                let kinds: Result<Vec<Kind>, _> = list.split(',').map(str::parse).collect();
                let unknown = match kinds {
                    Ok(kinds) => return Ok(random(kinds)),
                    Err(unknown) => unknown,
                };
                match fs::read_to_string(list) {
                    Ok(text) => {
                        let script: Result<Script, _> = text.parse();
                        let place = format!("--faults {list}");
                        script.map(Faults::Script).map_err(|error| Error::of(place, error))
                    }
                    Err(unread) => Err(Error::of(
                        "--faults",
                        format!("{unknown}; and as a file it cannot be read: {unread}"),
                    )),
                }
            }
        }
    }

    fn length(&self) -> Result<Nanos, Error> {
        match (&self.hours, self.duration) {
            (_, Some(duration)) => Ok(duration),
            (hours, None) => {
                let hours = hours.as_deref().unwrap_or("0.1");
                let wrong = |_| Error::new(format!("--hours {hours}: write a number, as in 0.5"));
                format!("{hours}h").parse().map_err(wrong)
            }
        }
    }
}

/// The results of the runs: the keys of the JSON report.
#[derive(Serialize)]
struct Figures {
    protocol: &'static str,
    members: u32,
    standers: u32,
    offices: u32,
    profile: String,
    faults: String,
    seed: u64,
    runs: u64,
    simulated_seconds: f64,
    availability: f64,
    bound_nanos: u64,
    vacancy: BTreeMap<&'static str, Spread>,
    staleness: Option<Spread>,
    tenures: u64,
    needless: u64,
    crashes: u64,
    rejected: u64,
    events: u64,
    messages_per_second: f64,
    bytes_per_second: f64,
    syncs_per_second: f64,
    messages: BTreeMap<&'static str, u64>,
    /// The number of runs in which each promise was broken.
    broken: BTreeMap<Promise, u64>,
    violations: Vec<Broken>,
    beyond_the_model: Vec<Broken>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shrunk: Option<Small>,
}

#[derive(Serialize)]
struct Broken {
    promise: Promise,
    seed: u64,
    why: String,
    #[serde(flatten)]
    violation: Violation,
}

#[derive(Serialize)]
struct Small {
    seed: u64,
    promise: Promise,
    why: String,
    at: Nanos,
    script: Vec<String>,
    runs: u64,
}

impl Figures {
    fn new(
        args: &Args,
        cluster: &Cluster,
        protocol: &Protocol,
        summary: &Summary,
        shrunk: Option<&Shrunk>,
    ) -> Self {
        let spreads = summary.vacancies.iter();
        let broken = |of: &BTreeMap<Promise, (u64, Violation)>| {
            let broken = |(&promise, (seed, violation)): (&Promise, &(u64, Violation))| Broken {
                promise,
                seed: *seed,
                why: violation.breach.to_string(),
                violation: violation.clone(),
            };
            of.iter().map(broken).collect()
        };
        let small = |shrunk: &Shrunk| {
            let violation = shrunk.report.violations.last()?;
            Some(Small {
                seed: shrunk.report.seed,
                promise: violation.breach.promise(),
                why: violation.breach.to_string(),
                at: violation.at,
                script: shrunk.script.0.iter().map(ToString::to_string).collect(),
                runs: shrunk.runs,
            })
        };
        Self {
            protocol: protocol.name,
            members: args.cluster.members,
            standers: args.cluster.standers,
            offices: args.cluster.offices,
            profile: cluster.profile.to_string(),
            faults: args.faults.clone(),
            seed: args.cluster.seed,
            runs: summary.runs,
            simulated_seconds: summary.simulated as f64 / 1e9,
            availability: summary.availability(),
            bound_nanos: cluster.simulation::<suffrage::protocols::tenure::Tenure>(1).bound().0,
            vacancy: spreads.filter_map(|(kind, all)| Some((*kind, Spread::of(all)?))).collect(),
            staleness: Spread::of(&summary.staleness),
            tenures: summary.tenures,
            needless: summary.needless,
            crashes: summary.crashes,
            rejected: summary.rejected,
            events: summary.events,
            messages_per_second: summary.per_second(summary.all_messages()),
            bytes_per_second: summary.per_second(summary.bytes),
            syncs_per_second: summary.per_second(summary.syncs),
            messages: summary.messages.iter().copied().collect(),
            broken: summary.broken.clone(),
            violations: broken(&summary.violations),
            beyond_the_model: broken(&summary.beyond),
            shrunk: shrunk.and_then(small),
        }
    }

    fn text(&self, first: &Report) -> String {
        let mut sheet = Sheet::titled(&format!(
            "{}: {}, {}, {}, {}, faults: {}",
            self.protocol,
            count(self.members.into(), "member"),
            count(self.standers.into(), "stander"),
            count(self.offices.into(), "office"),
            self.profile,
            self.faults
        ));
        let seeds = match self.runs {
            1 => format!("1, seed {}", self.seed),
            runs => format!("{}, seeds {} to {}", grouped(runs), self.seed, self.seed + runs - 1),
        };
        sheet.line("runs", &seeds);
        sheet.line(
            "simulated",
            &format!(
                "{} in all, {} events, {} faults in the first run",
                Nanos((self.simulated_seconds * 1e9) as u64),
                grouped(self.events),
                first.script.0.len()
            ),
        );
        for promise in Promise::ALL {
            let beyond = self.beyond_the_model.iter().find(|broken| broken.promise == promise);
            let broken = self.violations.iter().find(|broken| broken.promise == promise);
            let kept = match (broken, beyond) {
                (Some(broken), _) => format!(
                    "BROKEN in {} of {} runs; seed {} at {:.3} s: {}",
                    self.broken[&promise],
                    self.runs,
                    broken.seed,
                    broken.violation.at.0 as f64 / 1e9,
                    broken.why
                ),
                (None, Some(beyond)) => format!(
                    "broken beyond the model: {}; seed {} at {:.3} s: {}",
                    beyond.violation.beyond.as_deref().unwrap_or_default(),
                    beyond.seed,
                    beyond.violation.at.0 as f64 / 1e9,
                    beyond.why
                ),
                (None, None) => "kept".to_owned(),
            };
            sheet.line(promise.name(), &kept);
        }
        sheet.line("availability", &format!("{:.4} %", 100.0 * self.availability));
        sheet.line(
            "tenures",
            &format!("{}, of which {} ended without need", grouped(self.tenures), self.needless),
        );
        let rate = |rate: f64| grouped(rate.round() as u64);
        sheet.line(
            "each second",
            &format!(
                "{} messages, {} bytes, {:.2} disk syncs",
                rate(self.messages_per_second),
                rate(self.bytes_per_second),
                self.syncs_per_second
            ),
        );
        if self.rejected > 0 {
            sheet.line("rejected", &format!("{} messages or commands", grouped(self.rejected)));
        }
        sheet.plain("");
        sheet
            .plain("  vacancy in ms, by the fault before      count       p50       p99       max");
        let row = |name: &str, spread: &Spread| {
            let millis = |nanos: u64| format!("{:.1}", nanos as f64 / 1e6);
            format!(
                "  {name:<34} {:>10} {:>9} {:>9} {:>9}",
                grouped(spread.count),
                millis(spread.p50),
                millis(spread.p99),
                millis(spread.max)
            )
        };
        for (kind, spread) in &self.vacancy {
            sheet.plain(&row(kind, spread));
        }
        if let Some(staleness) = &self.staleness {
            sheet.plain("");
            sheet.plain(&row("age of answers of who leads", staleness));
        }
        if let Some(small) = &self.shrunk {
            sheet.plain("");
            sheet.plain(&format!(
                "  The shortest script with which seed {} fails, found in {} runs ({} at {:.3} s):",
                small.seed,
                small.runs,
                small.promise,
                small.at.0 as f64 / 1e9
            ));
            sheet.plain("");
            for line in &small.script {
                sheet.plain(&format!("    {line}"));
            }
            if small.script.is_empty() {
                sheet.plain("    # empty: no fault is needed");
            }
        }
        sheet.into_text()
    }
}
