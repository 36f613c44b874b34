//! An election on one core and by workers: the same outcome.

use std::ops::ControlFlow;
use suffrage_algorithms::Algorithm;
use suffrage_distributed::{ElectError, Team, elect};
use suffrage_process::{NetworkClass, Timing};
use suffrage_simulator::{Experiment, Pace, Schedule, Simulator, Wakes};
use suffrage_topology::{Ids, Ports, Spec, wiring::Wiring};

/// A network of a few nodes on which every algorithm for `network` runs.
fn network_for(network: NetworkClass) -> Wiring {
    let made = |spec: &str| {
        let spec: Spec = spec.parse().expect("a specification");
        spec.build(3).expect("a network").wire(Ports::Rotation, 3)
    };
    match network {
        NetworkClass::Complete | NetworkClass::OrientedComplete => Wiring::complete(17),
        NetworkClass::Ring | NetworkClass::OrientedRing => Wiring::ring(17),
        NetworkClass::Tree => made("tree:random:17"),
        NetworkClass::Connected => made("erdos-renyi:17:0.4"),
    }
}

fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn every_algorithm_has_the_same_outcome_with_any_number_of_workers() {
    // Those that rely on rounds count them by alarms, which are for one worker.
    let all = Algorithm::all().filter(|row| row.timing == Timing::Asynchronous);
    for (number, algorithm) in (0..).zip(all) {
        let wiring = network_for(algorithm.network);
        let ids = Ids::Random.assign(wiring.nodes(), 5);
        // All three paces in turn, for every three algorithms.
        for (place, pace) in
            [Pace::Unit, Pace::Uniform(5), Pace::PerLink(5)].into_iter().enumerate()
        {
            let schedule = Schedule::Rounds(pace);
            let wakes = match place {
                0 => Wakes::All,
                _ => Wakes::At(vec![(0, 3), (4, 16), (4, 0), (9, 1)]),
            };
            let event_limit = 10_000;
            let experiment =
                Experiment { schedule, wakes, event_limit, ..Experiment::new(&wiring, &ids) };
            let one = Simulator::of(algorithm, experiment.clone()).run().expect("possible");
            for workers in [1 + (number + place as u32) % 3, 2] {
                let team = Team::of_threads(workers);
                let many = elect(algorithm, &experiment, team, &mut go_on).expect("possible");
                let schedule = &experiment.schedule;
                assert_eq!(many.as_ref(), Some(&one), "{} {schedule} {workers}", algorithm.name);
            }
        }
    }
}

#[test]
fn more_workers_than_processes_are_no_harm() {
    let (ring, ids) = (Wiring::ring(2), Ids::Random.assign(2, 1));
    let schedule = Schedule::Rounds(Pace::Unit);
    let experiment = Experiment { schedule, ..Experiment::new(&ring, &ids) };
    let algorithm = Algorithm::named("lelann").expect("in the catalogue");
    let one = Simulator::of(algorithm, experiment.clone()).run().expect("possible");
    let many = elect(algorithm, &experiment, Team::of_threads(5), &mut go_on).expect("possible");
    assert_eq!(many, Some(one));
}

#[test]
fn an_election_can_be_interrupted() {
    let (ring, ids) = (Wiring::ring(500), Ids::Random.assign(500, 1));
    let schedule = Schedule::Rounds(Pace::Unit);
    let experiment = Experiment { schedule, ..Experiment::new(&ring, &ids) };
    let algorithm = Algorithm::named("lelann").expect("in the catalogue");
    let mut stop = |delivered| match delivered {
        0..2000 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let outcome = elect(algorithm, &experiment, Team::of_threads(2), &mut stop);
    let outcome = outcome.expect("possible").expect("the first worker is here");
    assert!(outcome.interrupted && outcome.delivered < 4000, "{}", outcome.delivered);
}

#[test]
fn what_is_for_one_worker_is_refused() {
    let (ring, ids) = (Wiring::ring(5), Ids::Random.assign(5, 1));
    let experiment = Experiment::new(&ring, &ids);
    let algorithm = Algorithm::named("lelann").expect("in the catalogue");
    let refused = elect(algorithm, &experiment, Team::of_threads(2), &mut go_on);
    assert!(matches!(refused, Err(ElectError::Indivisible(_))), "{refused:?}");
    let humblet = Algorithm::named("humblet").expect("in the catalogue");
    let experiment = Experiment { schedule: Schedule::Rounds(Pace::Unit), ..experiment };
    let refused = elect(humblet, &experiment, Team::of_threads(2), &mut go_on);
    assert!(matches!(refused, Err(ElectError::Impossible(_))), "{refused:?}");
    let in_rounds = Algorithm::named("time-slice").expect("in the catalogue");
    let refused = elect(in_rounds, &experiment, Team::of_threads(2), &mut go_on);
    assert!(matches!(refused, Err(ElectError::Alarms)), "{refused:?}");
}
