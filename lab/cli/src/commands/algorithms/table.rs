//! The table of algorithms: by network, and within by bound.

use super::{cost, network};
use crate::terminal::table_width;
use std::fmt::Write;
use suffrage::algorithms::{Algorithm, FORMS, Group, Parameters};
use suffrage::experiment::number::grouped;
use suffrage::model::{NetworkClass, Timing};
use suffrage_stdio::TextColumns;

/// The number of processes for which the bounds are shown: a power of two and of four, so that there
/// are networks of all kinds with it.
const NODES: u64 = 1024;

/// The links and the diameter of the network for which the bounds of a group are shown.
const fn shape(group: &Group) -> (u64, u64) {
    match group.class {
        NetworkClass::Complete | NetworkClass::OrientedComplete => (NODES * (NODES - 1) / 2, 1),
        NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
            (NODES, NODES / 2)
        }
        NetworkClass::Hypercube | NetworkClass::OrientedHypercube => {
            let dimension = NODES.ilog2() as u64;
            (NODES * dimension / 2, dimension)
        }
        NetworkClass::Tree => (NODES - 1, NODES - 1),
        NetworkClass::Mesh | NetworkClass::Torus | NetworkClass::OrientedTorus => {
            (2 * NODES, NODES.isqrt())
        }
        NetworkClass::Connected => (2 * NODES, NODES / 2),
    }
}

/// The most messages of an algorithm on the network of its group, if all processes initiate.
fn bound(group: &Group, algorithm: &Algorithm) -> u64 {
    let (links, diameter) = shape(group);
    let parameters = Parameters::new(NODES, links, NODES).with_diameter(diameter);
    algorithm.claims.bound(&parameters)
}

const HEAD: [&str; 7] =
    ["algorithm", "network", "n = 1,024", "election", "announcement", "who wins", "paper"];

/// The columns in the order of importance, if there is no room for all.
const IMPORTANCE: [usize; HEAD.len()] = [0, 3, 2, 1, 4, 5, 6];

/// Formats algorithms as a table; with `forms` also the differences of the printed forms.
pub(super) fn of(listed: &[&Algorithm], forms: bool) -> String {
    if listed.is_empty() {
        return "no algorithm is like that; `suffrage algorithms` lists them all\n".to_owned();
    }
    let sections: Vec<_> = Group::ALL.iter().filter_map(|group| section(group, listed)).collect();
    let head = HEAD.map(str::to_owned);
    let rows = || [&head].into_iter().chain(sections.iter().flat_map(|(_, rows)| rows));
    let columns = TextColumns::of(rows()).within(table_width(), IMPORTANCE);
    let mut text = columns.text([&head]);
    for (heading, rows) in &sections {
        let _ = writeln!(text, "\n{heading}");
        text += &columns.text(rows);
    }
    let left_out = columns.left_out(&HEAD);
    if !left_out.is_empty() {
        let _ = writeln!(
            text,
            "\nno room for: {}; `suffrage algorithms NAME` has all of it",
            left_out.join(", ")
        );
    }
    text.push_str(
        "\nn processes, k initiators, |E| links; H_n = 1 + 1/2 + ... + 1/n; \
         D(n) = floor(n/1) + floor(n/2) + ... + floor(n/n); F_r the r-th Fibonacci number; \
         d = log2 n; L = ceil(log2 n); D the diameter; \
         max the largest identity; m the greatest number of processes with the same label\n\
         n = 1,024: the most messages, announcement included, if all of 1,024 processes initiate\n",
    );
    for (names, condition) in conditions(listed) {
        let _ = writeln!(text, "{}: {condition}", names.join(", "));
    }
    match forms {
        true => text.push_str(&differences(listed)),
        false => text.push_str("--all lists the forms that sources print, too\n"),
    }
    text
}

/// The conditions of the bounds, each with the algorithms that have it.
fn conditions(listed: &[&Algorithm]) -> Vec<(Vec<&'static str>, &'static str)> {
    let mut all: Vec<(Vec<&str>, &str)> = Vec::new();
    for algorithm in Algorithm::all().filter(|row| listed.iter().any(|one| one.name == row.name)) {
        let bounds = [&algorithm.claims.election, &algorithm.claims.announcement];
        for condition in bounds.map(|bound| bound.condition).into_iter().filter(|it| !it.is_empty())
        {
            match all.iter_mut().find(|(_, other)| *other == condition) {
                Some((names, _)) => names.push(algorithm.name),
                None => all.push((vec![algorithm.name], condition)),
            }
        }
    }
    all
}

type Cells = [String; HEAD.len()];

/// The heading and the rows of a group, the smallest bound first; `None` if it has no rows.
fn section(group: &Group, listed: &[&Algorithm]) -> Option<(String, Vec<Cells>)> {
    let mut rows: Vec<&Algorithm> = listed.iter().copied().filter(|row| group.has(row)).collect();
    // Stable: of several with the same bound the first one of the catalogue stays the first.
    rows.sort_by_key(|row| bound(group, row));
    let cells = |row: &&Algorithm| {
        [
            row.name.to_owned(),
            match row.timing {
                Timing::Asynchronous => network(row.network).to_owned(),
                Timing::Rounds | Timing::SimultaneousRounds => {
                    format!("{}, rounds", network(row.network))
                }
            },
            format!("{:>9}", grouped(bound(group, row))),
            cost(&row.claims.election),
            cost(&row.claims.announcement),
            row.claims.rule.words().to_owned(),
            row.paper.to_owned(),
        ]
    };
    let rows: Vec<Cells> = rows.iter().map(cells).collect();
    let of_which = match group.class {
        NetworkClass::Connected => " (the bound: of one with 2 n links)",
        _ => "",
    };
    (!rows.is_empty()).then(|| (format!("{}{of_which}", group.heading), rows))
}

/// The differences of the printed forms among these algorithms, and what shows them.
fn differences(listed: &[&Algorithm]) -> String {
    let mut text = "\nForms that sources print, and what shows how they differ:\n".to_owned();
    for algorithm in FORMS.iter().filter(|form| listed.iter().any(|row| row.name == form.name)) {
        if let Some(form) = algorithm.form {
            let (name, kind) = (algorithm.name, form.kind.word());
            let _ = writeln!(text, "\n  {name} ({kind}): it {}", form.difference);
            let _ = writeln!(text, "    {}", form.shown_by);
        }
    }
    text
}
