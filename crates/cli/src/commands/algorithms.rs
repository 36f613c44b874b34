//! `suffrage algorithms`: lists the catalogue, or describes one algorithm.

use crate::error::{Ending, Error};
use crate::offered;
use crate::output::print;
use crate::plan::by_name;
use crate::report::{Format, Sheet, plain_json};
use crate::terminal::{Emphasis, fitted, kept, table_width};
use serde::Serialize;
use std::fmt::Write;
use suffrage::algorithms::{Algorithm, Bound, CATALOGUE, Ending as After, FORMS, FormKind};
use suffrage::process::NetworkClass;

/// List the algorithms, or describe one: paper, assumptions, idea, cost, deviations
#[derive(clap::Args)]
#[command(after_help = "\
Bounds are in messages: n processes, k initiators, |E| links, H_n the n-th harmonic number,
D(n) the sum of floor(n/i) for i from 1 to n.

Examples:
  suffrage algorithms
  suffrage algorithms humblet
  suffrage algorithms chang-roberts --source
  suffrage algorithms --all
  suffrage algorithms --format json")]
pub(crate) struct Args {
    /// The algorithm to describe
    #[arg(value_parser = offered::algorithms(), hide_possible_values = true)]
    name: Option<String>,

    /// List the forms that sources print, too
    ///
    /// Each is run like an algorithm, by its name: NAME@published or NAME@FORM.
    #[arg(long, conflicts_with = "name")]
    all: bool,

    /// Print the file in which the algorithm is written
    #[arg(long, requires = "name")]
    source: bool,

    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let text = match (args.name.as_deref().map(by_name).transpose()?, args.format) {
        (None, Format::Text) => table(args.all),
        (None, Format::Json) => plain_json(&listed(args.all).map(Row::of).collect::<Vec<_>>())?,
        (Some(one), Format::Text) if args.source => one.source.to_owned(),
        (Some(one), Format::Text) => in_full(one),
        (Some(one), Format::Json) => plain_json(&InFull::of(one, args.source))?,
    };
    let whole = args.source || args.format == Format::Json;
    print(&if whole { text } else { fitted(&text) })?;
    Ok(Ending::Fine)
}

/// The algorithms, and on request the printed forms.
fn listed(all: bool) -> impl Iterator<Item = &'static Algorithm> {
    let forms = if all { FORMS } else { &[] };
    CATALOGUE.iter().chain(forms)
}

/// What the catalogue says of an algorithm.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    title: &'static str,
    paper: &'static str,
    network: &'static str,
    knows: Vec<&'static str>,
    rule: &'static str,
    election: Cost,
    announcement: Cost,
    ending: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<FormRow>,
}

/// What makes it a printed form.
#[derive(Serialize)]
struct FormRow {
    of: &'static str,
    kind: &'static str,
    difference: &'static str,
    shown_by: &'static str,
}

#[derive(Serialize)]
struct Cost {
    formula: &'static str,
    exact: bool,
}

/// A row, and the header of the algorithm's file.
#[derive(Serialize)]
struct InFull {
    #[serde(flatten)]
    row: Row,
    citation: String,
    sections: Vec<Section>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
}

#[derive(Serialize)]
struct Section {
    heading: &'static str,
    text: String,
}

impl Row {
    fn of(algorithm: &Algorithm) -> Self {
        let mut knows = Vec::new();
        algorithm.knows(&mut |phrase| knows.push(phrase));
        let cost = |bound: &Bound| Cost { formula: bound.formula, exact: bound.is_exact() };
        Self {
            name: algorithm.name,
            title: algorithm.title(),
            paper: algorithm.paper,
            network: network(algorithm.network),
            knows,
            rule: algorithm.claims.rule.words(),
            election: cost(&algorithm.claims.election),
            announcement: cost(&algorithm.claims.announcement),
            ending: match algorithm.claims.ending {
                After::Silent => "silent",
                After::LateMessages => "late-messages",
                After::Messages => "messages",
            },
            form: algorithm.form.map(|form| FormRow {
                of: algorithm.base(),
                kind: form.kind.word(),
                difference: form.difference,
                shown_by: form.shown_by,
            }),
        }
    }
}

impl InFull {
    fn of(algorithm: &Algorithm, source: bool) -> Self {
        let section = |(heading, text)| Section { heading, text };
        Self {
            row: Row::of(algorithm),
            citation: algorithm.citation(),
            sections: algorithm.sections().map(section).collect(),
            source: source.then_some(algorithm.source),
        }
    }
}

