//! The schedule `rounds`: its order is canonical, and the same however processes are distributed.

use crate::common::{elect, network_for, random_ids, row, some_of};
use std::collections::BTreeMap;
use suffrage_algorithms::{Algorithm, CATALOGUE, Claimed, Visitor};
use suffrage_process::{Facts, Id, Knowledge, Message, Net, Place, Port, Process, Size};
use suffrage_simulator::{Event, Experiment, Observer, Outcome, Pace, Schedule, Simulator, Wakes};
use suffrage_topology::wiring::{End, Wiring};

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

/// What an election costs, as far as processes know it themselves.
#[derive(Debug, Default, PartialEq)]
struct Cost {
    by_kind: Vec<u64>,
    time: u64,
    depth: u32,
    peak: u64,
    leader: Option<u32>,
    woken: u64,
}

impl Cost {
    fn of(outcome: &Outcome) -> Self {
        Self {
            by_kind: outcome.messages.by_kind().map(|(_, count)| count).collect(),
            time: outcome.time,
            depth: outcome.causal_depth,
            peak: outcome.peak_in_flight,
            leader: outcome.leader.map(|leader| leader.node),
            woken: outcome.woken,
        }
    }
}

/// An election with unit delays, by definition: each block of processes is driven on its own, as on
/// a machine of its own, and knows of a tick only what reaches its processes.
struct Apart<'a> {
    wiring: &'a Wiring,
    ids: &'a [Id],
    wakes: &'a [(u64, u32)],
    blocks: u32,
}

struct Block<P: Process> {
    first: u32,
    processes: Vec<(P, u32, bool)>,
    cost: Cost,
    sent: Vec<(End, u32, P::Msg)>,
}

struct Out<'a, M> {
    wiring: &'a Wiring,
    node: u32,
    depth: u32,
    by_kind: &'a mut [u64],
    sent: &'a mut Vec<(End, u32, M)>,
}

impl<M: Message> Net<M> for Out<'_, M> {
    fn degree(&self) -> u32 {
        self.wiring.degree(self.node)
    }
    fn send(&mut self, to: Port, msg: M) {
        self.by_kind[msg.kind()] += 1;
        self.sent.push((self.wiring.across(self.node, to), self.depth + 1, msg));
    }
    fn choose(&mut self, _: u32) -> u32 {
        unreachable!("no algorithm of this test chooses")
    }
    fn set_alarm(&mut self, _: u32) {
        unreachable!("no algorithm of this test sets alarms")
    }
    fn reject(&mut self, why: &'static str) {
        panic!("{why}");
    }
}

impl<P: Process> Block<P> {
    /// Runs the tick of its own processes.
    fn tick(&mut self, wiring: &Wiring, wakes: &[u32], mut arriving: Vec<(End, u32, P::Msg)>) {
        let by_kind = &mut self.cost.by_kind;
        for &node in wakes {
            let (process, _, asleep) = &mut self.processes[(node - self.first) as usize];
            if std::mem::take(asleep) {
                self.cost.woken += 1;
                let sent = &mut self.sent;
                process.wake(&mut Out { wiring, node, depth: 0, by_kind, sent });
            }
        }
        arriving.sort_by_key(|&(to, ..)| to);
        for (to, sent_at, msg) in arriving {
            let (process, depth, asleep) = &mut self.processes[(to.node - self.first) as usize];
            if process.halted() {
                continue;
            }
            *asleep = false;
            *depth = sent_at.max(*depth);
            let sent = &mut self.sent;
            let mut net = Out { wiring, node: to.node, depth: *depth, by_kind, sent };
            process.receive(to.port, msg, &mut net);
        }
    }
}

impl Visitor for Apart<'_> {
    type Output = Cost;

    fn visit<P: Claimed>(self) -> Cost {
        let Self { wiring, ids, wakes, blocks } = self;
        let size = Size(wiring.nodes());
        let width = wiring.nodes().div_ceil(blocks);
        let of = |node: u32| (node / width) as usize;
        let kinds = vec![0; P::Msg::KINDS.len()];
        let mut all: Vec<Block<P>> = (0..blocks)
            .map(|block| {
                let (first, end) = (block * width, ((block + 1) * width).min(wiring.nodes()));
                let process = |node: u32| {
                    let facts = Facts { id: ids[node as usize], size, place: Place(node) };
                    (P::new(P::Knows::of(&facts), wiring.degree(node)), 0, true)
                };
                let cost = Cost { by_kind: kinds.clone(), ..Cost::default() };
                let processes = (first..end.max(first)).map(process).collect();
                Block { first, processes, cost, sent: Vec::new() }
            })
            .collect();
        let mut alarm_clock: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for &(tick, node) in wakes {
            alarm_clock.entry(tick).or_default().push(node);
        }
        let mut under_way: Vec<(End, u32, P::Msg)> = Vec::new();
        let (mut now, mut total) = (0, Cost::default());
        loop {
            let due = alarm_clock.remove(&now).unwrap_or_default();
            if !under_way.is_empty() {
                total.time = now;
            }
            // The messages of different blocks are mixed as they never are on one machine: the last
            // block first. Only those of one block are in order.
            let mut arriving: Vec<Vec<_>> = all.iter().map(|_| Vec::new()).collect();
            for message in std::mem::take(&mut under_way) {
                arriving[of(message.0.node)].push(message);
            }
            for (number, block) in all.iter_mut().enumerate().rev() {
                let mut own: Vec<u32> =
                    due.iter().copied().filter(|&node| of(node) == number).collect();
                own.sort_unstable();
                let woken = block.cost.woken;
                block.tick(wiring, &own, std::mem::take(&mut arriving[number]));
                if block.cost.woken > woken {
                    total.time = now;
                }
                under_way.append(&mut block.sent);
            }
            total.peak = total.peak.max(under_way.len() as u64);
            if under_way.is_empty() && alarm_clock.is_empty() {
                break;
            }
            now += 1;
        }
        total.by_kind = kinds;
        for block in &all {
            total.woken += block.cost.woken;
            for (sum, count) in total.by_kind.iter_mut().zip(&block.cost.by_kind) {
                *sum += count;
            }
            for (node, (process, depth, _)) in (block.first..).zip(&block.processes) {
                total.depth = total.depth.max(*depth);
                if process.status() == suffrage_process::Status::Leader {
                    total.leader = Some(node);
                }
            }
        }
        total
    }
}

#[test]
fn an_election_is_the_same_however_its_processes_are_distributed() {
    for algorithm in CATALOGUE {
        for nodes in [1, 2, 7, 33] {
            let wiring = network_for(algorithm.network, nodes);
            let ids = random_ids(wiring.nodes(), 3);
            let Wakes::At(at) = wakes(wiring.nodes()) else { panic!("some wake") };
            let experiment = Experiment {
                schedule: Schedule::Rounds(Pace::Unit),
                wakes: Wakes::At(at.clone()),
                ..Experiment::new(&wiring, &ids)
            };
            let whole = Cost::of(&elect(algorithm.name, &experiment));
            for blocks in [1, 2, 3, 8] {
                let apart = Apart { wiring: &wiring, ids: &ids, wakes: &at, blocks };
                let cost = algorithm.visit(apart);
                assert_eq!(cost, whole, "{} of {nodes}, {blocks} blocks", algorithm.name);
            }
        }
    }
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
