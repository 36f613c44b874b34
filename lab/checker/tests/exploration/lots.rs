//! Elections in which chance decides: they end with probability 1, or they do not, and what is
//! expected of them.

use suffrage_algorithms::{
    Algorithm, Announced, Anonymous, Bound, Claimed, Claims, Custom, Extinction, Property,
    RANDOMIZED,
    ring::{self, ChangRoberts},
    wave::Tree,
};
use suffrage_checker::{
    CheckVerdict, Checker, Expectations, ExpectedExtremes, Exploration, Family, InitiatorSets,
    Instance, Options, RandomInstances, Sampler, Specification, Wake, explore,
};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Size, Status};
use suffrage_networks::wiring::Wiring;

type A<const K: u32> = Announced<ring::FokkinkPangA<K>, Anonymous>;
type I<const K: u32> = Announced<ring::ItaiRodeh<K>, Anonymous>;
type B<const K: u32> = Announced<ring::FokkinkPangB<K>, Anonymous>;

fn ring_of(nodes: u32, wake: Wake) -> Instance {
    let ids = (1..=nodes.into()).map(Id::new).collect();
    Instance { wake, ..Instance::new(Wiring::ring(nodes), ids) }
}

fn explored<P: Claimed>(instance: &Instance) -> Exploration {
    let specification = Specification::<P>::of(&P::CLAIMS).invariants(P::invariants());
    explore(instance, &specification, &Options::default()).expect("an instance that fits")
}

/// The exploration of an election that may run without end, but does so with probability 0.
fn almost_sure<P: Claimed>(instance: &Instance) -> (Exploration, Expectations) {
    let found = explored::<P>(instance);
    assert!(matches!(found.verdict, CheckVerdict::Holds) && found.endless, "{:?}", found.verdict);
    assert!(found.costs.is_none(), "there is no greatest number of messages");
    let chances = found.chances.expect("it ends with probability 1");
    (found, chances)
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-6 * expected
}

/// Where all wake at the start, processes on a unidirectional ring react to the same messages in the
/// same order on every schedule, so there is one expectation.
fn is(found: ExpectedExtremes, expected: f64) {
    assert!(near(found.min, expected) && near(found.max, expected), "{found:?}, not {expected}");
}

#[test]
fn every_randomized_algorithm_ends_with_probability_1_on_every_schedule() {
    for row in RANDOMIZED {
        for nodes in 2..=3 {
            let family = Family::everything(row.network, nodes).unwrap();
            let report = Checker::new(row, &family).threads(2).run().unwrap();
            assert_eq!((report.failing, report.incomplete), (0, None), "{}", row.name);
            let chances = report.chances.unwrap_or_else(|| panic!("{}: no chances", row.name));
            assert!(near(chances.elected.min, 1.0) && chances.elected.max <= 1.0 + 1e-9);
        }
    }
}

/// Two that draw from two identities differ in every second round. A round of A in which they are equal
/// takes 4 messages, another one 3: `3 + 4 (1/2 + 1/4 + ...) = 7`. In B both take as many as there are
/// draws and passings: 3 in the last round, and 2 before.
#[test]
fn what_is_expected_of_two_is_what_one_computes_by_hand() {
    let start = ring_of(2, Wake::AtStart);
    is(almost_sure::<A<2>>(&start).1.by_phase[0], 7.0);
    is(almost_sure::<B<2>>(&start).1.by_phase[0], 5.0);
    is(almost_sure::<A<2>>(&start).1.by_phase[1], 2.0);
    is(almost_sure::<A<2>>(&start).1.messages, 9.0);
}

/// With phases modulo 4, in which *two-phases* holds: so it is the same with phases without end.
#[test]
fn itai_and_rodeh_expect_what_fokkink_and_pang_a_do() {
    for nodes in 2..=4 {
        let start = ring_of(nodes, Wake::AtStart);
        let (of_a, of_phases) = (almost_sure::<A<2>>(&start).1, almost_sure::<I<2>>(&start).1);
        is(of_phases.by_phase[0], of_a.by_phase[0].max);
        is(of_phases.elected, 1.0);
    }
    let any_time = ring_of(3, Wake::AnyTime);
    let (a, phases) = (almost_sure::<A<0>>(&any_time).1, almost_sure::<I<0>>(&any_time).1);
    assert!(near(a.messages.max, phases.messages.max) && near(a.messages.min, phases.messages.min));
}

/// The published analysis reaches four processes.
#[test]
fn fokkink_and_pang_with_five_processes_and_two_identities() {
    let start = ring_of(5, Wake::AtStart);
    let (a, of_a) = almost_sure::<A<2>>(&start);
    let (b, of_b) = almost_sure::<B<2>>(&start);
    assert_eq!((a.states, a.terminal, b.states, b.terminal), (22_556, 5, 33_598, 5));
    is(of_a.by_phase[0], 37.746_031_746);
    is(of_b.by_phase[0], 27.964_502_728);
}

