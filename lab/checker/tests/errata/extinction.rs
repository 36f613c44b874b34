//! Extinction over a wave beside the algorithm of the catalogue that it comes down to, and the room on
//! links that it needs.

use crate::{
    search::{catalogued, everything},
    side_by_side::differing,
};
use std::fmt::Debug;
use std::hash::Hash;
use std::marker::PhantomData;
use suffrage_algorithms::{
    Algorithm, Announced, AnnouncedMsg, Extinction, Parameters, Property, Tagged,
    graph::{EchoExtinction, EchoExtinctionMsg},
    ring,
    wave::{Echo, RingToken, Token, Tree},
};
use suffrage_checker::{Family, FaultBudget, Instance};
use suffrage_model::{Id, Message, Net, NetworkClass, Port, Process, Status};
use suffrage_networks::wiring::{Adjacency, Wiring};

/// A process that is compared with another one, which has other messages.
trait Retelling: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    type Process: Process<Knows = Id>;
    type Msg: Message;
    fn told(msg: <Self::Process as Process>::Msg) -> Self::Msg;
    fn heard(msg: Self::Msg) -> <Self::Process as Process>::Msg;
    fn status(status: Status) -> Status {
        status
    }
}

/// The process, with the messages of the other one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Retold<R: Retelling>(R::Process);

struct Translated<'a, R, N>(&'a mut N, PhantomData<R>);

impl<R: Retelling, N: Net<R::Msg>> Net<<R::Process as Process>::Msg> for Translated<'_, R, N> {
    fn degree(&self) -> u32 {
        self.0.degree()
    }
    fn send(&mut self, to: Port, msg: <R::Process as Process>::Msg) {
        self.0.send(to, R::told(msg));
    }
    fn choose(&mut self, max: u32) -> u32 {
        self.0.choose(max)
    }
    fn set_alarm(&mut self, ticks: u32) {
        self.0.set_alarm(ticks);
    }
    fn reject(&mut self, why: &'static str) {
        self.0.reject(why);
    }
}

impl<R: Retelling> Process for Retold<R> {
    const NETWORK: NetworkClass = R::Process::NETWORK;
    type Knows = Id;
    type Msg = R::Msg;

    fn new(id: Id, degree: u32) -> Self {
        Self(R::Process::new(id, degree))
    }
    fn wake(&mut self, net: &mut impl Net<R::Msg>) {
        self.0.wake(&mut Translated::<R, _>(net, PhantomData));
    }
    fn receive(&mut self, from: Port, msg: R::Msg, net: &mut impl Net<R::Msg>) {
        let net = &mut Translated::<R, _>(net, PhantomData);
        self.0.receive(from, R::heard(msg), net);
    }
    fn status(&self) -> Status {
        R::status(self.0.status())
    }
    fn leader(&self) -> Option<Id> {
        self.0.leader()
    }
    fn halted(&self) -> bool {
        self.0.halted()
    }
}

/// Extinction over Echo.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum OverEcho {}

impl Retelling for OverEcho {
    type Process = Announced<Extinction<Echo>>;
    type Msg = EchoExtinctionMsg;

    fn told(msg: AnnouncedMsg<Tagged<Token>>) -> EchoExtinctionMsg {
        match msg {
            AnnouncedMsg::Elect(Tagged { of, .. }) => EchoExtinctionMsg::Token(of),
            AnnouncedMsg::Announce(leader) => EchoExtinctionMsg::Leader(leader),
        }
    }
    fn heard(msg: EchoExtinctionMsg) -> AnnouncedMsg<Tagged<Token>> {
        match msg {
            EchoExtinctionMsg::Token(of) => AnnouncedMsg::Elect(Tagged { of, msg: Token }),
            EchoExtinctionMsg::Leader(leader) => AnnouncedMsg::Announce(leader),
        }
    }
}

/// Extinction over a ring's token.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum OverRingToken {}

impl Retelling for OverRingToken {
    type Process = Extinction<RingToken>;
    type Msg = ring::ChangRobertsToken;

