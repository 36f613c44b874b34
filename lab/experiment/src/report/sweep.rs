//! Reports of sweeps: a row for each combination of the values.

use super::comparison::csv_line;
use super::election::of_map;
use super::{ExperimentReport, to_json};
use crate::error::Error;
use crate::sweep::{SweptValues, plain};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// The report of one combination.
#[derive(Clone, Debug, Serialize)]
pub struct SweepRow {
    /// The values of the fields that are varied.
    pub sweep: SweptValues,
    /// The report of the experiment.
    #[serde(flatten, serialize_with = "table")]
    pub report: ExperimentReport,
}

/// Writes a report as a table, which a row of a comparison by itself is, too.
fn table<S: Serializer>(report: &ExperimentReport, to: S) -> Result<S::Ok, S::Error> {
    match report {
        ExperimentReport::Comparison(rows) if rows.len() == 1 => rows[0].serialize(to),
        report => report.serialize(to),
    }
}

/// A name and a value.
type Cell = (String, String);

impl SweepRow {
    /// The values of the varied fields, and every number and text of the report, by their keys.
    fn cells(&self) -> Result<Vec<Cell>, Error> {
        let mut cells: Vec<Cell> =
            self.sweep.iter().map(|(key, value)| (key.clone(), plain(value))).collect();
        let mut further = Vec::new();
        add(&mut further, "", &to_json(self)?)
            .map_err(|error| Error::of("cannot write the report as CSV", error))?;
        let known = |(name, _): &Cell| {
            self.sweep.keys().any(|key| key == name.trim_start_matches("sweep_"))
        };
        further.retain(|cell| !known(cell));
        cells.extend(further);
        Ok(cells)
    }
}

/// Adds the numbers and texts of a value: those of a table have its key in front. Lists and `null` are left out.
fn add(cells: &mut Vec<Cell>, name: &str, json: &str) -> serde_json::Result<()> {
    match json.trim_start().chars().next() {
        Some('{') => {
            let reader = &mut serde_json::Deserializer::from_str(json);
            for (key, value) in of_map::<Box<RawValue>, _>(reader)? {
                let name = if name.is_empty() { key } else { format!("{name}_{key}") };
                add(cells, &name, value.get())?;
            }
        }
        Some('[' | 'n') | None => {}
        Some('"') => cells.push((name.to_owned(), serde_json::from_str(json)?)),
        Some(_) => cells.push((name.to_owned(), json.to_owned())),
    }
    Ok(())
}

/// Writes rows as comma-separated values. A column is there if any row has it.
pub(super) fn csv(rows: &[SweepRow]) -> Result<String, Error> {
    let all = rows.iter().map(SweepRow::cells).collect::<Result<Vec<_>, _>>()?;
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let line = |cells: &Vec<Cell>| {
        let cell = |name: &&str| cells.iter().find(|(known, _)| known == name);
        let values: Vec<_> =
            names.iter().map(|name| cell(name).map_or("", |(_, value)| value)).collect();
        csv_line(&values)
    };
    Ok(csv_line(&names) + &all.iter().map(line).collect::<String>())
}
