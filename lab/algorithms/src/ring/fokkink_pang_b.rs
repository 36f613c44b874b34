pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "fokkink-pang-b",
    title: "Fokkink and Pang B: a process that hears its own identity draws another one at once.",
    paper: "W. Fokkink, J. Pang, Journal of Universal Computer Science 12(8), 2006",
    citation: r#"
W. Fokkink, J. Pang, "Variations on Itai-Rodeh leader election for anonymous rings and their
analysis in PRISM", *Journal of Universal Computer Science* 12(8), 2006, pp. 981-1006.
"#,
    assumes: "
An oriented ring with FIFO links. Processes are anonymous; they know the size of the ring, and
draw at random.
",
    idea: "
As in their algorithm A identities are drawn, the largest travels all the way round, and a
message counts its hops. But an active process that receives the identity that it has itself,
from another process, does not pass it on: it draws again, and sends what it has drawn in its
stead. So no bit is needed, and a message that comes home has met no equal: its sender leads. An
active process becomes passive when a larger identity passes, and purges smaller ones.
",
    cost: "
On average at most `n H_k + 7 n` messages for `k` initiators among `n` processes that draw from
`n` identities. *This is a conjecture*, the bound that is proved for A: a first message travels
at most as far as in A, since it ends at an equal one, too. It is compared with the exact
expectation on every explored schedule, and with the mean of many elections of up to 1000 processes.
Time: nothing is claimed. There is no bound on a single election; it ends with probability 1.
",
    deviations: "
The text of the algorithm is from memory and from accounts of the paper; the paper itself was
not at hand. It starts all processes at once; here a process that is reached before it wakes is
passive. The paper draws from `k` identities for any `k`; here there are as many as processes.
It leaves open how the others learn that there is a leader; here `Announced` tells them, without
a name.
",
    invariants: &[
        (
            "largest-survives",
            "unless a process leads, the largest identity under way belongs to an active process, \
             and no active process has a larger one.",
        ),
        (
            "swept",
            "if there is a leader, no message is left, and no other process is active.
             Leader(a) -> !Msg(_, _) at x & (b != a -> !Active(b))",
        ),
    ],
};

use crate::around::largest_survives;
use crate::harmonic::times_harmonic;
use crate::prelude::*;

/// The identity that a process has drawn, on its way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Msg {
    /// The identity.
    pub id: u32,
    /// The number of links that it has crossed when it arrives.
    pub hop: u32,
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("message").counters(2)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// With the identity that it has drawn.
    Active(u32),
    Passive,
    Leader,
}
use State::{Active, Leader, Passive, Sleep};

/// A process of the algorithm. With `K > 0` it draws one of `K` identities, otherwise one of as many
/// as there are processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FokkinkPangB<const K: u32 = 0> {
    n: u32,
    state: State,
}

impl<const K: u32> FokkinkPangB<K> {
    /// Draws an identity, and sends it.
    fn select(&mut self, net: &mut impl Net<Msg>) {
        let identities = if K > 0 { K } else { self.n };
        let id = 1 + net.choose(identities - 1);
        self.state = Active(id);
        net.send(Port::NEXT, Msg { id, hop: 1 });
    }
}

impl<const K: u32> FokkinkPangB<K> {
    /// The identity that an active process has drawn.
    const fn active(&self) -> Option<u32> {
        match self.state {
            Active(own) => Some(own),
            Sleep | Passive | Leader => None,
        }
    }
}

impl<const K: u32> Process for FokkinkPangB<K> {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Size;
    type Msg = Msg;

    fn new(Size(n): Size, _degree: u32) -> Self {
        Self { n, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.select(net);
    }

    fn receive(&mut self, _: Port, Msg { id, hop }: Msg, net: &mut impl Net<Msg>) {
        match self.state {
            Active(_) if hop == self.n => self.state = Leader,
            Active(own) if id == own => self.select(net),
            Active(own) if id < own => {} // Mine will beat it: purge.
            Passive if hop >= self.n => net.reject("what comes home finds its sender active"),
            Sleep | Active(_) | Passive => {
                self.state = Passive;
                net.send(Port::NEXT, Msg { id, hop: hop.saturating_add(1) });
            }
            Leader => net.reject("the message that has come home has swept all others before it"),
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Active(_) => Status::Undecided,
            Leader => Status::Leader,
            Passive => Status::Follower,
        }
    }

    /// Only the leader halts by itself. A passive process passes messages on until the announcement
    /// ends it.
    fn halted(&self) -> bool {
        self.state == Leader
    }
}

impl<const K: u32> Claimed for FokkinkPangB<K> {
    const CLAIMS: Claims = Claims {
        rule: Rule::Chance,
        election: Bound::expected("n H_k + 7 n", |s| {
            times_harmonic(s.nodes, s.initiators).saturating_add(s.nodes.saturating_mul(7))
        })
        .standing(BoundStanding::Conjectured),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(
            HEADER.invariants,
            [|now| largest_survives(now, Self::active, |msg| msg.id)],
        )
    }
}
