//! The schedule `rounds`: its order is canonical, and the same however processes are distributed.

use crate::common::{elect, network_for, random_ids, row, some_of};
use std::collections::BTreeSet;
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, CATALOGUE, Claimed, Claims};
use suffrage_model::{Port, Timing};
use suffrage_networks::{Ids, Ports, Spec, wiring::Wiring};
use suffrage_simulator::blocks::{
    Account, Block, BlockLayout, Election, ElectionIds, ElectionNetwork, Overrun, RoundClock,
    conclude,
};
use suffrage_simulator::{
    ElectionEvent, Experiment, Fault, Observer, Outcome, Pace, Property, Schedule, Simulator, Wakes,
};

const PACES: [Pace; 4] = [Pace::Unit, Pace::Uniform(6), Pace::Uniform(3000), Pace::PerLink(6)];

/// Wake-ups of a third of the processes, at several ticks.
fn wakes(nodes: u32) -> Wakes {
    let chosen = some_of(nodes, nodes.div_ceil(3), 5);
    Wakes::At((0..).zip(chosen).map(|(place, node)| (place % 4, node)).collect())
}

/// Watches the order of each tick, and counts the messages under way when the tick ends.
#[derive(Default)]
struct Order {
    now: u64,
    last: Option<(u8, u32, Port)>,
    ties: u64,
    under_way: u64,
    peak: u64,
}

