//! An explorer of a few lines, without tables, orders or anything clever.

use crate::common::ending;
use std::collections::{HashSet, VecDeque};
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, CATALOGUE, FORMS};
use suffrage_checker::{Family, Instance, Options, Specification, explore};
use suffrage_model::{
    Diameter, Facts, Id, Kind, Knowledge, Message, Multiplicity, Net, NetworkClass, Phase, Place,
    Port, Process, Size, Status,
};
use suffrage_networks::wiring::Wiring;

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct State<P: Process> {
    /// Each process, whether it is asleep, and whether it woke by itself.
    pub(crate) nodes: Vec<(P, bool, bool)>,
    /// What is under way to each port.
    links: Vec<Vec<VecDeque<P::Msg>>>,
}

struct Outbox<'a, P: Process> {
    links: &'a mut [Vec<VecDeque<P::Msg>>],
    wiring: &'a Wiring,
    node: u32,
    /// How many messages of each phase it has sent.
    sent: [u64; 2],
}

impl<P: Process> Net<P::Msg> for Outbox<'_, P> {
    fn degree(&self) -> u32 {
        self.wiring.degree(self.node)
    }
    fn send(&mut self, to: Port, msg: P::Msg) {
        let end = self.wiring.across(self.node, to);
        self.links[end.node as usize][end.port.0 as usize].push_back(msg);
        self.sent[usize::from(P::Msg::KINDS[msg.kind()].phase == Phase::Announcement)] += 1;
    }
    fn choose(&mut self, _: u32) -> u32 {
        unreachable!("no algorithm of the catalogue draws lots")
    }
    fn set_alarm(&mut self, _: u32) {
        unreachable!("no algorithm of the catalogue sets alarms")
    }
    fn reject(&mut self, _: &'static str) {}
}

impl<P: Process> State<P> {
    pub(crate) fn first(instance: &Instance) -> Self {
        let nodes = instance.wiring.nodes();
        let process = |node: u32| {
            let id = instance.ids[node as usize];
            let (size, place, diameter) = (Size(nodes), Place(node), Diameter(0));
            let multiplicity = Multiplicity::of(&mut instance.ids.clone());
            let facts = Facts { id, size, place, diameter, multiplicity };
            (P::new(P::Knows::of(&facts), instance.wiring.degree(node)), true, false)
        };
        let ports = |node| vec![VecDeque::new(); instance.wiring.degree(node) as usize];
        Self { nodes: (0..nodes).map(process).collect(), links: (0..nodes).map(ports).collect() }
    }

    /// What may come next, and how many messages of each phase are sent on the way there.
    pub(crate) fn next(&self, instance: &Instance) -> Vec<(Self, [u64; 2])> {
        let wiring = &instance.wiring;
        let mut all = Vec::new();
        for node in 0..wiring.nodes() {
            let at = node as usize;
            if instance.initiators.contains(&node) && self.nodes[at].1 {
                let mut next = self.clone();
                let mut net = Outbox::<P> { links: &mut next.links, wiring, node, sent: [0; 2] };
                let (process, asleep, woke) = &mut next.nodes[at];
                process.wake(&mut net);
                (*asleep, *woke) = (false, true);
                let sent = net.sent;
                all.push((next, sent));
            }
            for port in 0..wiring.degree(node) {
                let mut next = self.clone();
                let Some(msg) = next.links[at][port as usize].pop_front() else { continue };
                let mut net = Outbox::<P> { links: &mut next.links, wiring, node, sent: [0; 2] };
                let (process, asleep, _) = &mut next.nodes[at];
                if !process.halted() {
                    process.receive(Port(port), msg, &mut net);
                }
                *asleep = false;
                let sent = net.sent;
                all.push((next, sent));
            }
        }
        all
    }
}

fn compare<P: Process>(instance: &Instance) {
    let (mut seen, mut transitions, mut terminal) = (HashSet::new(), 0, 0);
    let mut open = vec![State::<P>::first(instance)];
    seen.insert(open[0].clone());
    while let Some(state) = open.pop() {
        let next = state.next(instance);
        transitions += next.len() as u64;
        terminal += u64::from(next.is_empty());
        let next = next.into_iter().map(|(next, _)| next);
        open.extend(next.filter(|next| seen.insert(next.clone())));
    }
    let options = Options { full: true, ..Options::default() };
    let found = explore(instance, &Specification::<P>::these(&[]), &options)
        .expect("an instance that can be");
    assert_eq!(
        (found.states, found.transitions, found.terminal),
        (seen.len() as u64, transitions, terminal),
        "{instance:?}"
    );
}

#[test]
fn the_full_exploration_meets_every_configuration_once() {
    struct Compare(u32);
    impl AlgorithmVisitor for Compare {
        type Output = ();
        fn visit<P: Process>(self) {
            let family = Family::everything(P::NETWORK, self.0).unwrap();
            (0..family.len()).for_each(|number| compare::<P>(&family.get(number)));
        }
    }
    for row in CATALOGUE.iter().chain(FORMS) {
        (1..=3).for_each(|nodes| row.visit(Compare(nodes)));
    }
}