/// Describes a class of networks.
const fn network(network: NetworkClass) -> &'static str {
    match network {
        NetworkClass::Connected => "any connected",
        NetworkClass::Tree => "tree",
        NetworkClass::Ring => "ring",
        NetworkClass::OrientedRing => "oriented ring",
        NetworkClass::Complete => "complete",
        NetworkClass::OrientedComplete => "oriented complete",
    }
}

/// Formats a bound, with an equals sign if it is exact.
fn cost(bound: &Bound) -> String {
    format!("{} {}", bound.guarantee.sign(), bound.formula)
}

fn table(all: bool) -> String {
    let head = ["algorithm", "network", "who wins", "election", "announcement", "paper"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(listed(all).map(|algorithm| {
        [
            algorithm.name.to_owned(),
            network(algorithm.network).to_owned(),
            algorithm.claims.rule.words().to_owned(),
            cost(&algorithm.claims.election),
            cost(&algorithm.claims.announcement),
            algorithm.paper.to_owned(),
        ]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..head.len()).filter_map(width).collect();
    let wide: Vec<usize> = widths.iter().map(|width| width + 2).collect();
    let keep = kept(&wide, &[0, 1, 3, 2, 4, 5], table_width().saturating_add(2));
    let last = keep.iter().rposition(|&keep| keep).unwrap_or(0);
    let mut text = String::new();
    for row in &rows {
        for (column, cell) in row.iter().enumerate().filter(|&(column, _)| keep[column]) {
            let width = widths[column];
            let _ = if column < last {
                write!(text, "{cell:<width$}  ")
            } else {
                writeln!(text, "{cell}")
            };
        }
    }
    let left_out: Vec<&str> =
        head.into_iter().zip(&keep).filter(|(_, keep)| !**keep).map(|(name, _)| name).collect();
    if !left_out.is_empty() {
        let _ = writeln!(
            text,
            "\nno room for: {}; `suffrage algorithms NAME` has all of it",
            left_out.join(", ")
        );
    }
    text.push_str(
        "\nn processes, k initiators, |E| links; H_n = 1 + 1/2 + ... + 1/n; \
                   D(n) = floor(n/1) + floor(n/2) + ... + floor(n/n)\n",
    );
    if !all {
        text.push_str("--all lists the forms that sources print, too\n");
        return text;
    }
    text.push_str("\nForms that sources print, and what shows how they differ:\n");
    for algorithm in FORMS {
        if let Some(form) = algorithm.form {
            let (name, kind) = (algorithm.name, form.kind.word());
            let _ = writeln!(text, "\n  {name} ({kind}): it {}", form.difference);
            let _ = writeln!(text, "    {}", form.shown_by);
        }
    }
    text
}

fn in_full(algorithm: &Algorithm) -> String {
    let row = Row::of(algorithm);
    let mut sheet = Sheet::titled(&format!("{}\n{}", row.name, row.title));
    if let Some(form) = algorithm.form {
        let words = format!("as a source prints it, {}: it {}", form.kind.word(), form.difference);
        match form.kind {
            FormKind::Faulty => sheet.emphasized("form", &words, Emphasis::Warning),
            FormKind::Variant => sheet.line("form", &words),
        }
        sheet.line("shown by", form.shown_by);
    }
    sheet.line("network", row.network);
    let knows = if row.knows.is_empty() { "nothing".to_owned() } else { row.knows.join(", ") };
    sheet.line("a node knows", &knows);
    sheet.line("who wins", row.rule);
    sheet.line("election", &format!("{} messages", cost(&algorithm.claims.election)));
    sheet.line("announcement", &format!("{} messages", cost(&algorithm.claims.announcement)));
    sheet.line(
        "ending",
        match algorithm.claims.ending {
            After::Silent => "nothing reaches a process that has halted",
            After::LateMessages => {
                "messages that the announcement overtakes are dropped, and counted"
            }
            After::Messages => "no message is under way; processes need not halt",
        },
    );
    sheet.plain(&format!("\n{}", algorithm.citation()));
    for (heading, text) in algorithm.sections() {
        sheet.plain(&format!("\n{heading}\n"));
        for line in text.lines() {
            sheet.plain(format!("  {line}").trim_end());
        }
    }
    sheet.into_text()
}
