//! One suite for the whole catalogue: every algorithm, on every network that it declares, under
//! every schedule, for every order of identities, kind of initiators and capacity of links.
//!
//! Sizes are all of 1 to 16 and some up to 64; those above 16 take minutes, and belong to `.ci/evidence`. Nothing is sampled: every network of every size meets
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

/// All small sizes, some more, and powers of two with their neighbours.
const SMALL: [u32; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16];
const LARGE: [u32; 4] = [17, 31, 32, 64];

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

/// Runs every algorithm for some networks of these sizes, and says how many runs that were.
fn run_all(declared: &[NetworkClass], sizes: &[u32]) -> u64 {
    Algorithm::asynchronous()
        .filter(|row| declared.contains(&row.network))
        .flat_map(|row| sizes.iter().flat_map(|&n| networks(row.network, n)).map(move |n| (row, n)))
        .map(|(row, network)| run(row, &network))
        .sum()
}

const COMPLETE: &[NetworkClass] = &[NetworkClass::Complete, NetworkClass::OrientedComplete];
const RINGS: &[NetworkClass] =
    &[NetworkClass::Ring, NetworkClass::OrientedRing, NetworkClass::HomonymRing];
const HYPERCUBES: &[NetworkClass] = &[NetworkClass::Hypercube, NetworkClass::OrientedHypercube];

#[test]
fn complete_networks() {
    assert_eq!(run_all(COMPLETE, &SMALL), 63_360);
}

#[test]
fn rings() {
    assert_eq!(run_all(RINGS, &SMALL), 115_200);
}

#[test]
fn hypercubes() {
    assert_eq!(run_all(HYPERCUBES, &SMALL), 2400);
}

#[test]
fn trees() {
    assert_eq!(run_all(&[NetworkClass::Tree], &SMALL), 86_400);
}

#[test]
fn connected_networks() {
    assert_eq!(run_all(&[NetworkClass::Connected], &SMALL), 326_400);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn larger_networks() {
    let held = [COMPLETE, RINGS, HYPERCUBES, &[NetworkClass::Tree], &[NetworkClass::Connected]]
        .map(|declared| run_all(declared, &LARGE));
    assert_eq!(held, [21_120, 38_400, 960, 28_800, 110_400]);
}
