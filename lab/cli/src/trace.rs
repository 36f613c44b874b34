//! Reads and writes files of runs.

use crate::error::Error;
use crate::output::{Output, unwritten};
use crate::terminal;
use std::io::{BufRead, BufReader};
use std::path::Path;
use suffrage::diagram::Diagram;
use suffrage::networks::Input;
use suffrage::run::{Run, RunHeader, RunRecorder};

/// Begins the file that `--trace` names, into which a run is written while it happens.
pub(crate) fn begin(path: &Path, header: &RunHeader) -> Result<RunRecorder<Output>, Error> {
    RunRecorder::new(Output::begin("--trace", path)?, header).map_err(unwritten)
}

/// Gives the file its name.
pub(crate) fn finish(trace: RunRecorder<Output>) -> Result<(), Error> {
    trace.finish().map_err(unwritten)?.finish()
}

/// Formats a run of the catalogue as a space-time diagram.
pub(crate) fn drawn(run: &Run) -> Result<String, Error> {
    let mut diagram = Diagram::new(&run.header.wiring, &run.header.ids);
    run.replay(Some(&mut diagram)).map_err(|error| Error::new(error.to_string()))?;
    Ok(diagram.text_within(terminal::diagram_width()))
}

/// Opens a file of a run. Returns its first line and the rest: a pipe can be read only once.
pub(crate) fn open(path: &Path) -> Result<(Vec<u8>, BufReader<Input>), Error> {
    let unread = |error| Error::of(format!("cannot read {}", path.display()), error);
    let mut rest = BufReader::new(Input::open_text(path).map_err(unread)?);
    let mut first = Vec::new();
    rest.read_until(b'\n', &mut first).map_err(unread)?;
    Ok((first, rest))
}

/// Reads a run from the file of this name.
pub(crate) fn read(name: &str, file: impl BufRead) -> Result<Run, Error> {
    Run::read(name, file).map_err(|error| Error::new(error.to_string()))
}

/// Writes a run into the file that a flag names.
pub(crate) fn write(run: &Run, flag: &'static str, path: &Path) -> Result<(), Error> {
    let mut file = Output::begin(flag, path)?;
    run.write(&mut file).map_err(unwritten)?;
    file.finish()
}
