//! Links are FIFO, however that is brought about, and delays are what their schedule says.

use crate::common::{elect, network, network_for, random_ids, row, schedules, wired};
use std::collections::{BTreeMap, VecDeque};
use suffrage_algorithms::CATALOGUE;
use suffrage_model::NetworkClass;
use suffrage_networks::Ports;
use suffrage_networks::wiring::{End, Wiring};
use suffrage_simulator::{
    ElectionEvent, Experiment, Fault, FifoMethod, Observer, Outcome, Property, Schedule, Simulator,
    TracedMessage,
};

/// A message on its way: when it was sent, and what it says.
struct Sent {
    at: u64,
    message: String,
}

/// Watches every link.
#[derive(Default)]
struct Links {
    /// What each link holds, in the order of sending, by its sender's end.
    held: BTreeMap<(u32, u32), VecDeque<Sent>>,
    /// What overtook something.
    overtaken: u64,
    /// The delay of every message, by its link.
    delays: BTreeMap<(u32, u32), Vec<u64>>,
    /// The instants at which each link delivered.
    now: u64,
}

impl Links {
    fn key(from: End) -> (u32, u32) {
        (from.node, from.port.0)
    }

    fn arrives(&mut self, at: u64, passage: &TracedMessage<'_>, overtakes: u32) {
        let key = Self::key(passage.from);
        let queue = self.held.get_mut(&key).expect("something was sent on this link");
        let sent = queue.remove(overtakes as usize).expect("as many were sent before it");
        assert_eq!(sent.message, format!("{:?}", passage.message), "what arrives was sent");
        self.overtaken += u64::from(overtakes > 0);
        self.delays.entry(key).or_default().push(at - sent.at);
    }
}

impl Observer for Links {
    fn event(&mut self, at: u64, _: u32, event: &ElectionEvent<'_>) {
        assert!(at >= self.now, "time goes forward");
        self.now = at;
        match event {
            ElectionEvent::Send(passage) | ElectionEvent::Duplicate(passage, _) => {
                let sent = Sent { at, message: format!("{:?}", passage.message) };
                self.held.entry(Self::key(passage.from)).or_default().push_back(sent);
            }
            ElectionEvent::Deliver(passage, overtakes)
            | ElectionEvent::Discard(passage, overtakes) => {
                self.arrives(at, passage, *overtakes);
            }
            _ => {}
        }
    }
}

fn watched(name: &str, experiment: &Experiment<'_>) -> (Outcome, Links) {
    let mut links = Links::default();
    let outcome = Simulator::of(row(name), experiment.clone())
        .observer(&mut links)
        .run()
        .unwrap_or_else(|error| panic!("{error}"));
    (outcome, links)
}

/// A network of `n` processes or so for each algorithm, and its name.
fn elections(n: u32) -> Vec<(&'static str, Wiring)> {
    let mut all = Vec::new();
    for row in CATALOGUE {
        let wirings = match row.network {
            NetworkClass::OrientedComplete => vec![Wiring::complete(n)],
            NetworkClass::Complete => vec![Wiring::complete(n), Wiring::complete_shuffled(n, 3)],
            NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
                vec![Wiring::ring(n)]
            }
            NetworkClass::Tree => vec![wired(&format!("tree:random:{n}"), Ports::Random, 3)],
            NetworkClass::Hypercube
            | NetworkClass::OrientedHypercube
            | NetworkClass::Mesh
            | NetworkClass::Torus
            | NetworkClass::OrientedTorus => vec![network_for(row.network, n)],
            NetworkClass::Connected => {
                vec![
                    wired(&format!("erdos-renyi:{n}:0.4"), Ports::Random, 3),
                    Wiring::ring_shuffled(n, 3),
                    Wiring::complete(n),
                ]
            }
        };
        all.extend(wirings.into_iter().map(|wiring| (row.name, wiring)));
    }
    all
}