/// A reset over each of `n-1` links from both sides, a request of each process, an acknowledgement for each
/// but those of the contention, and two coins in each of two rounds on average: `4 n`, if all are
/// woken by themselves.
#[test]
fn a_tree_takes_the_same_on_every_schedule() {
    for nodes in 2..=4 {
        let family = Family {
            wake: Wake::AtStart,
            initiators: InitiatorSets::These((0..nodes).collect()),
            ..Family::everything(NetworkClass::Tree, nodes).unwrap()
        };
        let row = Algorithm::named("tree-identify").unwrap();
        let report = Checker::new(row, &family).threads(2).run().unwrap();
        assert_eq!((report.failing, report.incomplete), (0, None));
        is(report.chances.unwrap().messages, 4.0 * f64::from(nodes));
    }
}

/// A schedule that sees what has been drawn, and then decides who wakes, can make an election dearer
/// than one on which all wake at the start, and cheaper.
#[test]
fn a_schedule_that_knows_the_draws_costs_more_than_any_other() {
    let at_start = almost_sure::<A<0>>(&ring_of(3, Wake::AtStart)).1.by_phase[0];
    let any_time = almost_sure::<A<0>>(&ring_of(3, Wake::AnyTime)).1.by_phase[0];
    is(at_start, 10.1875);
    assert!(near(any_time.min, 3.0) && near(any_time.max, 10.5625), "{any_time:?}");
}

/// A lower bound that one election does not reach is broken, whether elections are explored or sampled.
#[test]
fn a_lower_bound_that_is_too_large_is_refuted() {
    let least =
        |claims: Claims, least| Claims { election: claims.election.and_at_least(least), ..claims };
    let ring = least(<Announced<ChangRoberts>>::CLAIMS, |s| s.nodes + s.initiators);
    let tree = least(<Announced<Extinction<Tree>>>::CLAIMS, |s| 2 * s.nodes + s.initiators - 1);
    fewer(
        &Custom::<Announced<ChangRoberts>>::new("ring").with_claims(ring),
        NetworkClass::OrientedRing,
    );
    fewer(
        &Custom::<Announced<Extinction<Tree>>>::new("tree").with_claims(tree),
        NetworkClass::Tree,
    );
}

fn fewer<P: Process>(subject: &Custom<P>, class: NetworkClass) {
    let family = Family::everything(class, 3).expect("a small family");
    let report = Checker::new(subject, &family).run().expect("instances");
    let (_, found) = report.counterexample.expect("fewer messages");
    let instances = RandomInstances::new(class, 2..=8);
    let report = Sampler::new(subject, &instances).run().expect("instances");
    let sampled = report.violation.expect("fewer messages");
    for violation in [found.violation, sampled.violation] {
        assert_eq!(violation.property, Property::MessageBound);
        assert!(violation.detail.contains("where there are at least"), "{}", violation.detail);
    }
}

/// A bound on the expectation that is too small is refuted, though no single election breaks it.
#[test]
fn an_expected_bound_that_is_too_small_is_refuted() {
    let with = |election| {
        let claims = Claims { election, ..<A<2> as Claimed>::CLAIMS };
        let specification = Specification::<A<2>>::of(&claims);
        explore(&ring_of(2, Wake::AtStart), &specification, &Options::default()).unwrap().verdict
    };
    assert!(matches!(with(Bound::expected("7", |_| 7)), CheckVerdict::Holds));
    let CheckVerdict::Violated(found) = with(Bound::expected("6", |_| 6)) else { panic!("7 > 6") };
    assert_eq!(found.violation.property, Property::MessageBound);
    assert!(found.violation.detail.starts_with("7.000 election messages are expected"));
    // No bound holds in every single election.
    let CheckVerdict::Violated(found) = with(Bound::at_most("100", |_| 100)) else {
        panic!("no bound")
    };
    assert_eq!(found.violation.property, Property::Termination);
}

