//! A family is the union of its instances: an instance that is left out equals an explored one.
//!
//! Families are drawn at random. Each is explored as the command does it, and once more as all the
//! instances that it stands for: every order of the identities, every graph, every port numbering and
//! every set of initiators, written out here by loops that know no symmetry, each explored by itself
//! and in full. `FAMILIES=10000 cargo test --release` draws as many.

use crate::common::{explored, found};
use std::collections::BTreeSet;
use suffrage_algorithms::{Algorithm, CATALOGUE, FORMS, ROUNDS};
use suffrage_checker::{
    Arrangements, CheckReport, Checkable, Family, FaultBudget, InitiatorSets, Instance, Options,
    Orders, Wake,
};
use suffrage_model::{Id, NetworkClass, Port, Timing};
use suffrage_networks::{
    random::Generator,
    wiring::{Adjacency, Wiring},
};

/// All that a report says of executions.
#[derive(Clone, Debug, Default, PartialEq)]
struct Findings {
    broken: bool,
    winners: BTreeSet<Id>,
    /// The least and greatest number of messages, of all kinds and of each.
    messages: Option<Vec<(u64, u64)>>,
    depth: Option<u64>,
    /// Known where everything was explored.
    time: Option<u64>,
}

impl Findings {
    fn of(report: &CheckReport) -> Self {
        assert_eq!(report.incomplete, None);
        let costs = report.costs.as_ref().filter(|_| report.failing == 0);
        let messages = |costs: &suffrage_checker::ExactCosts| {
            let kinds = costs.by_kind.iter().map(|(_, kind)| kind);
            [costs.messages].iter().chain(kinds).map(|all| (all.min, all.max)).collect()
        };
        Self {
            broken: report.failing > 0,
            winners: report.winners.clone(),
            messages: costs.map(messages),
            depth: costs.map(|costs| costs.greatest_depth),
            time: costs.and_then(|costs| costs.greatest_time),
        }
    }

    fn join(&mut self, other: &Self) {
        self.broken |= other.broken;
        self.winners.extend(&other.winners);
        if let (Some(known), Some(new)) = (&mut self.messages, &other.messages) {
            for (known, new) in known.iter_mut().zip(new) {
                *known = (known.0.min(new.0), known.1.max(new.1));
            }
        }
        self.depth = self.depth.max(other.depth);
        self.time = self.time.max(other.time);
    }
}

/// The orders of `0..n`.
fn orders(n: u32) -> Vec<Vec<u32>> {
    (0..n).fold(vec![Vec::new()], |orders, next| {
        let longer = |order: Vec<u32>| {
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, next);
                longer
            })
        };
        orders.into_iter().flat_map(longer).collect()
    })
}

fn ids(order: &[u32]) -> Vec<Id> {
    order.iter().map(|&place| Id::new(u64::from(place) + 1)).collect()
}

fn stored(lists: &[Vec<u32>]) -> Wiring {
    Wiring::stored(Adjacency::new(lists))
}

fn lists(wiring: &Wiring) -> Vec<Vec<u32>> {
    let list =
        |node| (0..wiring.degree(node)).map(|port| wiring.across(node, Port(port)).node).collect();
    (0..wiring.nodes()).map(list).collect()
}

/// The graphs of a class, each with its identities: ports in the order of the neighbours' identities.
fn graphs(network: NetworkClass, n: u32) -> Vec<(Wiring, Vec<Id>)> {
    let pairs: Vec<(u32, u32)> = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))).collect();
    let mut all = Vec::new();
    for links in 0..1_u32 << pairs.len() {
        let mut lists = vec![Vec::new(); n as usize];
        for (bit, &(a, b)) in pairs.iter().enumerate() {
            if links >> bit & 1 == 1 {
                lists[a as usize].push(b);
                lists[b as usize].push(a);
            }
        }
        let mut reached = BTreeSet::from([0]);
        for _ in 0..n {
            let next = reached.iter().flat_map(|&node: &u32| lists[node as usize].clone());
            reached = next.chain(reached.iter().copied()).collect();
        }
        if reached.len() < n as usize || !stored(&lists).fits(network) {
            continue;
        }
        for order in orders(n) {
            let mut lists = lists.clone();
            lists.iter_mut().for_each(|list| list.sort_by_key(|&node| order[node as usize]));
            all.push((stored(&lists), ids(&order)));
        }
    }
    all
}

