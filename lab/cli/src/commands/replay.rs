//! `suffrage replay`: runs a file again, step by step.

pub(super) mod tenures;

use crate::error::{CommandEnding, Error};
use crate::output::print;
use crate::report::{ReplayReport, ReportFormat, json};
use crate::terminal;
use crate::trace;
use std::io::Read as _;
use std::path::PathBuf;
use suffrage::diagram::{self, Diagram};
use suffrage::experiment::choice::by_name;
use suffrage::experiment::number::{count, grouped};
use suffrage::run::Run;

/// Run a recorded run again, step by step, and draw it
///
/// FILE is a run, as `suffrage elect --trace`, `suffrage check --save` and `suffrage cluster
/// --trace` write it: a network, identities, and the events in order. It is run in the simulator,
/// by the same code as every election, and drawn as a space-time diagram: a column for each
/// process, time downwards, an arrow for each message as it arrives. Below it is the verdict of the
/// simulator: whether a property is broken, and whether it is the one that the file names.
///
/// Or FILE is a run under faults, as `suffrage tenure simulate --trace` writes it. It is simulated
/// again, and each event is compared with the file. The diagram shows which processes are up, which
/// hold an office, the leader that each process names, and the causes; times are in milliseconds.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run
    file: PathBuf,

    /// Write every event to this file, as lines of JSON
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// How to write the report; JSON omits the diagram
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

const EXAMPLES: &str = "\
Examples:
  suffrage replay run.jsonl
  suffrage replay run.jsonl --trace every-event.jsonl
  suffrage replay run.jsonl --format json

Exit codes:
  0  every property held
  1  the run breaks a property, or ends before the election does
  2  the file cannot be used";

/// The flag of traces.
const TRACE: &str = "--trace";

/// The maximal numbers of processes and of steps of a run that is drawn.
const DRAWN: (usize, usize) = diagram::ROOM;

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let (first, rest) = trace::open(&args.file)?;
    if tenures::is_trace(&first) {
        return tenures::run(args, &first, rest);
    }
    let run = trace::read(&args.file.display().to_string(), first.chain(rest))?;
    by_name(&run.header.algorithm).map_err(|error| Error::of(args.file.display(), error))?;
    let mut trace = match &args.trace {
        Some(path) => Some(trace::begin(path, &run.header)?),
        None => None,
    };
    let mut diagram = (args.format == ReportFormat::Text && is_drawn(&run))
        .then(|| Diagram::new(&run.header.wiring, &run.header.ids));
    let mut observers = (diagram.as_mut(), trace.as_mut());
    let replay =
        run.replay(Some(&mut observers)).map_err(|error| Error::of(args.file.display(), error))?;
    trace.map_or(Ok(()), trace::finish)?;
    let replayed = ReplayReport::of(&run, &replay);
    let drawing = || match &diagram {
        Some(diagram) => diagram.text_within(terminal::diagram_width()),
        None => format!(
            "{} and {} are too many to draw; at most {} and {} are drawn.\n",
            count(run.header.ids.len() as u64, "process"),
            count(run.actions.len() as u64, "step"),
            DRAWN.0,
            grouped(DRAWN.1)
        ),
    };
    print(&match args.format {
        ReportFormat::Text => terminal::fitted(&replayed.text(&drawing())),
        ReportFormat::Json => json(&replayed)?,
    })?;
    let fine = replayed.violations.is_empty() && !replayed.unfinished;
    Ok(if fine { CommandEnding::Fine } else { CommandEnding::Broken })
}

fn is_drawn(run: &Run) -> bool {
    run.header.ids.len() <= DRAWN.0 && run.actions.len() <= DRAWN.1
}