#[test]
fn the_exact_depths_are_those_of_every_way_to_the_end() {
    struct Compare(u32);
    impl AlgorithmVisitor for Compare {
        type Output = usize;
        fn visit<P: Process>(self) -> usize {
            let family = Family::everything(P::NETWORK, self.0).unwrap();
            let instances = (0..family.len()).map(|number| family.get(number));
            instances.filter(deeply::<P>).count()
        }
    }
    let compared = |row: &Algorithm| {
        // There is no hypercube of three nodes.
        let largest = if Family::everything(row.network, 3).unwrap().is_empty() { 4 } else { 3 };
        [1, 2, largest].map(|nodes| row.visit(Compare(nodes))).into_iter().sum::<usize>()
    };
    for row in ending() {
        assert!(compared(row) >= 15, "{}", row.name);
    }
}

/// Compares the depths of an instance, if there are not too many ways to its end.
pub(crate) fn deeply<P: Process>(instance: &Instance) -> bool {
    let Some((least, greatest)) = depths::<P>(instance, 50_000) else { return false };
    let found = explore(instance, &Specification::<P>::these(&[]), &Options::default())
        .expect("an instance that can be");
    let costs = found.costs.expect("no faults, and it ends");
    let exact = (costs.least_depth, costs.greatest_depth);
    assert_eq!(exact, (Some(least), greatest), "{instance:?}");
    true
}

/// A state with how deep each process is, and each message under way.
type Deep<P> = (Vec<(P, bool, u64)>, Vec<Vec<VecDeque<(<P as Process>::Msg, u64)>>>);

/// The least and the greatest causal depth, by following every way in which all can become as
/// deep as they do; `None` if there are more than the limit.
fn depths<P: Process>(instance: &Instance, most: usize) -> Option<(u64, u64)> {
    let State { nodes, links } = State::<P>::first(instance);
    let links = links.iter().map(|ports| vec![VecDeque::new(); ports.len()]).collect();
    let first: Deep<P> =
        (nodes.into_iter().map(|(process, ..)| (process, true, 0)).collect(), links);
    let mut seen = HashSet::from([first.clone()]);
    let (mut open, mut found) = (vec![first], None);
    while let Some((nodes, links)) = open.pop() {
        if seen.len() > most {
            return None;
        }
        let mut last = true;
        for node in 0..nodes.len() {
            let wakes = nodes[node].1 && instance.initiators.contains(&(node as u32));
            let ports = (0..links[node].len()).filter(|&port| !links[node][port].is_empty());
            for cause in ports.map(Some).chain(wakes.then_some(None)) {
                last = false;
                let (mut nodes, mut links) = (nodes.clone(), links.clone());
                let wiring = &instance.wiring;
                let ports = |ports: &Vec<VecDeque<_>>| vec![VecDeque::new(); ports.len()];
                let mut sent: Vec<Vec<_>> = links.iter().map(ports).collect();
                let (links_of, of) = (&mut sent, node as u32);
                let mut net = Outbox::<P> { links: links_of, wiring, node: of, sent: [0; 2] };
                let (process, asleep, depth) = &mut nodes[node];
                *asleep = false;
                match cause {
                    None => process.wake(&mut net),
                    Some(port) => {
                        let (msg, deep) = links[node][port].pop_front()?;
                        if !process.halted() {
                            *depth = deep.max(*depth);
                            process.receive(Port(port as u32), msg, &mut net);
                        }
                    }
                }
                let deeper = *depth + 1;
                for (link, sent) in links.iter_mut().flatten().zip(sent.into_iter().flatten()) {
                    link.extend(sent.into_iter().map(|msg| (msg, deeper)));
                }
                if seen.insert((nodes.clone(), links.clone())) {
                    open.push((nodes, links));
                }
            }
        }
        if last {
            let deepest = nodes.iter().map(|&(.., depth)| depth).max()?;
            let (least, greatest) = found.unwrap_or((deepest, deepest));
            found = Some((deepest.min(least), deepest.max(greatest)));
        }
    }
    found
}

/// Two processes hand a number to and fro until it is 0: messages and depths exceed a byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Countdown;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Left(u32);

impl Message for Left {
    const KINDS: &'static [Kind] = &[Kind::election("odd"), Kind::election("even")];
    fn kind(&self) -> usize {
        usize::from(self.0.is_multiple_of(2))
    }
}

impl Process for Countdown {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = ();
    type Msg = Left;

    fn new((): (), _: u32) -> Self {
        Self
    }

    fn wake(&mut self, net: &mut impl Net<Left>) {
        net.send(Port(0), Left(600));
    }

    fn receive(&mut self, from: Port, Left(left): Left, net: &mut impl Net<Left>) {
        if left > 0 {
            net.send(from, Left(left - 1));
        }
    }

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn halted(&self) -> bool {
        false
    }
}

#[test]
fn costs_that_exceed_a_byte_are_exact() {
    let instance = Instance {
        initiators: vec![1],
        ..Instance::new(Wiring::ring(2), vec![Id::new(1), Id::new(2)])
    };
    for full in [false, true] {
        let options = Options { full, ..Options::default() };
        let found = explore(&instance, &Specification::<Countdown>::these(&[]), &options);
        let costs = found.expect("an instance that can be").costs.expect("it ends");
        assert_eq!((costs.messages.min, costs.messages.max), (601, 601));
        let kinds: Vec<u64> = costs.by_kind.iter().map(|(_, kind)| kind.max).collect();
        assert_eq!(kinds, [300, 301]);
        assert_eq!((costs.least_depth, costs.greatest_depth), (Some(601), 601));
        assert_eq!(costs.greatest_time, full.then_some(601));
    }
}
