//! Schedules from traces.

use crate::error::Error;
use std::io::{BufRead, BufReader};
use std::path::Path;
use suffrage_networks::Input;
use suffrage_simulator::{Action, Recording, ReplayMismatch, Schedule};

/// Reads the schedule of a trace.
pub(crate) fn read(path: &Path) -> Result<Recording, Error> {
    let name = path.display().to_string();
    let place = format!("--schedule replay: cannot read {name}");
    let file = Input::open_text(path).map_err(|error| Error::of(&place, error))?;
    Recording::read(&name, BufReader::new(file))
        .map_err(|error| Error::of("--schedule replay", error))
}

/// The processes that woke by themselves, in this order.
pub(crate) fn initiators(recording: &Recording) -> impl Iterator<Item = u32> {
    recording.steps().iter().filter_map(|(_, step)| match step {
        Action::Wake(node) => Some(*node),
        _ => None,
    })
}

/// Says what does not fit, and how the trace was made, which mostly shows what is different.
pub(crate) fn misfit(misfit: &ReplayMismatch, schedule: &Schedule) -> Error {
    let made_by = match schedule {
        Schedule::Replay(recording) => command_of(recording.source()),
        _ => None,
    };
    match made_by {
        Some(command) => Error::new(format!("{misfit}\n  the trace was written by: {command}")),
        None => Error::new(misfit.to_string()),
    }
}

/// The command in the header of a trace.
fn command_of(path: &str) -> Option<String> {
    let mut header = String::new();
    BufReader::new(Input::open_text(Path::new(path)).ok()?).read_line(&mut header).ok()?;
    let header: serde_json::Value = serde_json::from_str(&header).ok()?;
    header.get("command")?.as_str().map(str::to_owned)
}
