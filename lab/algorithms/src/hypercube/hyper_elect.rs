pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "hyper-elect",
    title: "Hyper-elect: in stage `p` the winners of two `p`-cubes fight a duel across bit `p`.",
    paper: "P. Flocchini, B. Mans, Journal of Parallel and Distributed Computing 33(1), 1996",
    citation: r#"
P. Flocchini, B. Mans, "Optimal elections in labeled hypercubes", *Journal of Parallel and
Distributed Computing* 33(1), 1996, pp. 76-83; after N. Santoro, *Design and Analysis of
Distributed Algorithms*, Wiley, 2007, section 3.5.1.
"#,
    assumes: "
A hypercube with a sense of direction: its `n = 2^d` nodes are the words of `d` bits, and port
`p` leads to the node whose word differs in bit `p`. A process knows its identity, and `d` from
its number of ports; it does not know its word. Links need not be FIFO, and hold `d` messages.
",
    idea: "
The election is a tournament in stages 0 to `d-1`. A duellist of stage `p` has won the `p`-cube
of the words that have all bits from `p` on in common with its own, and its opponent is the
winner of the `p`-cube across bit `p`. It sends its identity through port `p`, with the bits
that it flips on its way, so that the opponent learns the way back; the larger one goes on to
the next stage, the smaller one is defeated and remembers the way to the one that defeated it.
The process behind port `p` need not be the opponent: a defeated process passes messages on to
the process that defeated it, and one that has not yet come to that stage delays them.
",
    cost: "
At most `6 n - d^2 - 3 d - 6` messages and the announcement's `n - 1`. In stage `p` there are
`n / 2^p` duellists. What one sends takes one link, and then visits processes that were defeated in
stages which grow; from one defeated in stage `q` it takes at most `q + 1` links, since that
process and the one that defeated it share the other bits. That is at most `1 + p(p+1)/2` links,
and the sum over all stages is the bound. Santoro has the same with the announcement,
`7 n - (log n)^2 - 3 log n - 7`.

Time: at most `4 n - d(d+3)/2 - 4`, and `d` for the announcement. Let `T(p)` be the time from
when a process of a `p`-cube is awake until all duels inside are over. The winner of that cube
then wakes the cube across bit `p`, which needs as long, and the duel of the two winners takes
`1 + p(p+1)/2` more, so that `T(p+1) = 2 T(p) + 2 + p(p+1)/2`. If all are awake it is
`T(p) + 1 + p(p+1)/2` instead, together `d + (d^3 - d)/6`.

Room: no two messages of one stage and direction are ever on a link, and one of stage `p` takes
none of the links of higher bits.
",
    deviations: "
A process that is reached asleep becomes a duellist and goes on from there, so any set of
processes may initiate. The stage of a message is not sent: it is the highest bit of its way
back. The larger identity wins. The leader is announced along the tree in which a process that
hears of it by bit `p` tells all below: `n - 1` messages. A message that decides a duel may
reach its loser after that, and is discarded. The papers' abstracts were at hand, not their
text: the procedure and Santoro's bound are from memory, its proof and the bound on time are
ours.
",
    invariants: &[
        ("one-each", "of each `p`-cube at most one process has come to stage `p`."),
        ("upward", "a defeated process remembers the way to a larger process."),
        ("traced", "a message bears the way back to the process of its identity."),
    ],
};

use crate::prelude::*;
use crate::queue::LazyQueue;

/// A set of bits, to be flipped one by one in any order: a way from one node to another.
type Bits = u32;

/// The identity of a duellist on its way to the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Forward {
    id: Id,
    /// The way from the receiver back to the duellist. Its highest bit is the stage's.
    source: Bits,
    /// The way from the receiver to the process that is to take it, within a cube of the stage.
    dest: Bits,
}

impl Forward {
    fn stage(self, dimension: u32) -> Option<u32> {
        let stage = self.source.checked_ilog2()?;
        (stage < dimension && self.dest < 1 << stage).then_some(stage)
    }
}

