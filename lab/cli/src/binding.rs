//! Experiments for programs in other languages: a specification gives a value.

use crate::commands::elect::{BesideElection, OutputFlags, check_files};
use crate::commands::tenure::simulate;
use crate::commands::{algorithms, draw, plot, watch};
use crate::error::Error;
use crate::output::Output;
use crate::report::Each;
use crate::trace;
use clap::Command;
use serde::Deserialize;
use serde_json::Value;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use suffrage::algorithms::Custom;
use suffrage::experiment::report::to_json;
use suffrage::experiment::{
    EarlyEnd, ExperimentReport, ExperimentRun, GivenNetworks, Monitor, RunOptions, Specification,
    Stamp, Stamped, not_of_the_catalogue,
};
use suffrage::model::{NetworkClass, Process};
use suffrage::page::RunPage;
use suffrage::run::Run;
use suffrage_numbers::in_words;

/// Files, and settings that no figure depends on. The keys are flags.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
struct Beside {
    threads: Option<NonZero<usize>>,
    timing: bool,
    draw: bool,
    each: Option<PathBuf>,
    trace: Option<PathBuf>,
    draw_network: Option<PathBuf>,
    save: Option<PathBuf>,
    history: Option<PathBuf>,
    interval: Option<u64>,
    distribution: Option<PathBuf>,
}

/// A report in JSON, and how the experiment ended.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The report; `None` if nothing was finished.
    pub report: Option<String>,
    /// Whether every property held.
    pub held: bool,
}

impl Beside {
    fn of(value: Value) -> Result<Self, Error> {
        serde_path_to_error::deserialize(value)
            .map_err(|error| Error::of(error.path(), in_words(error.inner())))
    }

    fn options<'a>(&self, given: &'a GivenNetworks, monitor: &'a dyn Monitor) -> RunOptions<'a> {
        let Self { threads, timing, draw, .. } = *self;
        RunOptions { given, threads, timing, draw, ..RunOptions::new(monitor) }
    }

    /// Runs a specification, and writes the files.
    fn run(
        &self,
        asked: &Specification,
        given: &GivenNetworks,
        monitor: &dyn Monitor,
        command: String,
    ) -> Result<ExperimentRun, Error> {
        let output = OutputFlags {
            trace: self.trace.clone(),
            draw_network: self.draw_network.clone(),
            timing: self.timing,
            ..OutputFlags::default()
        };
        if let Specification::Elect(elections) = asked {
            check_files(elections, &output, self.each.as_deref())?;
        }
        let begin = |flag, path: &Option<PathBuf>| {
            path.as_ref().map(|path| Output::begin(flag, path)).transpose()
        };
        let mut history = begin("--history", &self.history)?;
        let mut distribution = begin("--distribution", &self.distribution)?;
        let each = self.each.as_deref().map(Each::begin).transpose()?;
        let mut beside = BesideElection::new(&output);
        beside.each = each;
        let ran = asked.run_with(&mut RunOptions {
            command: Some(command),
            history: history.as_mut().map(|file| (file as &mut dyn Write, self.interval)),
            distribution: distribution.as_mut().map(|file| file as &mut dyn Write),
            sink: Some(&mut beside),
            ..self.options(given, monitor)
        })?;
        beside.finish()?;
        history.map_or(Ok(()), Output::finish)?;
        distribution.map_or(Ok(()), Output::finish)?;
        if let (Some(path), Some(run)) = (&self.save, ran.report.as_ref().and_then(|of| of.run())) {
            trace::write(run, "--save", path)?;
        }
        Ok(ran)
    }