#[test]
fn every_link_delivers_in_the_order_of_sending() {
    for (name, wiring) in elections(20) {
        let ids = random_ids(wiring.nodes(), 4);
        for schedule in schedules() {
            for capacity in [None, Some(1), Some(2)] {
                for fifo in [FifoMethod::Cheapest, FifoMethod::InFlight] {
                    let schedule = schedule.clone();
                    let experiment =
                        Experiment { schedule, capacity, fifo, ..Experiment::new(&wiring, &ids) };
                    let (_, links) = watched(name, &experiment);
                    // Who arrives is always the first in its queue, whose words are compared.
                    assert_eq!(links.overtaken, 0, "{name}, {experiment:?}");
                }
            }
        }
    }
}

/// The two methods draw the same delays where links are stored, and hold back the same messages.
#[test]
fn the_cheap_method_and_the_exact_one_agree_where_links_are_stored() {
    let timed = [
        Schedule::Uniform(10),
        Schedule::Uniform(5000),
        Schedule::Exponential(8.0),
        Schedule::Pareto(0.9),
    ];
    for (name, wiring) in elections(30) {
        if wiring.dense_links().is_none() {
            continue;
        }
        for schedule in &timed {
            for seed in 0..10 {
                let ids = random_ids(wiring.nodes(), seed);
                let run = |fifo| {
                    let schedule = schedule.clone();
                    let experiment =
                        Experiment { schedule, fifo, seed, ..Experiment::new(&wiring, &ids) };
                    elect(name, &experiment)
                };
                let (cheap, exact) = (run(FifoMethod::Cheapest), run(FifoMethod::InFlight));
                assert_eq!(cheap, exact, "{name}, {schedule}, seed {seed}");
            }
        }
    }
}

/// A run looks up from its work every 65,536 deliveries, in the middle of a tick; what arrives in
/// that tick arrives once for the exact map as well.
#[test]
fn the_two_methods_agree_on_long_elections() {
    let (wiring, ids) = (Wiring::ring(1500), random_ids(1500, 2));
    let run = |fifo| {
        let schedule = Schedule::Uniform(10);
        elect("lelann", &Experiment { schedule, fifo, ..Experiment::new(&wiring, &ids) })
    };
    let (cheap, exact) = (run(FifoMethod::Cheapest), run(FifoMethod::InFlight));
    assert!(cheap.delivered > 30 * 65_536);
    assert_eq!(cheap, exact);
}

/// The fast medium knows no links and the general one keeps them all: with room for everything, an
/// election has the same execution on both.
#[test]
fn both_media_agree() {
    for (name, wiring) in elections(30) {
        let ids = random_ids(wiring.nodes(), 6);
        for schedule in schedules().into_iter().filter(Schedule::is_timed) {
            for seed in 0..5 {
                let run = |capacity| {
                    let schedule = schedule.clone();
                    let experiment =
                        Experiment { schedule, capacity, seed, ..Experiment::new(&wiring, &ids) };
                    crate::common::traced(name, &experiment)
                };
                assert!(run(None) == run(Some(u32::MAX)), "{name}, {schedule}, seed {seed}");
            }
        }
    }
}

/// A message that is held back arrives with the one before it, which was sent no later and takes
/// no more than `D` ticks: so holding back never makes a delay longer than `D` either.
#[test]
fn uniform_delays_are_from_1_to_d_held_back_or_not() {
    for most in [1, 2, 3, 10, 64] {
        for (name, wiring) in elections(20) {
            let ids = random_ids(wiring.nodes(), 5);
            for fifo in [FifoMethod::Cheapest, FifoMethod::InFlight] {
                let schedule = Schedule::Uniform(most);
                let experiment = Experiment { schedule, fifo, ..Experiment::new(&wiring, &ids) };
                let (_, links) = watched(name, &experiment);
                let mut delays = links.delays.values().flatten();
                assert!(delays.all(|&delay| (1..=most.into()).contains(&delay)), "{name}, {most}");
            }
        }
    }
}

