//! The spanning tree along which nodes learn that all have halted.

use std::collections::VecDeque;
use suffrage_model::{NetworkClass, Port};
use suffrage_networks::wiring::Wiring;

/// A spanning tree of the network, rooted at node 0: a breadth-first tree, or on complete networks
/// a binary heap, in which no node has more than three links.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The port of each node towards the root.
    parents: Vec<Option<Port>>,
    /// The ports of each node away from the root.
    children: Vec<Vec<Port>>,
}

impl Tree {
    pub(crate) fn of(wiring: &Wiring) -> Self {
        let nodes = wiring.nodes() as usize;
        let mut tree = Self { parents: vec![None; nodes], children: vec![Vec::new(); nodes] };
        if wiring.fits(NetworkClass::Complete) {
            for child in 1..wiring.nodes() {
                let parent = (child - 1) / 2;
                let to_parent = |&port: &Port| wiring.across(child, port).node == parent;
                if let Some(port) = (0..wiring.degree(child)).map(Port).find(to_parent) {
                    tree.join(wiring, child, port);
                }
            }
            return tree;
        }
        let mut reached = vec![false; nodes];
        reached[0] = true;
        let mut queue = VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            for port in (0..wiring.degree(node)).map(Port) {
                let end = wiring.across(node, port);
                if !std::mem::replace(&mut reached[end.node as usize], true) {
                    tree.join(wiring, end.node, end.port);
                    queue.push_back(end.node);
                }
            }
        }
        tree
    }

    fn join(&mut self, wiring: &Wiring, child: u32, port: Port) {
        let end = wiring.across(child, port);
        self.parents[child as usize] = Some(port);
        self.children[end.node as usize].push(end.port);
    }

    pub(crate) fn parent(&self, node: u32) -> Option<Port> {
        self.parents[node as usize]
    }

    pub(crate) fn children(&self, node: u32) -> &[Port] {
        &self.children[node as usize]
    }
}

#[cfg(test)]
mod tests;
