//! The schedule `rounds`: its order is canonical, and the same however processes are distributed.

use crate::common::{elect, network_for, random_ids, row, some_of};
use std::collections::BTreeSet;
use suffrage_algorithms::{Algorithm, CATALOGUE, Claimed, Claims, Visitor};
use suffrage_process::{Port, Timing};
use suffrage_simulator::blocks::{Block, Clock, Layout, conclude};
use suffrage_simulator::{
    Event, Experiment, Fault, Observer, Outcome, Pace, Property, Schedule, Simulator, Wakes,
};
use suffrage_topology::wiring::Wiring;

const PACES: [Pace; 4] = [Pace::Unit, Pace::Uniform(6), Pace::Uniform(3000), Pace::PerLink(6)];

/// Wake-ups of a third of the processes, at several ticks.
fn wakes(nodes: u32) -> Wakes {
    let chosen = some_of(nodes, nodes.div_ceil(3), 5);
    Wakes::At((0..).zip(chosen).map(|(place, node)| (place % 4, node)).collect())
}

/// Watches the order of each tick, and counts what is under way at its end.
#[derive(Default)]
struct Order {
    now: u64,
    last: Option<(u8, u32, Port)>,
    ties: u64,
    under_way: u64,
    peak: u64,
}

impl Observer for Order {
    fn event(&mut self, at: u64, _: u32, event: &Event<'_>) {
        if at > self.now {
            (self.now, self.last) = (at, None);
            self.peak = self.peak.max(self.under_way);
        }
        let place = match event {
            Event::Wake(node) => (0, *node, Port(0)),
            Event::Deliver(passage, _) | Event::Discard(passage, _) => {
                self.under_way -= 1;
                (1, passage.to.node, passage.to.port)
            }
            Event::Send(_) => {
                self.under_way += 1;
                return;
            }
            _ => return,
        };
        assert!(self.last <= Some(place), "tick {at}: {place:?} after {:?}", self.last);
        self.ties += u64::from(self.last.is_some());
        self.last = Some(place);
    }
}

#[test]
fn a_tick_is_in_the_order_of_receivers_and_ports_after_its_wake_ups() {
    let mut ties = 0;
    for algorithm in CATALOGUE {
        let wiring = network_for(algorithm.network, 40);
        let ids = random_ids(wiring.nodes(), 2);
        for pace in PACES {
            let wakes = wakes(wiring.nodes());
            let experiment = Experiment {
                schedule: Schedule::Rounds(pace),
                wakes,
                ..Experiment::new(&wiring, &ids)
            };
            let mut order = Order::default();
            let outcome = Simulator::of(algorithm, experiment).observer(&mut order).run();
            let outcome = outcome.expect("a possible experiment");
            assert_eq!(outcome.peak_in_flight, order.peak, "{}, {pace:?}", algorithm.name);
            ties += order.ties;
        }
    }
    assert!(ties > 10_000, "{ties} events at the same tick as another");
}

/// Holds an election in blocks, and takes what they send from the last block first.
struct InBlocks<'a, 'e> {
    experiment: &'a Experiment<'e>,
    claims: &'a Claims,
    blocks: u32,
}

impl Visitor for InBlocks<'_, '_> {
    type Output = Outcome;

    fn visit<P: Claimed>(self) -> Outcome {
        let Self { experiment, claims, blocks } = self;
        let layout = Layout::new(experiment, blocks).expect("an election in rounds");
        let mut all: Vec<Block<P>> =
            (0..blocks).map(|number| Block::new(experiment, layout, number)).collect();
        let mut clock = Clock::new(experiment, layout);
        while clock.tick().is_some() {
            let mut sent = Vec::new();
            let mut post = |to: u32, at, packets| sent.push((to, at, packets));
            let mut run = |block: &mut Block<P>| block.run(experiment, &clock, &mut post);
            let mut accounts: Vec<_> = all.iter_mut().rev().map(&mut run).collect();
            accounts.reverse();
            for (to, at, packets) in sent {
                all[to as usize].accept(at, packets);
            }
            clock.advance(accounts);
        }
        let shares = all.iter().map(|block| block.share(experiment.ids)).collect();
        conclude::<P>(experiment, Some(claims), clock, shares)
    }
}

/// Holds the same election whole and in blocks.
fn assert_same_in_blocks(algorithm: &Algorithm, experiment: &Experiment<'_>) -> Outcome {
    let whole = elect(algorithm.name, experiment);
    for blocks in [1, 2, 3, 8] {
        let claims = &algorithm.claims;
        let apart = algorithm.visit(InBlocks { experiment, claims, blocks });
        let (nodes, schedule) = (experiment.wiring.nodes(), &experiment.schedule);
        assert_eq!(apart, whole, "{} of {nodes}, {schedule}, {blocks} blocks", algorithm.name);
    }
    whole
}

