//! The order in which ports are numbered.

use crate::random::Key;

/// The order in which a node's ports are numbered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ports {
    /// In the order of the neighbours' numbers, counted from the node itself and around: port 0
    /// leads to the first neighbour after the node. Complete networks and rings have their sense of
    /// direction only in this order; hypercubes and tori that were [fitted](crate::Topology::fit) to have
    /// one, in the order of the directions instead.
    #[default]
    Rotation,
    /// In a random order, independent at each node.
    Random,
}

/// An order of the ports of all nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortArrangement(Option<Key>);

impl PortArrangement {
    pub(crate) fn new(ports: Ports, seed: u64) -> Self {
        Self(match ports {
            Ports::Rotation => None,
            Ports::Random => Some(Key::new(seed, "ports")),
        })
    }

    /// Arranges what belongs to the neighbours of a node, which are given in ascending order, in the
    /// order of its ports: from the first neighbour after the node itself on, or in a uniformly random
    /// order that depends on the key and the node alone.
    pub(crate) fn arrange<T>(self, node: u32, neighbours: &[u32], list: &mut [T]) {
        list.rotate_left(neighbours.partition_point(|&neighbour| neighbour < node));
        if let Some(key) = self.0.map(|key| key.at(u64::from(node))) {
            for i in (1..list.len()).rev() {
                list.swap(i, key.at(i as u64).below(i as u64 + 1) as usize);
            }
        }
    }
}
