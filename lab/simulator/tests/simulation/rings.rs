//! The bounds of the algorithms that eliminate on rings: where they are attained, and how near real
//! elections come to them.

use crate::bounds::{cost, permutations};
use crate::common::{at_once, elect, ids, random_ids, row, schedules};
use suffrage_algorithms::Parameters;
use suffrage_model::Id;
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_simulator::{Experiment, Schedule};

/// The algorithms for rings that eliminate.
const ELIMINATE: [&str; 6] = [
    "hirschberg-sinclair",
    "franklin",
    "peterson",
    "stages-with-feedback",
    "alternating-steps",
    "higham-przytycka",
];

/// The messages of an election in which all initiate, with identities in this order.
fn sent(name: &str, order: &[Id]) -> u64 {
    cost(&elect(name, &Experiment::new(&Wiring::ring(order.len() as u32), order))).0
}

/// The bound of the election for `k` initiators on a ring of `n`.
fn bound(name: &str, n: u64, k: u64) -> u64 {
    row(name).claims.election.at(&Parameters::new(n, n, k))
}

#[test]
fn franklin_attains_its_bound_for_powers_of_two_on_every_schedule() {
    for log in 0..=16_u64 {
        let n = 1 << log;
        let (ring, order) = (Wiring::ring_shuffled(n, log), Ids::BitReversed.assign(n, 0));
        let schedules = if log < 8 { &schedules()[..] } else { &[Schedule::Synchronous] };
        for schedule in schedules.iter().cloned() {
            let run = elect("franklin", &Experiment { schedule, ..Experiment::new(&ring, &order) });
            let n = u64::from(n);
            assert_eq!(cost(&run), (2 * n * log + 2 * n, 2 * n), "n {n}");
        }
    }
}

#[test]
fn hirschberg_sinclair_attains_its_bound_for_one_initiator() {
    for n in (1..=64).chain([1000, 100_000]) {
        let (ring, order) = (Wiring::ring_shuffled(n, 3), random_ids(n, 3));
        let wakes = at_once([n / 2]);
        let run =
            elect("hirschberg-sinclair", &Experiment { wakes, ..Experiment::new(&ring, &order) });
        let (n, reach) = (u64::from(n), u64::from(n.next_power_of_two()));
        assert_eq!(cost(&run), (2 * n + 4 * (reach - 1), 2 * n), "n {n}");
        assert_eq!(bound("hirschberg-sinclair", n, 1), 2 * n + 4 * (reach - 1));
    }
    // All initiators, where each term is less than 8 n.
    for n in 2..=5000_u64 {
        let log = u64::from(n.next_power_of_two().ilog2());
        assert!(bound("hirschberg-sinclair", n, n) <= 8 * n * log - 2 * n, "n {n}");
    }
}

/// An order of as many identities as a Fibonacci number, of which each phase of two comparisons in
/// turn leaves the next smaller one. It is made from the last phase to the first: a loser stands
/// before each that its predecessor would beat, or after each that its successor would.
fn lasting(phases: u32) -> Vec<Id> {
    let mut order = vec![u64::MAX];
    let mut loser = u64::MAX - 1;
    for phase in (1..phases).rev() {
        let before = std::mem::take(&mut order);
        let count = before.len();
        for (place, &value) in before.iter().enumerate() {
            let neighbour = if phase % 2 == 1 { place + count - 1 } else { place + 1 } % count;
            let beaten = count == 1 || before[neighbour] > value;
            let both = if phase % 2 == 1 { [loser, value] } else { [value, loser] };
            order.extend(both.into_iter().filter(|&one| beaten || one == value));
            loser -= u64::from(beaten);
        }
    }
    let least = order.iter().copied().min().unwrap_or(0);
    ids(order.into_iter().map(|value| value - least + 1))
}

#[test]
fn comparisons_in_turn_attain_their_bound_for_fibonacci_numbers() {
    for phases in (1..=16).chain([24]) {
        let order = lasting(phases);
        let n = order.len() as u64;
        for name in ["peterson", "alternating-steps"] {
            assert_eq!(sent(name, &order), n * u64::from(phases), "{name}, n {n}");
            assert_eq!(bound(name, n, n), n * u64::from(phases), "{name}, n {n}");
        }
    }
    assert_eq!(lasting(24).len(), 75_025);
}

#[test]
fn the_greatest_costs_of_all_orders() {
    // For 1 to 7 processes that all initiate: no schedule changes the number of messages.
    for (name, attained, most) in [
        ("franklin", [2, 8, 12, 24, 30, 36, 42], [2, 8, 12, 24, 30, 36, 42]),
        ("peterson", [1, 4, 9, 12, 20, 24, 28], [1, 4, 9, 12, 20, 24, 28]),
        ("alternating-steps", [1, 4, 9, 12, 20, 24, 28], [1, 4, 9, 12, 20, 24, 28]),
        ("stages-with-feedback", [2, 10, 14, 19, 24, 46, 54], [2, 10, 15, 20, 25, 48, 56]),
        ("higham-przytycka", [1, 4, 8, 11, 18, 22, 26], [1, 5, 8, 18, 22, 26, 31]),
    ] {
        for (n, (attained, most)) in (1..).zip(attained.into_iter().zip(most)) {
            let mut greatest = 0;
            permutations(n, &mut |order| {
                greatest = greatest.max(sent(name, &ids(order.iter().copied())));
            });
            assert_eq!((greatest, bound(name, n, n)), (attained, most), "{name}, n {n}");
        }
    }
}

#[test]
fn higham_przytycka_stays_below_1_271_n_log_n_and_2_2_n() {
    for n in 1..=1_000_000_u64 {
        let most = bound("higham-przytycka", n, n) as f64;
        let n = n as f64;
        assert!(most < 1.271 * n * n.log2() + 2.2 * n, "n {n}");
    }
}

#[test]
fn higham_przytycka_may_elect_a_process_that_never_woke() {
    // One envelope is promoted after two links, and comes home to where that was.
    for n in 3..=40_u32 {
        let (ring, order) = (Wiring::ring(n), random_ids(n, 1));
        let wakes = at_once([0]);
        let run =
            elect("higham-przytycka", &Experiment { wakes, ..Experiment::new(&ring, &order) });
        assert_eq!(cost(&run), (u64::from(n) + 2, u64::from(n)));
        assert_eq!(run.leader.map(|leader| leader.node), Some(2));
    }
}

#[test]
fn the_schedule_changes_no_elimination() {
    for name in ELIMINATE.into_iter().filter(|&name| name != "hirschberg-sinclair") {
        for n in [9, 40] {
            let (ring, order) = (Wiring::ring(n), random_ids(n, n.into()));
            let on = |schedule| {
                let experiment = Experiment { schedule, seed: 5, ..Experiment::new(&ring, &order) };
                let run = elect(name, &experiment);
                (cost(&run), run.leader)
            };
            let first = on(Schedule::Synchronous);
            assert!(schedules().into_iter().all(|schedule| on(schedule) == first), "{name}, {n}");
        }
    }
}

#[test]
fn a_hundred_thousand_processes_stay_within_the_bounds() {
    for name in ELIMINATE {
        for (order, schedule) in [
            (Ids::Random, Schedule::Uniform(10)),
            (Ids::BitReversed, Schedule::Synchronous),
            (Ids::Ascending, Schedule::Oldest),
        ] {
            let n = 100_000;
            let sent = cost(&elect(
                name,
                &Experiment { schedule, ..Experiment::new(&Wiring::ring(n), &order.assign(n, 1)) },
            ));
            assert!(sent.0 <= bound(name, n.into(), n.into()), "{name}, {order}");
        }
    }
}
