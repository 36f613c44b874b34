pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "fokkink-pang-a",
    title: "Fokkink and Pang A: processes draw identities until only one has drawn the largest.",
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
As in the algorithm of Chang and Roberts the largest identity travels all the way round, but
identities are drawn, and several processes may have the largest one. A message counts its hops,
so that its sender recognizes it, and carries a bit, which becomes false where it passes a
process with the same identity. A process whose message comes home with the bit true leads; if
it is false, the process draws again, against those others only that had the same identity. The
algorithm of Itai and Rodeh numbers these rounds; on FIFO links all messages of a round reach a
process before its own does, so A leaves the numbers out, and has finitely many states.
",
    cost: "
On average at most `n H_k + 7 n` messages for `k` initiators among `n` processes that draw from
`n` identities, on any schedule on which the draws do not determine which processes wake before a
message reaches them, such as those on which all wake at the start. *Proof.* Of `m` processes that
draw, a message passes the next `j` with probability `p(j)`, the average of `(v/n)^j` over `v` from
1 to `n`, which is at most `1/(j+1) + 1/n`; so a round takes `n (p(0) + ... + p(m-1))` messages on
average, at most `n H_m + m`, and at most `n m`. The largest identity is drawn by `1 + m/n`
processes at most on average, and by one alone with probability `(1 - 1/n)^m` at least; so at most
`2 m/n` go on to another round on average. For `n > 2` the later rounds together have at most
`2 k/(n - 2)` processes, which is at most 6; for two processes they have 2. Time: on average at most
`4 n`, and `n` for the announcement, since a round takes `n` units, and each of the later ones has
two processes or more. There is no bound on a single election; the probability that it takes more
than `r` rounds falls exponentially with `r`.
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
            "own-identity",
            "a message that an active process has sent carries the identity that it has now, and \
             there is at most one.",
        ),
        (
            "largest-survives",
            "unless a process leads, the largest identity under way belongs to an active process, \
             and no active process has a larger one.",
        ),
        (
            "swept",
            "if there is a leader, no message is left, and no other process is active.
             Leader(a) -> !Msg(_, _, _) at x & (b != a -> !Active(b))",
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
    /// Whether it has met no process with the same identity but its sender.
    pub bit: bool,
}

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("dirty").counters(2), Kind::election("clean").counters(2)];
    fn kind(&self) -> usize {
        self.bit.into()
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
pub struct FokkinkPangA<const K: u32 = 0> {
    n: u32,
    state: State,
}

impl<const K: u32> FokkinkPangA<K> {
    /// Draws an identity, and sends it.
    fn select(&mut self, net: &mut impl Net<Msg>) {
        let identities = if K > 0 { K } else { self.n };
        let id = 1 + net.choose(identities - 1);
        self.state = Active(id);
        net.send(Port::NEXT, Msg { id, hop: 1, bit: true });
    }
}

impl<const K: u32> FokkinkPangA<K> {
    /// The identity that an active process has drawn.
    const fn active(&self) -> Option<u32> {
        match self.state {
            Active(own) => Some(own),
            Sleep | Passive | Leader => None,
        }
    }
}

impl<const K: u32> Process for FokkinkPangA<K> {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Size;
    type Msg = Msg;

    fn new(Size(n): Size, _degree: u32) -> Self {
        Self { n, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.select(net);
    }

    fn receive(&mut self, _: Port, Msg { id, hop, bit }: Msg, net: &mut impl Net<Msg>) {
        let pass_on = Msg { id, hop: hop.saturating_add(1), bit };
        match self.state {
            Active(_) if hop == self.n && bit => self.state = Leader,
            Active(_) if hop == self.n => self.select(net),
            Active(own) if id == own => net.send(Port::NEXT, Msg { bit: false, ..pass_on }),
            Active(own) if id < own => {} // Mine will beat it: purge.
            Passive if hop >= self.n => net.reject("what comes home finds its sender active"),
            Sleep | Active(_) | Passive => {
                self.state = Passive;
                net.send(Port::NEXT, pass_on);
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

impl<const K: u32> Claimed for FokkinkPangA<K> {
    const CLAIMS: Claims = Claims {
        rule: Rule::Chance,
        election: Bound::expected("n H_k + 7 n", |s| {
            times_harmonic(s.nodes, s.initiators).saturating_add(s.nodes.saturating_mul(7))
        }),
        time: Some(Time::unannounced(Bound::expected("4 n", |s| s.nodes.saturating_mul(4)))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(
            HEADER.invariants,
            [own_identity, |now| largest_survives(now, Self::active, |msg| msg.id)],
        )
    }
}

fn under_way<const K: u32>(
    now: &Configuration<'_, FokkinkPangA<K>>,
) -> impl Iterator<Item = (u32, Msg)> {
    let n = now.size();
    now.messages().iter().map(move |one| {
        let hops = one.msg.hop.saturating_sub(1) % n;
        let mut sender = one.from.node;
        (0..hops).for_each(|_| sender = now.across(sender, Port::PREVIOUS).node);
        (sender, one.msg)
    })
}

fn own_identity<const K: u32>(now: &Configuration<'_, FokkinkPangA<K>>) -> Option<String> {
    let mut sent = Vec::new();
    for (sender, msg) in under_way(now) {
        let Active(own) = now.process(sender).state else { continue };
        if msg.id != own || sent.contains(&sender) {
            return Some(format!("process {sender} has the identity {own}, and has sent {msg:?}"));
        }
        sent.push(sender);
    }
    None
}
