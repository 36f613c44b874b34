//! One suite for the whole catalogue: every algorithm, on every network that it declares, under
//! every schedule, for every order of identities, kind of initiators and capacity of links.
//!
//! Sizes are all of 1 to 16 and some up to 64. Nothing is sampled: every network of every size meets
//! every schedule, order of identities, kind of initiators and capacity, each run with a seed of
//! its own. An algorithm that is added to the catalogue is tested here without another line.
//!
//! Each test pins how many elections it holds, so that none goes missing; together 793,440.

pub(crate) mod networks;
mod standard;

use crate::common::{schedules, some_of};
use networks::Named;
pub(crate) use networks::networks;
use standard::Held;
use suffrage_algorithms::Algorithm;
use suffrage_model::NetworkClass;
use suffrage_networks::Ids;
use suffrage_networks::random::Generator;
use suffrage_simulator::{Experiment, Wakes};

/// All small sizes, and a spread of powers of two, their neighbours and others.
const SIZES: [u32; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 31, 32, 64];

const CAPACITIES: [Option<u32>; 3] = [None, Some(1), Some(2)];

/// The kinds of initiators: all, one, some, and all at their own times.
fn wakes(kind: usize, nodes: u32, seed: u64) -> Wakes {
    let mut random = Generator::new(seed, "wakes");
    let count = match kind {
        0 => return Wakes::All,
        1 => 1,
        2 => 1 + random.below(nodes.into()) as u32,
        _ => nodes,
    };
    let spread = if kind == 3 { 2 * u64::from(nodes) } else { 1 };
    let chosen = some_of(nodes, count, seed);
    Wakes::At(chosen.into_iter().map(|node| (random.below(spread), node)).collect())
}

/// Runs an algorithm on a network under everything, and says how many runs that were.
fn run(row: &'static Algorithm, network: &Named) -> u64 {
    let mut runs = 0;
    let nodes = network.wiring.nodes();
    for schedule in schedules() {
        // To a process scattered identities are random ones.
        for order in Ids::ALL.into_iter().filter(|&order| order != Ids::Scattered) {
            for kind in 0..4 {
                for capacity in CAPACITIES {
                    let seed = (runs << 8) + u64::from(nodes);
                    let ids = order.assign(nodes, seed);
                    let experiment = Experiment {
                        schedule: schedule.clone(),
                        wakes: wakes(kind, nodes, seed),
                        capacity,
                        seed,
                        ..Experiment::new(&network.wiring, &ids)
                    };
                    Held { row, network, order, experiment: &experiment }.check();
                    runs += 1;
                }
            }
        }
    }
    runs
}

/// Runs every algorithm for some networks, and says how many runs that were.
fn run_all(declared: &[NetworkClass]) -> u64 {
    Algorithm::asynchronous()
        .filter(|row| declared.contains(&row.network))
        .flat_map(|row| SIZES.iter().flat_map(|&n| networks(row.network, n)).map(move |n| (row, n)))
        .map(|(row, network)| run(row, &network))
        .sum()
}

#[test]
fn complete_networks() {
    assert_eq!(run_all(&[NetworkClass::Complete, NetworkClass::OrientedComplete]), 84_480);
}

#[test]
fn rings() {
    let rings = [NetworkClass::Ring, NetworkClass::OrientedRing, NetworkClass::HomonymRing];
    assert_eq!(run_all(&rings), 153_600);
}

#[test]
fn hypercubes() {
    assert_eq!(run_all(&[NetworkClass::Hypercube, NetworkClass::OrientedHypercube]), 3_360);
}

#[test]
fn trees() {
    assert_eq!(run_all(&[NetworkClass::Tree]), 115_200);
}

#[test]
fn connected_networks() {
    assert_eq!(run_all(&[NetworkClass::Connected]), 436_800);
}
