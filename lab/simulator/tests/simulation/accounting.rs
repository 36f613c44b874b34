//! The reported cost of runs whose cost can be counted by hand, and the links that the adversaries
//! choose.

use crate::common::{at_once, elect, ids, network, network_for, random_ids, row, schedules};
use std::collections::BTreeMap;
use suffrage_algorithms::{
    Announced, Bound, CATALOGUE, Claimed, Claims, Custom, Property, Time, ring::LeLann,
};
use suffrage_model::Phase;
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_simulator::{
    Busiest, ElectionEvent, Experiment, Fault, FifoMethod, Observer, Pace, Schedule, Simulator,
    Wakes,
};

#[test]
fn all_to_all_costs_what_it_must() {
    let (clique, ids) = (Wiring::complete(5), ids([3, 5, 1, 4, 2]));
    let outcome = elect("all-to-all", &Experiment::new(&clique, &ids));
    assert_eq!((outcome.time, outcome.causal_depth, outcome.woken), (1, 1, 5));
    assert_eq!((outcome.messages.total(), outcome.delivered, outcome.peak_in_flight), (20, 20, 20));
    assert_eq!(outcome.busiest, Busiest { node: 0, messages: 8 });
    // An identity of up to 5 takes 3 bits, and the only kind no tag.
    assert_eq!(outcome.messages.bits(), 60);
    assert_eq!(outcome.leader.map(|leader| (leader.node, leader.id.get())), Some((1, 5)));
}

#[test]
fn one_initiator_on_a_ring_costs_two_rounds() {
    let (ring, ids) = (Wiring::ring(6), ids([3, 6, 1, 4, 2, 5]));
    let wakes = Wakes::At(vec![(100, 3)]);
    let outcome = elect("lelann", &Experiment { wakes, ..Experiment::new(&ring, &ids) });
    assert_eq!((outcome.time, outcome.causal_depth, outcome.woken), (112, 12, 1));
    assert_eq!(outcome.messages.of(Phase::Election), 6);
    assert_eq!(outcome.messages.of(Phase::Announcement), 6);
    assert_eq!((outcome.peak_in_flight, outcome.busiest.messages), (1, 4));
    // Two kinds: a tag of one bit, and an identity of 3.
    assert_eq!(outcome.messages.bits(), 12 * 4);
}

#[test]
fn a_process_that_is_reached_asleep_does_not_wake() {
    let (ring, ids) = (Wiring::ring(4), ids([1, 2, 3, 4]));
    let wakes = Wakes::At(vec![(0, 0), (1, 1), (1, 2), (900, 3)]);
    let outcome = elect("chang-roberts", &Experiment { wakes, ..Experiment::new(&ring, &ids) });
    // At tick 1 wake-ups come before the token that arrives then.
    assert_eq!(outcome.woken, 3);
    assert_eq!(outcome.time, 8, "a wake-up after the end is no event");
}

#[test]
fn who_wakes_twice_wakes_once() {
    let (ring, ids) = (Wiring::ring(4), ids([1, 2, 3, 4]));
    let experiment = Experiment { wakes: at_once([2, 2, 2]), ..Experiment::new(&ring, &ids) };
    let outcome = elect("chang-roberts", &experiment);
    assert_eq!((outcome.woken, outcome.violations.len()), (1, 0));
}

/// The links that hold messages, each with when it began to.
#[derive(Default)]
struct Ages {
    held: BTreeMap<(u32, u32), (u64, u32)>,
    events: u64,
    /// Deliveries on the link of the least age, of the greatest, and with a choice at all.
    youngest: u64,
    oldest: u64,
    choices: u64,
    /// Deliveries by how many links there were to choose from, and how many of them were older.
    ranks: Vec<[u64; 2]>,
}

impl Observer for Ages {
    fn event(&mut self, _: u64, _: u32, event: &ElectionEvent<'_>) {
        self.events += 1;
        match event {
            ElectionEvent::Send(p) => {
                let key = (p.from.node, p.from.port.0);
                self.held.entry(key).or_insert((self.events, 0)).1 += 1;
            }
            ElectionEvent::Deliver(p, _) | ElectionEvent::Discard(p, _) => {
                let key = (p.from.node, p.from.port.0);
                let since = self.held[&key].0;
                let older = self.held.values().filter(|(other, _)| *other < since).count();
                let links = self.held.len();
                if links > 1 {
                    self.choices += 1;
                    self.oldest += u64::from(older == 0);
                    self.youngest += u64::from(older + 1 == links);
                    self.ranks.push([links as u64, older as u64]);
                }
                let held = self.held.get_mut(&key).expect("it holds a message");
                held.1 -= 1;
                if held.1 == 0 {
                    self.held.remove(&key);
                }
            }
            _ => {}
        }
    }
}

fn ages(schedule: Schedule) -> Ages {
    let graph = network("torus:5x5");
    let ids = random_ids(25, 1);
    let experiment = Experiment { schedule, ..Experiment::new(&graph, &ids) };
    let mut ages = Ages::default();
    Simulator::of(row("echo-extinction"), experiment)
        .observer(&mut ages)
        .run()
        .expect("a possible experiment");
    assert!(ages.held.is_empty() && ages.choices > 400);
    ages
}

