//! Invariants on request: they hold in the elections of the catalogue, and change none of them.

use crate::common::{network_for, room, schedules, wired};
use suffrage_algorithms::CATALOGUE;
use suffrage_model::NetworkClass;
use suffrage_networks::{Ids, Ports, wiring::Wiring};
use suffrage_simulator::{Experiment, Fault, Schedule, Simulator};

#[test]
fn they_hold_and_an_election_is_the_same_with_them() {
    for row in CATALOGUE {
        for (nodes, seed) in [(1, 1), (2, 2), (5, 3), (12, 4)] {
            let wiring = match (row.network, nodes) {
                (NetworkClass::Complete, _) => Wiring::complete_shuffled(nodes, seed),
                (NetworkClass::Connected, 1) => network_for(NetworkClass::Tree, 1),
                (network, _) => network_for(network, nodes),
            };
            let nodes = wiring.nodes();
            let ids = Ids::Random.assign(nodes, seed);
            for schedule in schedules() {
                for capacity in [None, Some(room(row, nodes))] {
                    let schedule = schedule.clone();
                    let experiment =
                        Experiment { schedule, capacity, seed, ..Experiment::new(&wiring, &ids) };
                    let alone = Simulator::of(row, experiment.clone()).run().unwrap();
                    let held = Simulator::of(row, experiment).invariants(true).run().unwrap();
                    assert!(held.violations.is_empty(), "{}: {:?}", row.name, held.violations);
                    assert_eq!(alone, held, "{}", row.name);
                }
            }
        }
    }
}

#[test]
fn they_are_not_looked_at_where_something_goes_wrong() {
    let row = CATALOGUE.iter().find(|row| row.name == "lelann").expect("a row");
    let wiring = wired("ring:6", Ports::Rotation, 1);
    let ids = Ids::Random.assign(6, 1);
    let faults = vec![Fault::Loss(suffrage_networks::Amount::Probability(0.5))];
    let experiment =
        Experiment { schedule: Schedule::Random, faults, ..Experiment::new(&wiring, &ids) };
    let outcome = Simulator::of(row, experiment).invariants(true).run().unwrap();
    let names = row.invariants();
    assert!(outcome.violations.iter().all(|of| !names.contains(&of.violation.property.name())));
}
