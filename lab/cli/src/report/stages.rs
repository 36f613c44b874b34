//! The rounds or levels of an election: a table, and JSON.

use super::text::Sheet;
use crate::number::{count, grouped};
use serde::Serialize;
use suffrage::simulator;

/// The rounds or levels of an election.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Stages {
    /// What one is called: `round` or `level`.
    stage: &'static str,
    /// The most processes that reach one.
    limit: &'static str,
    stages: Vec<Row>,
}

/// One round or level.
#[derive(Clone, Debug, Serialize)]
struct Row {
    number: u64,
    /// How many processes reached it.
    reached: u64,
    /// How many may.
    limit: u64,
    /// The ticks at which the first and the last of them reached it.
    first: u64,
    last: u64,
    /// How many processes competed when the first had reached it.
    competing: u64,
    /// How many nodes were in their territories then.
    #[serde(skip_serializing_if = "Option::is_none")]
    territory: Option<u64>,
}

/// The number of rows up to which a text has all of them.
const ALL: usize = 20;

impl From<simulator::CompetitionRounds> for Stages {
    fn from(stages: simulator::CompetitionRounds) -> Self {
        let row = |stage: simulator::CompetitionRound| {
            let simulator::CompetitionRound {
                number,
                reached,
                limit,
                first,
                last,
                competing,
                territory,
            } = stage;
            Row { number, reached, limit, first, last, competing, territory }
        };
        Self {
            stage: stages.name,
            limit: stages.formula,
            stages: stages.stages.into_iter().map(row).collect(),
        }
    }
}

impl Stages {
    /// Adds the table to a report. Of many rows it has the first, every second, fourth, eighth and
    /// so on after it, and the last.
    pub(crate) fn lines(&self, sheet: &mut Sheet) {
        let last = self.stages.len().saturating_sub(1);
        let shown: Vec<&Row> = (0..)
            .zip(&self.stages)
            .filter(|&(place, _)| {
                last < ALL || place < 2 || usize::is_power_of_two(place) || place == last
            })
            .map(|(_, row)| row)
            .collect();
        let territories = self.stages.iter().any(|row| row.territory.is_some());
        let mut names =
            vec![self.stage, "reached", "at most", "first tick", "last tick", "competing"];
        names.extend(territories.then_some("in territories"));
        let cells = |row: &&Row| {
            let Row { number, reached, limit, first, last, competing, territory } = **row;
            let numbers = [number, reached, limit, first, last, competing];
            numbers.into_iter().chain(territory).map(grouped).collect::<Vec<String>>()
        };
        let rows: Vec<Vec<String>> = shown.iter().map(cells).collect();
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(String::len);
            cells.chain([names[column].len()]).max().unwrap_or(0)
        };
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let cells = cells.enumerate().map(|(at, cell)| format!("  {cell:>0$}", width(at)));
            cells.collect::<String>()
        };
        sheet.plain("");
        sheet.plain(&line(&mut names.iter().copied()));
        for row in &rows {
            sheet.plain(&line(&mut row.iter().map(String::as_str)));
        }
        let left_out = self.stages.len() - shown.len();
        if left_out > 0 {
            let left_out = count(left_out as u64, self.stage);
            sheet.plain(&format!("  ({left_out} are left out; --format json has all)"));
        }
        sheet.plain(&format!("  at most: {}", self.limit));
    }
}
