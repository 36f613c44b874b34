//! The rounds or levels of an election for people.

use crate::report::sheet::Sheet;
use std::iter;
use suffrage::experiment::number::{count, grouped};
use suffrage::experiment::report::{StageRow, StageTable};
use suffrage_stdio::TextColumns;

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
    let heads = names.into_iter().map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = iter::once(heads).chain(shown.iter().map(cells)).collect();
    let columns = TextColumns::of(&rows).right(|_| true);
    sheet.plain("");
    for row in &rows {
        sheet.plain(&format!("  {}", columns.line(row)));
    }
    let left_out = of.stages.len() - shown.len();
    if left_out > 0 {
        let left_out = count(left_out as u64, of.stage);
        sheet.plain(&format!("  ({left_out} are left out; --format json has all)"));
    }
    sheet.plain(&format!("  at most: {}", of.limit));
}
