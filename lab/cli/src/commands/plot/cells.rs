//! Reads the results of trials.

use crate::error::Error;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use suffrage::algorithms::{Formula, Guarantee};
use suffrage::networks::Input;
use suffrage::statistics::Distribution;
use suffrage_numbers::DistinctKeys;

/// One figure of an algorithm on networks of one size under some conditions.
#[derive(Clone, Debug, Default)]
pub(super) struct PlotCell {
    pub(super) algorithm: String,
    pub(super) network: String,
    pub(super) nodes: u64,
    /// Schedule, ids, initiators, ports and capacity, with their names, where the file has them.
    pub(super) conditions: Vec<String>,
    /// The number of trials.
    pub(super) trials: u64,
    pub(super) mean: f64,
    /// Half of the confidence interval of the mean.
    pub(super) half: f64,
    /// The bound, and its formula.
    pub(super) bound: Option<(f64, String)>,
    pub(super) values: Option<Distribution>,
}

/// The conditions that distinguish curves.
const CONDITIONS: [&str; 5] = ["schedule", "ids", "initiators", "ports", "capacity"];

impl PlotCell {
    /// The network without its number of nodes.
    pub(super) fn family(&self) -> String {
        let nodes = self.nodes.to_string();
        let parts: Vec<&str> = self.network.split(':').filter(|part| *part != nodes).collect();
        match parts.as_slice() {
            // Sizes of grids and cubes are no numbers of nodes.
            [kind @ ("grid" | "torus" | "hypercube"), ..] => (*kind).to_owned(),
            parts => parts.join(":"),
        }
    }

    /// Computes the statistics of the values.
    fn of_values(mut self, values: Distribution) -> Self {
        self.trials = values.count();
        self.mean = values.mean().unwrap_or_default();
        self.half = values.half_width().unwrap_or_default();
        self.values = Some(values);
        self
    }
}

/// Reads a figure from a file: rows as CSV or JSON, a summary, or single trials.
pub(super) fn read(path: &Path, figure: &str) -> Result<Vec<PlotCell>, Error> {
    let name = path.display();
    let text =
        Input::text(path).map_err(|error| Error::of(format!("cannot read {name}"), error))?;
    let cells = match text.trim_start().chars().next() {
        Some('[' | '{') => objects(&text).and_then(|rows| from_objects(&rows, figure)),
        _ => from_objects(&table(&text)?, figure),
    };
    cells.map_err(|why| Error::of(name, why))
}

/// The objects of a document: an array, one object, or an object a line.
fn objects(text: &str) -> Result<Vec<Value>, String> {
    let values: Result<Vec<Value>, _> =
        serde_json::Deserializer::from_str(text).into_iter().collect();
    let values = values.map_err(|error| format!("not JSON: {error}"))?;
    let documents = serde_json::Deserializer::from_str(text).into_iter::<DistinctKeys>();
    documents.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    Ok(values
        .into_iter()
        .flat_map(|value| match value {
            Value::Array(rows) => rows,
            one => vec![one],
        })
        .collect())
}

/// The rows of comma-separated values as objects: numbers where they are, and nothing where it is
/// empty. Columns `messages_mean` and the like are put together as in JSON.
fn table(text: &str) -> Result<Vec<Value>, Error> {
    let mut lines = text.lines();
    let heads = fields(lines.next().unwrap_or_default());
    let mut rows = Vec::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let mut row = serde_json::Map::new();
        for (head, field) in heads.iter().zip(fields(line)) {
            let number = serde_json::from_str::<serde_json::Number>(&field).ok();
            let value = number.map_or_else(|| Value::from(field.clone()), Value::Number);
            let statistic =
                head.rsplit_once('_').filter(|(_, last)| ["mean", "ci95"].contains(last));
            match statistic {
                _ if field.is_empty() => {}
                Some((figure, statistic)) => {
                    let part =
                        row.entry(figure).or_insert_with(|| Value::Object(Default::default()));
                    if let Value::Object(part) = part {
                        part.insert(statistic.to_owned(), value);
                    }
                }
                None => {
                    row.insert(head.clone(), value);
                }
            }
        }
        rows.push(Value::Object(row));
    }
    Ok(rows)
}

/// The fields of a line (RFC 4180).
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    fields.push(field);
    fields
}

