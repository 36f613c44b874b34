//! `suffrage prove`: what is proved of algorithms for every number of processes.

use super::algorithms::StatedInvariant;
use crate::error::{CommandEnding, Error};
use crate::offered::{self, TENURE};
use crate::output::print;
use crate::report::{ReportFormat, Sheet};
use crate::terminal::{Emphasis, fitted};
use serde::Serialize;
use suffrage::algorithms::{Algorithm, PROVED, ProofRecord, digest};
use suffrage::experiment::choice::by_name;
use suffrage::experiment::report::to_json;
use suffrage::tenure::protocol::tenure::{PROOF, RELATION};

/// Show what is proved for every number of processes, on every schedule
///
/// Proofs are made from the file of the algorithm, by `cargo xtask prove` in the repository; this is their record. The
/// proof of Tenure is about a relation, and exploration shows that the code keeps to it. The exit code is 1 if the file
/// has changed since then, or nothing is proved of the algorithm.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  suffrage prove
  suffrage prove chang-roberts
  suffrage prove tenure
  suffrage prove lelann --format json")]
pub(crate) struct Args {
    /// The algorithm, or `tenure` [default: all that are proved]
    #[arg(value_parser = offered::proved(), hide_possible_values = true)]
    name: Option<String>,

    /// How to write it
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

/// What is proved of an algorithm, or of Tenure.
#[derive(Serialize)]
struct Proved {
    algorithm: &'static str,
    /// Whether its file has changed since then.
    stale: bool,
    date: &'static str,
    conditions: usize,
    source: &'static str,
    properties: Vec<ProvedProperty>,
    invariants: Vec<StatedInvariant>,
    /// Sets of processes whose finiteness the proof uses, beside the initiators, as formulas.
    finite: &'static [&'static str],
    explored_only: Vec<&'static str>,
    /// Of what it is proved, for people.
    #[serde(skip)]
    of: &'static str,
    /// All sets of processes whose finiteness the proof uses, for people.
    #[serde(skip)]
    sets: Vec<&'static str>,
}

#[derive(Serialize)]
struct ProvedProperty {
    name: &'static str,
    says: &'static str,
}

impl ProvedProperty {
    const fn of(name: &'static str) -> Self {
        Self { name, says: ProofRecord::says(name) }
    }

    const fn stated(stated: &StatedInvariant) -> Self {
        Self { name: stated.name, says: stated.says }
    }
}

impl Proved {
    fn of(algorithm: &Algorithm, record: &'static ProofRecord) -> Self {
        let invariants = algorithm.statements().map(StatedInvariant::of);
        Self {
            algorithm: record.algorithm,
            stale: record.source != algorithm.digest(),
            date: record.date,
            conditions: record.conditions,
            source: record.source,
            properties: record.properties.iter().map(|&name| ProvedProperty::of(name)).collect(),
            invariants: invariants.filter(|stated| stated.formula.is_some()).collect(),
            finite: record.finite,
            explored_only: algorithm.explored_only(record),
            of: "the file that runs here",
            sets: ["initiators"].iter().chain(record.finite).copied().collect(),
        }
    }

    fn of_tenure() -> Self {
        let goals = statements("goal ");
        Self {
            algorithm: TENURE,
            stale: PROOF.source != digest(RELATION),
            date: PROOF.date,
            conditions: PROOF.conditions,
            source: PROOF.source,
            properties: goals.iter().map(ProvedProperty::stated).collect(),
            invariants: goals.into_iter().chain(statements("invariant ")).collect(),
            finite: &[],
            explored_only: vec![
                "soon",
                "stable",
                "stop times",
                "ranks",
                "values",
                "members that change",
            ],
            of: "its relation, to which exploration holds the code",
            sets: Vec::new(),
        }
    }