/// Where nothing is drawn, the expected number of messages is the number of messages.
#[test]
fn an_expected_bound_is_compared_where_nothing_is_drawn() {
    type LeLann = Announced<ring::LeLann>;
    let with = |election| {
        let claims = Claims { election, ..LeLann::CLAIMS };
        let specification = Specification::<LeLann>::of(&claims);
        explore(&ring_of(2, Wake::AtStart), &specification, &Options::default()).unwrap().verdict
    };
    assert!(matches!(with(Bound::expected("4", |_| 4)), CheckVerdict::Holds));
    for bound in [Bound::expected("3", |_| 3), Bound::with_high_probability("3", |_| 3)] {
        let CheckVerdict::Violated(found) = with(bound) else { panic!("4 > 3") };
        assert_eq!(found.violation.property, Property::MessageBound);
        assert!(found.violation.detail.starts_with("4 election messages"), "{}", found.violation);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Word {
    Ping,
    Done,
}

impl Message for Word {
    const KINDS: &'static [Kind] = &[Kind::election("word")];
    fn kind(&self) -> usize {
        0
    }
}

/// Process 1 of two sends a word round, and ends that with one chance in four each time.
const TOSSES: u64 = 10;
/// The word goes round without end.
const NEVER: u64 = 20;
/// The word goes to and fro until the other message of process 2 arrives, which is under way already.
const WAITS: u64 = 30;
/// Each leads with a probability of one in three, whatever the other one does.
const GUESSES: u64 = 40;

/// A process of two that does what its rule says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Coin {
    rule: u64,
    first: bool,
    status: Status,
}

impl Process for Coin {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = (Id, Size);
    type Msg = Word;

    fn new((id, _): (Id, Size), _: u32) -> Self {
        let rule = id.get() / 10 * 10;
        Self { rule, first: id.get() % 10 == 1, status: Status::Undecided }
    }

    fn wake(&mut self, net: &mut impl Net<Word>) {
        match (self.rule, self.first) {
            (GUESSES, _) => {
                let leads = net.choose(2) == 0;
                self.status = if leads { Status::Leader } else { Status::Follower };
            }
            (WAITS, false) => net.send(Port::NEXT, Word::Done),
            (_, true) => net.send(Port::NEXT, Word::Ping),
            (_, false) => {}
        }
    }

    fn receive(&mut self, from: Port, word: Word, net: &mut impl Net<Word>) {
        match (self.rule, word) {
            _ if self.status != Status::Undecided => {}
            (TOSSES, Word::Ping) if self.first && net.choose(3) == 0 => {
                self.status = Status::Leader;
                net.send(Port::NEXT, Word::Done);
            }
            (WAITS, Word::Ping) if !self.first => net.send(Port::PREVIOUS, Word::Ping),
            (WAITS, Word::Done) if self.first && from == Port::PREVIOUS => {
                self.status = Status::Leader;
                net.send(Port::NEXT, Word::Done);
            }
            (_, Word::Ping) => net.send(Port::NEXT, Word::Ping),
            (_, Word::Done) => self.status = Status::Follower,
        }
    }

    fn status(&self) -> Status {
        self.status
    }

    fn halted(&self) -> bool {
        self.status != Status::Undecided && self.rule == GUESSES
    }
}

fn two(rule: u64) -> Instance {
    let ids = [1, 2].map(|place| Id::new(rule + place)).to_vec();
    Instance { wake: Wake::AtStart, ..Instance::new(Wiring::ring(2), ids) }
}

fn coin(rule: u64, properties: &[Property]) -> Exploration {
    let specification = Specification::<Coin>::these(properties);
    explore(&two(rule), &specification, &Options::default()).expect("an instance that fits")
}

const ENDS: [Property; 2] = [Property::ExactlyOneLeader, Property::Termination];

/// A round trip takes two messages, and one of four ends it: eight on average, and the last word.
#[test]
fn a_cycle_that_a_coin_ends_is_no_livelock() {
    let found = coin(TOSSES, &ENDS);
    assert!(matches!(found.verdict, CheckVerdict::Holds) && found.endless);
    let chances = found.chances.unwrap();
    is(chances.messages, 9.0);
    is(chances.elected, 1.0);
}

#[test]
fn a_cycle_that_no_coin_ends_is_one() {
    let CheckVerdict::Violated(found) = coin(NEVER, &ENDS).verdict else { panic!("it never ends") };
    assert_eq!(found.violation.property, Property::Termination);
    assert!(
        found.violation.detail.starts_with("livelock: after 2 steps"),
        "{}",
        found.violation.detail
    );
}

const fn claims(election: Bound) -> Claims {
    Claims { election, ..<A<2> as Claimed>::CLAIMS }
}

/// Only a schedule that never delivers one message makes it run without end. A schedule need not be fair to exceed a
/// bound or to raise an expectation.
#[test]
fn an_unfair_cycle_is_no_livelock_but_has_no_bound() {
    let found = coin(WAITS, &ENDS);
    assert!(matches!(found.verdict, CheckVerdict::Holds) && found.endless);
    assert!(found.costs.is_none() && found.chances.is_none());
    for election in [Bound::at_most("100", |_| 100), Bound::expected("100", |_| 100)] {
        let specification = Specification::<Coin>::these(&[Property::MessageBound]);
        let specification = specification.about(&claims(election));
        let found = explore(&two(WAITS), &specification, &Options::default()).unwrap();
        let CheckVerdict::Violated(found) = found.verdict else { panic!("there is no bound") };
        assert_eq!(found.violation.property, Property::Termination);
    }
}

/// An algorithm of Monte Carlo: each of the two leads with probability 1/3, and exactly one of them
/// with probability `2 * 1/3 * 2/3`.
#[test]
fn the_probability_of_an_error_is_exact() {
    let found = coin(GUESSES, &[Property::Termination]);
    assert!(matches!(found.verdict, CheckVerdict::Holds) && !found.endless);
    assert_eq!((found.terminal, found.costs.unwrap().messages.max), (4, 0));
    is(found.chances.unwrap().elected, 4.0 / 9.0);
    let CheckVerdict::Violated(found) = coin(GUESSES, &ENDS).verdict else {
        panic!("two may lead")
    };
    assert_eq!(found.violation.property, Property::ExactlyOneLeader);
}
