//! Rings on which several processes have the same label.

use crate::bounds::cost;
use crate::common::{at_once, elect, ids, row, schedules, some_of};
use suffrage_model::{Id, Multiplicity, NetworkClass};
use suffrage_networks::Ids;
use suffrage_networks::wiring::{Adjacency, Unsuited, Wiring};
use suffrage_simulator::{Experiment, Impossible, SimulationError, Simulator};

/// The labels that a process reads from this place on, its own first.
fn read(labels: &[Id], from: usize) -> impl Iterator<Item = Id> {
    (0..).map(move |back| labels[(from + labels.len() - back % labels.len()) % labels.len()])
}

/// The process from which the labels are a Lyndon word, by definition.
fn entitled(labels: &[Id]) -> usize {
    let word = |from| -> Vec<Id> { read(labels, from).take(labels.len()).collect() };
    let smaller = |&leader: &usize| {
        (0..labels.len()).all(|other| other == leader || word(leader) < word(other))
    };
    (0..labels.len()).find(smaller).expect("an asymmetric labelling")
}

/// The number of labels after which one of them has come often enough.
fn decides_after(labels: &[Id], leader: usize) -> u64 {
    let most = Multiplicity::of(&mut labels.to_vec()).0 as usize;
    let enough = if most == 1 { 2 } else { 2 * most - 1 };
    let all: Vec<Id> = read(labels, leader).take(enough * labels.len() + 1).collect();
    let copies = |end: usize| all[..end].iter().filter(|&&one| one == all[end - 1]).count();
    (1..=all.len()).find(|&end| copies(end) == enough).expect("its own label, at the latest") as u64
}

/// The shortest period of the labels.
fn period(labels: &[Id]) -> usize {
    let repeats = |&by: &usize| labels[by..] == labels[..labels.len() - by];
    (1..labels.len()).find(repeats).unwrap_or(labels.len())
}

/// The proof in the algorithm's header, on all rings of up to ten processes with two labels, and a ring for each
/// multiplicity on which one copy fewer shows another period.
#[test]
fn as_many_copies_as_are_read_show_the_ring_and_fewer_do_not() {
    let mut asymmetric = 0;
    for n in 1..=10_usize {
        for word in 0..1_u64 << n {
            let labels: Vec<Id> = (0..n).map(|at| Id::new(word >> at & 1)).collect();
            if (1..n).any(|by| [&labels[by..], &labels[..by]].concat() == labels) {
                continue;
            }
            asymmetric += 1;
            let string: Vec<Id> =
                read(&labels, 0).take(decides_after(&labels, 0) as usize).collect();
            assert_eq!(period(&string), n, "{labels:?}");
        }
    }
    // OEIS A027375: 2, 2, 6, 12, 30, 54, 126, 240, 504, 990.
    assert_eq!(asymmetric, 1_966);
    for most in 2..=9 {
        let ring = |at: usize| Id::new(u64::from(at % (most + 1) == most - 1));
        let string: Vec<Id> = (0..2 * most - 1).map(ring).collect();
        assert_eq!(string.iter().filter(|label| label.get() == 0).count(), 2 * most - 2);
        assert_eq!(period(&string), most, "the ring has one process more");
    }
}

#[test]
fn every_schedule_takes_as_many_messages_as_the_labels_say() {
    for n in 1..=24_u32 {
        for most in [1, 2, 3, n.div_ceil(2), n] {
            let (ring, seed) = (Wiring::ring(n), u64::from(n * most));
            let labels = Ids::Homonyms(most).assign(n, seed);
            let leader = entitled(&labels);
            let (size, read) = (u64::from(n), decides_after(&labels, leader));
            let expected = (size * (read - 1) + size * (size - 1) / 2, size);
            for schedule in schedules() {
                let wakes = at_once(some_of(n, 1 + n / 2, seed));
                let experiment =
                    Experiment { schedule, wakes, seed, ..Experiment::new(&ring, &labels) };
                let run = elect("lyndon-word", &experiment);
                assert_eq!(run.violations, [], "{labels:?}");
                assert_eq!(run.leader.map(|found| found.node), Some(leader as u64), "{labels:?}");
                assert_eq!(cost(&run), expected, "{labels:?}");
            }
        }
    }
}

#[test]
fn distinct_labels_attain_the_bound() {
    for n in (1..=40).chain([300]) {
        let labels = Ids::Random.assign(n, 7);
        let run = elect("lyndon-word", &Experiment::new(&Wiring::ring(n), &labels));
        let n = u64::from(n);
        assert_eq!(cost(&run), (n * n + n * (n - 1) / 2, n), "n {n}");
    }
}

/// The rule reads the labels in the order of the numbers of the processes, and so does the ring.
#[test]
fn a_ring_that_is_stored_goes_round_in_the_order_of_its_nodes() {
    let ring = |forward: u32| {
        let around = |node: u32| vec![(node + forward) % 6, (node + 6 - forward) % 6];
        Wiring::stored(Adjacency::new(&(0..6).map(around).collect::<Vec<_>>()))
    };
    let labels = ids([3, 1, 1, 2, 1, 1]);
    let run = elect("lyndon-word", &Experiment::new(&ring(1), &labels));
    assert_eq!(run.violations, []);
    assert_eq!(run.leader.map(|found| found.node), Some(entitled(&labels) as u64));
    let backward = ring(5);
    let why = Simulator::of(row("lyndon-word"), Experiment::new(&backward, &labels)).run();
    let unsuited = Impossible::Unsuited(Unsuited::Network(NetworkClass::HomonymRing));
    assert_eq!(why.unwrap_err(), SimulationError::Impossible(unsuited));
}

#[test]
fn labels_that_a_rotation_maps_to_themselves_are_refused() {
    let refused = |labels: &[u64]| {
        let (ring, labels) = (Wiring::ring(labels.len() as u32), ids(labels.iter().copied()));
        match Simulator::of(row("lyndon-word"), Experiment::new(&ring, &labels)).run() {
            Err(SimulationError::Impossible(Impossible::Unsuited(why))) => why,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(&[5, 5]), Unsuited::Symmetric(1));
    assert_eq!(refused(&[1, 2, 2, 1, 2, 2]), Unsuited::Symmetric(3));
    assert_eq!(
        refused(&[1, 2, 1, 2]).to_string(),
        "the labels repeat after every 2 processes around the ring, so processes at that distance \
         cannot be distinguished; change the label of one process"
    );
}