    /// Refuses files and settings that are for algorithms of the catalogue.
    fn refuse_files(&self) -> Result<(), Error> {
        let given = [
            ("--each", self.each.is_some()),
            ("--trace", self.trace.is_some()),
            ("--draw-network", self.draw_network.is_some()),
            ("--timing", self.timing),
            ("--save", self.save.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(not_of_the_catalogue(flag)),
            None => Ok(()),
        }
    }
}

/// Takes the report of a run out, if it did not fail.
fn answer(
    ran: ExperimentRun,
    report: impl FnOnce(&ExperimentReport) -> Result<String, Error>,
) -> Result<Answer, Error> {
    match ran.early {
        Some(EarlyEnd::Failed(error)) => return Err(error),
        Some(EarlyEnd::GaveUp(words)) if ran.report.is_none() => return Err(Error::new(words)),
        _ => {}
    }
    let held = ran.report.as_ref().is_none_or(ExperimentReport::is_good);
    Ok(Answer { report: ran.report.as_ref().map(report).transpose()?, held })
}

/// The command that gives the same JSON.
fn as_json(specification: &Specification) -> String {
    specification.command_line() + " --format json"
}

/// Runs the experiment of a specification; `beside` has files and settings by the names of flags.
///
/// # Errors
/// If it is not possible.
pub fn run(
    specification: Value,
    beside: Value,
    given: &GivenNetworks,
    monitor: &dyn Monitor,
) -> Result<Answer, Error> {
    let (asked, beside) = (Specification::of_value(specification)?, Beside::of(beside)?);
    let ran = beside.run(&asked, given, monitor, as_json(&asked))?;
    answer(ran, |report| report.to_json(&Stamp::new(as_json(&asked), Some(asked.clone()))))
}

/// Runs one election of a process of the caller's own, or explores small ones.
///
/// # Errors
/// If it is not possible, or a field is set that is for algorithms of the catalogue.
pub fn run_custom<P: Process>(
    process: &Custom<P>,
    class: NetworkClass,
    specification: Value,
    beside: Value,
    given: &GivenNetworks,
    monitor: &dyn Monitor,
) -> Result<Answer, Error> {
    let (mut asked, beside) = (Specification::of_value(specification)?, Beside::of(beside)?);
    beside.refuse_files()?;
    let mut options = beside.options(given, monitor);
    let stamp = |asked: Specification| Stamp::new(String::new(), Some(asked));
    match &mut asked {
        Specification::Elect(elections) => {
            let instance = elections.prepare_custom(process.name(), class, given)?;
            let (report, _) = instance.run(process, &options)?;
            let held = report.violations.is_empty();
            Ok(Answer { report: Some(to_json(&Stamped::new(stamp(asked), report))?), held })
        }
        Specification::Check(check) => {
            process.name().clone_into(&mut check.algorithm);
            let (ran, diagram) = check.run_custom(process, class, &mut options)?;
            answer(ran, |report| {
                let text = report.to_json(&stamp(asked.clone()))?;
                let Some(diagram) = diagram else { return Ok(text) };
                let mut value: Value = serde_json::from_str(&text).unwrap_or_default();
                value["diagram"] = diagram.into();
                to_json(&value)
            })
        }
        _ => Err(not_of_the_catalogue("this experiment")),
    }
}

/// Simulates tenures under the flags of `suffrage tenure simulate`.
///
/// # Errors
/// If it is not possible.
pub fn simulate_tenures(flags: Value, monitor: &dyn Monitor) -> Result<Answer, Error> {
    let args = simulate::Args::of_value(flags)?;
    let command = args.command() + " --format json";
    let ran = simulate::simulate(&args, &command, monitor)?;
    let Some(mut tenures) = ran.tenures else { return Ok(Answer { report: None, held: true }) };
    let held = !tenures.is_broken();
    let report = to_json(&Stamped::new(Stamp::new(command, None), args.part(&mut tenures)))?;
    Ok(Answer { report: Some(report), held })
}

/// What shows a run.
#[derive(Clone, Debug)]
pub enum RunView {
    /// A page that plays it.
    Page,
    /// A drawing: words of the command line of `suffrage draw`, behind the file.
    Drawing(Vec<String>),
}

impl RunView {
    /// Shows the run of a file.
    fn of_file(self, file: &Path, name: &Path, given: &GivenNetworks) -> Result<String, Error> {
        match self {
            Self::Page => Ok(watch::page(file, name, given)?.html()),
            Self::Drawing(words) => {
                let mut args = drawing_flags(words, name)?;
                args.run = file.to_owned();
                let drawing = args.drawing()?;
                args.run = name.to_owned();
                args.rendered(&drawing, None)
            }
        }
    }

