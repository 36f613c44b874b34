//! Reads and writes files of runs.

use crate::error::Error;
use crate::output::Output;
use crate::terminal;
use crate::typed::typed;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use suffrage::algorithms::Violation;
use suffrage::checker::Execution;
use suffrage::diagram::Diagram;
use suffrage::experiment::{Instance, Prepared, Site};
use suffrage::run::{Run, RunHeader, RunRecorder};
use suffrage::runtime::{ProcessStep, in_causal_order};
use suffrage::simulator::Observer;

const FLAG: &str = "--trace";

/// A run that is being written while it happens.
pub(crate) struct Trace {
    recorder: RunRecorder<Output>,
    path: PathBuf,
}

impl Trace {
    /// Begins the file that `--trace` names.
    pub(crate) fn begin(path: &Path, header: &RunHeader) -> Result<Self, Error> {
        let recorder = RunRecorder::new(Output::begin(FLAG, path)?, header)
            .map_err(|error| Output::failed(FLAG, path, error))?;
        Ok(Self { recorder, path: path.to_owned() })
    }

    pub(crate) fn observer(&mut self) -> &mut dyn Observer {
        &mut self.recorder
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let file =
            self.recorder.finish().map_err(|error| Output::failed(FLAG, &self.path, error))?;
        file.finish()
    }
}

pub(crate) fn header(prepared: &Prepared, instance: &Instance) -> RunHeader {
    let Site { wiring, ids, topology, .. } = &instance.site;
    let initiating = instance.initiating();
    let all = initiating.len() == ids.len();
    RunHeader {
        command: Some(prepared.command(instance.seed())),
        network: topology.source().to_owned(),
        initiators: (!all).then_some(initiating),
        schedule: prepared.conditions.schedule.to_string(),
        capacity: prepared.conditions.capacity.0,
        faults: prepared.conditions.faults.clone(),
        seed: instance.seed(),
        coins: instance.recording().map_or_else(Vec::new, |recording| recording.coins().to_vec()),
        ..RunHeader::new(instance.algorithm.name, wiring.clone(), ids.clone())
    }
}

pub(crate) fn found(algorithm: &str, found: &Execution, broken: Option<&Violation>) -> Run {
    let mut run = Run::of_execution(algorithm, found, broken.map(Into::into));
    run.header.command = Some(typed());
    run
}

/// Returns the run of a real election: the steps of all nodes, in a sequence in which they could
/// have happened.
pub(crate) fn real<'a>(
    arrivals: impl Display,
    instance: &Instance,
    steps: impl IntoIterator<Item = (u32, &'a [ProcessStep])>,
) -> Run {
    let Site { wiring, ids, topology, .. } = &instance.site;
    let initiating = instance.initiating();
    let all = initiating.len() == ids.len();
    let (actions, coins) = in_causal_order(steps);
    Run {
        header: RunHeader {
            command: Some(typed()),
            network: topology.source().to_owned(),
            initiators: (!all).then_some(initiating),
            schedule: arrivals.to_string(),
            seed: instance.seed(),
            coins,
            ..RunHeader::new(instance.algorithm.name, wiring.clone(), ids.clone())
        },
        actions: (1..).zip(actions).collect(),
    }
}

/// Formats a run of the catalogue as a space-time diagram.
pub(crate) fn drawn(run: &Run) -> Result<String, Error> {
    let mut diagram = Diagram::new(&run.header.wiring, &run.header.ids);
    run.replay(Some(&mut diagram)).map_err(|error| Error::new(error.to_string()))?;
    Ok(diagram.text_within(terminal::diagram_width()))
}

/// Opens a file of a run. Returns its first line and the rest: a pipe can be read only once.
pub(crate) fn open(path: &Path) -> Result<(Vec<u8>, BufReader<File>), Error> {
    let unread = |error| Error::of(format!("cannot read {}", path.display()), error);
    let mut rest = BufReader::new(File::open(path).map_err(unread)?);
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
    put(run, Output::begin(flag, path)?)
}

/// Writes a run into a file that has been begun.
pub(crate) fn put(run: &Run, mut file: Output) -> Result<(), Error> {
    let written = run.write(&mut file);
    written.map_err(|error| file.unwritten(error))?;
    file.finish()
}
