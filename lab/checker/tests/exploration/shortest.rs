//! No counterexample is longer than it must be: held against searches without tables or reduction.

use crate::common::ending;
use crate::oracle::State;
use std::collections::HashSet;
use suffrage_algorithms::{
    Algorithm, AlgorithmVisitor, Announced, Bound, Claimed, Parameters, Property,
    ring::ChangRoberts,
};
use suffrage_checker::{
    CheckVerdict, Counterexample, Family, Instance, Options, Specification, explore,
};
use suffrage_model::{Action, Id, Kind, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::wiring::Wiring;

/// What breaks the promises, found by the reduced and by the full exploration.
fn counterexamples<P: Process>(
    instance: &Instance,
    specification: &Specification<'_, P>,
) -> [Option<Counterexample>; 2] {
    [false, true].map(|full| {
        let options = Options { full, ..Options::default() };
        match explore(instance, specification, &options).expect("an instance that can be").verdict {
            CheckVerdict::Holds => None,
            CheckVerdict::Violated(found) => Some(*found),
            other => panic!("{other:?}"),
        }
    })
}

/// The fewest steps to an end at which a row's bounds are missed.
fn fewest_beyond<P: Process>(instance: &Instance, row: &Algorithm) -> Option<usize> {
    let mut layer = vec![(State::<P>::first(instance), [0; 2])];
    let (mut seen, mut steps) = (HashSet::new(), 0);
    while !layer.is_empty() {
        let mut after = Vec::new();
        for (state, sent) in layer {
            let next = state.next(instance);
            let initiators = state.nodes.iter().filter(|(_, _, woke)| *woke).count() as u64;
            let (nodes, links) = (instance.wiring.nodes().into(), instance.wiring.links());
            let parameters = Parameters::new(nodes, links, initiators);
            let misses = |(bound, sent): (&Bound, u64)| {
                let most = bound.at(&parameters);
                let leads = |(node, ..): &&(P, bool, bool)| node.status() == Status::Leader;
                let complete = state.nodes.iter().filter(leads).count() == 1;
                sent > most || complete && sent < bound.least(&parameters)
            };
            if next.is_empty()
                && [&row.claims.election, &row.claims.announcement]
                    .into_iter()
                    .zip(sent)
                    .any(misses)
            {
                return Some(steps);
            }
            let add = |more: [u64; 2]| [sent[0] + more[0], sent[1] + more[1]];
            let next = next.into_iter().map(|(next, more)| (next, add(more)));
            after.extend(next.filter(|next| seen.insert(next.clone())));
        }
        (layer, steps) = (after, steps + 1);
    }
    None
}

/// Every algorithm against the bounds of another one.
struct Held<'a>(&'a Algorithm, u32);

impl AlgorithmVisitor for Held<'_> {
    /// How many instances miss a bound.
    type Output = u64;

    fn visit<P: Process>(self) -> u64 {
        let Self(row, nodes) = self;
        let family = Family::everything(P::NETWORK, nodes).expect("few nodes");
        let specification = Specification::<P>::these(&[Property::MessageBound]).about(&row.claims);
        let mut missed = 0;
        for number in 0..family.len() {
            let instance = family.get(number);
            let fewest = fewest_beyond::<P>(&instance, row);
            for found in counterexamples(&instance, &specification) {
                let steps = found.as_ref().map(|found| found.execution.moves.len());
                assert_eq!(steps, fewest, "{instance:?}");
                assert!(found.is_none_or(|found| found.shortest));
            }
            missed += u64::from(fewest.is_some());
        }
        missed
    }
}

#[test]
fn a_bound_is_missed_by_the_shortest_course_that_misses_it() {
    for bounds in ["villadangos", "chang-roberts", "tree-wave"] {
        let bounds = Algorithm::named(bounds).expect("a row");
        let missed = |row: &Algorithm| row.visit(Held(bounds, 1)) + row.visit(Held(bounds, 3));
        let all: u64 = ending().map(missed).sum();
        assert!(all > 10, "{}: {all}", bounds.name);
    }
}

#[test]
fn without_memory_for_the_search_it_is_not_said_that_a_course_is_the_shortest() {
    let row = Algorithm::named("villadangos").expect("a row");
    let instance = Instance::new(Wiring::ring(3), [1, 3, 2].map(Id::new).to_vec());
    let found = |memory| {
        let options = Options { memory, ..Options::default() };
        let specification =
            Specification::<Announced<ChangRoberts>>::these(&[Property::MessageBound]);
        match explore(&instance, &specification.about(&row.claims), &options)
            .expect("it fits")
            .verdict
        {
            CheckVerdict::Violated(found) => (found.shortest, found.execution.moves.len()),
            other => panic!("{other:?}"),
        }
    };
    let (shortest, fewest) = found(1 << 30);
    assert!(shortest);
    let (shortest, steps) = found(1 << 11);
    assert!(!shortest && steps >= fewest, "{steps}");
}

/// A process alone on a ring that counts how often its message has come around, and goes on from
/// number to number as its table says: to each of these from there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Counter {
    at: usize,
}

