//! Extinction over a ring's token, the tree algorithm and a depth-first traversal: where the bounds of
//! the headers on messages and time are attained.

use crate::common::{at_once, elect, ids, network, random_ids, schedules, some_of};
use suffrage_model::Phase;
use suffrage_networks::wiring::Wiring;
use suffrage_simulator::{Experiment, Outcome, Wakes};

/// The messages of an election in which nothing went wrong.
fn tokens(outcome: &Outcome) -> u64 {
    assert!(outcome.violations.is_empty(), "{:?}", outcome.violations);
    outcome.messages.of(Phase::Election)
}

#[test]
fn on_a_ring_it_sends_what_chang_and_roberts_send_at_worst_for_k_initiators() {
    for n in 1..=32_u32 {
        let ring = Wiring::ring(n);
        let ascending = ids(1..=n.into());
        for k in 1..=n {
            let experiment =
                Experiment { wakes: at_once(0..k), ..Experiment::new(&ring, &ascending) };
            let (n, k) = (u64::from(n), u64::from(k));
            assert_eq!(tokens(&elect("ring-extinction", &experiment)), k * n - k * (k - 1) / 2);
        }
    }
}

#[test]
fn on_a_large_ring_it_takes_two_rounds() {
    let n = 100_000;
    let (ring, descending) = (Wiring::ring(n), ids((1..=n.into()).rev()));
    let outcome = elect("ring-extinction", &Experiment::new(&ring, &descending));
    // Each token but the smallest one is swallowed by the next process.
    assert_eq!(tokens(&outcome), 2 * u64::from(n) - 1);
    assert_eq!(outcome.units, Some(2 * u64::from(n)));
}

#[test]
fn over_the_tree_algorithm_one_or_two_initiators_attain_the_bounds_on_a_path() {
    for n in [2, 3, 4, 10, 1000_u32] {
        let path = network(&format!("path:{n}"));
        let ascending = ids(1..=n.into());
        let (n, d) = (u64::from(n), u64::from(n) - 1);
        // From an end.
        let one = Experiment { wakes: at_once([0]), ..Experiment::new(&path, &ascending) };
        let outcome = elect("tree-extinction", &one);
        assert_eq!((tokens(&outcome), outcome.units), (3 * n - 3, Some(3 * d + 1)));
        // The smaller one wakes at the other end, just before the wave reaches it.
        let wakes = Wakes::At(vec![(0, n as u32 - 1), (n - 2, 0)]);
        let outcome =
            elect("tree-extinction", &Experiment { wakes, ..Experiment::new(&path, &ascending) });
        assert_eq!(tokens(&outcome), 5 * n - 2 - 3);
        assert_eq!((outcome.units, outcome.time), (Some(3 * d + 1), n - 2 + 3 * d + 1));
    }
}

#[test]
fn over_a_traversal_one_initiator_sends_2_e_tokens_on_every_schedule() {
    for spec in ["grid:4x5", "torus:3x4", "regular:20:3", "complete:12", "ring:2", "star:9"] {
        let graph = network(spec);
        for seed in 0..4 {
            let ids = random_ids(graph.nodes(), seed);
            for schedule in schedules() {
                let wakes = at_once(some_of(graph.nodes(), 1, seed));
                let experiment =
                    Experiment { schedule, wakes, seed, ..Experiment::new(&graph, &ids) };
                let outcome = elect("depth-first-extinction", &experiment);
                assert_eq!(tokens(&outcome), 2 * graph.links(), "{spec}");
            }
        }
    }
}

/// On a path whose identities ascend each initiator but the smallest traverses all that is on its right,
/// and meets the next smaller one, which has only just woken, on its left: `k` waves, one after another.
#[test]
fn over_a_traversal_k_initiators_on_a_path_may_take_k_times_as_much_and_as_long() {
    for n in [2, 3, 5, 10, 100_u64] {
        let path = network(&format!("path:{n}"));
        let ascending = ids(1..=n);
        for k in (1..=n).step_by(n as usize / 10 + 1) {
            let (mut tick, mut wakes) = (0, Vec::new());
            // The r-th smallest has n - r processes on its right.
            for r in (1..=k).rev() {
                wakes.push((tick, r as u32 - 1));
                tick += 2 * (n - r);
            }
            let wakes = Wakes::At(wakes);
            let experiment = Experiment { wakes, ..Experiment::new(&path, &ascending) };
            let outcome = elect("depth-first-extinction", &experiment);
            let (links, saved) = (n - 1, (k - 1) * (k - 1));
            assert_eq!(tokens(&outcome), 2 * links * k - saved, "n {n}, k {k}");
            // The announcement goes to the other end, and a unit back.
            assert_eq!(outcome.time, tick + links + 1, "n {n}, k {k}");
            assert_eq!(outcome.units, Some(2 * links + links + 1), "n {n}, k {k}");
            assert!(tick <= k * 2 * links && 2 * tick >= k * links, "n {n}, k {k}: {tick}");
        }
    }
}
