//! Which processes are neighbours, and in a tree on which side of a link each process is.

use crate::Configuration;
use alloc::{vec, vec::Vec};
use suffrage_model::{NetworkClass, Port, Process};

/// The links of a network in which ports tell no direction.
#[derive(Debug, Default)]
pub(crate) struct LinkRelations {
    /// For each process those to which its ports lead.
    pub(crate) neighbours: Vec<Vec<u32>>,
    /// In a tree for each process the numbers of its subtree, seen from process 0, in one order.
    subtrees: Vec<(u32, u32)>,
}

impl LinkRelations {
    pub(crate) fn of<P: Process>(now: &Configuration<'_, P>) -> Self {
        if P::NETWORK.unoriented() == NetworkClass::Ring
            || P::NETWORK == NetworkClass::OrientedComplete
        {
            return Self::default();
        }
        let neighbours: Vec<Vec<u32>> = now
            .nodes()
            .map(|(node, of)| {
                (0..of.degree).map(|port| now.across(node, Port(port)).node).collect()
            })
            .collect();
        let subtrees = match P::NETWORK {
            NetworkClass::Tree => subtrees(&neighbours),
            _ => Vec::new(),
        };
        Self { neighbours, subtrees }
    }

    /// Returns whether a link joins two processes.
    pub(crate) fn are_near(&self, one: u32, other: u32) -> bool {
        self.neighbours.get(one as usize).is_some_and(|near| near.contains(&other))
    }

    /// Returns whether a process is on the side of `to` of the link between `from` and `to`, in a tree.
    pub(crate) fn is_beyond(&self, from: u32, to: u32, process: u32) -> bool {
        let within = |of: u32, root: u32| {
            let (first, end) = self.subtrees[root as usize];
            (first..end).contains(&self.subtrees[of as usize].0)
        };
        !self.subtrees.is_empty()
            && self.are_near(from, to)
            && if within(to, from) { within(process, to) } else { !within(process, from) }
    }
}

/// Numbers the processes of a tree such that those of each subtree follow each other.
fn subtrees(neighbours: &[Vec<u32>]) -> Vec<(u32, u32)> {
    let mut subtrees = vec![(u32::MAX, 0); neighbours.len()];
    let (mut open, mut next) = (vec![0_u32], 0);
    while let Some(&node) = open.last() {
        let subtree = &mut subtrees[node as usize];
        if subtree.0 == u32::MAX {
            subtree.0 = next;
            next += 1;
            let below = neighbours[node as usize].iter().copied();
            open.extend(below.filter(|&of| subtrees[of as usize].0 == u32::MAX));
        } else {
            subtree.1 = next;
            open.pop();
        }
    }
    subtrees
}