fn from_objects(rows: &[Value], figure: &str) -> Result<Vec<PlotCell>, String> {
    let mut cells = Vec::new();
    // Single trials with the same everything are one cell, in the order in which they come.
    let mut trials: Vec<(PlotCell, Distribution)> = Vec::new();
    let mut known: BTreeMap<(String, String, u64, Vec<String>), usize> = BTreeMap::new();
    for (number, row) in rows.iter().enumerate() {
        let cell = head(row).ok_or_else(|| {
            format!(
                "row {} is no result of trials, as `suffrage compare` writes them, and `suffrage \
                 elect` with --trials and --format json, or with --each",
                number + 1
            )
        })?;
        match &row[figure] {
            Value::Number(value) => {
                let value =
                    value.as_u64().ok_or_else(|| format!("row {}: {figure}", number + 1))?;
                let key = (
                    cell.algorithm.clone(),
                    cell.network.clone(),
                    cell.nodes,
                    cell.conditions.clone(),
                );
                let place = *known.entry(key).or_insert_with(|| {
                    trials.push((cell, Distribution::default()));
                    trials.len() - 1
                });
                trials[place].1.record(value);
            }
            Value::Object(spread) => cells.push(of_spread(cell, row, spread, figure)),
            _ => return Err(format!("row {} has no `{figure}`", number + 1)),
        }
    }
    cells.extend(trials.into_iter().map(|(cell, values)| cell.of_values(values)));
    Ok(cells)
}

/// The subject of a row.
fn head(row: &Value) -> Option<PlotCell> {
    let network = &row["network"];
    let condition = |key: &&str| Some(format!("{key} {}", row.get(*key)?.as_str()?));
    Some(PlotCell {
        algorithm: row["algorithm"].as_str()?.to_owned(),
        network: network.as_str().or_else(|| network["source"].as_str())?.to_owned(),
        nodes: row["nodes"].as_u64().or_else(|| network["nodes"].as_u64())?,
        conditions: CONDITIONS.iter().filter_map(condition).collect(),
        ..PlotCell::default()
    })
}

fn of_spread(
    mut cell: PlotCell,
    row: &Value,
    spread: &serde_json::Map<String, Value>,
    figure: &str,
) -> PlotCell {
    let trials = &row["trials"];
    let finished = trials.as_u64().or_else(|| trials["finished"].as_u64());
    cell.trials = finished.unwrap_or_default();
    let number = |key: &str| spread.get(key).and_then(Value::as_f64).unwrap_or_default();
    (cell.mean, cell.half) = (number("mean"), number("ci95"));
    cell.values = spread.get("values").and_then(|all| serde_json::from_value(all.clone()).ok());
    let bound = match figure {
        "messages" => match &row["bound"] {
            bound @ Value::Object(_) => bound["messages"].as_f64().zip(words(bound)),
            formula => row["bound_messages"].as_f64().zip(formula.as_str().map(without_condition)),
        },
        // A tick is a unit of time in the synchronous schedule alone.
        "time" if row["schedule"] == "synchronous" => match &row["time_bound"] {
            bound @ Value::Object(_) => bound["most"].as_f64().zip(words(bound)),
            formula => row["units_bound"].as_f64().zip(formula.as_str().map(without_condition)),
        },
        _ => None,
    };
    cell.bound = bound;
    cell
}

/// The bound of a report in words for a legend, without its condition.
fn words(bound: &Value) -> Option<String> {
    let stated = Formula {
        formula: bound["formula"].as_str()?.to_owned(),
        condition: String::new(),
        guarantee: Guarantee::AtMost,
        standing: serde_json::from_value(bound["standing"].clone()).unwrap_or_default(),
    };
    Some(stated.plain())
}

/// The bound of a table, `FORMULA, where CONDITION (STANDING)`, without its condition, which would make a legend wider
/// than the plot.
fn without_condition(bound: &str) -> String {
    let Some((formula, rest)) = bound.split_once(", where ") else { return bound.to_owned() };
    match rest.rsplit_once(" (") {
        Some((_, standing)) if standing.ends_with(')') => format!("{formula} ({standing}"),
        _ => formula.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_those_of_rfc_4180() {
        assert_eq!(fields("a,\"b,c\",,\"d\"\"e\""), ["a", "b,c", "", "d\"e"]);
    }

    #[test]
    fn the_family_of_a_network_has_no_size() {
        let of = |network: &str, nodes| {
            PlotCell { network: network.into(), nodes, ..PlotCell::default() }.family()
        };
        assert_eq!(of("ring:100", 100), "ring");
        assert_eq!(of("tree:2:15", 15), "tree:2");
        assert_eq!(of("torus:4x5", 20), "torus");
        assert_eq!(of("a/net.txt", 5), "a/net.txt");
    }

    #[test]
    fn a_legend_has_no_condition() {
        assert_eq!(
            without_condition("n r + n, where r is the largest with F_(r+1) <= k"),
            "n r + n"
        );
        assert_eq!(without_condition("b n, where b is (x) (conjectured)"), "b n (conjectured)");
        assert_eq!(without_condition("n H_k + 7 n (conjectured)"), "n H_k + 7 n (conjectured)");
    }
}