    fn in_full(&self) -> String {
        let mut sheet = Sheet::titled(&format!(
            "{}\nproved for every number of processes, on every schedule",
            self.algorithm
        ));
        self.standing(&mut sheet);
        sheet.line("conditions", &self.conditions.to_string());
        sheet.line("SHA-256", self.source);
        if !self.sets.is_empty() {
            sheet.line("finite sets", &self.sets.join("; "));
        }
        sheet.line("explored only", &self.explored_only.join(", "));
        sheet.plain("\nProperties\n");
        for ProvedProperty { name, says } in &self.properties {
            sheet.plain(&format!("  {name}: {says}"));
        }
        sheet.plain("\nInvariants\n");
        for StatedInvariant { name, says, formula } in &self.invariants {
            sheet.plain(&format!("  {name}: {says}"));
            for line in formula.unwrap_or_default().lines() {
                sheet.plain(&format!("      {}", line.trim_start()));
            }
        }
        sheet.into_text()
    }

    fn standing(&self, sheet: &mut Sheet) {
        match self.stale {
            true => sheet.emphasized(
                "stale",
                &format!("the file has changed since {}: prove it again", self.date),
                Emphasis::Warning,
            ),
            false => sheet.line("proved", &format!("of {}, on {}", self.of, self.date)),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let of = |algorithm: &Algorithm| Some(Proved::of(algorithm, algorithm.proved()?));
    let proved: Vec<Proved> = match args.name.as_deref() {
        None => {
            let algorithms = PROVED.iter().filter_map(|record| of(by_name(record.algorithm).ok()?));
            algorithms.chain([Proved::of_tenure()]).collect()
        }
        Some(TENURE) => vec![Proved::of_tenure()],
        Some(name) => of(by_name(name)?).into_iter().collect(),
    };
    let ending = if proved.is_empty() || proved.iter().any(|of| of.stale) {
        CommandEnding::Broken
    } else {
        CommandEnding::Fine
    };
    let text = match args.format {
        ReportFormat::Json => to_json(&proved)?,
        ReportFormat::Text => match (&args.name, &proved[..]) {
            (Some(_), [one]) => one.in_full(),
            (Some(name), _) => nothing(name),
            (None, all) => list(all),
        },
    };
    print(&if args.format == ReportFormat::Json { text } else { fitted(&text) })?;
    Ok(ending)
}

/// What the relation states as `goal`, or as `invariant`.
fn statements(kind: &str) -> Vec<StatedInvariant> {
    let lines = RELATION.match_indices(kind).filter(|&(at, _)| RELATION[..at].ends_with('\n'));
    let stated = lines.filter_map(|(at, _)| {
        let (head, rest) = RELATION[at + kind.len()..].split_once('\n')?;
        let (name, says) = head.split_once(": ")?;
        // A goal may name the action at which it is shown.
        let name = name.split_once(" at ").map_or(name, |(name, _)| name);
        let formula = rest.split_inclusive('\n').take_while(|line| line.starts_with(' '));
        let length = formula.map(str::len).sum();
        Some(StatedInvariant { name, says, formula: Some(&rest[..length]) })
    });
    stated.collect()
}

/// Lists the algorithms that are proved.
fn list(all: &[Proved]) -> String {
    let mut sheet = Sheet::titled("proved for every number of processes, on every schedule");
    for one in all {
        let names: Vec<_> = one.properties.iter().map(|property| property.name).collect();
        let stale = if one.stale { "stale, the file has changed; " } else { "" };
        sheet.plain(&format!("{}: {stale}{} invariants", one.algorithm, one.invariants.len()));
        sheet.wrapped(&names.join(", "));
    }
    sheet.plain("\nof all others, `suffrage check` explores every schedule of small elections");
    sheet.into_text()
}

fn nothing(name: &str) -> String {
    let all: Vec<_> = PROVED.iter().map(|record| record.algorithm).collect();
    format!(
        "nothing is proved of {name} for every number of processes, only of {}; `suffrage check {name}` explores \
         every schedule of small elections\n",
        all.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_of_another_file_is_stale() {
        static OLD: ProofRecord = ProofRecord {
            algorithm: "lelann",
            properties: &["agreement"],
            finite: &[],
            conditions: 1,
            date: "2026-01-02",
            source: "0",
        };
        let lelann = by_name("lelann").unwrap();
        let proved = Proved::of(lelann, &OLD);
        assert!(proved.stale);
        let said = proved.in_full();
        assert!(said.contains("the file has changed since 2026-01-02: prove it again"), "{said}");
    }
}
