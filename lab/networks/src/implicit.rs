//! Networks whose neighbours are computed, with 64-bit node numbers.

use crate::{Ports, Shape, Spec, random::Key, wiring::Wiring};
use std::fmt;
use suffrage_model::{NetworkClass, Port};

/// A network whose neighbours are computed and not stored, with its ports numbered.
///
/// It has the nodes, ports and link numbers of the [`Wiring`] that
/// [`Spec::build`] and [`Topology::wire`](crate::Topology::wire) make of the same specification, but
/// takes a few words, and may have more nodes than a `Wiring`.
///
/// ```
/// use suffrage_model::Port;
/// use suffrage_networks::{Ports, Spec};
///
/// let torus = Spec::unlimited("torus:100000x100000")?.implicit(Ports::Rotation, 1);
/// let torus = torus.ok_or("no such network")?;
/// assert_eq!(torus.nodes(), 10_000_000_000);
/// let (node, back) = torus.across(5_000_000_000, Port(0)).ok_or("no such port")?;
/// assert_eq!((node, torus.across(node, back)), (5_000_000_001, Some((5_000_000_000, Port(0)))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Implicit {
    spec: Spec,
    ports: Ports,
    seed: u64,
    shape: Shape,
    order: PortNumbering,
}

/// The order in which a node's ports are numbered.
#[derive(Clone, Debug)]
enum PortNumbering {
    /// The numbering of a complete network, which has no more nodes than a wiring: as many ports as there are
    /// others, and ports have 32 bits.
    Complete(Wiring),
    /// The order of the neighbours' numbers.
    Rotation,
    /// Any, by this key.
    Random(Key),
}

/// The greatest number of nodes, so that no sum of links overflows.
const MOST: u64 = 1 << 48;

/// The greatest number of ports of a node that are numbered at random.
const SHUFFLED: u32 = 64;

impl Spec {
    /// Returns the network, its ports numbered, as one whose neighbours are computed; `None` if that is
    /// not possible: for those without a [shape](Self::shape), for those of more than 2^48 nodes, and
    /// for random port numbers where a node of a tree has more than 64 ports.
    ///
    /// Takes constant time and memory.
    #[must_use]
    pub fn implicit(&self, ports: Ports, seed: u64) -> Option<Implicit> {
        let shape = self.shape().filter(|shape| shape.nodes() <= MOST)?;
        let wide = matches!(shape, Shape::Tree { children, nodes }
            if children.min(nodes - 1) + u64::from(nodes - 1 > children) > u64::from(SHUFFLED));
        let order = match (self, ports) {
            (&Self::Complete { nodes }, Ports::Random) => {
                PortNumbering::Complete(Wiring::complete_shuffled(nodes, seed))
            }
            (&Self::Complete { nodes }, Ports::Rotation) => {
                PortNumbering::Complete(Wiring::complete(nodes))
            }
            (_, Ports::Rotation) => PortNumbering::Rotation,
            (_, Ports::Random) if wide => return None,
            (Self::Ring { .. }, Ports::Random) => {
                PortNumbering::Random(Key::new(seed, "ring ports"))
            }
            (_, Ports::Random) => PortNumbering::Random(Key::new(seed, "ports")),
        };
        Some(Implicit { spec: *self, ports, seed, shape, order })
    }
}

impl Implicit {
    /// Returns the number of nodes.
    #[must_use]
    pub const fn nodes(&self) -> u64 {
        self.shape.nodes()
    }

    /// Returns the number of links, each counted once.
    #[must_use]
    pub const fn links(&self) -> u64 {
        self.shape.links()
    }

    /// Returns the specification.
    #[must_use]
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Returns the diameter: the greatest distance of two nodes, in links. Takes logarithmic time.
    #[must_use]
    pub fn diameter(&self) -> u64 {
        self.shape.diameter()
    }

    /// Returns whether an algorithm for `network` can run on it as its ports are numbered; see
    /// [`Shape::fits`].
    #[must_use]
    pub fn fits(&self, network: NetworkClass) -> bool {
        self.shape.fits(network, self.ports == Ports::Rotation)
    }

    /// Returns the number of ports of a node.
    #[inline]
    #[must_use]
    pub fn degree(&self, node: u64) -> u32 {
        self.shape.degree(node)
    }

    /// Returns the other end of the link at a port, or `None` if the node has no such port. Takes
    /// constant time, or time linear in the degrees of both nodes where ports are numbered at random.
    #[inline]
    #[must_use]
    pub fn across(&self, node: u64, port: Port) -> Option<(u64, Port)> {
        if port.0 >= self.degree(node) {
            return None;
        }
        match (&self.order, &self.shape) {
            (PortNumbering::Complete(wiring), _) => {
                let end = wiring.across(node as u32, port);
                Some((end.node.into(), end.port))
            }
            (order, Shape::Ring(nodes)) => {
                let flipped = |node: u64| matches!(order, PortNumbering::Random(key) if key.at(node).bits() & 1 == 1);
                let forward = (port.0 == 0) ^ flipped(node);
                let to = match forward {
                    true if node + 1 == *nodes => 0,
                    true => node + 1,
                    false if node == 0 => nodes - 1,
                    false => node - 1,
                };
                Some((to, Port(u32::from(forward ^ flipped(to)))))
            }
            (PortNumbering::Rotation, shape) => {
                let to = shape.neighbour(node, port.0);
                Some((to, Port(shape.place(to, node))))
            }
            (PortNumbering::Random(key), shape) => {
                let to = shape.neighbour(node, self.shuffled(*key, node)[port.0 as usize].into());
                let place = shape.place(to, node);
                let back = self.shuffled(*key, to).iter().position(|&at| u32::from(at) == place);
                Some((to, Port(back.unwrap_or_default() as u32)))
            }
        }
    }

    /// Returns the number of the one-way link that leaves `node` through `port`: the links of nodes
    /// are numbered one after the other.
    #[must_use]
    pub fn link(&self, node: u64, port: Port) -> u64 {
        self.shape.link(node, port)
    }

    /// Returns the number of one-way links of these nodes, if it grows no faster than their number; `None` on complete
    /// networks.
    #[must_use]
    pub fn dense_links(&self) -> Option<u64> {
        match &self.shape {
            Shape::Complete(_) => None,
            shape => Some(shape.link(shape.nodes(), Port(0))),
        }
    }

    fn shuffled(&self, key: Key, node: u64) -> [u8; SHUFFLED as usize] {
        let key = key.at(node);
        let mut order = std::array::from_fn(|place| place as u8);
        for i in (1..u64::from(self.degree(node))).rev() {
            order.swap(i as usize, key.at(i).below(i + 1) as usize);
        }
        order
    }
}

impl fmt::Display for Implicit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.spec)?;
        match self.ports {
            Ports::Rotation => Ok(()),
            Ports::Random => write!(f, ", ports random, seed {}", self.seed),
        }
    }
}

#[cfg(test)]
mod tests;