impl Observer for Order {
    fn event(&mut self, at: u64, _: u32, event: &ElectionEvent<'_>) {
        if at > self.now {
            (self.now, self.last) = (at, None);
            self.peak = self.peak.max(self.under_way);
        }
        let place = match event {
            ElectionEvent::Wake(node) => (0, *node, Port(0)),
            ElectionEvent::Deliver(passage, _) | ElectionEvent::Discard(passage, _) => {
                self.under_way -= 1;
                (1, passage.to.node, passage.to.port)
            }
            ElectionEvent::Send(_) => {
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

/// Holds an election in blocks, which run ahead of each other unless there is something that they know, and takes
/// what they send from the last block first. Counts the exchanges between them.
struct InBlocks<'a, 'e> {
    election: &'a Election<'e>,
    claims: &'a Claims,
    blocks: u32,
    known: Option<Overrun>,
}

impl AlgorithmVisitor for InBlocks<'_, '_> {
    type Output = (Result<Outcome, Overrun>, u64);

    fn visit<P: Claimed>(self) -> Self::Output {
        let Self { election, claims, blocks, known } = self;
        let layout = BlockLayout::new(election, blocks).expect("few processes");
        let mut all: Vec<Block<P>> =
            (0..blocks).map(|number| Block::new(election, layout, number)).collect();
        let mut clock = RoundClock::new(election, layout);
        if let Some(overrun) = known {
            clock = clock.knowing(overrun);
        }
        let mut exchanges = 0;
        while clock.tick().is_some() {
            exchanges += 1;
            let mut sent = Vec::new();
            let mut post = |to: u32, at, packets| sent.push((to, at, packets));
            let mut run = |block: &mut Block<P>| block.run_stretch(election, &clock, &mut post);
            let mut stretches: Vec<_> = all.iter_mut().rev().map(&mut run).collect();
            stretches.reverse();
            for (to, at, packets) in sent {
                all[to as usize].accept(at, packets);
            }
            if let Err(overrun) = clock.advance_stretch(stretches) {
                return (Err(overrun), exchanges);
            }
        }
        let shares = all.iter().map(Block::share).collect();
        (Ok(conclude::<P>(election, Some(claims), clock, shares)), exchanges)
    }
}

/// Holds the same election whole and in blocks.
fn assert_same_in_blocks(algorithm: &Algorithm, experiment: &Experiment<'_>) -> Outcome {
    let election = Election::of(experiment).expect("an election in rounds");
    let whole = elect(algorithm.name, experiment);
    assert_same(algorithm, &election, &whole);
    whole
}

/// Holds an election in blocks.
fn assert_same(algorithm: &Algorithm, election: &Election<'_>, whole: &Outcome) {
    for (blocks, ahead) in [(1, false), (2, true), (3, false), (3, true), (8, false)] {
        let claims = &algorithm.claims;
        let (nodes, pace) = (election.network.nodes(), election.pace);
        let about = format!("{} of {nodes}, {pace:?}, {blocks} blocks, {ahead}", algorithm.name);
        let mut known = (!ahead).then(Overrun::default);
        for attempts in 1.. {
            match algorithm.visit(InBlocks { election, claims, blocks, known }).0 {
                Ok(apart) => {
                    assert_eq!(apart, *whole, "{about}");
                    break;
                }
                // Once since they ran ahead, once since they did not know of each other's alarms.
                Err(overrun) if attempts < 3 => known = Some(overrun),
                Err(_) => panic!("{about}: the blocks know"),
            }
        }
    }
}

/// On a ring blocks hear of each other when a message comes near an edge, and not in every tick.
#[test]
fn blocks_of_a_ring_run_ahead_until_a_message_can_leave() {
    for name in ["chang-roberts", "franklin", "peterson", "fokkink-pang-a"] {
        let algorithm = row(name);
        let (ring, ids) = (Wiring::ring(6000), random_ids(6000, 3));
        let schedule = Schedule::Rounds(Pace::Unit);
        let few = Wakes::At(vec![(0, 7), (0, 2900), (2, 4000)]);
        let experiment = Experiment { schedule, wakes: few, ..Experiment::new(&ring, &ids) };
        let election = Election::of(&experiment).expect("an election in rounds");
        let in_blocks = |election, blocks, ahead| {
            let known = if ahead { None } else { Some(Overrun::default()) };
            algorithm.visit(InBlocks { election, claims: &algorithm.claims, blocks, known })
        };
        let whole = elect(name, &experiment);
        for blocks in [1, 2, 5] {
            let (ahead, exchanges) = in_blocks(&election, blocks, true);
            assert_eq!(ahead.as_ref(), Ok(&whole), "{name} in {blocks} blocks");
            assert!(exchanges * 10 < whole.time, "{name}: {exchanges} in {} ticks", whole.time);
        }
        // Tick by tick, it is cut off at the same event as on one core; otherwise there is an error.
        let cut = Experiment { event_limit: whole.delivered / 2, ..experiment };
        let election = Election::of(&cut).expect("an election in rounds");
        assert!(in_blocks(&election, 3, true).0.is_err(), "{name}");
        assert_eq!(in_blocks(&election, 3, false).0, Ok(elect(name, &cut)), "{name}");
    }
}

#[test]
fn an_election_is_the_same_where_network_and_identities_are_computed() {
    for (name, spec) in [
        ("echo-extinction", "torus:6x7"),
        ("gallager-humblet-spira", "hypercube:5"),
        ("echo-extinction", "grid:5x4"),
        ("tree-wave", "tree:3:40"),
        ("tree-wave", "star:30"),
        ("chang-roberts", "ring:41"),
        ("humblet", "complete:30"),
        ("fokkink-pang-a", "ring:20"),
    ] {
        let (spec, algorithm): (Spec, _) = (spec.parse().expect("a specification"), row(name));
        let ports = if algorithm.network.is_oriented() { Ports::Rotation } else { Ports::Random };
        let wiring = spec.build(1).expect("small").wire(ports, 8);
        let implicit = spec.implicit(ports, 8).expect("it is computed");
        let nodes = wiring.nodes();
        for layout in [Ids::Scattered, Ids::Descending] {
            let ids = layout.assign(nodes, 5);
            let computed = layout.computed(nodes.into(), 5).expect("no table");
            for pace in PACES {
                let schedule = Schedule::Rounds(pace);
                let experiment = Experiment {
                    schedule,
                    wakes: wakes(nodes),
                    seed: 5,
                    ..Experiment::new(&wiring, &ids)
                };
                let election = Election {
                    network: ElectionNetwork::Implicit(&implicit),
                    ids: ElectionIds::Computed(&computed),
                    ..Election::of(&experiment).expect("in rounds")
                };
                assert_same(algorithm, &election, &elect(name, &experiment));
            }
        }
    }
}

/// Runs some ticks of a wave in those blocks alone that it reaches.
struct Spreading<'a> {
    election: &'a Election<'a>,
    blocks: u32,
    reached: &'a [u32],
    ticks: usize,
}

impl AlgorithmVisitor for Spreading<'_> {
    /// The number of messages delivered after each tick.
    type Output = Vec<u64>;

    fn visit<P: Claimed>(self) -> Vec<u64> {
        let Self { election, blocks, reached, ticks } = self;
        let layout = BlockLayout::new(election, blocks).expect("enough blocks");
        let mut all: Vec<Block<P>> =
            reached.iter().map(|&number| Block::new(election, layout, number)).collect();
        let mut clock = RoundClock::new(election, layout);
        let mut delivered = Vec::new();
        for _ in 0..ticks {
            let mut accounts = vec![Account::default(); blocks as usize];
            let mut sent = Vec::new();
            for (block, &number) in all.iter_mut().zip(reached) {
                let mut post = |to: u32, at, packets| sent.push((to, at, packets));
                accounts[number as usize] = block.run(election, &clock, &mut post);
            }
            for (to, at, packets) in sent {
                let place = reached.iter().position(|&number| number == to);
                all[place.expect("no other block is reached")].accept(at, packets);
            }
            clock.advance(accounts).expect("no alarms");
            delivered.push(clock.delivered());
        }
        delivered
    }
}

/// Of 10^10 processes a wave reaches a few in a few ticks: as many as on a small torus.
#[test]
fn nodes_past_32_bits_are_as_others() {
    let torus = |spec: &str| {
        let spec = Spec::unlimited(spec).expect("a specification");
        spec.implicit(Ports::Random, 1).expect("it is computed")
    };
    let spread = |spec: &str, start, blocks, reached: &[u32]| {
        let torus = torus(spec);
        let ids = Ids::Scattered.computed(torus.nodes(), 1).expect("no table");
        let election = Election {
            wakes: Some(vec![(0, start)]),
            ..Election::new(ElectionNetwork::Implicit(&torus), ElectionIds::Computed(&ids))
        };
        let ticks = 6;
        row("echo-extinction").visit(Spreading { election: &election, blocks, reached, ticks })
    };
    // A block is a tenth of a row: the wave stays in one column of blocks.
    let rows: Vec<u32> = (-6..=6).map(|row| 800_000 + 10 * row).map(|at: i32| at as u32).collect();
    let far = spread("torus:100000x100000", 8_000_005_000, 1_000_000, &rows);
    assert_eq!(far, spread("torus:40x40", 820, 1, &[0]));
    assert!(far.is_sorted() && far[5] > 100, "{far:?}");
}

#[test]
fn more_processes_than_blocks_can_number_are_refused() {
    let torus = Spec::unlimited("torus:100000x100000").expect("a specification");
    let torus = torus.implicit(Ports::Rotation, 1).expect("it is computed");
    let ids = Ids::Scattered.computed(torus.nodes(), 1).expect("no table");
    let election = Election::new(ElectionNetwork::Implicit(&torus), ElectionIds::Computed(&ids));
    let refused = BlockLayout::new(&election, 2).expect_err("too few").to_string();
    assert!(refused.contains("10000000000 processes are too many for 2 workers"), "{refused}");
    assert!(BlockLayout::new(&election, 3).is_ok());
}

#[test]
fn an_election_is_the_same_however_its_processes_are_distributed() {
    let mut properties = BTreeSet::new();
    for algorithm in Algorithm::all() {
        for nodes in [1, 2, 7, 33] {
            let wiring = network_for(algorithm.network, nodes);
            let ids = random_ids(wiring.nodes(), 3);
            for pace in PACES {
                for wakes in [Wakes::All, wakes(wiring.nodes())] {
                    if algorithm.timing.in_rounds() && pace != Pace::Unit
                        || algorithm.timing == Timing::SimultaneousRounds && wakes != Wakes::All
                    {
                        continue; // Neither has an outcome.
                    }
                    let schedule = Schedule::Rounds(pace);
                    // Some algorithms that were printed wrongly never terminate.
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

/// Alarms are events, and how many ring in other blocks is known afterwards only.
#[test]
fn an_election_that_is_cut_off_among_alarms_is_cut_at_the_same_alarm() {
    for algorithm in CATALOGUE.iter().filter(|row| row.timing.in_rounds()) {
        let wiring = network_for(algorithm.network, 12);
        let ids = random_ids(wiring.nodes(), 3);
        let schedule = Schedule::Rounds(Pace::Unit);
        let whole = Experiment { schedule, ..Experiment::new(&wiring, &ids) };
        let of_whole = assert_same_in_blocks(algorithm, &whole);
        let mut cut = 0;
        for event_limit in 1..=of_whole.delivered.min(150) {
            let experiment = Experiment { event_limit, ..whole.clone() };
            let outcome = assert_same_in_blocks(algorithm, &experiment);
            cut += u64::from(outcome != of_whole);
        }
        assert!(cut > 0, "{}", algorithm.name);
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
    let why = |experiment| Election::of(&experiment).unwrap_err().to_string();
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
