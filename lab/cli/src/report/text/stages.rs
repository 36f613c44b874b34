//! The rounds or levels of an election for people.

use crate::report::sheet::Sheet;
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::report::{StageRow, StageTable};

/// The number of rows up to which a text has all of them.
const ALL: usize = 20;

/// Adds the table to a report. Of many rows it has the first, every second, fourth, eighth and
/// so on after it, and the last.
pub(crate) fn table(of: &StageTable, sheet: &mut Sheet) {
    let last = of.stages.len().saturating_sub(1);
    let shown: Vec<&StageRow> = (0..)
        .zip(&of.stages)
        .filter(|&(place, _)| {
            last < ALL || place < 2 || usize::is_power_of_two(place) || place == last
        })
        .map(|(_, row)| row)
        .collect();
    let territories = of.stages.iter().any(|row| row.territory.is_some());
    let mut names = vec![of.stage, "reached", "at most", "first tick", "last tick", "competing"];
    names.extend(territories.then_some("in territories"));
    let cells = |row: &&StageRow| {
        let StageRow { number, reached, limit, first, last, competing, territory } = **row;
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
    let left_out = of.stages.len() - shown.len();
    if left_out > 0 {
        let left_out = count(left_out as u64, of.stage);
        sheet.plain(&format!("  ({left_out} are left out; --format json has all)"));
    }
    sheet.plain(&format!("  at most: {}", of.limit));
}
