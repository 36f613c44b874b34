//! The choice of an algorithm for a network.

use suffrage_algorithms::{Algorithm, CATALOGUE, Parameters};
use suffrage_networks::{Ports, Topology};

/// The algorithm of the catalogue that suits a network best, and what it was chosen from.
///
/// ```
/// use suffrage::choice::Choice;
/// use suffrage::networks::{Ports, Spec};
///
/// let ring = "ring:100".parse::<Spec>()?.build(1)?;
/// let choice = Choice::best(&ring, Ports::Rotation, 100).ok_or("no algorithm fits")?;
/// assert_eq!(choice.algorithm.name, "higham-przytycka");
/// assert_eq!(choice.bound, 1084);
/// let rivals: Vec<_> = choice.rivals.iter().map(|rival| rival.algorithm.name).collect();
/// assert_eq!(rivals[0], "peterson");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Choice {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The most messages that it sends on this network.
    pub bound: u64,
    /// The other algorithms that fit, the one with the smallest bound first.
    pub rivals: Vec<Rival>,
}

/// An algorithm that fits a network, too.
#[derive(Clone, Copy)]
pub struct Rival {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The most messages that it sends on the network.
    pub bound: u64,
}

impl Choice {
    /// Chooses, of the correct algorithms that fit a network whose ports are numbered in this way,
    /// the one with the smallest bound for this number of initiators, and identities from 1 on; of
    /// several the first in the catalogue. Returns `None` if none fits.
    #[must_use]
    pub fn best(topology: &Topology, ports: Ports, initiators: u64) -> Option<Self> {
        let parameters = Parameters::new(topology.nodes().into(), topology.links(), initiators);
        let rival = |algorithm: &'static Algorithm| Rival {
            algorithm,
            bound: algorithm.claims.bound(&parameters),
        };
        let mut rivals: Vec<Rival> = fitting(topology, ports).map(rival).collect();
        rivals.sort_by_key(|rival| rival.bound);
        if rivals.is_empty() {
            return None;
        }
        let Rival { algorithm, bound } = rivals.remove(0);
        Some(Self { algorithm, bound, rivals })
    }
}

/// Returns the correct algorithms of the catalogue that fit a network whose ports are numbered in
/// this way.
pub fn fitting(
    topology: &Topology,
    ports: Ports,
) -> impl Iterator<Item = &'static Algorithm> + use<'_> {
    CATALOGUE.iter().filter(move |algorithm| fits(algorithm, topology, ports))
}

/// Returns whether an algorithm fits a network whose ports are numbered in this way.
#[must_use]
pub fn fits(algorithm: &Algorithm, topology: &Topology, ports: Ports) -> bool {
    topology.fits(algorithm.network)
        && (ports == Ports::Rotation || !algorithm.network.is_oriented())
}