#[test]
fn newest_delivers_on_the_link_that_began_to_hold_messages_last() {
    let ages = ages(Schedule::Newest);
    assert_eq!(ages.youngest, ages.choices);
}

#[test]
fn oldest_delivers_on_the_link_that_began_to_hold_messages_first() {
    let ages = ages(Schedule::Oldest);
    assert_eq!(ages.oldest, ages.choices);
}

/// The rank of the chosen link among those that hold messages is uniform: scaled to one, its mean
/// is a half.
#[test]
fn random_favours_no_link() {
    let ages = ages(Schedule::Random);
    let scaled = ages.ranks.iter().map(|&[links, older]| (older as f64 + 0.5) / links as f64);
    let mean = scaled.sum::<f64>() / ages.choices as f64;
    // A standard deviation of 0.29 for each of more than 400.
    assert!((mean - 0.5).abs() < 0.06, "{mean} over {}", ages.choices);
    assert!(ages.youngest < ages.choices / 5 && ages.oldest < ages.choices / 5);
}

/// Records the delays of messages. Each link holds one message at a time.
#[derive(Default)]
struct Delays {
    sent: BTreeMap<(u32, u32), u64>,
    seen: Vec<u64>,
}

impl Observer for Delays {
    fn event(&mut self, at: u64, _: u32, event: &ElectionEvent<'_>) {
        match event {
            ElectionEvent::Send(p) => {
                let before = self.sent.insert((p.from.node, p.from.port.0), at);
                assert!(before.is_none(), "one message on each link");
            }
            ElectionEvent::Deliver(p, _) => {
                let sent = self.sent.remove(&(p.from.node, p.from.port.0));
                self.seen.push(at - sent.expect("it was sent"));
            }
            _ => {}
        }
    }
}

/// Mean, least and greatest delay of messages that are all sent at the start.
fn delays(schedule: Schedule, fifo: FifoMethod) -> (f64, u64, u64) {
    let (clique, ids) = (Wiring::complete(120), random_ids(120, 1));
    let experiment = Experiment { schedule, fifo, ..Experiment::new(&clique, &ids) };
    let mut delays = Delays::default();
    Simulator::of(row("all-to-all"), experiment)
        .observer(&mut delays)
        .run()
        .expect("a possible experiment");
    let (least, most) = (delays.seen.iter().min(), delays.seen.iter().max());
    let mean = delays.seen.iter().sum::<u64>() as f64 / delays.seen.len() as f64;
    (mean, *least.expect("many"), *most.expect("many"))
}

#[test]
fn delays_have_the_range_and_the_mean_of_their_schedule() {
    let drawn = |schedule| delays(schedule, FifoMethod::InFlight);
    assert_eq!(drawn(Schedule::Synchronous), (1.0, 1, 1));
    // 14,280 messages: standard errors are about 0.03, 0.03, 0.07 and 0.01.
    let (mean, least, most) = drawn(Schedule::Uniform(11));
    assert!((mean - 6.0).abs() < 0.2 && (least, most) == (1, 11), "{mean}, {least}, {most}");
    let (mean, least, most) = drawn(Schedule::PerLink(11));
    assert!((mean - 6.0).abs() < 0.2 && (least, most) == (1, 11), "{mean}, {least}, {most}");
    let (mean, least, most) = drawn(Schedule::Exponential(8.0));
    assert!((mean - 8.5).abs() < 0.4 && least == 1 && most > 50, "{mean}, {least}, {most}");
    // The ceiling of a variable with the tail x^-3 has the mean 1 + zeta(3) = 2.202.
    let (mean, least, _) = drawn(Schedule::Pareto(3.0));
    assert!((mean - 2.202).abs() < 0.1 && least == 2, "{mean}, {least}");
}

/// Epochs bound delays by the same `D`, but a message takes the next instant of its link: from the
/// start of an epoch of 6 ticks, one of its 5 others, or with probability 1/6 one of the next 6.
#[test]
fn epochs_have_the_range_of_uniform_delays_and_a_smaller_mean() {
    let (mean, least, most) = delays(Schedule::Uniform(11), FifoMethod::Cheapest);
    let expected = (1.0 + 2.0 + 3.0 + 4.0 + 5.0 + 8.5) / 6.0;
    assert!((mean - expected).abs() < 0.1 && (least, most) == (1, 11), "{mean}, {least}, {most}");
}