/// Every port numbering of a network.
fn numberings(lists: &[Vec<u32>]) -> Vec<Wiring> {
    let numbered = lists.iter().fold(vec![Vec::new()], |known, list| {
        let ways = orders(list.len() as u32);
        let way = |order: &Vec<u32>| -> Vec<u32> {
            order.iter().map(|&place| list[place as usize]).collect()
        };
        let longer = |known: Vec<Vec<u32>>| {
            ways.iter().map(move |order| [known.clone(), vec![way(order)]].concat()).collect()
        };
        known.into_iter().flat_map::<Vec<_>, _>(longer).collect()
    });
    numbered.iter().map(|lists| stored(lists)).collect()
}

/// The labellings of a ring with the labels from 1 on that no rotation maps to themselves.
fn labellings(n: u32) -> Vec<Vec<Id>> {
    let words = (0..n.pow(n)).map(|number| {
        (0..n).map(|place| u64::from(number / n.pow(place) % n + 1)).collect::<Vec<u64>>()
    });
    let turned = |word: &[u64], by: usize| [&word[by..], &word[..by]].concat();
    let fits = |word: &Vec<u64>| {
        let used: BTreeSet<u64> = word.iter().copied().collect();
        used.iter().copied().eq(1..=used.len() as u64)
            && (1..word.len()).all(|by| turned(word, by) != *word)
    };
    words.filter(fits).map(|word| word.into_iter().map(Id::new).collect()).collect()
}

/// A random network of a class on which orders or ports are open, and what it stands for.
fn arrangements(
    network: NetworkClass,
    n: u32,
    draw: &mut Generator,
) -> (Arrangements, Vec<(Wiring, Vec<Id>)>) {
    let every = |wiring: &Wiring| -> Vec<_> {
        orders(n).iter().map(|order| (wiring.clone(), ids(order))).collect()
    };
    let all = || Arrangements::all(network, n).expect("few nodes");
    let one = match network {
        NetworkClass::HomonymRing => {
            let one = |labels| (Wiring::ring(n), labels);
            return (all(), labellings(n).into_iter().map(one).collect());
        }
        NetworkClass::Tree if draw.below(2) == 0 => {
            return (all(), graphs(network, n));
        }
        NetworkClass::Connected if n < 4 || draw.below(2) == 0 => {
            return (all(), graphs(network, n));
        }
        NetworkClass::Tree | NetworkClass::Connected => {
            let some = graphs(network, n);
            some[draw.below(some.len() as u64) as usize].0.clone()
        }
        NetworkClass::Hypercube | NetworkClass::OrientedHypercube => Wiring::hypercube(n.ilog2()),
        NetworkClass::Complete | NetworkClass::OrientedComplete => Wiring::complete(n),
        _ => Wiring::ring(n),
    };
    let open = !network.is_oriented() && (n > 2 || network == NetworkClass::Complete) && n < 4;
    if !open || draw.below(3) == 0 {
        return (Arrangements::Orders(one.clone(), Orders::Every), every(&one));
    }
    let lists = lists(&one);
    let numbered = numberings(&lists);
    match draw.below(2) {
        0 => {
            let all = numbered.iter().flat_map(every).collect();
            (Arrangements::EveryPorts(lists, Orders::Every), all)
        }
        _ => {
            let mut order: Vec<u32> = (0..n).collect();
            draw.shuffle(&mut order);
            let orders = Orders::Listed(vec![ids(&order)]);
            let all = numbered.into_iter().map(|wiring| (wiring, ids(&order))).collect();
            (Arrangements::EveryPorts(lists, orders), all)
        }
    }
}

/// A random family of a random algorithm, and the instances that it stands for.
fn family(draw: &mut Generator) -> (&'static Algorithm, Family, Vec<Instance>) {
    let rows: Vec<&Algorithm> = CATALOGUE.iter().chain(FORMS).chain(ROUNDS).collect();
    loop {
        let row = rows[draw.below(rows.len() as u64) as usize];
        let n = 1 + draw.below(4) as u32;
        if !row.network.has_size(n) {
            continue;
        }
        let (arrangements, networks) = arrangements(row.network, n, draw);
        let set = |set: u64| (0..n).filter(|node| set >> node & 1 == 1).collect::<Vec<u32>>();
        let initiators = match draw.below(4) {
            0 => InitiatorSets::EverySet,
            _ => InitiatorSets::These(set(1 + draw.below((1 << n) - 1))),
        };
        let sets = match &initiators {
            InitiatorSets::EverySet => (1..1 << n).map(set).collect(),
            InitiatorSets::These(nodes) => vec![nodes.clone()],
        };
        let wake = [Wake::AnyTime, Wake::AtStart][draw.below(2) as usize];
        let (capacity, faults) = match draw.below(if row.timing.in_rounds() { 5 } else { 8 }) {
            0 => (None, FaultBudget { loss: 1, ..FaultBudget::default() }),
            1 => (None, FaultBudget { crash: 1, ..FaultBudget::default() }),
            5 => (Some(1), FaultBudget::default()),
            6 => (Some(2), FaultBudget::default()),
            7 => (None, FaultBudget { no_fifo: true, ..FaultBudget::default() }),
            _ => (None, FaultBudget::default()),
        };
        let family = Family {
            initiators,
            wake,
            capacity,
            faults,
            ..Family::one(&Instance::new(networks[0].0.clone(), networks[0].1.clone()))
        };
        let family = Family { arrangements, ..family };
        if row.timing == Timing::SimultaneousRounds
            && (sets != [set((1 << n) - 1)] || wake != Wake::AtStart)
        {
            continue;
        }
        // Each of them is explored in full: few, or small ones.
        let cost = networks.len() * sets.len() * [1, 1, 4, 40][n as usize - 1];
        if row.tell_apart(&family).is_err() || cost > 6_000 {
            continue;
        }
        let instance = |initiators: &Vec<u32>, (wiring, ids): &(Wiring, Vec<Id>)| Instance {
            wiring: wiring.clone(),
            ids: ids.clone(),
            initiators: initiators.clone(),
            wake,
            capacity,
            faults,
        };
        let all = sets.iter().flat_map(|set| networks.iter().map(move |of| instance(set, of)));
        let all = all.collect();
        return (row, family, all);
    }
}

