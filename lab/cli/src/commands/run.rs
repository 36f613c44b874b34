//! `suffrage run`: runs the experiment of a file.

use super::{compare, elect};
use crate::error::{CommandEnding, Error, complain};
use crate::output::{print, times_named};
use crate::progress::Terminal;
use crate::report::{ReportFormat, RowFormat, text_of};
use crate::specified::{RunFlags, options, summarized};
use crate::typed::typed;
use serde_json::Value;
use std::ffi::OsString;
use std::num::NonZero;
use std::path::PathBuf;
use suffrage::experiment::{ExperimentRun, RunOptions, Specification, Stamp, counts};
use suffrage::networks::Input;

/// Run the experiment of a file: a specification, or a report that contains one
///
/// FILE is a specification in TOML or JSON, as --print-spec of `suffrage elect` and other commands prints it,
/// or a JSON report. If a report is of this version, the output equals FILE byte for byte, unless it is of
/// `suffrage cluster`.
/// docs/use/experiments.md has complete examples.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The specification or the report
    file: PathBuf,

    /// How to write the report [default: as FILE, if it is a report, and otherwise text]
    #[arg(long, value_enum)]
    format: Option<RowFormat>,

    /// Write the figures of each trial to this file: CSV, if its name ends in .csv, or JSON lines
    #[arg(long, value_name = "FILE")]
    each: Option<PathBuf>,

    /// Threads; the result does not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = counts::threads)]
    threads: Option<NonZero<usize>>,

    /// Print nothing, and compare the output with the file: exit code 1 if they differ
    #[arg(long, conflicts_with = "each")]
    compare: bool,
}

const EXAMPLES: &str = "\
Examples:
  suffrage compare --nodes 10,100,1000 --schedule synchronous,uniform:10 --print-spec >experiment.toml
  suffrage run experiment.toml --format csv >experiment.csv
  suffrage elect humblet --nodes 1000 --trials 50 --format json >result.json
  suffrage run result.json
  suffrage run result.json --compare";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let name = args.file.display().to_string();
    let text =
        Input::text(&args.file).map_err(|error| Error::of(format!("cannot read {name}"), error))?;
    if is_trace(&text) {
        return Err(Error::new(format!(
            "{name} is the trace of a run, which `suffrage replay {name}` runs again and compares"
        )));
    }
    let specification = Specification::read(&name, &text)?;
    if let Some(path) = &args.each
        && times_named(path, texts_in(&specification)) > 0
    {
        let path = path.display();
        return Err(Error::new(format!("--each: cannot write {path}: {name} names it as input")));
    }
    let has_trials = matches!(specification, Specification::Elect(_) | Specification::Compare(_));
    if args.each.is_some() && !has_trials {
        return Err(Error::new(format!(
            "--each: {name} has neither an election nor a comparison, and only these have trials to write"
        )));
    }
    if args.compare && matches!(specification, Specification::Cluster(_)) {
        return Err(Error::new(format!(
            "--compare: {name} is of an election between nodes, whose messages take other times in each run"
        )));
    }
    let made = stamp(&text);
    if let Some(version) = made.version.filter(|version| version != env!("CARGO_PKG_VERSION")) {
        complain(format_args!(
            "the file is of version {version}, and this is version {}: figures may differ",
            env!("CARGO_PKG_VERSION")
        ));
    }
    let format = args.format.unwrap_or(match made.command {
        Some(_) => RowFormat::Json,
        None => RowFormat::Text,
    });
    if let Some(command) = &made.command {
        complain(command);
    }
    let command = made.command.unwrap_or_else(typed);
    if !args.compare {
        return args.specified(specification, format, command);
    }
    let (_, here) = args.written(&specification, format, command)?;
    if here == text {
        complain("the output is that of the file, byte for byte");
        return Ok(CommandEnding::Fine);
    }
    let differs = here.lines().zip(text.lines()).position(|(one, other)| one != other);
    let line = differs.unwrap_or_else(|| here.lines().count().min(text.lines().count()));
    complain(format_args!("{name}: line {} differs", line + 1));
    Ok(CommandEnding::Broken)
}

impl Args {
    fn specified(
        &self,
        specification: Specification,
        format: RowFormat,
        command: String,
    ) -> Result<CommandEnding, Error> {
        let flags = RunFlags { each: self.each.as_deref(), threads: self.threads, command };
        match specification {
            Specification::Elect(asked) => {
                let format = of_report(format)?;
                let output = elect::OutputFlags { format, ..Default::default() };
                elect::elect(asked, &output, flags, None)
            }
            Specification::Compare(asked) => compare::compare(asked, format, flags),
            other => {
                if !matches!(other, Specification::Sweep(_)) {
                    of_report(format)?;
                }
                let (ran, text) = self.written(&other, format, flags.command)?;
                print(&text)?;
                CommandEnding::after(ran)
            }
        }
    }

    /// Runs the experiment. Returns also what it prints.
    fn written(
        &self,
        specification: &Specification,
        format: RowFormat,
        command: String,
    ) -> Result<(ExperimentRun, String), Error> {
        let terminal = Terminal::default();
        let mut ran = specification.run_with(&mut RunOptions {
            threads: self.threads,
            command: Some(command.clone()),
            ..options(&terminal)
        })?;
        let Some(report) = &mut ran.report else { return Ok((ran, String::new())) };
        let text = match format {
            RowFormat::Csv => report.to_csv()?,
            RowFormat::Json => report.to_json(&Stamp::new(command, Some(specification.clone())))?,
            RowFormat::Text => {
                summarized(report, specification);
                text_of(report)?
            }
        };
        Ok((ran, text))
    }
}

/// Whether this is a file of a run: of --trace, of --save, or of `suffrage tenure`.
fn is_trace(text: &str) -> bool {
    let first = text.lines().next().and_then(|line| serde_json::from_str(line).ok());
    let Some(Value::Object(fields)) = first else { return false };
    fields.keys().any(|key| key.starts_with("suffrage-"))
}

/// All texts of a specification: some may name files.
fn texts_in(specification: &Specification) -> Vec<OsString> {
    let mut texts = Vec::new();
    let mut rest = vec![serde_json::to_value(specification).unwrap_or_default()];
    while let Some(value) = rest.pop() {
        match value {
            Value::String(text) => texts.push(text.into()),
            Value::Array(values) => rest.extend(values),
            Value::Object(fields) => rest.extend(fields.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    texts
}

/// What a report says of how it was made.
#[derive(Default)]
struct Provenance {
    command: Option<String>,
    version: Option<String>,
}

/// The command and the version of a report, or of the first of an array.
fn stamp(text: &str) -> Provenance {
    let value = match serde_json::from_str(text) {
        Ok(Value::Array(rows)) => rows.into_iter().next().unwrap_or_default(),
        Ok(value) => value,
        Err(_) => return Provenance::default(),
    };
    let of = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Provenance { command: of("command"), version: of("version") }
}

/// The format of a report without rows.
fn of_report(format: RowFormat) -> Result<ReportFormat, Error> {
    match format {
        RowFormat::Text => Ok(ReportFormat::Text),
        RowFormat::Json => Ok(ReportFormat::Json),
        RowFormat::Csv => {
            Err(Error::new("--format csv: it is for the rows of a comparison or a sweep"))
        }
    }
}
