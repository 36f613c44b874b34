//! `suffrage replay`: a course that the checker found, step by step.

use crate::course::Course;
use crate::error::{Ending, Error, print};
use crate::report::{Format, json};
use crate::trace::Trace;
use std::path::PathBuf;

/// Run a schedule that the checker found, step by step, and draw it
///
/// FILE is a course, as `suffrage check` writes it: a network, identities, and what happens in which
/// order. It is run in the simulator, by the same code as every election, and drawn as a space-time
/// diagram: a column for each process, time downwards, an arrow for each message as it arrives.
/// Below is what the simulator says of it: whether it breaks the property that it is to break.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A course
    file: PathBuf,

    /// Write every event to this file, as lines of JSON
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,

    /// How to write the report; JSON leaves the diagram out
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  suffrage replay course.json
  suffrage replay course.json --trace course.jsonl
  suffrage replay course.json --format json

Exit codes:
  0  every property held
  1  the course breaks a property
  2  the file cannot be used";

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let course = Course::read(&args.file)?;
    let mut trace = match &args.trace {
        Some(path) => Some(Trace::of_course(path, &args.file, &course)?),
        None => None,
    };
    let replayed = course
        .replay(trace.as_mut().map(Trace::observer))
        .map_err(|error| Error::of(args.file.display(), error))?;
    if let Some(trace) = trace {
        trace.finish()?;
    }
    print(&match args.format {
        Format::Text => replayed.text(),
        Format::Json => json(&replayed)?,
    })?;
    Ok(if replayed.violations.is_empty() { Ending::Fine } else { Ending::Broken })
}
