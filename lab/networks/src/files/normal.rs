//! Conversion of the content of a file to a network.

use super::error::{Components, FileError};
use super::raw::Raw;
use crate::graph::{self, Graph};
use crate::names::Names;
use crate::topology::{Note, Shape, Topology};

/// The number of components that a message lists, and the number of nodes of each.
pub(super) const SHOWN: (usize, usize) = (5, 3);

pub(super) fn topology(
    raw: Raw,
    path: &str,
    largest_component: bool,
    note: Option<Note>,
) -> Result<Topology, FileError> {
    let mut nodes = raw.ids.names.len();
    if nodes == 0 {
        return Err(FileError::Empty { path: path.to_owned() });
    }
    let mut labels = labels(raw.ids.names, raw.labels);
    let mut positions = (!raw.positions.is_empty()).then(|| vec![None; nodes as usize]);
    for (node, position) in raw.positions {
        if let Some(positions) = &mut positions {
            positions[node as usize] = Some(position);
        }
    }
    let mut links = raw.links;
    let mut notes: Vec<Note> = note.into_iter().collect();
    notes.extend(raw.header.map(|line| Note::Header { line }));
    notes.extend(counted([
        Note::Weights(raw.weights),
        Note::Columns(raw.columns),
        Note::Directed(raw.directed),
    ]));

    if !graph::connected(nodes, &links) {
        let component = graph::components(nodes, &links);
        let by_size = by_size(&component);
        if !largest_component {
            let components = describe(&component, &by_size, &labels);
            return Err(FileError::Disconnected { path: path.to_owned(), components });
        }
        let (size, chosen) = by_size[0];
        notes.push(Note::LargestComponent {
            of: by_size.len() as u64,
            nodes: size,
            of_nodes: nodes,
        });
        // A node that is not chosen keeps a number that no link uses.
        let mut number = vec![0; nodes as usize];
        let members = (0..nodes).filter(|&node| component[node as usize] == chosen);
        for (new, old) in (0..).zip(members.clone()) {
            number[old as usize] = new;
        }
        labels = members.clone().map(|node| labels.get(node)).collect();
        positions = positions.map(|all| members.map(|node| all[node as usize]).collect());
        links.retain(|&(a, _)| component[a as usize] == chosen);
        for (a, b) in &mut links {
            (*a, *b) = (number[*a as usize], number[*b as usize]);
        }
        nodes = size;
    }

    let loops = links.iter().filter(|(a, b)| a == b).count() as u64;
    let graph = Graph::new(nodes, &links);
    let parallel = links.len() as u64 - loops - graph.links();
    notes.extend(counted([Note::ParallelLinks(parallel), Note::SelfLoops(loops)]));
    let ring = || (0..nodes).all(|node| graph.neighbours(node).len() == 2);
    let (kind, source) = (kind(nodes.into(), graph.links(), ring), path.to_owned());
    let (shape, labels) = (Shape::Graph(graph), Some(labels));
    Ok(Topology { shape, kind, source, labels, positions, notes })
}

pub(super) fn counted<const N: usize>(notes: [Note; N]) -> impl Iterator<Item = Note> {
    notes.into_iter().filter(|note| {
        !matches!(
            note,
            Note::Weights(0)
                | Note::Columns(0)
                | Note::Directed(0)
                | Note::ParallelLinks(0)
                | Note::SelfLoops(0)
        )
    })
}

/// Returns the kind of a connected graph, the first of these that fits; `ring` says whether each node
/// has two neighbours.
pub(super) fn kind(nodes: u64, links: u64, ring: impl FnOnce() -> bool) -> &'static str {
    if links == nodes * (nodes - 1) / 2 {
        "complete"
    } else if links + 1 == nodes {
        "tree"
    } else if ring() {
        "ring"
    } else {
        "graph"
    }
}

/// Returns the size and name of each component, the largest first, of equal ones the one with the
/// first node.
fn by_size(component: &[u32]) -> Vec<(u32, u32)> {
    let mut size = vec![0_u32; component.len()];
    for &name in component {
        size[name as usize] += 1;
    }
    let mut all: Vec<_> = size.into_iter().zip(0..).filter(|&(size, _)| size > 0).collect();
    all.sort_by_key(|&(size, name)| (std::cmp::Reverse(size), name));
    all
}

fn describe(component: &[u32], by_size: &[(u32, u32)], labels: &Names) -> Components {
    let largest = by_size.iter().take(SHOWN.0).map(|&(size, name)| {
        let members = (0..labels.len()).filter(|&node| component[node as usize] == name);
        (size, members.take(SHOWN.1).map(|node| labels.get(node).to_owned()).collect())
    });
    Components { count: by_size.len() as u64, largest: largest.collect() }
}

fn labels(ids: Names, labels: Vec<(u32, String)>) -> Names {
    if labels.is_empty() && !ids.iter().any(|id| id.contains(char::is_control)) {
        return ids;
    }
    let mut names: Vec<String> = ids.iter().map(one_line).collect();
    for (node, label) in labels {
        let label = one_line(&label);
        if !label.is_empty() {
            names[node as usize] = label;
        }
    }
    // Ids are unique, and so are names that end in them, unless a third name already looks like
    // that: repeat until none does.
    loop {
        let all: Names = names.iter().map(String::as_str).collect();
        let mut shared: Vec<u32> = all
            .sorted()
            .chunk_by(|&a, &b| all.get(a) == all.get(b))
            .filter(|same| same.len() > 1)
            .flatten()
            .copied()
            .collect();
        if shared.is_empty() {
            return all;
        }
        shared.sort_unstable();
        for node in shared {
            names[node as usize] += &format!(" [{}]", ids.get(node).escape_debug());
        }
    }
}

/// Replaces white space and control characters by single spaces.
fn one_line(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_unique_by_their_ids() {
        let ids: Names = ["1", "2", "3", "4"].into_iter().collect();
        let given = [(0, "A"), (1, "B"), (2, "A"), (3, " A\n[3] ")];
        let given = given.map(|(node, label)| (node, label.to_owned())).to_vec();
        let names = labels(ids, given);
        assert_eq!(
            names.iter().collect::<Vec<_>>(),
            ["A [1]", "B", "A [3] [3]", "A [3] [4]"],
            "a name that looks like one made unique is told apart as well"
        );
    }
}
