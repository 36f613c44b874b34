//! `suffrage merge`: adds up the reports of disjoint seeds.

use super::tenure::{compare, scale, table::text};
use crate::error::{CommandEnding, Error};
use crate::output::print;
use crate::report::text::{sampled, trials};
use crate::report::{RowFormat, Tenures};
use crate::terminal::fitted;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::fmt::Display;
use std::path::PathBuf;
use suffrage::experiment::Stamped;
use suffrage::experiment::report::{ComparisonRow, Sampled, Sum, TrialsReport, sum, to_json};
use suffrage::networks::Input;
use suffrage::population::report::PopulationReport;
use suffrage::population::rules::RulesReport;
use suffrage_numbers::{DistinctKeys, in_words};

/// Add up reports of the same experiment with other seeds
///
/// FILES are reports in JSON that `suffrage elect --seeds A..B --format json`, `suffrage compare`,
/// `suffrage check`, `suffrage population` or `suffrage tenure` wrote for consecutive seeds, on any
/// machines. The result is the report of one run of all seeds, byte for byte.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The reports, in any order
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// How to write the result
    #[arg(long, value_enum, default_value_t)]
    format: RowFormat,
}

const EXAMPLES: &str = "\
Examples:
  suffrage elect humblet --nodes 1000 --seeds 1..500 --format json >one.json
  suffrage elect humblet --nodes 1000 --seeds 501..1000 --format json >two.json
  suffrage merge one.json two.json
  seq 0 9 | parallel 'suffrage compare --nodes 100,1000 --seeds {}00..{}99 --format json >{}.json'
  suffrage merge [0-9].json --format csv
  suffrage population epidemic --agents 1e6 --seeds 1..50 --format json >first.json";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let mut texts = Vec::new();
    for path in &args.files {
        let text = Input::text(path)
            .map_err(|error| Error::of(format!("cannot read {}", path.display()), error))?;
        texts.push((path.display().to_string(), text));
    }
    let kind: Value = serde_json::from_str(&texts[0].1).unwrap_or_default();
    let is_table = kind.is_array();
    let kind = kind.get(0).unwrap_or(&kind);
    let has = |key: &str| kind.get(key).is_some();
    if is_table && !has("scenario") && !has("series") {
        return rows(args, &texts);
    }
    if args.format == RowFormat::Csv {
        return Err(Error::new("--format csv: it is for the rows of `suffrage compare`"));
    }
    if has("scenario") {
        let rows = added(&texts, compare::ComparedRow::complete)?;
        table(args, rows, text, compare::ComparedRow::is_broken)
    } else if has("series") {
        let rows = added(&texts, scale::ScaledRow::complete)?;
        table(args, rows, text, |_| false)
    } else if has("members") {
        let whole = whole(&texts, Tenures::complete)?;
        print_whole(args, &whole, whole.report.text())?;
        Ok(CommandEnding::of(false, whole.report.is_broken()))
    } else if has("schedulers") {
        let whole = whole(&texts, |_: &mut Sampled| {})?;
        print_whole(args, &whole, sampled::text(&whole.report)?)?;
        Ok(CommandEnding::of(false, whole.report.is_broken()))
    } else if has("protocol") {
        population(args, &texts, |whole: &mut PopulationReport| whole.results = None)
    } else if has("rules") {
        population(args, &texts, |whole: &mut RulesReport| whole.results = None)
    } else {
        let whole = whole(&texts, TrialsReport::complete)?;
        print_whole(args, &whole, trials::text(&whole.report))?;
        Ok(CommandEnding::of(false, !whole.report.is_good()))
    }
}

/// Reads reports, completes each, and adds them up.
fn whole<T: Sum + DeserializeOwned>(
    texts: &[(String, String)],
    complete: impl Fn(&mut T),
) -> Result<Stamped<T>, Error> {
    let mut parts = Vec::new();
    for (name, text) in texts {
        let mut part: Stamped<T> = parse(name, text)?;
        complete(&mut part.report);
        parts.push((name.clone(), part));
    }
    sum(parts)
}

/// Prints the whole, which is so for people.
fn print_whole<T: Serialize>(args: &Args, whole: &T, text: String) -> Result<(), Error> {
    print(&match args.format {
        RowFormat::Json => to_json(whole)?,
        _ => fitted(&text),
    })?;
    Ok(())
}

/// Adds up reports of populations, which list their trials; `summary` takes the list away.
fn population<T>(
    args: &Args,
    texts: &[(String, String)],
    summary: fn(&mut T),
) -> Result<CommandEnding, Error>
where
    T: Sum + Serialize + DeserializeOwned + Display,
{
    let mut whole = whole(texts, |_: &mut T| {})?;
    if args.format == RowFormat::Text && !whole.has("--each") {
        summary(&mut whole.report);
    }
    print_whole(args, &whole, whole.report.to_string())?;
    Ok(CommandEnding::Fine)
}

fn parse<'a, T: serde::Deserialize<'a>>(name: &str, text: &'a str) -> Result<T, Error> {
    let read = serde_json::from_str::<DistinctKeys>(text).and_then(|_| serde_json::from_str(text));
    read.map_err(|error| {
        let error = in_words(error);
        Error::of(
            name,
            format!(
                "not a report of trials, as `suffrage elect --seeds A..B --format json`, `compare`, \
                     `check`, `population` or `tenure` writes it: {error}"
            ),
        )
    })
}

/// Adds up tables row by row. Each row is completed when it is read.
fn added<T: Sum + DeserializeOwned>(
    texts: &[(String, String)],
    complete: impl Fn(&mut T),
) -> Result<Vec<Stamped<T>>, Error> {
    let mut files: Vec<(String, Vec<Stamped<T>>)> = Vec::new();
    for (name, text) in texts {
        let mut rows: Vec<Stamped<T>> = parse(name, text)?;
        rows.iter_mut().for_each(|row| complete(&mut row.report));
        files.push((name.clone(), rows));
    }
    let count = files[0].1.len();
    if let Some((name, rows)) = files.iter().find(|(_, rows)| rows.len() != count) {
        let (first, found) = (&files[0].0, rows.len());
        let what = format!("it has {found} rows, and {first} has {count}");
        return Err(Error::of(name, what));
    }
    let mut columns: Vec<_> =
        files.into_iter().map(|(name, rows)| (name, rows.into_iter())).collect();
    let parts_of_row = |_| {
        let parts =
            columns.iter_mut().filter_map(|(name, rows)| Some((name.clone(), rows.next()?)));
        sum(parts.collect())
    };
    (0..count).map(parts_of_row).collect()
}

/// Prints a table of simulations of leadership.
fn table<T: Serialize>(
    args: &Args,
    rows: Vec<Stamped<T>>,
    text: fn(&[&T]) -> String,
    is_broken: fn(&T) -> bool,
) -> Result<CommandEnding, Error> {
    let reports: Vec<&T> = rows.iter().map(|row| &row.report).collect();
    print_whole(args, &rows, text(&reports))?;
    Ok(CommandEnding::of(false, reports.into_iter().any(is_broken)))
}

/// Adds up comparisons of algorithms.
fn rows(args: &Args, texts: &[(String, String)]) -> Result<CommandEnding, Error> {
    let rows = added(texts, |_: &mut ComparisonRow| {})?;
    let broken = rows.iter().any(|row| !row.report.is_good());
    print(&args.format.document(&rows)?)?;
    Ok(CommandEnding::of(false, broken))
}
