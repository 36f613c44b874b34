//! Networks made from their specifications.

use super::{Spec, SpecError};
use crate::generate::{lattice, random, regular, tree};
use crate::graph::Graph;
use crate::random::Generator;
use crate::topology::{Shape, Topology};

impl Spec {
    /// Makes the network: the same one for the same seed, on any machine.
    ///
    /// Takes time and memory linear in the number of nodes and links, except
    /// [`Regular`](Self::Regular), whose time grows with the square of the degree. Implicit
    /// networks take neither. [`memory`](Self::memory) estimates the memory beforehand.
    ///
    /// # Errors
    /// If a parameter is out of its range, the network too large, or a random network could not be
    /// made connected.
    pub fn build(&self, seed: u64) -> Result<Topology, SpecError> {
        self.check()?;
        let shape = match *self {
            Self::Complete { nodes } => Shape::Complete(nodes),
            Self::Ring { nodes } => Shape::Ring(nodes),
            _ => Shape::Graph(self.graph(seed)?),
        };
        Ok(Topology::new(shape, self.kind(), self.to_string()))
    }

    fn graph(&self, seed: u64) -> Result<Graph, SpecError> {
        // One stream for each kind: trees of a seed are independent of its regular graphs.
        let mut generator = Generator::new(seed, self.kind());
        let links = match *self {
            Self::Complete { nodes } => lattice::complete(nodes),
            Self::Ring { nodes } => lattice::torus(1, nodes),
            Self::Chordal { nodes, chord } => lattice::chordal(nodes, chord),
            Self::Path { nodes } => lattice::grid(1, nodes),
            Self::Star { nodes } => tree::star(nodes),
            Self::Tree { children, nodes } => tree::balanced(children, nodes),
            Self::RandomTree { nodes } => tree::uniform(nodes, &mut generator),
            Self::Grid { rows, columns } => lattice::grid(rows, columns),
            Self::Torus { rows, columns } => lattice::torus(rows, columns),
            Self::Hypercube { dimension } => lattice::hypercube(dimension),
            Self::Regular { nodes, degree } => {
                regular::connected(nodes, degree, &mut generator).ok_or_else(|| {
                    SpecError::NotFound { spec: self.to_string(), tries: regular::TRIES }
                })?
            }
            Self::ErdosRenyi { nodes, probability } => {
                random::connected(nodes, probability, &mut generator).ok_or_else(|| {
                    let n = f64::from(nodes);
                    let (spec, tries) = (self.to_string(), random::TRIES);
                    SpecError::Disconnected { spec, tries, threshold: libm::log(n) / n }
                })?
            }
            Self::BarabasiAlbert { nodes, links } => {
                random::preferential(nodes, links, &mut generator)
            }
        };
        Ok(Graph::new(self.size().0 as u32, &links))
    }
}
