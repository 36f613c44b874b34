//! Extinction over any centralised wave: the lecture notes' theorem, at most `M` messages for each initiator
//! where a wave takes `M`, on every schedule and over four waves.

use crate::{
    search::{count, everything},
    side_by_side::differing,
};
use suffrage_algorithms::{
    Announced, AnnouncedMsg, Claimed, Extinction, Tagged,
    graph::{EchoExtinction, EchoExtinctionMsg},
    wave::{DepthFirst, Echo, RingToken, Token, Tree, Wave},
};
use suffrage_checker::{Faults, Specification};
use suffrage_process::{Id, Net, NetworkClass, Port, Process, Status};

/// Explores every election of up to this number of processes, on every network of the wave.
fn elects<W: Wave>(most: u32) {
    type Election<W> = Announced<Extinction<W>>;
    for nodes in 1..=most {
        let specification = Specification::<Election<W>>::of(&Election::<W>::CLAIMS);
        let specification = specification.invariants(Election::<W>::invariants());
        let report = count(&specification, &everything::<Election<W>>(nodes));
        assert_eq!(report.failing, 0, "{nodes}: {:?}", report.counterexample);
    }
}

#[test]
fn over_echo_it_elects_on_every_schedule() {
    elects::<Echo>(4);
}

#[test]
fn over_the_trees_wave_it_elects_on_every_schedule() {
    elects::<Tree>(5);
}

#[test]
fn over_a_rings_token_it_elects_on_every_schedule() {
    elects::<RingToken>(5);
}

#[test]
fn over_a_depth_first_traversal_it_elects_on_every_schedule() {
    elects::<DepthFirst>(4);
}

/// `Announced<Extinction<Echo>>` with the messages of the catalogue's algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OverEcho(Announced<Extinction<Echo>>);

struct Translated<'a, N>(&'a mut N);

type EchoMsg = AnnouncedMsg<Tagged<Token>>;

impl<N: Net<EchoExtinctionMsg>> Net<EchoMsg> for Translated<'_, N> {
    fn degree(&self) -> u32 {
        self.0.degree()
    }
    fn send(&mut self, to: Port, msg: EchoMsg) {
        let msg = match msg {
            AnnouncedMsg::Elect(Tagged { of, .. }) => EchoExtinctionMsg::Token(of),
            AnnouncedMsg::Announce(leader) => EchoExtinctionMsg::Leader(leader),
        };
        self.0.send(to, msg);
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

impl Process for OverEcho {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = EchoExtinctionMsg;

    fn new(id: Id, degree: u32) -> Self {
        Self(Announced::new(id, degree))
    }
    fn wake(&mut self, net: &mut impl Net<EchoExtinctionMsg>) {
        self.0.wake(&mut Translated(net));
    }
    fn receive(
        &mut self,
        from: Port,
        msg: EchoExtinctionMsg,
        net: &mut impl Net<EchoExtinctionMsg>,
    ) {
        let msg = match msg {
            EchoExtinctionMsg::Token(of) => AnnouncedMsg::Elect(Tagged { of, msg: Token }),
            EchoExtinctionMsg::Leader(leader) => AnnouncedMsg::Announce(leader),
        };
        self.0.receive(from, msg, &mut Translated(net));
    }
    fn status(&self) -> Status {
        self.0.status()
    }
    fn leader(&self) -> Option<Id> {
        self.0.leader()
    }
    fn halted(&self) -> bool {
        self.0.halted()
    }
}

/// On every schedule of every election of up to four processes the two send the same messages in the same
/// steps.
#[test]
fn over_echo_it_is_the_catalogues_algorithm() {
    for nodes in 1..=4 {
        assert_eq!(differing::<EchoExtinction, OverEcho>(nodes, Faults::default()), 0, "{nodes}");
    }
}
