//! `suffrage algorithms`: lists the catalogue, or describes one algorithm.

mod bibtex;
mod table;

use crate::error::{CommandEnding, Error};
use crate::offered;
use crate::output::print;
use crate::report::{ReportFormat, Sheet};
use crate::terminal::{Emphasis, fitted};
use clap::builder::PossibleValuesParser;
use serde::Serialize;
use suffrage::algorithms::{
    Algorithm, Bound, BoundStanding, Ending as After, FORMS, FormKind, Formula, Group, Guarantee,
    Statement,
};
use suffrage::experiment::choice::by_name;
use suffrage::experiment::report::to_json;
use suffrage::model::{Id, Knowledge, Label, NetworkClass, Timing};

/// List the algorithms by network and bound, or describe one: paper, assumptions, idea, cost,
/// deviations
#[derive(clap::Args)]
#[command(after_help = "\
Bounds are in messages: n processes, k initiators, |E| links, H_n the n-th harmonic number,
D(n) the sum of floor(n/i) for i from 1 to n, F_r the r-th Fibonacci number, d = log2 n, L = ceil(log2 n), D the diameter,
max the largest identity, m the greatest number of processes with the same label.

Examples:
  suffrage algorithms
  suffrage algorithms humblet
  suffrage algorithms chang-roberts --source
  suffrage algorithms chang-roberts --invariants
  suffrage algorithms chang-roberts --bibtex
  suffrage algorithms --network ring --anonymous
  suffrage algorithms --rounds
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

    /// List the algorithms for these networks only
    #[arg(long, value_name = "NETWORK", conflicts_with = "name")]
    #[arg(value_parser = PossibleValuesParser::new(Group::ALL.map(|group| group.name)))]
    network: Option<String>,

    /// List only algorithms whose processes need no identities
    #[arg(long, conflicts_with = "name")]
    anonymous: bool,

    /// List only algorithms in rounds, in which a message takes exactly one tick
    ///
    /// Each also runs under any other schedule, by its name with a synchronizer: NAME@alpha.
    #[arg(long, conflicts_with = "name")]
    rounds: bool,

    /// Print the file in which the algorithm is written
    #[arg(long, requires = "name")]
    source: bool,

    /// Print its invariants, with the formulas of those that have one
    #[arg(long, requires = "name", conflicts_with = "source")]
    invariants: bool,

    /// Print its source as an entry of BibTeX
    #[arg(long, requires = "name", conflicts_with_all = ["source", "invariants", "format"])]
    bibtex: bool,

    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let text = text(args)?;
    let whole = args.source || args.bibtex || args.format == ReportFormat::Json;
    print(&if whole { text } else { fitted(&text) })?;
    Ok(CommandEnding::Fine)
}

/// What is printed, on lines as long as they are.
pub(crate) fn text(args: &Args) -> Result<String, Error> {
    Ok(match (args.name.as_deref().map(by_name).transpose()?, args.format) {
        (None, ReportFormat::Text) => table::of(&args.listed(), args.all),
        (None, ReportFormat::Json) => {
            to_json(&args.listed().into_iter().map(CatalogueRow::of).collect::<Vec<_>>())?
        }
        (Some(one), ReportFormat::Text) if args.bibtex => bibtex::entry(one),
        (Some(one), ReportFormat::Text) if args.source => one.source.to_owned(),
        (Some(one), ReportFormat::Text) if args.invariants => invariants(one),
        (Some(one), ReportFormat::Text) => in_full(one),
        (Some(one), ReportFormat::Json) if args.invariants => {
            to_json(&one.statements().map(StatedInvariant::of).collect::<Vec<_>>())?
        }
        (Some(one), ReportFormat::Json) => to_json(&InFull::of(one, args.source))?,
    })
}

impl Args {
    /// The requested algorithms, and on request the printed forms.
    fn listed(&self) -> Vec<&'static Algorithm> {
        let forms = if self.all { FORMS } else { &[] };
        let network = |algorithm: &&Algorithm| {
            let mut groups = Group::ALL.iter().filter(|group| group.has(algorithm));
            self.network.as_ref().is_none_or(|network| groups.any(|group| group.name == network))
        };
        let anonymous = |algorithm: &&Algorithm| !self.anonymous || is_anonymous(algorithm);
        let rounds = |algorithm: &&Algorithm| !self.rounds || algorithm.timing.in_rounds();
        let all = Algorithm::correct().chain(forms);
        all.filter(network).filter(anonymous).filter(rounds).collect()
    }
}

fn is_anonymous(algorithm: &Algorithm) -> bool {
    let mut needs_one = false;
    <(Id, Label)>::words(&mut |name| algorithm.knows(&mut |phrase| needs_one |= phrase == name));
    !needs_one
}

