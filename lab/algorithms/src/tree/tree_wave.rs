pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "tree-wave",
    title: "Tree wave: the smallest identity of every subtree meets in the middle.",
    paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapter 7",
    citation: "
G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
chapter 7: election with the tree algorithm, after a wake-up phase.
",
    assumes: "
A tree with FIFO links; a process knows its identity.
",
    idea: "
A process that wakes, or is woken, wakes all its neighbours, and waits until all of them have
woken it. Leaves then start a wave: a process that has tokens from all neighbours but one sends
that one the smallest identity that it knows: the smallest of the whole subtree behind it. The
two processes whose tokens cross on a link know the smallest identity of all. They decide, and
the decision spreads from them to the others.
",
    cost: "
Exactly `4n - 4` messages among `n > 1` processes, for any initiators and on every schedule: two
wake-ups on each link, a token from each process, and a decision on each of the `n - 2` links on
which no tokens crossed. A single process needs none.

Time: at most `3 D + 1` for a tree of diameter `D`: `D` units until all have woken, one more until
all wake-ups have arrived, `D` until tokens cross, and `D` until all have heard of the decision.
",
    deviations: "
The textbook's decision is one more token; here it is a message of its own kind, counted as
announcement. Its text receives selectively: wake-ups first, tokens later. But a token may
come from one neighbour while the wake-up of another is missing, so tokens are kept as they
come: only the smallest identity matters, and which ports were silent. Non-initiators compete,
too: the smallest identity of all wins, not the smallest initiator's.
",
    invariants: &[
        ("subtree", "a token carries the smallest identity on its sender's side of the link."),
        ("two-each", "no link carries more than two messages in one direction."),
        ("decided", "a process that has decided knows the smallest identity of all."),
    ],
};

use crate::ports::WaitedPorts;
use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Wake up.
    WakeUp,
    /// The smallest identity on this side of the link.
    Token(Id),
    /// The smallest identity of all.
    Decision(Id),
}
use Msg::{Decision, Token, WakeUp};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("wake-up"),
        Kind::election("token").ids(1),
        Kind::announcement("decision").ids(1),
    ];
    fn kind(&self) -> usize {
        match self {
            WakeUp => 0,
            Token(_) => 1,
            Decision(_) => 2,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// Collects wake-ups and tokens.
    Awake,
    /// Has sent its token to the neighbour whose token was missing.
    Sent,
    Decided,
}
use State::{Awake, Decided, Sent, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TreeWave {
    id: Id,
    /// The smallest identity so far.
    least: Id,
    state: State,
    /// The number of neighbours that have not woken it yet.
    asleep: u32,
    /// The neighbours whose token has not come.
    silent: WaitedPorts,
}

impl TreeWave {
    /// Sends its token as soon as only one neighbour's is missing.
    fn send_token(&mut self, net: &mut impl Net<Msg>) {
        if let (Awake, 0, Some(last)) = (self.state, self.asleep, self.silent.last()) {
            self.state = Sent;
            net.send(last, Token(self.least));
        }
    }
}

impl Process for TreeWave {
    const NETWORK: NetworkClass = NetworkClass::Tree;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, least: id, state: Sleep, asleep: degree, silent: WaitedPorts::all(degree) }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.state = if net.degree() == 0 { Decided } else { Awake };
        net.send_all(WakeUp);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        let silent = self.silent.without(from, net.degree());
        match (self.state, msg, silent) {
            (Sleep | Awake, WakeUp, _) if self.asleep > 0 => {
                if self.state == Sleep {
                    self.wake(net);
                }
                self.asleep -= 1;
                self.send_token(net);
            }
            (Awake, Token(id), Some(silent)) if !silent.is_empty() => {
                self.silent = silent;
                self.least = self.least.min(id);
                self.send_token(net);
            }
            (Sent, Token(id) | Decision(id), Some(silent)) if silent.is_empty() => {
                self.silent = silent;
                self.least = self.least.min(id);
                self.state = Decided;
                net.send_others(from, Decision(self.least));
            }
            _ => net.reject("a neighbour sends one wake-up, then a token or a decision"),
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        self.halted().then_some(self.least)
    }

    fn halted(&self) -> bool {
        self.state == Decided
    }
}

impl Claimed for TreeWave {
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestId,
        problem: Problem::Explicit,
        election: Bound::exactly("3n-2", |s| match s.nodes {
            1 => 0,
            n => n.saturating_mul(3) - 2,
        }),
        announcement: Bound::exactly("n-2", |s| s.nodes.saturating_sub(2)),
        time: Some(Time {
            election: Bound::at_most("2 D + 1", |s| s.diameter.saturating_mul(2).saturating_add(1)),
            announcement: Bound::at_most("D", |s| s.diameter),
        }),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [subtree, two_each, decided])
    }
}

fn smallest_behind(now: &Configuration<'_, TreeWave>, end: End) -> Id {
    let mut least = now.process(end.node).id;
    let mut open = vec![end];
    while let Some(End { node, port: not }) = open.pop() {
        least = least.min(now.process(node).id);
        let degree = now.degree(node);
        let others = (0..degree).map(Port).filter(|&port| port != not);
        open.extend(others.map(|port| now.across(node, port)));
    }
    least
}

fn subtree(now: &Configuration<'_, TreeWave>) -> Option<String> {
    now.messages().iter().find_map(|transit| {
        let (from, least) = (transit.from.node, smallest_behind(now, transit.from));
        (matches!(transit.msg, Token(id) if id != least))
            .then(|| format!("the token of {from} carries another identity than {least}"))
    })
}

fn two_each(now: &Configuration<'_, TreeWave>) -> Option<String> {
    now.messages().iter().find_map(|transit| {
        let messages: Vec<Msg> = now.on_link(transit.from).collect();
        (!matches!(messages[..], [_] | [WakeUp, Token(_) | Decision(_)]))
            .then(|| format!("{messages:?} are under way from {}", transit.from.node))
    })
}

fn decided(now: &Configuration<'_, TreeWave>) -> Option<String> {
    let least = now.nodes().map(|(_, node)| node.id).min();
    now.nodes().find_map(|(node, one)| {
        (one.process.state == Decided && Some(one.process.least) != least)
            .then(|| format!("{node} has decided on {}", one.process.least))
    })
}
