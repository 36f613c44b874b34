//! The trace of an election, in a file that appears when it is whole.

use crate::course::Course;
use crate::error::Error;
use crate::output::Output;
use crate::plan::{Plan, Setup, quoted};
use serde::Serialize;
use std::path::{Path, PathBuf};
use suffrage::simulator::{Observer, Tracer};

const FLAG: &str = "--trace";

/// A trace that is being written.
pub(crate) struct Trace {
    tracer: Tracer<Output>,
    path: PathBuf,
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
    /// The first numbers that processes chose, where a replay cannot have them from the seed.
    #[serde(skip_serializing_if = "<[u32]>::is_empty")]
    coins: &'a [u32],
}

impl Trace {
    pub(crate) fn begin(path: &Path, setup: &Setup, plan: &Plan) -> Result<Self, Error> {
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
            coins: &[],
        };
        Self::new(path, &header)
    }

    /// The trace of a course, which was read from a file.
    pub(crate) fn of_course(path: &Path, file: &Path, course: &Course) -> Result<Self, Error> {
        let ids: Vec<_> = course.ids.iter().map(ToString::to_string).collect();
        let ends: usize = course.network.iter().map(Vec::len).sum();
        Self::new(
            path,
            &Header {
                version: env!("CARGO_PKG_VERSION"),
                command: format!("suffrage replay {}", quoted(&file.display().to_string())),
                algorithm: course.algorithm.name,
                network: &file.display().to_string(),
                nodes: course.network.len() as u32,
                links: ends as u64 / 2,
                seed: 1,
                schedule: "recorded".to_owned(),
                ids: &ids.join(","),
                ports: "recorded",
                initiators: "recorded".to_owned(),
                wake: "recorded".to_owned(),
                capacity: course.capacity,
                faults: course.faults.words(),
                coins: &course.coins,
            },
        )
    }

    fn new(path: &Path, header: &Header<'_>) -> Result<Self, Error> {
        let tracer = Tracer::new(Output::begin(FLAG, path)?, header)
            .map_err(|error| Output::failed(FLAG, path, error))?;
        Ok(Self { tracer, path: path.to_owned() })
    }

    pub(crate) fn observer(&mut self) -> &mut dyn Observer {
        &mut self.tracer
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let file = self.tracer.finish().map_err(|error| Output::failed(FLAG, &self.path, error))?;
        file.finish()
    }
}
