//! The table of algorithms: by network, and within by bound.

use super::{cost, network};
use crate::number::grouped;
use crate::terminal::{kept, table_width};
use std::fmt::Write;
use suffrage::algorithms::{Algorithm, FORMS, Parameters};
use suffrage::process::NetworkClass;

/// Algorithms for the same networks, with a sense of direction or without.
pub(super) struct Group {
    /// Its name on the command line.
    pub(super) name: &'static str,
    class: NetworkClass,
    heading: &'static str,
    /// The network for which the bounds are shown: its links and its diameter.
    links: u64,
    diameter: u64,
}

/// The number of processes for which the bounds are shown: a power of two and of four, so that there
/// are networks of all kinds with it.
const NODES: u64 = 1024;

const fn group_of(
    name: &'static str,
    class: NetworkClass,
    heading: &'static str,
    links: u64,
    diameter: u64,
) -> Group {
    Group { name, class, heading, links, diameter }
}

/// The groups, in the order of the catalogue.
pub(super) const GROUPS: [Group; 4] = [
    group_of("complete", NetworkClass::Complete, "Complete networks", NODES * (NODES - 1) / 2, 1),
    group_of("ring", NetworkClass::Ring, "Rings", NODES, NODES / 2),
    group_of("tree", NetworkClass::Tree, "Trees", NODES - 1, NODES - 1),
    group_of(
        "graph",
        NetworkClass::Connected,
        "All connected networks (the bound: of one with 2 n links)",
        2 * NODES,
        NODES / 2,
    ),
];

/// Returns the group of the algorithms for a class of networks.
pub(super) fn group(class: NetworkClass) -> &'static Group {
    let same = |group: &&Group| group.class == class.unoriented();
    GROUPS.iter().find(same).unwrap_or(&GROUPS[GROUPS.len() - 1])
}

impl Group {
    /// The most messages of an algorithm on the network of this group, if all processes initiate.
    fn bound(&self, algorithm: &Algorithm) -> u64 {
        let parameters = Parameters::new(NODES, self.links, NODES).with_diameter(self.diameter);
        algorithm.claims.bound(&parameters)
    }
}

const HEAD: [&str; 7] =
    ["algorithm", "network", "n = 1,024", "election", "announcement", "who wins", "paper"];

/// The columns from the most important one on, where there is no room for all.
const IMPORTANCE: [usize; HEAD.len()] = [0, 1, 3, 2, 4, 5, 6];

/// Formats algorithms as a table; with `forms` also the differences of the printed forms.
pub(super) fn of(listed: &[&Algorithm], forms: bool) -> String {
    if listed.is_empty() {
        return "no algorithm is like that; `suffrage algorithms` lists them all\n".to_owned();
    }
    let sections: Vec<_> = GROUPS.iter().filter_map(|group| section(group, listed)).collect();
    let head = HEAD.map(str::to_owned);
    let rows = || [&head].into_iter().chain(sections.iter().flat_map(|(_, rows)| rows));
    let width = |column: usize| rows().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..HEAD.len()).filter_map(width).collect();
    let wide: Vec<usize> = widths.iter().map(|width| width + 2).collect();
    let keep = kept(&wide, &IMPORTANCE, table_width().saturating_add(2));
    let mut text = line(&head, &widths, &keep);
    for (heading, rows) in &sections {
        let _ = writeln!(text, "\n{heading}");
        text.extend(rows.iter().map(|row| line(row, &widths, &keep)));
    }
    let left_out: Vec<&str> =
        HEAD.into_iter().zip(&keep).filter(|(_, keep)| !**keep).map(|(name, _)| name).collect();
    if !left_out.is_empty() {
        let _ = writeln!(
            text,
            "\nno room for: {}; `suffrage algorithms NAME` has all of it",
            left_out.join(", ")
        );
    }
    text.push_str(
        "\nn processes, k initiators, |E| links; H_n = 1 + 1/2 + ... + 1/n; \
         D(n) = floor(n/1) + floor(n/2) + ... + floor(n/n)\n\
         n = 1,024: the most messages, announcement included, if all of 1,024 processes initiate\n",
    );
    match forms {
        true => text.push_str(&differences(listed)),
        false => text.push_str("--all lists the forms that sources print, too\n"),
    }
    text
}

type Cells = [String; HEAD.len()];

/// The heading and the rows of a group, the smallest bound first; `None` if it has no rows.
fn section(group: &Group, listed: &[&Algorithm]) -> Option<(&'static str, Vec<Cells>)> {
    let mut rows: Vec<&Algorithm> =
        listed.iter().copied().filter(|row| self::group(row.network).name == group.name).collect();
    // Stable: of several with the same bound the first one of the catalogue stays the first.
    rows.sort_by_key(|row| group.bound(row));
    let cells = |row: &&Algorithm| {
        [
            row.name.to_owned(),
            network(row.network).to_owned(),
            format!("{:>9}", grouped(group.bound(row))),
            cost(&row.claims.election),
            cost(&row.claims.announcement),
            row.claims.rule.words().to_owned(),
            row.paper.to_owned(),
        ]
    };
    let rows: Vec<Cells> = rows.iter().map(cells).collect();
    (!rows.is_empty()).then_some((group.heading, rows))
}

/// A line of the table, with the columns to keep.
fn line(row: &Cells, widths: &[usize], keep: &[bool]) -> String {
    let mut text = String::new();
    for ((cell, &width), _) in row.iter().zip(widths).zip(keep).filter(|(_, keep)| **keep) {
        let _ = write!(text, "{cell:<width$}  ");
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
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