/// If all wake at once, the time in units is the greatest that fits the order of events. It is no less
/// than the ticks over the longest delay, and no more than the longest chain of messages. The last
/// message of the chain may come too late.
#[test]
fn time_in_units_of_the_longest_delay_lies_between_ticks_and_causal_depth() {
    for algorithm in CATALOGUE {
        let wiring = network_for(algorithm.network, 24);
        let ids = random_ids(wiring.nodes(), 3);
        for schedule in schedules() {
            let longest = match schedule {
                Schedule::Synchronous | Schedule::Rounds(Pace::Unit) => Some(1),
                Schedule::Uniform(most)
                | Schedule::PerLink(most)
                | Schedule::Rounds(Pace::Uniform(most) | Pace::PerLink(most)) => {
                    Some(u64::from(most))
                }
                _ => None,
            };
            let what = format!("{} under {schedule}", algorithm.name);
            let experiment = Experiment { schedule, seed: 3, ..Experiment::new(&wiring, &ids) };
            let outcome = elect(algorithm.name, &experiment);
            let units = outcome.units.expect("no faults, and links without bounds");
            let chain = u64::from(outcome.causal_depth) + u64::from(outcome.late > 0);
            assert!(units <= chain, "{what}: {outcome:?}");
            assert!(longest.is_none_or(|most| outcome.time <= units * most), "{what}: {outcome:?}");
            if longest == Some(1) {
                assert_eq!(units, outcome.time, "{what}");
            }
        }
    }
}

#[test]
fn time_counts_from_the_last_wake_up() {
    let (ring, ids) = (Wiring::ring(10), ids(1..=10));
    let spread =
        Experiment { wakes: Wakes::At(vec![(0, 0), (3, 5)]), ..Experiment::new(&ring, &ids) };
    let outcome = elect("lelann", &spread);
    // The token of process 0 is home at tick 10, and its announcement at tick 20. The wake-up at tick
    // 3 is between two rounds or in one, which then counts as a whole.
    assert_eq!((outcome.woken, outcome.time, outcome.units), (2, 20, Some(18)));
}

#[test]
fn with_faults_or_bounded_links_there_is_no_time_to_which_a_bound_applies() {
    let (ring, ids) = (Wiring::ring(5), ids(1..=5));
    let plain = Experiment::new(&ring, &ids);
    let bounded = Experiment { capacity: Some(1), ..plain.clone() };
    let faulty = Experiment { faults: vec![Fault::Crash { node: 1, at: 100 }], ..plain.clone() };
    assert_eq!(elect("lelann", &plain).units, Some(10));
    assert_eq!(elect("lelann", &bounded).units, None);
    assert_eq!(elect("lelann", &faulty).units, None);
}

#[test]
fn a_bound_on_time_that_is_too_small_is_exceeded() {
    let (ring, ids) = (Wiring::ring(16), random_ids(16, 1));
    let time = Time {
        election: Bound::at_most("n - 1", |s| s.nodes - 1),
        announcement: Bound::at_most("n", |s| s.nodes),
    };
    let claims = Claims { time: Some(time), ..Announced::<LeLann>::CLAIMS };
    let wrong = Custom::<Announced<LeLann>>::claimed("wrong").with_claims(claims);
    let outcome = Simulator::new(&wrong, &ring, &ids).run().expect("a possible experiment");
    let broken: Vec<_> = outcome.violations.iter().map(|of| &of.violation).collect();
    let [violation] = broken[..] else { panic!("{broken:?}") };
    assert_eq!(violation.property, Property::TimeBound);
    let detail = "it takes 32 units of time, where at most n - 1 + n = 31 are claimed";
    assert_eq!(violation.detail, detail);
}

#[test]
fn fewer_and_fewer_processes_reach_a_round_or_a_level() {
    for algorithm in CATALOGUE {
        let wiring = network_for(algorithm.network, 64);
        for (seed, schedule) in (1..).zip(schedules()) {
            let ids = random_ids(64, seed);
            let simulator = Simulator::new(algorithm, &wiring, &ids).schedule(schedule).seed(seed);
            let outcome = simulator.stages(true).run().expect("a possible experiment");
            let Some(found) = outcome.stages else {
                assert_eq!(algorithm.stages(), None);
                continue;
            };
            assert_eq!(Some(found.name), algorithm.stages());
            assert_eq!(found.stages[0].reached, outcome.woken, "all initiators compete");
            for (stage, next) in found.stages.iter().zip(&found.stages[1..]) {
                assert_eq!(next.number, stage.number + 1);
                assert!(next.reached <= next.limit && next.reached <= stage.reached, "{next:?}");
                assert!(stage.first <= next.first && next.competing <= outcome.woken, "{next:?}");
                assert!(next.territory.is_none_or(|all| all <= 64), "{next:?}");
            }
            assert_eq!(found.stages.last().map(|last| last.reached), Some(1), "one wins");
        }
    }
}

/// On a ring whose identities are in bit-reversed order half of the active processes survive each
/// round: as many as may.
#[test]
fn half_of_the_active_processes_survive_a_round_at_most_and_in_the_worst_case() {
    let ids: Vec<_> = Ids::BitReversed.assign(64, 1);
    let ring = Wiring::ring(64);
    let run = Simulator::new(row("dolev-klawe-rodeh"), &ring, &ids).stages(true).run();
    let stages = run.expect("a possible experiment").stages.expect("it has rounds");
    let reached: Vec<_> = stages.stages.iter().map(|stage| stage.reached).collect();
    assert_eq!(reached, [64, 32, 16, 8, 4, 2, 1]);
}
