//! The trace of an election, in a file that appears when it is whole.

use crate::error::Error;
use crate::plan::{Plan, Setup};
use serde::Serialize;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use suffrage::simulator::{Observer, Tracer};
use tempfile::NamedTempFile;

/// A trace that is being written, beside its place and under another name.
pub(crate) struct Trace {
    tracer: Tracer<BufWriter<Target>>,
    path: PathBuf,
}

enum Target {
    /// A new file, which will take the place of any old one.
    Beside(NamedTempFile<File>),
    /// Something that cannot be replaced: a pipe, a device.
    Straight(File),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Beside(file) => file.write(bytes),
            Self::Straight(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Beside(file) => file.flush(),
            Self::Straight(file) => file.flush(),
        }
    }
}

/// What the first line says of the election.
#[derive(Serialize)]
struct Header<'a> {
    version: &'static str,
    command: String,
    algorithm: &'static str,
    network: &'a str,
    nodes: u32,
    links: u64,
    seed: u64,
    schedule: String,
    ids: &'a str,
    ports: &'static str,
    initiators: String,
    wake: String,
    capacity: Option<u32>,
    faults: Vec<String>,
}

impl Trace {
    pub(crate) fn begin(path: &Path, setup: &Setup, plan: &Plan) -> Result<Self, Error> {
        let place = format!("--trace: cannot write {}", path.display());
        if path == Path::new("-") {
            return Err(Error::new(
                "--trace -: a trace goes to a file, because the report goes to standard output; \
                 to read it as it is, name /dev/stderr",
            ));
        }
        if path.is_dir() {
            return Err(Error::of(place, "it is a directory"));
        }
        let conditions = &setup.conditions;
        let header = Header {
            version: env!("CARGO_PKG_VERSION"),
            command: setup.command(plan.seed),
            algorithm: plan.algorithm.name,
            network: plan.topology.source(),
            nodes: plan.topology.nodes(),
            links: plan.topology.links(),
            seed: plan.seed,
            schedule: conditions.schedule.to_string(),
            ids: &conditions.ids,
            ports: conditions.ports.name(),
            initiators: conditions.initiators.clone().unwrap_or_default().to_string(),
            wake: conditions.wake.unwrap_or_default().to_string(),
            capacity: conditions.capacity.0,
            faults: conditions.faults.iter().map(ToString::to_string).collect(),
        };
        let target = open(path).map_err(|error| Error::of(&place, error))?;
        let tracer = Tracer::new(BufWriter::new(target), &header)
            .map_err(|error| Error::of(&place, error))?;
        Ok(Self { tracer, path: path.to_owned() })
    }

    pub(crate) fn observer(&mut self) -> &mut dyn Observer {
        &mut self.tracer
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let place = format!("--trace: cannot write {}", self.path.display());
        let file = self.tracer.finish().map_err(|error| Error::of(&place, error))?;
        let file = file.into_inner().map_err(|error| Error::of(&place, error))?;
        if let Target::Beside(file) = file {
            file.persist(&self.path).map_err(|error| Error::of(&place, error.error))?;
        }
        Ok(())
    }
}

fn open(path: &Path) -> io::Result<Target> {
    if path.exists() && !path.is_file() {
        return File::options().write(true).open(path).map(Target::Straight);
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // Made here and not by `tempfile`, whose files nobody else may read: a trace is no secret.
    let create = |path: &Path| File::options().write(true).create_new(true).open(path);
    tempfile::Builder::new().prefix(".suffrage-trace-").make_in(folder, create).map(Target::Beside)
}
