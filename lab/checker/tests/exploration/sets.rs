//! A family with every set of initiators, in which one instance of each order stands for all of them, finds
//! what all sets find together, each explored by itself and in full.

use crate::common::{explored, found};
use std::collections::BTreeSet;
use suffrage_algorithms::{Algorithm, CATALOGUE, FORMS, Property, ROUNDS};
use suffrage_checker::{
    Arrangements, CheckReport, Checkable, Checker, ExactCosts, Family, FaultBudget, Options,
    Specification, Wake, explore,
};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};

const FULL: Options = Options { full: true, memory: 1 << 26, costs: true };

/// What is found of executions.
#[derive(Debug, Default, PartialEq)]
struct Union {
    broken: BTreeSet<&'static str>,
    costs: Option<String>,
    nearest: Option<(u64, u64)>,
    winners: BTreeSet<Id>,
    endless: bool,
    chances: Option<String>,
}

fn nearer(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    let key = |(most, of): (u64, u64), (_, than): (u64, u64)| (most * than, most, of);
    match (one, other) {
        (Some(a), Some(b)) if key(b, a) > (a.0 * b.1, a.0, a.1) => Some(b),
        (one, other) => one.or(other),
    }
}

fn costs(report: &CheckReport, timed: bool) -> Option<ExactCosts> {
    let costs = report.costs.clone()?;
    Some(ExactCosts { greatest_time: costs.greatest_time.filter(|_| timed), ..costs })
}

/// Compares one family, explored reduced or in full. Returns the configurations of the sets together, and of
/// the instances that stand for them; `None` if they are too many.
fn compare(row: &Algorithm, family: &Family, full: bool) -> Option<(u64, u64)> {
    let options = Options { full, ..FULL };
    let some = explored(row, family, options, false, 2);
    if some.incomplete.is_some() {
        return None;
    }
    let checker = Checker::new(row, family).full(full).memory(FULL.memory).threads(1);
    let first = checker.run().expect("a family that can be explored");
    let (mut union, mut states, mut failing) = (Union::default(), 0, 0);
    let mut all: Option<ExactCosts> = None;
    // Of each order, what breaks a property of its sets, whether it is shortest, and its steps.
    let in_order = (1 << family.nodes()) - 1;
    let mut broken = vec![Vec::new(); (some.of / in_order) as usize];
    let sets = row.tell_apart(family).expect("a family that can be explored");
    for number in 0..sets.len() {
        let one = found(row, &Family::one(&sets.get(number)), FULL, 1);
        if one.incomplete.is_some() {
            return None;
        }
        states += one.states;
        failing += one.failing;
        if let Some((_, found)) = &one.counterexample {
            union.broken.insert(found.violation.property.name());
            let steps = found.execution.moves.len();
            broken[(number / in_order) as usize].push((
                found.violation.property.name(),
                found.shortest,
                steps,
            ));
        }
        union.nearest = nearer(union.nearest, one.nearest);
        union.winners.extend(&one.winners);
        union.endless |= one.endless > 0;
        union.chances = one.chances.map(|chances| format!("{chances:?}")).or(union.chances);
        all = match (all, costs(&one, full), number) {
            (None, Some(new), 0) => Some(new),
            (Some(known), Some(new), _) => Some(joined(&known, &new)),
            _ => None,
        };
    }
    let named = || format!("{} {full}: {family:?}", row.name);
    assert_eq!(some.failing > 0, !union.broken.is_empty(), "{}", named());
    assert_eq!(some.failing, failing, "{}", named());
    if let Some((number, found)) = &first.counterexample {
        let property = found.violation.property.name();
        assert!(union.broken.contains(property), "{}", named());
        let of_order = &broken[(number / in_order) as usize];
        if found.shortest && of_order.iter().all(|&(other, known, _)| known && other == property) {
            let least = of_order.iter().map(|&(.., steps)| steps).min();
            assert_eq!(Some(found.execution.moves.len()), least, "{}", named());
        }
        // It is an execution of an instance of these initiators alone.
        let instance = &found.execution.instance;
        assert_eq!(instance.initiators, sets.get(*number).initiators, "{}", named());
        assert!(found_in(row, instance).failing > 0, "{}", named());
        return Some((states, some.states));
    }
    if all.is_some() || costs(&some, full).is_some() {
        let text = |costs: Option<ExactCosts>| format!("{costs:?}");
        assert_eq!(text(costs(&some, full)), text(all), "{}", named());
    }
    assert_eq!(some.nearest, union.nearest, "{}", named());
    assert_eq!(some.winners, union.winners, "{}", named());
    assert_eq!(some.endless > 0, union.endless, "{}", named());
    assert_eq!(some.chances.is_some(), union.chances.is_some(), "{}", named());
    Some((states, some.states))
}

