pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "tree-identify",
    title: "IEEE 1394 tree identify: leaves ask to be children, and two that ask each other toss coins.",
    paper: "M. Devillers, D. Griffioen, J. Romijn, F. Vaandrager, Formal Methods in System Design 16(3), 2000",
    citation: r#"
M. Devillers, D. Griffioen, J. Romijn, F. Vaandrager, "Verification of a leader election
protocol: formal methods applied to IEEE 1394", *Formal Methods in System Design* 16(3), 2000,
pp. 307-320.
"#,
    assumes: "
A tree with FIFO links that hold two messages, whose processes know no more than how many
neighbours they have: they are anonymous, and do not know the size. They toss coins.
",
    idea: "
A reset of the bus wakes everyone, and a process that all neighbours but one have asked to become
their parent asks the last one; the leaves begin. A request that comes before one's own is
acknowledged, and its sender is a child from then on. Two requests that cross are a root
contention: the requests have covered the tree, and one of the two is its root. Each chooses
fast or slow by a coin; if they differ the fast one is the root and leads, otherwise they choose
again.
",
    cost: "
Between two processes or more, on average exactly `3 n + k` messages for `k` initiators among
`n` processes. *Proof.* A reset goes out through every port but that through which it came in,
which makes `2 (n-1) - (n-k)`. Every process asks once, and over each of the `n-1` links someone
asks, since the side of a link on which all have asked asks the other; so one link is asked over
twice. The other `n-2` requests are acknowledged, and a contention takes two coins in each of
two rounds on average. No election takes fewer than `3 n + k - 2`, with one round. There is no upper
bound on a single election; the probability that a contention takes more than `r` rounds is `2^-r`.

Time: on average at most `2 D + 2` for a tree of diameter `D`: `D` units until all have woken,
`D` until all requests have arrived, since each begins when the one that it waited for arrives,
and they follow a path; and one for each round of coins. Acknowledgements arrive no later than
the first coins may.
",
    deviations: "
The text of the protocol is from accounts of it; the paper itself was not at hand. There a
process may wait before it asks, so that all may ask it, and it is the root without a
contention; here it asks at once. There a coin is the time that a process waits before it asks
again, and the slower process is asked. Without a clock this may never succeed, so here the coin
is sent. The reset is part of the standard, and not of the paper. A cycle is an error in the
standard; here the network is a tree.
",
    invariants: &[
        (
            "answered",
            "acknowledgements and coins are under way only to processes that have asked the \
             sender.",
        ),
        ("all-asked", "if there is a leader, every other process has asked its parent."),
    ],
};

use crate::ports::WaitedPorts;
use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The bus is reset: wake up.
    Reset,
    /// Be my parent.
    Request,
    /// You are my child.
    Acknowledge,
    /// In a root contention, whether the sender is fast.
    Coin(bool),
}
use Msg::{Acknowledge, Coin, Request, Reset};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("reset"),
        Kind::election("request"),
        Kind::election("acknowledge"),
        Kind::election("slow"),
        Kind::election("fast"),
    ];
    fn kind(&self) -> usize {
        match self {
            Reset => 0,
            Request => 1,
            Acknowledge => 2,
            Coin(false) => 3,
            Coin(true) => 4,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// Waits for requests.
    Awake,
    /// Has asked the last neighbour.
    Asked,
    /// Is asked by the neighbour that it has asked, and has chosen: fast or slow.
    Contends(bool),
    Root,
    Child,
}
use State::{Asked, Awake, Child, Contends, Root, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TreeIdentify {
    state: State,
    /// The neighbours that are not its children.
    others: WaitedPorts,
}

impl TreeIdentify {
    /// Asks the last neighbour that is not a child to be the parent.
    fn ask(&mut self, net: &mut impl Net<Msg>) {
        if let Some(parent) = self.others.last() {
            self.state = Asked;
            net.send(parent, Request);
        }
    }

    /// Tosses a coin, and tells it the other one.
    fn contend(&mut self, with: Port, net: &mut impl Net<Msg>) {
        let fast = net.choose(1) == 1;
        self.state = Contends(fast);
        net.send(with, Coin(fast));
    }

    fn parent(&self) -> Option<Port> {
        self.others.last().filter(|_| !matches!(self.state, Sleep | Awake))
    }
}

impl Process for TreeIdentify {
    const NETWORK: NetworkClass = NetworkClass::Tree;
    type Knows = ();
    type Msg = Msg;

    fn new((): (), degree: u32) -> Self {
        Self { state: Sleep, others: WaitedPorts::all(degree) }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.state = if net.degree() == 0 { Root } else { Awake };
        net.send_all(Reset);
        self.ask(net);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        let of_parent = self.parent() == Some(from);
        match (self.state, msg) {
            (Sleep, Reset) => {
                self.state = Awake;
                net.send_others(from, Reset);
                self.ask(net);
            }
            (Awake | Asked, Reset) => {} // They have woken independently.
            (Awake, Request) => {
                let Some(others) = self.others.without(from, net.degree()) else {
                    return net.reject("a child asks once");
                };
                self.others = others;
                net.send(from, Acknowledge);
                self.ask(net);
            }
            (Asked, Request) if of_parent => self.contend(from, net),
            (Asked, Acknowledge) if of_parent => self.state = Child,
            (Contends(fast), Coin(other)) if of_parent => match (fast, other) {
                (true, false) => self.state = Root,
                (false, true) => self.state = Child,
                _ => self.contend(from, net),
            },
            _ => net.reject("a neighbour asks, and acknowledges or contends, in this order"),
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Awake | Asked | Contends(_) => Status::Undecided,
            Root => Status::Leader,
            Child => Status::Follower,
        }
    }

    fn halted(&self) -> bool {
        matches!(self.state, Root | Child)
    }
}

impl Claimed for TreeIdentify {
    const ROOM: Bound = Bound::at_most("2", |_| 2);

    const CLAIMS: Claims = Claims {
        rule: Rule::Chance,
        election: Bound::expected("3 n + k", |s| match s.nodes {
            0 | 1 => 0,
            n => n.saturating_mul(3).saturating_add(s.initiators),
        })
        .and_at_least(|s| match s.nodes {
            0 | 1 => 0,
            n => n.saturating_mul(3).saturating_add(s.initiators).saturating_sub(2),
        }),
        time: Some(Time::unannounced(Bound::expected("2 D + 2", |s| {
            s.diameter.saturating_mul(2).saturating_add(2)
        }))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [answered, all_asked])
    }
}

fn answered(now: &Configuration<'_, TreeIdentify>) -> Option<String> {
    let mut answers = now.messages().iter().filter(|one| matches!(one.msg, Acknowledge | Coin(_)));
    let unasked = |one: &&InTransit<Msg>| now.process(one.to.node).parent() != Some(one.to.port);
    answers
        .find(unasked)
        .map(|one| format!("process {} has not asked for {:?}", one.to.node, one.msg))
}

fn all_asked(now: &Configuration<'_, TreeIdentify>) -> Option<String> {
    let root = now.nodes().find(|(_, node)| node.process.state == Root);
    let idle = now.nodes().find(|(_, node)| matches!(node.process.state, Sleep | Awake));
    match (root, idle) {
        (Some((root, _)), Some((idle, _))) => {
            Some(format!("process {root} leads, and process {idle} has not asked"))
        }
        _ => None,
    }
}