    fn told(msg: Tagged<Token>) -> ring::ChangRobertsToken {
        ring::ChangRobertsToken(msg.of)
    }
    fn heard(ring::ChangRobertsToken(of): ring::ChangRobertsToken) -> Tagged<Token> {
        Tagged { of, msg: Token }
    }
}

/// Chang and Roberts's algorithm, whose processes are undecided until they lead: there a process that has
/// lost knows it, and in extinction it does not.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ChangRoberts {}

impl Retelling for ChangRoberts {
    type Process = ring::ChangRoberts;
    type Msg = ring::ChangRobertsToken;

    fn told(msg: ring::ChangRobertsToken) -> ring::ChangRobertsToken {
        msg
    }
    fn heard(msg: ring::ChangRobertsToken) -> ring::ChangRobertsToken {
        msg
    }
    fn status(status: Status) -> Status {
        match status {
            Status::Leader => Status::Leader,
            _ => Status::Undecided,
        }
    }
}

/// On every schedule of every election of up to four processes the two send the same messages in the same
/// steps.
#[test]
fn over_echo_it_is_the_catalogues_algorithm() {
    for nodes in 1..=4 {
        let differ = differing::<EchoExtinction, Retold<OverEcho>>;
        assert_eq!(differ(nodes, FaultBudget::default()), 0, "{nodes}");
    }
}

#[test]
fn over_a_rings_token_it_sends_what_chang_and_roberts_send() {
    let differ = differing::<Retold<ChangRoberts>, Retold<OverRingToken>>;
    for nodes in 1..=6 {
        assert_eq!(differ(nodes, FaultBudget::default()), 0, "{nodes}");
    }
    // Where a smaller token overtakes, a process that has lost swallows what the other passes on.
    assert!(differ(3, FaultBudget { no_fifo: true, ..FaultBudget::default() }) > 0);
}

#[test]
fn over_the_tree_algorithm_it_needs_room_for_half_of_the_processes_and_one() {
    let failing = |nodes, capacity| {
        let family = everything::<Extinction<Tree>>(nodes);
        let family = Family { capacity: Some(capacity), ..family };
        catalogued("tree-extinction", &[Property::ExactlyOneLeader], &family).failing
    };
    for nodes in 2..=4 {
        assert!(failing(nodes, nodes / 2) > 0, "{nodes}");
        assert_eq!(failing(nodes, nodes / 2 + 1), 0, "{nodes}");
    }
}

/// On the path 2, 0, 1, 3 the inner processes send to each other first, and then their neighbours' waves,
/// which are smaller, come.
#[test]
fn over_a_traversal_it_needs_room_for_half_of_the_processes() {
    let lists: [Vec<u32>; 4] = [vec![1, 2], vec![0, 3], vec![0], vec![1]];
    let wiring = Wiring::stored(Adjacency::new(&lists));
    let path = Instance::new(wiring, [3, 4, 1, 2].map(Id::new).to_vec());
    let failing = |capacity| {
        let instance = Instance { capacity: Some(capacity), ..path.clone() };
        let family = Family::one(&instance);
        catalogued("depth-first-extinction", &[Property::ExactlyOneLeader], &family).failing
    };
    assert_eq!([failing(1), failing(2)], [1, 0]);
}

/// The theorem of the lecture notes: `k` waves take at most `k` times what one takes.
#[test]
fn no_bound_is_larger_than_that_of_the_theorem() {
    for name in ["ring-extinction", "tree-extinction", "echo-extinction", "depth-first-extinction"]
    {
        let row = Algorithm::named(name).expect("a row");
        for n in 1..=64 {
            let links =
                if name == "depth-first-extinction" { n * (n - 1) / 2 } else { n.max(2) - 1 };
            let bound = |k| row.claims.election.at(&Parameters::new(n, links, k));
            for k in 1..=n {
                assert!(bound(k) <= k * bound(1), "{name}, n {n}, k {k}");
            }
        }
    }
}