/// Two loops. From 0 to 1, and from there around by 2, 3, 4 and 5; or from 0 by 6, 7 and 8 to 9,
/// which leads to itself. The first is nearer, the second takes fewer steps in all.
const WAYS: [&[usize]; 10] = [&[1, 6], &[2], &[3], &[4], &[5], &[1], &[7], &[8], &[9], &[9]];

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Tick;

impl Message for Tick {
    const KINDS: &'static [Kind] = &[Kind::election("tick")];
    fn kind(&self) -> usize {
        0
    }
}

impl Process for Counter {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Tick;

    fn new(_: Id, _: u32) -> Self {
        Self { at: 0 }
    }
    fn wake(&mut self, net: &mut impl Net<Tick>) {
        net.send(Port::NEXT, Tick);
    }
    fn receive(&mut self, _: Port, _: Tick, net: &mut impl Net<Tick>) {
        let ways = WAYS[self.at];
        self.at = ways[net.choose(ways.len() as u32 - 1) as usize];
        net.send(Port::NEXT, Tick);
    }
    fn status(&self) -> Status {
        Status::Undecided
    }
    fn halted(&self) -> bool {
        false
    }
}

#[test]
fn of_two_loops_the_one_with_fewer_steps_in_all_is_shown() {
    let instance = Instance::new(Wiring::ring(1), vec![Id::new(1)]);
    for found in counterexamples(&instance, &Specification::<Counter>::election()) {
        let found = found.expect("it goes on forever");
        assert_eq!(found.violation.property.name(), "termination");
        assert!(found.violation.detail.contains("after 5 steps"), "{}", found.violation.detail);
        assert!(found.violation.detail.contains("1 steps a time"), "{}", found.violation.detail);
        assert_eq!((found.execution.moves.len(), found.execution.loop_start), (6, Some(5)));
        assert_eq!((found.execution.coins[0], found.shortest), (1, true));
    }
}

/// A process that keeps the first message that comes and passes on all others; with identity 1 it
/// passes on all.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Passes {
    id: Id,
    kept: bool,
}

impl Process for Passes {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Tick;

    fn new(id: Id, _: u32) -> Self {
        Self { id, kept: false }
    }
    fn wake(&mut self, net: &mut impl Net<Tick>) {
        net.send(Port::NEXT, Tick);
    }
    fn receive(&mut self, _: Port, _: Tick, net: &mut impl Net<Tick>) {
        if self.id.get() == 1 || self.kept {
            net.send(Port::NEXT, Tick);
        }
        self.kept = true;
    }
    fn status(&self) -> Status {
        Status::Undecided
    }
    fn halted(&self) -> bool {
        false
    }
}

/// The fewest steps to a configuration and from there back to it.
fn fewest_around<P: Process>(instance: &Instance) -> Option<usize> {
    let distances = |from: &State<P>| {
        let (mut layer, mut seen) = (vec![from.clone()], HashSet::new());
        let (mut all, mut steps, mut back) = (Vec::new(), 0, None);
        while !layer.is_empty() {
            let next = layer.iter().flat_map(|state| state.next(instance));
            let next: HashSet<State<P>> = next.map(|(next, _)| next).collect();
            all.extend(layer.into_iter().map(|state| (state, steps)));
            steps += 1;
            back = back.or_else(|| next.contains(from).then_some(steps));
            layer = next.into_iter().filter(|next| seen.insert(next.clone())).collect();
        }
        (all, back)
    };
    let (all, _) = distances(&State::first(instance));
    all.iter().filter_map(|(state, way)| Some(way + distances(state).1?)).min()
}

#[test]
fn a_livelock_is_shown_by_the_fewest_steps_to_the_loop_and_around_it() {
    let mut lengths = HashSet::new();
    for nodes in 1..=3 {
        let family = Family::everything(NetworkClass::OrientedRing, nodes).expect("few nodes");
        for number in 0..family.len() {
            let instance = family.get(number);
            let fewest = fewest_around::<Passes>(&instance);
            lengths.extend(fewest);
            let specification = Specification::<Passes>::these(&[Property::Termination]);
            for found in counterexamples(&instance, &specification) {
                let steps = found.as_ref().map(|found| found.execution.moves.len());
                assert_eq!(steps, fewest, "{instance:?}");
                assert!(found.is_none_or(|found| {
                    let begins = found.execution.loop_start.expect("a loop");
                    found.shortest && !found.execution.moves[begins..].contains(&Action::Wake(0))
                }));
            }
        }
    }
    assert!(lengths.len() > 2, "{lengths:?}");
}

#[test]
fn no_bound_holds_of_an_execution_that_does_not_end() {
    let ids = [1, 2].map(Id::new).to_vec();
    let instance = Instance::new(Wiring::ring(2), ids);
    for bound in [Property::MessageBound, Property::TimeBound] {
        let specification =
            Specification::<Passes>::these(&[bound]).about(&<Announced<ChangRoberts>>::CLAIMS);
        for found in counterexamples(&instance, &specification) {
            let found = found.expect("the token goes around forever");
            assert_eq!(found.violation.property, Property::Termination, "{bound}");
        }
    }
}