/// What the catalogue says of an algorithm.
#[derive(Serialize)]
struct CatalogueRow {
    name: &'static str,
    title: &'static str,
    paper: &'static str,
    network: &'static str,
    timing: &'static str,
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
    #[serde(skip_serializing_if = "str::is_empty")]
    condition: &'static str,
    exact: bool,
    /// The sense in which it holds, in words, if no single election is held to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    guarantee: Option<Guarantee>,
    #[serde(skip_serializing_if = "BoundStanding::is_proved")]
    standing: BoundStanding,
}

/// A row, and the header of the algorithm's file.
#[derive(Serialize)]
struct InFull {
    #[serde(flatten)]
    row: CatalogueRow,
    citation: &'static str,
    bibtex: String,
    sections: Vec<Section>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
}

#[derive(Serialize)]
struct Section {
    heading: &'static str,
    text: String,
}

impl CatalogueRow {
    fn of(algorithm: &Algorithm) -> Self {
        let mut knows = Vec::new();
        algorithm.knows(&mut |phrase| knows.push(phrase));
        let cost = |bound: &Bound| Cost {
            formula: bound.formula,
            condition: bound.condition,
            exact: bound.is_exact(),
            guarantee: (!bound.is_sure()).then_some(bound.guarantee),
            standing: bound.standing,
        };
        Self {
            name: algorithm.name,
            title: algorithm.title(),
            paper: algorithm.paper,
            network: network(algorithm.network),
            timing: match algorithm.timing {
                Timing::Asynchronous => "asynchronous",
                Timing::Rounds => "rounds",
                Timing::SimultaneousRounds => "simultaneous rounds",
            },
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
            row: CatalogueRow::of(algorithm),
            citation: algorithm.citation(),
            bibtex: bibtex::entry(algorithm),
            sections: algorithm.sections().into_iter().map(section).collect(),
            source: source.then_some(algorithm.source),
        }
    }
}

/// An invariant as the file of its algorithm states it.
#[derive(Serialize)]
pub(super) struct StatedInvariant {
    pub(super) name: &'static str,
    pub(super) says: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) formula: Option<&'static str>,
}

impl StatedInvariant {
    pub(super) const fn of(stated: Statement) -> Self {
        let Statement { name, says, formula } = stated;
        Self { name, says, formula }
    }
}

/// The invariants, each with its formula beneath it if it has one.
fn invariants(algorithm: &Algorithm) -> String {
    let mut sheet = Sheet::titled(&format!("{}\n{}", algorithm.name, algorithm.title()));
    for Statement { name, says, formula } in algorithm.statements() {
        sheet.plain(&format!("{name}: {says}"));
        if let Some(formula) = formula {
            for line in formula.lines() {
                sheet.plain(&format!("    {}", line.trim_start()));
            }
        }
    }
    sheet.into_text()
}

/// Describes a class of networks.
const fn network(network: NetworkClass) -> &'static str {
    match network {
        NetworkClass::Connected => "any connected",
        NetworkClass::Tree => "tree",
        NetworkClass::Ring => "ring",
        NetworkClass::OrientedRing => "oriented ring",
        NetworkClass::HomonymRing => "ring of homonyms",
        NetworkClass::Complete => "complete",
        NetworkClass::OrientedComplete => "oriented complete",
        NetworkClass::Hypercube => "hypercube",
        NetworkClass::OrientedHypercube => "oriented hypercube",
        NetworkClass::Mesh => "mesh",
        NetworkClass::Torus => "torus",
        NetworkClass::OrientedTorus => "oriented torus",
    }
}

/// Formats a bound for a table, whose legend has the condition.
fn cost(bound: &Bound) -> String {
    Formula { condition: String::new(), ..bound.stated() }.signed()
}

fn in_full(algorithm: &Algorithm) -> String {
    let row = CatalogueRow::of(algorithm);
    let mut sheet = Sheet::titled(&format!("{}\n{}", row.name, row.title));
    if let Some(form) = algorithm.form {
        let words = match algorithm.is_synchronized() {
            true => format!("{}: it {}", form.kind.word(), form.difference),
            false => format!("as a source prints it, {}: it {}", form.kind.word(), form.difference),
        };
        match form.kind {
            FormKind::Faulty => sheet.emphasized("form", &words, Emphasis::Warning),
            FormKind::Variant => sheet.line("form", &words),
        }
        sheet.line("shown by", form.shown_by);
    }
    sheet.line("network", row.network);
    match algorithm.timing {
        Timing::Asynchronous => {}
        Timing::Rounds => sheet.line("timing", "in rounds: `--schedule rounds`"),
        Timing::SimultaneousRounds => {
            sheet.line("timing", "in rounds, all start in the first: `--schedule rounds`");
        }
    }
    let knows = if row.knows.is_empty() { "nothing".to_owned() } else { row.knows.join(", ") };
    sheet.line("a node knows", &knows);
    sheet.line("who wins", row.rule);
    let claims = &algorithm.claims;
    sheet.line("election", &claims.election.stated().signed_in("messages"));
    sheet.line("announcement", &claims.announcement.stated().signed_in("messages"));
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