fn found_in(row: &Algorithm, instance: &suffrage_checker::Instance) -> CheckReport {
    found(row, &Family::one(instance), FULL, 1)
}

fn joined(known: &ExactCosts, new: &ExactCosts) -> ExactCosts {
    let mut all = known.clone();
    all.messages = known.messages.and(new.messages);
    for (phase, new) in all.by_phase.iter_mut().zip(new.by_phase) {
        *phase = phase.and(new);
    }
    for (kind, new) in all.by_kind.iter_mut().zip(&new.by_kind) {
        kind.1 = kind.1.and(new.1);
    }
    all.greatest_depth = known.greatest_depth.max(new.greatest_depth);
    all.least_depth = known.least_depth.zip(new.least_depth).map(|(a, b)| a.min(b));
    all.greatest_time = known.greatest_time.zip(new.greatest_time).map(|(a, b)| a.max(b));
    all
}

fn conditions() -> [(Option<u32>, FaultBudget); 6] {
    let none = FaultBudget::default();
    [
        (None, none),
        (Some(1), none),
        (None, FaultBudget { no_fifo: true, ..none }),
        (None, FaultBudget { loss: 1, ..none }),
        (None, FaultBudget { duplicate: 1, ..none }),
        (None, FaultBudget { crash: 1, ..none }),
    ]
}

/// Returns how many families were compared, and how many are too large.
fn whole_catalogue(nodes: u32, conditions: &[(Option<u32>, FaultBudget)]) -> (u64, u64) {
    let mut done = (0, 0);
    for row in CATALOGUE.iter().chain(FORMS) {
        if !row.network.has_size(nodes) {
            continue;
        }
        for &(capacity, faults) in conditions {
            let all = Family::everything(row.network, nodes).expect("few nodes");
            let family = Family { capacity, faults, ..all };
            if row.tell_apart(&family).is_err() {
                continue;
            }
            for full in [false, true] {
                match compare(row, &family, full) {
                    Some(_) => done.0 += 1,
                    None => done.1 += 1,
                }
            }
        }
    }
    done
}

#[test]
fn of_one_to_three_nodes_under_every_condition() {
    for nodes in 1..=3 {
        let (compared, too_large) = whole_catalogue(nodes, &conditions());
        assert!(compared > 100 && compared > 10 * too_large, "{compared}, and {too_large} not");
    }
}

