//! Instances that are alike: what is inferred for them is what their exploration finds, and those
//! that are not alike are explored.

use crate::common::{certain, explored, subjects};
use suffrage_algorithms::{Algorithm, Property};
use suffrage_checker::{CheckReport, Checkable, Family, FaultBudget, Options, Specification, Wake};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};

fn explore(row: &Algorithm, family: &Family, options: Options, each: bool) -> CheckReport {
    explored(row, family, options, each, 2)
}

/// All that a report says but how many were explored, and, where fewer configurations are enough,
/// how many were.
fn essence(report: &CheckReport, full: bool) -> String {
    let mut report = CheckReport { explored: 0, ..report.clone() };
    if !full {
        (report.states, report.transitions, report.largest) = (0, 0, 0);
    }
    format!("{report:?}")
}

/// Every set of initiators, all of whom wake at the start: each is an instance of its own.
fn each_set(network: NetworkClass, nodes: u32) -> Family {
    Family { wake: Wake::AtStart, ..Family::everything(network, nodes).expect("few nodes") }
}

/// Gives how many of how many were explored.
fn agree(row: &Algorithm, family: &Family, full: bool) -> (u64, u64) {
    let options = Options { full, ..Options::default() };
    let (some, each) = (explore(row, family, options, false), explore(row, family, options, true));
    assert_eq!(essence(&some, full), essence(&each, full), "{}", row.name);
    (some.explored, some.instances)
}

#[test]
fn every_algorithm_on_every_network() {
    (1..=3).for_each(agree_everywhere);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn every_algorithm_on_every_network_of_four() {
    agree_everywhere(4);
}

fn agree_everywhere(nodes: u32) {
    for row in subjects() {
        agree(row, &Family::everything(row.network, nodes).expect("few nodes"), false);
        agree(row, &each_set(row.network, nodes), false);
    }
}

#[test]
fn every_configuration_of_three_processes_under_all_conditions() {
    let no_fifo = FaultBudget { no_fifo: true, ..FaultBudget::default() };
    for row in certain() {
        let any = Family::everything(row.network, 3).unwrap();
        for family in [
            any.clone(),
            Family { wake: Wake::AtStart, ..any.clone() },
            Family { capacity: Some(1), ..any.clone() },
            Family { faults: no_fifo, ..any.clone() },
        ] {
            agree(row, &family, true);
        }
    }
}

#[test]
fn a_process_that_only_relays_needs_no_identity() {
    let explored = |name: &str, nodes| {
        let row = Algorithm::named(name).unwrap();
        agree(row, &each_set(row.network, nodes), false)
    };
    // Graphs with some nodes put in an order: 3 with one such node, 4 with two or three.
    assert_eq!(explored("echo-extinction", 3), (11, 28));
    // Rings with some nodes put in an order: 1 with one such node, 3 with two, 6 with three or four.
    assert_eq!(explored("chang-roberts", 4), (16, 90));
    // Everyone counts the others' identities.
    assert_eq!(explored("all-to-all", 4), (90, 90));
}

#[test]
fn what_may_differ_for_other_reasons_is_not_compared() {
    let row = Algorithm::named("chang-roberts").unwrap();
    let family = each_set(row.network, 3);
    let crash =
        Family { faults: FaultBudget { crash: 1, ..FaultBudget::default() }, ..family.clone() };
    assert_eq!(agree(row, &crash, false), (14, 14));
    let specification = Specification::<Wave<HONEST>>::these(&[])
        .finally("first awake", |end| !end.is_asleep(0) || end.ids().len() == 1);
    let all = each_set(NetworkClass::Connected, 3);
    // A property that may name nodes: each of the 28 instances with every numbering of its nodes.
    let report = held(&specification, &all, false);
    assert_eq!((report.explored, report.instances), (28 * 6, 28 * 6));
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    for (name, nodes) in [("humblet", 4), ("villadangos@published", 3), ("echo-extinction", 3)] {
        let row = Algorithm::named(name).unwrap();
        let family = Family::everything(row.network, nodes).unwrap();
        let report =
            |threads| format!("{:?}", explored(row, &family, Options::default(), false, threads));
        assert_eq!(report(1), report(2), "{name}");
        assert_eq!(report(1), report(3), "{name}");
    }
}

#[test]
fn what_was_explored_before_makes_no_difference() {
    let no_fifo = FaultBudget { no_fifo: true, ..FaultBudget::default() };
    for name in ["lyndon-word", "dolev-klawe-rodeh", "villadangos@published"] {
        let row = Algorithm::named(name).unwrap();
        let family = each_set(row.network, 3);
        for family in [family.clone(), Family { faults: no_fifo, ..family }] {
            let states = |family: &Family| explore(row, family, Options::default(), true).states;
            let family = row.tell_apart(&family).unwrap();
            let alone = |number| states(&Family::one(&family.get(number)));
            assert_eq!((0..family.len()).map(alone).sum::<u64>(), states(&family), "{name}");
        }
    }
}

/// The smallest identity of an initiator reaches everyone. Nothing else ends it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Wave<const FLAW: u8> {
    id: Id,
    least: Option<Id>,
}

const HONEST: u8 = 0;
/// A process that is woken by a smaller identity tells it as its own, larger one would be told.
const LOOKS_AT_ITS_IDENTITY: u8 = 1;
const USES_ITS_FIRST_PORT_ALONE: u8 = 2;
const REPEATS_ODD_IDENTITIES: u8 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Token(Id, bool);

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("token"), Kind::election("marked")];
    fn kind(&self) -> usize {
        usize::from(self.1)
    }
}

impl<const FLAW: u8> Process for Wave<FLAW> {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _: u32) -> Self {
        Self { id, least: None }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        self.least = Some(self.id);
        net.send_all(Token(self.id, false));
        if FLAW == REPEATS_ODD_IDENTITIES && self.id.get() % 2 == 1 {
            net.send_all(Token(self.id, false));
        }
    }

    fn receive(&mut self, from: Port, Token(id, _): Token, net: &mut impl Net<Token>) {
        if self.least.is_some_and(|least| least <= id) {
            return;
        }
        let marked = FLAW == LOOKS_AT_ITS_IDENTITY && self.least.is_none() && id < self.id;
        self.least = Some(id);
        if FLAW == USES_ITS_FIRST_PORT_ALONE {
            net.send(Port(0), Token(id, marked));
        } else {
            net.send_others(from, Token(id, marked));
        }
    }

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn halted(&self) -> bool {
        false
    }
}

fn held<P: Process>(
    specification: &Specification<'_, P>,
    family: &Family,
    each: bool,
) -> CheckReport {
    let options = Options { full: true, ..Options::default() };
    explored(specification, family, options, each, 2)
}

/// How many of the 28 instances of three nodes are explored.
fn compared<const FLAW: u8>() -> u64 {
    let family = each_set(NetworkClass::Connected, 3);
    let specification = Specification::<Wave<FLAW>>::these(&[Property::Termination]);
    let (some, each) = (held(&specification, &family, false), held(&specification, &family, true));
    assert_eq!(essence(&some, true), essence(&each, true));
    assert_eq!((each.explored, each.failing), (28, 0));
    some.explored
}

#[test]
fn a_process_that_misuses_what_it_has_is_found_out() {
    assert_eq!(compared::<HONEST>(), 11);
    let flawed = [
        compared::<LOOKS_AT_ITS_IDENTITY>(),
        compared::<USES_ITS_FIRST_PORT_ALONE>(),
        compared::<REPEATS_ODD_IDENTITIES>(),
    ];
    assert!(flawed.iter().all(|&explored| 11 < explored), "{flawed:?}");
}