impl Message for Forward {
    const KINDS: &'static [Kind] = &[Kind::election("forward").ids(1).counters(2)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// It waits for its opponent of this stage.
    Duellist(u32),
    /// This is the way to the one that defeated it.
    Defeated(Bits),
    Leads,
}
use State::{Defeated, Duellist, Leads, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HyperElect {
    id: Id,
    state: State,
    /// What is for later stages than its own.
    delayed: LazyQueue<Forward>,
}

impl HyperElect {
    fn enter(&mut self, stage: u32, net: &mut impl Net<Forward>) {
        if stage == net.degree() {
            self.state = Leads;
        } else {
            self.state = Duellist(stage);
            net.send(Port(stage), Forward { id: self.id, source: 1 << stage, dest: 0 });
        }
    }

    /// Takes a message of this stage that has come to where it was sent.
    fn take(&mut self, of: u32, forward: Forward, net: &mut impl Net<Forward>) {
        match self.state {
            Duellist(stage) if of > stage => self.delayed.push(forward),
            Duellist(stage) if of == stage => {
                if forward.id > self.id {
                    self.state = Defeated(forward.source);
                } else {
                    self.enter(stage + 1, net);
                }
                for _ in 0..self.delayed.iter().count() {
                    if let Some(delayed) = self.delayed.pop() {
                        self.take(delayed.source.ilog2(), delayed, net);
                    }
                }
            }
            Defeated(way) => send(Forward { dest: way, ..forward }, net),
            Sleep | Duellist(_) | Leads => net.reject("there is one opponent in each stage"),
        }
    }
}

/// Sends a message on to the process to which its way leads.
fn send(forward: Forward, net: &mut impl Net<Forward>) {
    let port = forward.dest.trailing_zeros();
    let (source, dest) = (forward.source ^ 1 << port, forward.dest ^ 1 << port);
    net.send(Port(port), Forward { source, dest, ..forward });
}

impl Process for HyperElect {
    const NETWORK: NetworkClass = NetworkClass::OrientedHypercube;
    type Knows = Id;
    type Msg = Forward;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Sleep, delayed: LazyQueue::new() }
    }

    fn wake(&mut self, net: &mut impl Net<Forward>) {
        self.enter(0, net);
    }

    fn receive(&mut self, _: Port, forward: Forward, net: &mut impl Net<Forward>) {
        let Some(stage) = forward.stage(net.degree()) else {
            return net.reject("there is no such stage or way in the cube");
        };
        if forward.id == self.id {
            return net.reject("no duellist is its own opponent");
        }
        if self.state == Sleep {
            self.enter(0, net);
        }
        match forward.dest {
            0 => self.take(stage, forward, net),
            _ => send(forward, net),
        }
    }

    fn status(&self) -> Status {
        if self.state == Leads { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leads).then_some(self.id)
    }

    fn halted(&self) -> bool {
        self.state == Leads
    }
}

fn sum(nodes: u64, times: u64, less: u64, of: u64) -> u64 {
    let d = u64::from(nodes.max(1).ilog2());
    nodes.saturating_mul(times).saturating_sub(less + d * (d + 3) / of)
}

impl Claimed for HyperElect {
    const ROOM: Bound =
        Bound::at_most("max(d, 1)", |s| s.nodes.checked_ilog2().unwrap_or(0).max(1).into());

    const CLAIMS: Claims = Claims {
        rule: Rule::LargestId,
        problem: Problem::Implicit,
        election: Bound::at_most("6 n - d^2 - 3 d - 6", |s| sum(s.nodes, 6, 6, 1)),
        announcement: Bound::NONE,
        time: Some(Time::unannounced(Bound::at_most("4 n - d(d+3)/2 - 4", |s| {
            sum(s.nodes, 4, 4, 2)
        }))),
        ending: Ending::LateMessages,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [one_each, upward, traced])
    }
}

type Now<'a> = Configuration<'a, HyperElect>;

fn at(now: &Now<'_>, from: u32, way: Bits) -> u32 {
    let bits = (0..now.degree(from)).filter(|bit| way >> bit & 1 == 1);
    bits.fold(from, |node, bit| now.across(node, Port(bit)).node)
}

fn one_each(now: &Now<'_>) -> Option<String> {
    let reached = |node: u32| match now.process(node).state {
        Duellist(stage) => stage,
        Leads => now.degree(node),
        Sleep | Defeated(_) => 0,
    };
    (0..now.size()).find_map(|node| {
        let others = (1..1 << reached(node)).map(|way| at(now, node, way));
        others
            .into_iter()
            .find(|&other| reached(other) >= reached(node))
            .map(|other| format!("{node} and {other} are both in stage {}", reached(node)))
    })
}

fn upward(now: &Now<'_>) -> Option<String> {
    for (number, node) in now.nodes() {
        if let Defeated(way) = node.process.state
            && now.process(at(now, number, way)).id <= node.id
        {
            return Some(format!("{number} remembers the way to one that is not larger"));
        }
    }
    None
}

fn traced(now: &Now<'_>) -> Option<String> {
    now.messages().iter().find_map(|one| {
        let Forward { id, source, .. } = one.msg;
        (now.process(at(now, one.to.node, source)).id != id).then(|| format!("{one:?}"))
    })
}