#[test]
fn without_fifo_uniform_delays_are_from_1_to_d_too() {
    for most in [2, 10] {
        for (name, wiring) in elections(20) {
            let ids = random_ids(wiring.nodes(), 5);
            let (schedule, faults) = (Schedule::Uniform(most), vec![Fault::NoFifo]);
            // Without FIFO not all of them end.
            let event_limit = 100_000;
            let experiment =
                Experiment { schedule, faults, event_limit, ..Experiment::new(&wiring, &ids) };
            let (_, links) = watched(name, &experiment);
            let mut delays = links.delays.values().flatten();
            assert!(delays.all(|&delay| (1..=most.into()).contains(&delay)), "{name}, {most}");
        }
    }
}

#[test]
fn a_link_keeps_its_delay() {
    for (name, wiring) in elections(20) {
        let ids = random_ids(wiring.nodes(), 5);
        let experiment =
            Experiment { schedule: Schedule::PerLink(9), ..Experiment::new(&wiring, &ids) };
        let (_, links) = watched(name, &experiment);
        let mut seen = [false; 10];
        for delays in links.delays.values() {
            assert!((1..=9).contains(&delays[0]) && delays.iter().all(|&d| d == delays[0]));
            seen[delays[0] as usize] = true;
        }
        assert!(seen.iter().filter(|&&seen| seen).count() > 4, "{name}: delays differ");
    }
}

#[test]
fn without_fifo_messages_overtake() {
    // Of the tokens that a process on a small ring passes on, many are on one link at a time.
    let wiring = Wiring::ring(12);
    let ids = random_ids(12, 1);
    let reorder = schedules().into_iter().filter(Schedule::can_reorder);
    for schedule in reorder {
        let overtaken = |faults| {
            let schedule = schedule.clone();
            let experiment = Experiment { schedule, faults, ..Experiment::new(&wiring, &ids) };
            watched("lelann", &experiment).1.overtaken
        };
        assert_eq!(overtaken(vec![]), 0, "{schedule}");
        assert!(overtaken(vec![Fault::NoFifo]) > 5, "{schedule}");
    }
}

/// Of 40 seeds, those in which Humblet ends without a leader when links are not FIFO.
fn leaderless(n: u32, ports: impl Fn(u64) -> Wiring) -> usize {
    let fails = |seed: &u64| {
        let (wiring, ids) = (ports(*seed), random_ids(n, *seed));
        let experiment = Experiment {
            schedule: Schedule::Uniform(10),
            faults: vec![Fault::NoFifo],
            seed: *seed,
            ..Experiment::new(&wiring, &ids)
        };
        let outcome = elect("humblet", &experiment);
        assert!(outcome.leader.is_none() || outcome.agreed);
        outcome.leader.is_none() && crate::common::breaks(&outcome, Property::ExactlyOneLeader)
    };
    (0..40).filter(fails).count()
}

/// Why FIFO links are the default, and why small tests hardly show it.
#[test]
fn humblet_without_fifo_ends_without_a_leader_mostly_at_n_1000_and_rarely_at_n_10() {
    let rotation = |n| leaderless(n, |_| Wiring::complete(n));
    let random = |n| leaderless(n, |seed| Wiring::complete_shuffled(n, seed));
    let counts = [4, 10, 100, 1000].map(|n| (rotation(n), random(n)));
    assert_eq!(counts, [(1, 3), (1, 6), (4, 37), (38, 40)], "of 40 seeds");
}

#[test]
fn a_network_of_any_kind_is_watched() {
    // The checks above would hold of an observer that sees nothing.
    let graph = network("grid:4x5");
    let ids = random_ids(20, 1);
    let (outcome, links) = watched("echo-extinction", &Experiment::new(&graph, &ids));
    let seen: usize = links.delays.values().map(Vec::len).sum();
    assert_eq!((seen as u64, outcome.delivered), (outcome.messages.total(), seen as u64));
    assert_eq!(links.delays.len() as u64, 2 * graph.links());
}