    fn of_custom<P: Process>(self, process: &Custom<P>, run: &Run) -> Result<String, Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::new(error.to_string());
        match self {
            Self::Page => {
                Ok(RunPage::of_custom(process, run, None).map_err(|error| wrong(&error))?.html())
            }
            Self::Drawing(words) => {
                let drawing = run.drawing_of(process).map_err(|error| wrong(&error))?;
                drawing_flags(words, Path::new("the run"))?.rendered(&drawing, None)
            }
        }
    }
}

/// The text that a command prints: `algorithms` or `plot`, with these words of its command line.
///
/// # Errors
/// If the command refuses them.
pub fn text(command: &str, words: Vec<String>) -> Result<String, Error> {
    match command {
        "algorithms" => algorithms::text(&parsed(words)?),
        "plot" => plot::text(&parsed(words)?),
        _ => Err(Error::new(format!("{command} is no command with a text"))),
    }
}

/// The flags of a command, from words of its command line.
fn parsed<A: clap::Args>(words: Vec<String>) -> Result<A, Error> {
    let command = A::augment_args(Command::new("suffrage").no_binary_name(true));
    let found = command.try_get_matches_from(words);
    let found = found.and_then(|found| A::from_arg_matches(&found));
    found.map_err(|error| {
        let text = error.to_string();
        // The usage of the command line follows.
        let message = text.split("\n\nUsage").next().unwrap_or_default();
        let message = message.trim().trim_start_matches("error: ");
        Error::new(message.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

fn drawing_flags(words: Vec<String>, name: &Path) -> Result<draw::Args, Error> {
    let name = name.display().to_string();
    parsed([name].into_iter().chain(words).collect())
}

/// Shows the run of a process of the caller's own; `None` if it was stopped.
///
/// # Errors
/// If there is no such run, or too much of it.
pub fn show_custom<P: Process>(
    process: &Custom<P>,
    class: NetworkClass,
    specification: Value,
    given: &GivenNetworks,
    shown: RunView,
    monitor: &dyn Monitor,
) -> Result<Option<String>, Error> {
    let mut options = RunOptions { given, threads: NonZero::new(1), ..RunOptions::new(monitor) };
    let run = match Specification::of_value(specification)? {
        Specification::Elect(elections) => {
            let instance = elections.prepare_custom(process.name(), class, given)?;
            Some(instance.record(process, &options)?)
        }
        Specification::Check(check) => {
            let (ran, _) = check.run_custom(process, class, &mut options)?;
            ran.report.and_then(|report| report.run().cloned())
        }
        _ => None,
    };
    if monitor.is_stopped() {
        return Ok(None);
    }
    let run = run.ok_or_else(no_run)?;
    shown.of_custom(process, &run).map(Some)
}

fn no_run() -> Error {
    Error::new("the command has made no run that could be shown")
}

/// Shows the run of a specification, or of flags of `suffrage tenure simulate`; `None` if it was stopped.
///
/// # Errors
/// If there is no such run, or too much of it.
pub fn show(
    asked: Value,
    given: &GivenNetworks,
    shown: RunView,
    monitor: &dyn Monitor,
) -> Result<Option<String>, Error> {
    let folder = tempfile::tempdir()
        .map_err(|error| Error::of("cannot record the run in a temporary folder", error))?;
    let file = folder.path().join("run.jsonl");
    if let Some(flags) = asked.get("tenure-simulate") {
        let mut args = simulate::Args::of_value(flags.clone())?;
        args.trace = Some(file.clone());
        simulate::simulate(&args, &args.command(), monitor)?;
    } else {
        let asked = Specification::of_value(asked)?;
        let mut beside = Beside::default();
        match asked {
            Specification::Check(_) => beside.save = Some(file.clone()),
            _ => beside.trace = Some(file.clone()),
        }
        beside.run(&asked, given, monitor, asked.command_line())?;
    }
    if monitor.is_stopped() {
        return Ok(None);
    }
    if !file.exists() {
        return Err(no_run());
    }
    shown.of_file(&file, Path::new("the run"), given).map(Some)
}

/// Shows a file of a run.
///
/// # Errors
/// If there is no such run, or too much of it.
pub fn show_file(file: &Path, shown: RunView) -> Result<String, Error> {
    shown.of_file(file, file, &[])
}