/// The configurations that all instances of one family may have together.
const MOST: u64 = 400_000;

fn compare(seed: u64) -> bool {
    let mut draw = Generator::new(seed, "families");
    let (row, family, all) = family(&mut draw);
    let named = || format!("seed {seed}: {} of {} instances, {family:?}", row.name, all.len());
    let options = || Options { memory: 1 << 28, ..Options::default() };
    let full = draw.below(4) == 0;
    let some = explored(row, &family, Options { full, ..options() }, false, 1);
    if some.incomplete.is_some() || some.states > MOST {
        return false;
    }
    let mut union: Option<Findings> = None;
    let mut states = 0;
    for instance in &all {
        let one = found(row, &Family::one(instance), Options { full: true, ..options() }, 1);
        states += one.states;
        if states > 8 * MOST || one.incomplete.is_some() {
            return false;
        }
        let findings = Findings::of(&one);
        match &mut union {
            Some(union) => union.join(&findings),
            None => union = Some(findings),
        }
    }
    let (mut some, mut union) = (Findings::of(&some), union.unwrap_or_default());
    if union.broken {
        // Which executions are left open where a property is broken depends on the reduction.
        for findings in [&mut some, &mut union] {
            *findings = Findings { broken: findings.broken, ..Findings::default() };
        }
    }
    if !full {
        (some.time, union.time) = (None, None);
    }
    if union.messages.is_none() || some.messages.is_none() {
        assert!(!union.broken || some.messages.is_none(), "{}", named());
        (some.messages, union.messages) = (None, None);
        (some.depth, union.depth, some.time, union.time) = (None, None, None, None);
    }
    assert_eq!(some, union, "{}", named());
    true
}

#[test]
fn a_random_family_is_the_union_of_all_its_instances() {
    let families = std::env::var("FAMILIES").ok().and_then(|many| many.parse().ok()).unwrap_or(60);
    let compared = (0..families).filter(|&seed| compare(seed)).count() as u64;
    println!("{compared} of {families} families compared, the others are too large");
    assert!(compared * 10 > families * 7, "{compared} of {families} were compared");
}

/// What the checker once said of these families was the result of a part of them.
#[test]
fn fixed_initiators_are_not_moved_by_an_automorphism() {
    let report = |name: &str, arrangements: Arrangements, initiators: &[u32]| {
        let row = Algorithm::named(name).expect("a row");
        let everything = Family::everything(row.network, arrangements.nodes()).expect("few nodes");
        let initiators = InitiatorSets::These(initiators.to_vec());
        let family = Family { arrangements, initiators, ..everything };
        explored(row, &family, Options::default(), false, 2)
    };
    let every = |wiring| Arrangements::Orders(wiring, Orders::Every);
    let complete = every(Wiring::complete(3));
    assert!(report("villadangos@published", complete, &[0, 1]).failing > 0);
    let ring = report("chang-roberts", every(Wiring::ring(6)), &[0, 1, 2]);
    assert_eq!(ring.costs.map(|costs| costs.messages.max), Some(21));
    let everyone = [1, 2, 3].map(Id::new).into();
    let ports = Arrangements::every_ports_of_complete(3);
    assert_eq!(report("humblet", ports, &[0]).winners, everyone);
    let graphs = Arrangements::all(NetworkClass::Connected, 3).expect("few nodes");
    assert_eq!(report("echo-extinction", graphs, &[0]).winners, everyone);
}
