//! Networks that are made.
//!
//! `petgraph` 0.8 offers no such generators: its unstable `generate` feature enumerates all graphs
//! of a size.

mod lattice;
mod random;
mod regular;
mod tree;

use crate::graph::Graph;
use crate::random::Generator;
use crate::spec::{Spec, SpecError};

/// Links of a network under construction.
type Links = Vec<(u32, u32)>;

/// The network that a specification within its ranges describes.
pub(crate) fn graph(spec: &Spec, seed: u64) -> Result<Graph, SpecError> {
    // One stream for each kind: trees of a seed have nothing to do with its regular graphs.
    let mut random = Generator::new(seed, spec.kind());
    let links = match *spec {
        Spec::Complete { nodes } => lattice::complete(nodes),
        Spec::Ring { nodes } => lattice::torus(1, nodes),
        Spec::Path { nodes } => lattice::grid(1, nodes),
        Spec::Star { nodes } => tree::star(nodes),
        Spec::Tree { children, nodes } => tree::balanced(children, nodes),
        Spec::RandomTree { nodes } => tree::uniform(nodes, &mut random),
        Spec::Grid { rows, columns } => lattice::grid(rows, columns),
        Spec::Torus { rows, columns } => lattice::torus(rows, columns),
        Spec::Hypercube { dimension } => lattice::hypercube(dimension),
        Spec::Regular { nodes, degree } => regular::connected(nodes, degree, &mut random)
            .ok_or_else(|| SpecError::NotFound { spec: spec.to_string(), tries: regular::TRIES })?,
        Spec::ErdosRenyi { nodes, probability } => {
            random::connected(nodes, probability, &mut random).ok_or_else(|| {
                let n = f64::from(nodes);
                let (spec, tries) = (spec.to_string(), random::TRIES);
                SpecError::Disconnected { spec, tries, threshold: libm::log(n) / n }
            })?
        }
        Spec::BarabasiAlbert { nodes, links } => random::preferential(nodes, links, &mut random),
    };
    Ok(Graph::new(spec.size().0 as u32, &links))
}
