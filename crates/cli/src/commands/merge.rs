//! `suffrage merge`: adds up the reports of disjoint seeds.

use crate::error::{Ending, Error};
use crate::output::print;
use crate::report::{Layout, Row, Stamped, Summary, stamped_json, sum};
use crate::terminal::fitted;
use clap::ValueEnum;
use std::fs;
use std::path::PathBuf;

/// Add up reports of the same experiment with other seeds
///
/// FILES are reports in JSON that `suffrage elect --seeds A..B --format json` or `suffrage compare`
/// wrote, on whatever machines, and whose seeds follow each other. They are sums and counts of whole
/// numbers: the result is the report of one run of all seeds, byte for byte.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The reports, in any order
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// How to write the whole
    #[arg(long, value_enum, default_value_t)]
    format: Kind,
}

/// The format of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// For people: a report, or a table
    #[default]
    Text,
    /// For programs, and to add up again
    Json,
    /// Comma-separated values with a header, of comparisons
    Csv,
}

const EXAMPLES: &str = "\
Examples:
  suffrage elect humblet --nodes 1000 --seeds 1..500 --format json >one.json
  suffrage elect humblet --nodes 1000 --seeds 501..1000 --format json >two.json
  suffrage merge one.json two.json
  seq 0 9 | parallel 'suffrage compare --nodes 100,1000 --seeds {}00..{}99 --format json >{}.json'
  suffrage merge [0-9].json --format csv";

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let mut texts = Vec::new();
    for path in &args.files {
        let text = fs::read_to_string(path)
            .map_err(|error| Error::of(format!("cannot read {}", path.display()), error))?;
        texts.push((path.display().to_string(), text));
    }
    if texts[0].1.trim_start().starts_with('[') {
        rows(args, &texts)
    } else {
        summary(args, &texts)
    }
}

fn parse<'a, T: serde::Deserialize<'a>>(name: &str, text: &'a str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| {
        Error::of(
            name,
            format!(
                "not a report of trials, as `suffrage elect --seeds A..B --format json` or \
                     `suffrage compare` writes it: {error}"
            ),
        )
    })
}

fn summary(args: &Args, texts: &[(String, String)]) -> Result<Ending, Error> {
    if args.format == Kind::Csv {
        return Err(Error::new("--format csv: it is for the rows of `suffrage compare`"));
    }
    let mut parts = Vec::new();
    for (name, text) in texts {
        let mut part: Stamped<Summary> = parse(name, text)?;
        part.report.complete();
        parts.push((name.clone(), part));
    }
    let whole = sum(parts).map_err(Error::new)?;
    print(&match args.format {
        Kind::Json => stamped_json(&whole)?,
        _ => fitted(&whole.report.text()),
    })?;
    Ok(Ending::of(false, !whole.report.failures.is_empty()))
}

fn rows(args: &Args, texts: &[(String, String)]) -> Result<Ending, Error> {
    let mut files: Vec<(String, Vec<Stamped<Row>>)> = Vec::new();
    for (name, text) in texts {
        files.push((name.clone(), parse(name, text)?));
    }
    let count = files[0].1.len();
    if let Some((name, rows)) = files.iter().find(|(_, rows)| rows.len() != count) {
        let (first, found) = (&files[0].0, rows.len());
        let what = format!("it has {found} rows, and {first} has {count}");
        return Err(Error::of(name, what));
    }
    let layout = match args.format {
        Kind::Text => Layout::Table,
        Kind::Json => Layout::Json,
        Kind::Csv => Layout::Csv,
    };
    let rows = &files[0].1;
    let varied = rows.iter().any(|row| row.report.conditions != rows[0].report.conditions);
    let mut before = None;
    let mut columns: Vec<_> =
        files.into_iter().map(|(name, rows)| (name, rows.into_iter())).collect();
    let (mut text, mut broken) = (layout.begin(), false);
    for number in 0..count {
        let parts =
            columns.iter_mut().filter_map(|(name, rows)| Some((name.clone(), rows.next()?)));
        let whole = sum(parts.collect()).map_err(Error::new)?;
        broken |= whole.report.failures > 0;
        if varied && before.as_ref() != Some(&whole.report.conditions) {
            text += &layout.conditions(&whole.report.conditions);
            before = Some(whole.report.conditions.clone());
        }
        text += &layout.row(&whole, number == 0)?;
    }
    print(&(text + layout.end()))?;
    Ok(Ending::of(false, broken))
}
