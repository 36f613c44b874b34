//! Algorithms in rounds: they elect under the schedule `rounds`, are refused under any other, and with
//! a synchronizer under them need no rounds.

use crate::common::{at_once, network_for, random_ids, room, schedules, some_of, traced};
use crate::conformance::networks::networks;
use suffrage_algorithms::{Algorithm, MONTE_CARLO, ROUNDS, SYNCHRONIZED};
use suffrage_model::{Phase, Timing};
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_simulator::{Experiment, Outcome, Pace, Schedule, SimulationError, Simulator, Wakes};

const IN_ROUNDS: Schedule = Schedule::Rounds(Pace::Unit);

/// How many kinds of wake-ups an algorithm allows.
const fn kinds(timing: Timing) -> u64 {
    match timing {
        Timing::SimultaneousRounds => 1,
        Timing::Asynchronous | Timing::Rounds => 4,
    }
}

/// All, one, some, and all at their own ticks.
fn wakes(kind: u64, nodes: u32) -> Wakes {
    let chosen = |count: u32| some_of(nodes, count, kind);
    match kind {
        0 => Wakes::All,
        1 => at_once(chosen(1)),
        2 => at_once(chosen(nodes.div_ceil(2))),
        _ => Wakes::At((0..).zip(chosen(nodes)).map(|(at, node)| (at * 3 / 2, node)).collect()),
    }
}

#[test]
fn every_algorithm_in_rounds_elects_on_every_network_that_it_declares() {
    let mut elections = 0;
    for row in ROUNDS {
        assert!(row.timing.in_rounds(), "{}", row.name);
        for nodes in [1, 2, 3, 4, 5, 8, 15, 24] {
            for network in networks(row.network, nodes) {
                // To a process scattered identities are random ones.
                for order in Ids::ALL.into_iter().filter(|&order| order != Ids::Scattered) {
                    for kind in 0..kinds(row.timing) {
                        let ids = order.assign(nodes, kind);
                        let experiment = Experiment {
                            schedule: IN_ROUNDS,
                            wakes: wakes(kind, nodes),
                            ..Experiment::new(&network.wiring, &ids)
                        };
                        let what = format!("{} on {}, {order}, {kind}", row.name, network.name);
                        let run = |invariants| {
                            let simulator = Simulator::of(row, experiment.clone());
                            simulator.invariants(invariants).run().expect("a possible experiment")
                        };
                        let outcome = run(false);
                        assert_eq!(outcome.violations, [], "{what}");
                        assert!(outcome.agreed && outcome.halted && outcome.late == 0, "{what}");
                        // The queues of the general medium have the same ticks.
                        if nodes <= 5 {
                            assert_eq!(run(true), outcome, "{what}");
                        }
                        elections += 1;
                    }
                }
            }
        }
    }
    assert_eq!(elections, ELECTIONS);
}

/// How many elections the test above holds, so that none goes missing.
const ELECTIONS: u32 = 2332;

#[test]
fn algorithms_in_rounds_are_refused_where_there_are_none() {
    for row in ROUNDS {
        let wiring = network_for(row.network, 5);
        let ids = random_ids(5, 1);
        let refused = |schedule: Schedule, capacity| {
            let experiment = Experiment { schedule, capacity, ..Experiment::new(&wiring, &ids) };
            match Simulator::of(row, experiment).run() {
                Err(SimulationError::Impossible(why)) => why.to_string(),
                other => panic!("{}: {other:?}", row.name),
            }
        };
        for schedule in schedules().into_iter().filter(|schedule| *schedule != IN_ROUNDS) {
            let why = refused(schedule.clone(), None);
            assert!(why.contains("The schedule `rounds`"), "{why}");
            assert!(why.ends_with(&format!("but not `{schedule}`")), "{why}");
        }
        assert!(refused(IN_ROUNDS, Some(3)).contains("leave the capacity unbounded"));
    }
}

#[test]
fn a_trace_of_an_election_in_rounds_replays() {
    for row in ROUNDS {
        let wiring = network_for(row.network, 12);
        let ids = random_ids(12, 8);
        for kind in 0..kinds(row.timing) {
            let wakes = wakes(kind, 12);
            let experiment =
                Experiment { schedule: IN_ROUNDS, wakes, ..Experiment::new(&wiring, &ids) };
            let (outcome, trace) = traced(row.name, &experiment);
            let schedule = crate::common::replay_of(&trace);
            let (again, trace_again) =
                traced(row.name, &Experiment { schedule, ..experiment.clone() });
            assert!(trace == trace_again, "{}, {kind}", row.name);
            let peak_in_flight = again.peak_in_flight;
            assert_eq!(again, Outcome { peak_in_flight, ..outcome }, "{}, {kind}", row.name);
        }
    }
}

