//! The raw values of trials.

use super::figures::Figures;
use super::rows::{Varied, quoted};
use super::summary::Trial;
use crate::error::Error;
use crate::output::Output;
use crate::plan::Setup;
use serde_json::{Map, Value};
use std::io::{self, Write};
use std::path::Path;

/// A file with a row for each trial: comma-separated values, or JSON lines.
pub(crate) struct Each {
    file: Output,
    csv: bool,
}

const FLAG: &str = "--each";

impl Each {
    /// Begins the file: comma-separated values, if its name ends in `.csv`.
    pub(crate) fn begin(path: &Path) -> Result<Self, Error> {
        let csv = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
        let mut file = Output::begin(FLAG, path)?;
        if csv {
            let header = format!(
                "algorithm,network,nodes,{},trial,seed,{},bound,leader,broken\n",
                Varied::KEYS,
                Figures::KEYS.join(",")
            );
            file.write_all(header.as_bytes()).map_err(|error| file.unwritten(error))?;
        }
        Ok(Self { file, csv })
    }

    /// Writes trials, from the first on.
    pub(crate) fn write(&mut self, setup: &Setup, trials: &[Trial]) -> Result<(), Error> {
        let written = trials.iter().zip(0..).try_for_each(|(trial, number)| {
            if self.csv { self.csv(setup, trial, number) } else { self.json(setup, trial, number) }
        });
        written.map_err(|error| self.file.unwritten(error))
    }

    fn csv(&mut self, setup: &Setup, trial: &Trial, number: u64) -> io::Result<()> {
        let figures = trial.figures().map(|figure| figure.to_string()).join(",");
        let leader = trial.leader.map(|leader| leader.to_string()).unwrap_or_default();
        let broken: Vec<_> = trial.violations.iter().map(|one| one.property.name()).collect();
        writeln!(
            self.file,
            "{},{},{},{},{number},{},{figures},{},{leader},{}",
            setup.algorithm.name,
            quoted(&setup.source_text()),
            trial.nodes,
            Varied::of(&setup.conditions).csv(),
            trial.seed,
            trial.bound,
            broken.join(" ")
        )
    }

    fn json(&mut self, setup: &Setup, trial: &Trial, number: u64) -> io::Result<()> {
        let mut line = Map::new();
        line.insert("algorithm".into(), setup.algorithm.name.into());
        line.insert("network".into(), setup.source_text().into());
        line.insert("nodes".into(), trial.nodes.into());
        if let Value::Object(conditions) = serde_json::to_value(Varied::of(&setup.conditions))? {
            line.extend(conditions);
        }
        line.insert("trial".into(), number.into());
        line.insert("seed".into(), trial.seed.into());
        for (key, figure) in Figures::KEYS.into_iter().zip(trial.figures()) {
            line.insert(key.into(), figure.into());
        }
        line.insert("bound".into(), trial.bound.into());
        line.insert("leader".into(), trial.leader.into());
        let broken: Vec<_> = trial.violations.iter().map(|one| one.property.name()).collect();
        line.insert("broken".into(), broken.into());
        serde_json::to_writer(&mut self.file, &line)?;
        self.file.write_all(b"\n")
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.file.finish()
    }
}
