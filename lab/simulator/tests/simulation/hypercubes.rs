//! The bounds of hyper-elect on hypercubes of up to 2^16 nodes.

use crate::bounds::cost;
use crate::common::{at_once, elect, random_ids, row, schedules, some_of};
use suffrage_algorithms::Parameters;
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_simulator::{Experiment, Schedule};

fn parameters(nodes: u32) -> Parameters {
    let d = nodes.ilog2();
    Parameters::new(nodes.into(), u64::from(nodes) * u64::from(d) / 2, nodes.into())
}

#[test]
fn its_bound_is_the_sum_over_the_stages() {
    for d in 0..=27_u64 {
        let stage = |p: u64| (1 << (d - p)) * (1 + p * (p + 1) / 2);
        let bound = row("hyper-elect").claims.election.at(&parameters(1 << d));
        assert_eq!(bound, (0..d).map(stage).sum::<u64>(), "d {d}");
    }
}

#[test]
fn its_time_is_that_of_the_recurrence() {
    let mut time = 0;
    for d in 0..=27_u32 {
        let claims = &row("hyper-elect").claims;
        assert_eq!(claims.time.unwrap().election.at(&parameters(1 << d)), time, "d {d}");
        time = 2 * time + 2 + u64::from(d) * (u64::from(d) + 1) / 2;
    }
}

#[test]
fn it_announces_with_n_minus_1_messages_whoever_wakes() {
    for d in 0..=7 {
        let n = 1 << d;
        for k in [1, n / 2, n] {
            for schedule in schedules() {
                let wakes = at_once(some_of(n, k.max(1), k.into()));
                let (wiring, ids) = (Wiring::hypercube(d), random_ids(n, k.into()));
                let experiment = Experiment { schedule, wakes, ..Experiment::new(&wiring, &ids) };
                assert_eq!(cost(&elect("hyper-elect", &experiment)).1, u64::from(n) - 1);
            }
        }
    }
}

/// As the header says: where all are awake, a stage waits for none but the one before.
#[test]
fn it_takes_cubic_time_in_the_dimension_if_all_are_awake() {
    for d in 1..=16_u32 {
        for order in [Ids::Ascending, Ids::Random, Ids::BitReversed] {
            let (wiring, ids) = (Wiring::hypercube(d), order.assign(1 << d, 1));
            let schedule = Schedule::Synchronous;
            let run =
                elect("hyper-elect", &Experiment { schedule, ..Experiment::new(&wiring, &ids) });
            cost(&run);
            let d = u64::from(d);
            assert!(run.time <= d + (d.pow(3) - d) / 6 + d, "d {d}: {}", run.time);
        }
    }
}

/// One initiator wakes one subcube after the other, and no two at once.
#[test]
fn it_takes_linear_time_if_one_is_awake() {
    for d in 4..=12_u32 {
        let n = 1_u64 << d;
        let (wiring, ids) = (Wiring::hypercube(d), random_ids(1 << d, 1));
        let (schedule, wakes) = (Schedule::Synchronous, at_once([0]));
        let experiment = Experiment { schedule, wakes, ..Experiment::new(&wiring, &ids) };
        let run = elect("hyper-elect", &experiment);
        cost(&run);
        assert!(run.time >= 2 * n - 2 && run.time < 4 * n, "d {d}: {}", run.time);
    }
}
