//! The figures of each trial.

use super::comparison::{VariedConditions, csv_line};
use super::figures::{Figures, TrialFigures};
use crate::election::Prepared;
use serde_json::{Map, Value};
use std::io::{self, Write};

/// How the figures of trials are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialFormat {
    /// Comma-separated values with a header.
    Csv,
    /// Lines of JSON.
    JsonLines,
}

/// Writes a line for each trial.
pub struct TrialWriter<W> {
    /// The destination of the lines.
    pub to: W,
    format: TrialFormat,
}

impl<W: Write> TrialWriter<W> {
    /// Begins with the header, if the format has one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut to: W, format: TrialFormat) -> io::Result<Self> {
        if format == TrialFormat::Csv {
            let mut names = vec!["algorithm", "network", "nodes"];
            names.extend(VariedConditions::KEYS);
            names.extend(["trial", "seed"]);
            names.extend(Figures::KEYS);
            names.extend(["bound", "leader", "broken"]);
            to.write_all(csv_line(&names).as_bytes())?;
        }
        Ok(Self { to, format })
    }

    /// Writes trials, from the first on.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, of: &Prepared, trials: &[TrialFigures]) -> io::Result<()> {
        let conditions = VariedConditions::of(&of.conditions);
        for (trial, number) in trials.iter().zip(0..) {
            let line = match self.format {
                TrialFormat::Csv => csv(of, &conditions, trial, number),
                TrialFormat::JsonLines => json(of, &conditions, trial, number)?,
            };
            self.to.write_all(line.as_bytes())?;
        }
        Ok(())
    }
}

fn broken(trial: &TrialFigures) -> Vec<&'static str> {
    trial.violations.iter().map(|one| one.property.name()).collect()
}

fn csv(of: &Prepared, conditions: &VariedConditions, trial: &TrialFigures, number: u64) -> String {
    let name = of.algorithm.name.to_owned();
    let mut fields = vec![name, of.source.text(), trial.nodes.to_string()];
    fields.extend(conditions.values().map(str::to_owned));
    fields.extend([number, trial.seed].map(|number| number.to_string()));
    fields.extend(trial.figures().map(|figure| figure.to_string()));
    fields.push(trial.bound.to_string());
    fields.push(trial.leader.map(|leader| leader.to_string()).unwrap_or_default());
    fields.push(broken(trial).join(" "));
    csv_line(&fields)
}

fn json(
    of: &Prepared,
    conditions: &VariedConditions,
    trial: &TrialFigures,
    number: u64,
) -> io::Result<String> {
    let mut line = Map::new();
    line.insert("algorithm".into(), of.algorithm.name.into());
    line.insert("network".into(), of.source.text().into());
    line.insert("nodes".into(), trial.nodes.into());
    if let Value::Object(conditions) = serde_json::to_value(conditions)? {
        line.extend(conditions);
    }
    line.insert("trial".into(), number.into());
    line.insert("seed".into(), trial.seed.into());
    for (key, figure) in Figures::KEYS.into_iter().zip(trial.figures()) {
        line.insert(key.into(), figure.into());
    }
    line.insert("bound".into(), trial.bound.into());
    line.insert("leader".into(), trial.leader.into());
    line.insert("broken".into(), broken(trial).into());
    Ok(serde_json::to_string(&line)? + "\n")
}