/// Among them is one whose bound is less for three initiators than for two.
#[test]
fn of_three_nodes_with_every_port_numbering() {
    for row in CATALOGUE.iter().filter(|row| row.network == NetworkClass::Complete) {
        let all = Family::everything(row.network, 3).expect("few nodes");
        let family = Family { arrangements: Arrangements::every_ports_of_complete(3), ..all };
        for full in [false, true] {
            assert!(compare(row, &family, full).is_some(), "{}", row.name);
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn of_four_nodes_under_every_condition() {
    let (compared, too_large) = whole_catalogue(4, &conditions()[..3]);
    assert!(compared > 100 && compared > 10 * too_large, "{compared}, and {too_large} not");
    // With faults everything is explored, and graphs have the most configurations.
    for row in CATALOGUE.iter().filter(|row| row.network != NetworkClass::Connected) {
        if row.network.has_size(4) {
            let all = Family::everything(row.network, 4).expect("few nodes");
            let faults = FaultBudget { crash: 1, ..FaultBudget::default() };
            compare(row, &Family { faults, ..all }, false);
        }
    }
}

#[test]
fn one_instance_of_each_order_stands_for_all_sets() {
    let row = Algorithm::named("dolev-klawe-rodeh").expect("a row");
    let family = Family::everything(row.network, 4).expect("few nodes");
    let report = found(row, &family, FULL, 1);
    assert_eq!((report.explored, report.instances, report.of), (6, 90, 90));
    let (sets, states) = compare(row, &family, true).expect("not too many");
    assert_eq!(states, report.states);
    assert!(3 * states < sets, "{states} configurations for {sets}");
}

#[test]
fn where_sets_are_not_contained_each_is_an_instance() {
    let each = |row: &Algorithm, family: &Family| {
        let report = found(row, family, Options::default(), 1);
        assert_eq!(
            (report.explored, report.instances),
            (family.len(), family.len()),
            "{}",
            row.name
        );
    };
    for row in ROUNDS.iter().filter(|row| row.network.has_size(2)) {
        let family = Family::everything(row.network, 2).expect("few nodes").timed(row.timing);
        each(row, &family);
    }
    let row = Algorithm::named("itai-rodeh").expect("a row");
    // Its bound is an expectation.
    each(row, &Family::everything(row.network, 2).expect("few nodes"));
    let row = Algorithm::named("lelann").expect("a row");
    each(
        row,
        &Family { wake: Wake::AtStart, ..Family::everything(row.network, 3).expect("few nodes") },
    );
}

/// The only process that wakes by itself draws, and sends a message if it has drawn 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Lot;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Drawn;

impl Message for Drawn {
    const KINDS: &'static [Kind] = &[Kind::election("drawn")];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Lot {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = ();
    type Msg = Drawn;

    fn new((): (), _: u32) -> Self {
        Self
    }

    fn wake(&mut self, net: &mut impl Net<Drawn>) {
        if net.choose(1) == 1 {
            net.send(Port(0), Drawn);
        }
    }

    fn receive(&mut self, _: Port, Drawn: Drawn, _: &mut impl Net<Drawn>) {}

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn halted(&self) -> bool {
        false
    }
}

/// Two that wake expect a message in all, less than half of one where the second wakes only if the first has
/// drawn 0: that is a schedule of no set.
#[test]
fn expectations_are_those_of_each_set_by_itself() {
    let specification = Specification::<Lot>::these(&[Property::Termination]);
    let family = Family::everything(NetworkClass::Ring, 2).expect("few nodes");
    let report = explored(&specification, &family, Options::default(), false, 1);
    assert_eq!((report.explored, report.instances), (1, 3));
    let mut each: Option<suffrage_checker::Expectations> = None;
    for number in 0..family.len() {
        let one = explore(&family.get(number), &specification, &Options::default()).expect("valid");
        let chances = one.chances.expect("it draws");
        each = Some(each.map_or(chances, |known| known.and(chances)));
    }
    assert_eq!(report.chances, each);
}

/// A property at the end sees the ends of all sets, also those at which others could still wake.
#[test]
fn an_end_is_one_also_where_others_could_wake() {
    let asleep = Specification::<Lot>::these(&[])
        .finally("somebody sleeps", |end| (0..3).any(|node| end.is_asleep(node)));
    let awake = Specification::<Lot>::these(&[])
        .finally("nobody sleeps", |end| !(0..3).any(|node| end.is_asleep(node)));
    let family = Family::everything(NetworkClass::Ring, 3).expect("few nodes");
    for full in [false, true] {
        let options = Options { full, costs: false, ..Options::default() };
        let report = explored(&asleep, &family, options, false, 1);
        let (_, found) = report.counterexample.expect("all three may wake");
        assert!(found.execution.instance.initiators.len() >= 2, "{found:?}");
        let report = explored(&awake, &family, options, false, 1);
        let (_, found) = report.counterexample.expect("one alone may wake");
        assert_eq!(found.execution.instance.wake, Wake::AnyTime);
        assert_eq!(found.execution.instance.initiators.len(), 1);
    }
}