#[test]
fn an_election_is_the_same_however_its_processes_are_distributed() {
    let mut properties = BTreeSet::new();
    // Those that rely on rounds count them by alarms, which blocks do not have.
    for algorithm in Algorithm::all().filter(|row| row.timing == Timing::Asynchronous) {
        for nodes in [1, 2, 7, 33] {
            let wiring = network_for(algorithm.network, nodes);
            let ids = random_ids(wiring.nodes(), 3);
            for pace in PACES {
                for wakes in [Wakes::All, wakes(wiring.nodes())] {
                    let schedule = Schedule::Rounds(pace);
                    // Some that are printed wrongly go on for ever.
                    let event_limit = 20_000;
                    let experiment = Experiment {
                        schedule,
                        wakes,
                        event_limit,
                        ..Experiment::new(&wiring, &ids)
                    };
                    let outcome = assert_same_in_blocks(algorithm, &experiment);
                    properties
                        .extend(outcome.violations.iter().map(|breach| breach.violation.property));
                }
            }
        }
    }
    assert!(properties.contains(&Property::ExactlyOneLeader), "{properties:?}");
    assert!(properties.contains(&Property::AtMostOneLeader), "{properties:?}");
}

#[test]
fn an_election_that_is_cut_off_is_cut_at_the_same_message() {
    for name in ["lelann", "humblet", "echo-extinction"] {
        let wiring = network_for(row(name).network, 12);
        let ids = random_ids(wiring.nodes(), 3);
        for pace in PACES {
            for event_limit in [1, 2, 17, 40, 41] {
                let schedule = Schedule::Rounds(pace);
                let experiment =
                    Experiment { schedule, event_limit, ..Experiment::new(&wiring, &ids) };
                let outcome = assert_same_in_blocks(row(name), &experiment);
                assert_eq!(outcome.violations[0].violation.property, Property::Termination);
                assert_eq!(outcome.delivered, event_limit);
            }
        }
    }
}

#[test]
fn a_complete_network_with_delays_needs_no_memory_of_links_in_any_block() {
    let (wiring, ids) = (Wiring::complete_shuffled(300, 5), random_ids(300, 4));
    for pace in PACES {
        let schedule = Schedule::Rounds(pace);
        let experiment = Experiment { schedule, ..Experiment::new(&wiring, &ids) };
        assert_same_in_blocks(row("afek-gafni"), &experiment);
    }
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let (ring, ids) = (Wiring::ring(5), random_ids(5, 1));
    let rounds =
        Experiment { schedule: Schedule::Rounds(Pace::Unit), ..Experiment::new(&ring, &ids) };
    let why = |experiment| Layout::new(&experiment, 2).unwrap_err().to_string();
    assert!(why(Experiment::new(&ring, &ids)).contains("choose rounds"));
    assert!(why(Experiment { capacity: Some(1), ..rounds.clone() }).contains("bounded"));
    assert!(why(Experiment { faults: vec![Fault::NoFifo], ..rounds }).contains("no-fifo"));
}

/// The calendar of a large network has many ranges, and ticks of one message as well as of many.
#[test]
fn many_ranges_and_long_delays_give_what_queues_give() {
    let holds = |name: &str, wiring: &Wiring, pace| {
        let ids = random_ids(wiring.nodes(), 4);
        let run = |capacity| {
            let schedule = Schedule::Rounds(pace);
            elect(name, &Experiment { schedule, capacity, ..Experiment::new(wiring, &ids) })
        };
        // A network with time to be held to, which the room of links does not change.
        assert_eq!(run(None), run(Some(u32::MAX)), "{name}, {pace:?}");
    };
    for pace in PACES {
        holds("chang-roberts", &Wiring::ring(5000), pace);
        holds("humblet", &Wiring::complete(3000), pace);
        let graph = crate::common::network("barabasi-albert:4000:3");
        holds("echo-extinction", &graph, pace);
    }
}

/// The order within a tick depends on nothing but the tick's events.
#[test]
fn synchronous_and_rounds_have_the_same_ticks_where_order_does_not_matter() {
    let algorithm: &Algorithm = row("lelann");
    let (ring, ids) = (Wiring::ring(50), random_ids(50, 1));
    let run = |schedule| {
        let outcome = Simulator::new(algorithm, &ring, &ids).schedule(schedule).run();
        outcome.expect("a possible experiment")
    };
    let (one, other) = (run(Schedule::Synchronous), run(Schedule::Rounds(Pace::Unit)));
    assert_eq!((one.time, one.messages), (other.time, other.messages));
}
