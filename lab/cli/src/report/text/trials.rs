//! The report of elections that differ in their seeds, for people.

use super::election::{choice, network, warning};
use crate::report::sheet::Sheet;
use crate::terminal::{Emphasis, table_width};
use suffrage::experiment::number::{Decimal, count, grouped};
use suffrage::experiment::report::{Figures, MessageBound, TrialCounts, TrialsReport};
use suffrage_stdio::TextColumns;

/// Formats the report of many elections.
pub(crate) fn text(report: &TrialsReport) -> String {
    let TrialCounts { wanted, finished } = report.trials;
    let mut sheet = Sheet::titled(&format!(
        "{} on {}, {}",
        report.algorithm,
        report.network.source,
        count(finished, "trial")
    ));
    if finished < wanted {
        let wanted = format!("{} were asked for", count(wanted, "trial"));
        sheet.line("interrupted", &wanted);
    }
    warning(report.faulty, &mut sheet);
    choice(report.algorithm, report.choice.as_deref(), &mut sheet);
    network(&report.network, &mut sheet);
    sheet.plain(&format!("  first trial     {}", report.first_trial));
    sheet.plain("");
    figures(report, &mut sheet);
    sheet.plain("");
    sheet.line("bound", &bound(&report.bound));
    if let Some(time) = &report.time_bound {
        sheet.line("time bound", &time.nearest());
    }
    for judged in &report.chances {
        sheet.line("chance", &judged.text());
    }
    sheet.line(
        "leaders",
        &format!(
            "{} elected one leader; {} led",
            count(report.leaders.elected, "trial"),
            count(report.leaders.different, "different node")
        ),
    );
    broken(report, &mut sheet);
    sheet.into_text()
}

/// Adds a line for each figure, with as many columns as the terminal has room for.
fn figures(report: &TrialsReport, sheet: &mut Sheet) {
    let columns = TextColumns::new(&[(2, 40), (1, 12), (1, 12), (1, 12), (1, 12), (1, 12)]);
    let columns = columns.right(|_| true).within(table_width(), [0, 3, 4, 2, 5, 1]);
    let heads = ["mean ± 95 %", "deviation", "median", "p95", "max", "min"];
    let mut row = |name: &str, mut cells: [String; 6]| {
        cells[0] = format!("{name:<14}  {:>24}", cells[0]);
        sheet.plain(&columns.line(&cells));
    };
    row("", heads.map(str::to_owned));
    for (name, spread) in Figures::KEYS.into_iter().zip(report.figures.all()) {
        // What an algorithm without an announcement has none of.
        if spread.max == 0 {
            continue;
        }
        let deviation = spread.deviation.map_or_else(|| "-".to_owned(), Decimal::short);
        let [median, p95, max, min] = [spread.median, spread.p95, spread.max, spread.min];
        let [median, p95, max, min] = [median, p95, max, min].map(grouped);
        let name = match name {
            "election_messages" => "  election".to_owned(),
            "announcement_messages" => "  announcement".to_owned(),
            name => name.replace('_', " "),
        };
        row(&name, [spread.mean_with_interval(), deviation, median, p95, max, min]);
    }
    let left_out = columns.left_out(&heads);
    if !left_out.is_empty() {
        let left_out = left_out.join(", ");
        sheet.plain(&format!("  no room for: {left_out}; --format json has all of it"));
    }
}

fn bound(bound: &MessageBound) -> String {
    let ratio = bound.ratio.map(|ratio| format!("; largest sent / bound = {ratio}"));
    bound.claim.stated().with_value(grouped(bound.messages)) + &ratio.unwrap_or_default()
}

fn broken(report: &TrialsReport, sheet: &mut Sheet) {
    const SHOWN: usize = 5;
    for refuted in report.chances.iter().filter(|judged| judged.refuted) {
        sheet.emphasized("BROKEN", &refuted.why(), Emphasis::Broken);
    }
    if report.failures.is_empty() {
        return sheet.line("properties", "all held in every trial");
    }
    let failed = report.failures.len();
    sheet.headline(&format!("BROKEN: properties in {}", count(failed as u64, "trial")));
    for failure in report.failures.iter().take(SHOWN) {
        let names: Vec<_> =
            failure.violations.iter().map(|broken| broken.property.name()).collect();
        sheet.plain(&format!("  trial {}: {}", failure.trial, names.join(", ")));
        sheet.plain(&format!("    {}", failure.replay));
    }
    if failed > SHOWN {
        sheet.plain(&format!(
            "  and {} more; --format json lists them all",
            grouped(failed - SHOWN)
        ));
    }
}