/// With the synchronizer, an algorithm receives the same messages in the same order as in rounds: those
/// of a pulse by port.
fn is_the_same_under_the_synchronizer(
    row: &Algorithm,
    synchronized: &Algorithm,
    n: u32,
    seed: u64,
) {
    let wiring = network_for(row.network, n);
    let ids = random_ids(wiring.nodes(), seed);
    let run = |row: &Algorithm, count: u32, schedule: Schedule, capacity| {
        let wakes = at_once(some_of(wiring.nodes(), count, seed));
        let of = Experiment::new(&wiring, &ids);
        let experiment = Experiment { schedule, wakes, seed, capacity, ..of };
        Simulator::of(row, experiment).run().expect("a possible experiment")
    };
    for count in [1, wiring.nodes().div_ceil(2), wiring.nodes()] {
        // Under the synchronizer, one that starts is enough.
        let together = row.timing == Timing::SimultaneousRounds;
        let in_rounds = run(row, if together { wiring.nodes() } else { count }, IN_ROUNDS, None);
        let own: Vec<_> = in_rounds.messages.by_kind().collect();
        for schedule in schedules() {
            let capacity = (seed == 0).then(|| room(synchronized, n));
            let outcome = run(synchronized, count, schedule.clone(), capacity);
            let what = format!("{} of {n} under {schedule}", synchronized.name);
            assert_eq!(outcome.violations, [], "{what}");
            assert_eq!(outcome.leader, in_rounds.leader, "{what}");
            let kinds: Vec<_> = outcome.messages.by_kind().collect();
            assert_eq!(kinds[..own.len()], own, "{what}");
            let sent: u64 = own.iter().map(|(_, count)| count).sum();
            // What reaches a process that has halted is not acknowledged, and nothing does.
            assert_eq!((kinds[own.len()].0.name, kinds[own.len()].1), ("ack", sent), "{what}");
            let apart = outcome.messages.of(Phase::Synchronizer);
            assert_eq!(apart + sent, outcome.messages.total(), "{what}");
            assert!(outcome.agreed && outcome.halted && outcome.late == 0, "{what}");
        }
    }
}

#[test]
fn under_a_synchronizer_an_algorithm_in_rounds_needs_none() {
    let in_rounds: Vec<_> = ROUNDS.iter().chain(MONTE_CARLO).collect();
    assert_eq!(in_rounds.len(), SYNCHRONIZED.len());
    for (row, synchronized) in in_rounds.into_iter().zip(SYNCHRONIZED) {
        assert_eq!(synchronized.name, format!("{}@alpha", row.name));
        assert_eq!(Algorithm::named(synchronized.name).map(Algorithm::base), Some(row.name));
        assert!(synchronized.is_synchronized() && !row.is_synchronized());
        assert_eq!(synchronized.timing, Timing::Asynchronous);
        for n in [1, 2, 3, 9, 24] {
            for seed in 0..3 {
                is_the_same_under_the_synchronizer(row, synchronized, n, seed);
            }
        }
    }
}

/// Lynch 1996, section 4.1: with all processes awake, the largest identity is told for as many rounds as it
/// is far from the farthest process; and the time is what the processes count.
#[test]
fn flood_max_takes_2_d_and_1_ticks_if_all_wake_at_once_and_3_d_and_1_at_most() {
    let row = Algorithm::named("flood-max").expect("a row");
    let path = crate::common::network("path:9");
    let ids = crate::common::ids(1..=9);
    let time = |wakes| {
        let experiment = Experiment { schedule: IN_ROUNDS, wakes, ..Experiment::new(&path, &ids) };
        Simulator::of(row, experiment).run().expect("a possible experiment").units
    };
    assert_eq!(time(Wakes::All), Some(2 * 8 + 1));
    // The last one joins when the flood of the first has reached it.
    assert_eq!(time(at_once([0])), Some(3 * 8 + 1));
}

/// Silence takes as long as the identities are large, and costs nothing.
#[test]
fn time_slice_waits_n_v_ticks_and_sends_2_n_messages() {
    let row = Algorithm::named("time-slice").expect("a row");
    let ring = Wiring::ring(5);
    let hold = |ids: [u64; 5]| {
        let ids = crate::common::ids(ids);
        let experiment = Experiment { schedule: IN_ROUNDS, ..Experiment::new(&ring, &ids) };
        let outcome = Simulator::of(row, experiment).run().expect("a possible experiment");
        assert_eq!((outcome.messages.total(), &outcome.violations[..]), (10, &[][..]));
        outcome.time
    };
    assert_eq!(hold([3, 1, 4, 5, 2]), 5 + 5);
    assert_eq!(hold([0, 1, 2, 3, 4]), 5);
    assert_eq!(hold([9, 8, 7, 1_000_000_000_000, 11]), 5 * 7 + 5);
    // An alarm of 32 bits is too short for this one.
    assert_eq!(
        hold([5_000_000_000, 6_000_000_000, 7_000_000_000, u64::MAX, 8_000_000_000]),
        25_000_000_005
    );
}

/// The token of the identity `v` takes `2^v` ticks a process; the others fall behind.
#[test]
fn variable_speeds_sends_at_most_4_n_messages_whoever_wakes_when() {
    let row = Algorithm::named("variable-speeds").expect("a row");
    let mut most = 0;
    for nodes in [2, 5, 16, 40, 1000] {
        for seed in 0..20 {
            let (ring, ids) = (Wiring::ring(nodes), random_ids(nodes, seed));
            // Of few initiators among many the smallest identity, the exponent of the time, is large.
            let wakes = wakes(if nodes > 16 { seed % 2 * 2 } else { seed % 4 }, nodes);
            let experiment =
                Experiment { schedule: IN_ROUNDS, wakes, ..Experiment::new(&ring, &ids) };
            let outcome = Simulator::of(row, experiment).run().expect("a possible experiment");
            assert_eq!(outcome.violations, [], "{nodes}, {seed}");
            most = most.max(10 * outcome.messages.of(Phase::Election) / u64::from(nodes));
        }
    }
    // The bound is not vacuous: more than 2 n are sent where fast tokens come first.
    assert!((20..=40).contains(&most), "{most} tenths of n");
}
