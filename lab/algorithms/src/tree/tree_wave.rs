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
        (
            "subtree",
            "a token carries the smallest identity on its sender's side of the link.
            Token(v) at x from b to a -> beyond(a, b, v) & (beyond(a, b, c) -> v <= c)",
        ),
        (
            "least",
            "the smallest identity that a process knows is no larger than its own.
            least(a, v) -> v <= a",
        ),
        (
            "known",
            "each process knows one.
            exists v. least(a, v)",
        ),
        (
            "own-side",
            "nor than any on the other side of a link whose token has come.
            least(a, v) & near(a, b) & !silent(a, b) & beyond(a, b, c) -> v <= c",
        ),
        (
            "from-here",
            "and it is of the process's own side of each other link.
            least(a, v) & silent(a, b) & near(a, b) -> beyond(b, a, v)",
        ),
        (
            "decided",
            "a process that has decided knows the smallest identity of all.
            Decided(a) & least(a, v) -> v <= c",
        ),
        (
            "decision",
            "and tells it.
            Decision(v) at x from b to a -> v <= c",
        ),
        (
            "awaited",
            "a wake-up comes from a process that has woken to one that waits for it.
            WakeUp() at x from c to a -> dormant(a, c) & !Sleep(c)",
        ),
        (
            "one-wake-up",
            "and comes once.
            WakeUp() at x from c to a & WakeUp() at y from c to a -> x = y",
        ),
        (
            "idle",
            "a process that sleeps has neither woken nor received.
            Sleep(a) -> !woke(a) & (near(a, c) -> dormant(a, c) & silent(a, c) & dormant(c, a))",
        ),
        (
            "token",
            "a token comes from a process that waits for one in return, or has decided, to one that \
             waits for it.
            Token(v) at x from c to a -> silent(a, c) & (Sent(c) & silent(c, a) | Decided(c))",
        ),
        (
            "told",
            "and a decision from one that has decided.
            Decision(v) at x from c to a -> silent(a, c) & Decided(c)",
        ),
        (
            "one-token",
            "one token or decision is under way from a process to a neighbour.
            Token(v) at x from c to a -> !Decision(w) at y from c to a & (Token(w) at y from c to a -> x = y)",
        ),
        (
            "one-decision",
            "and not two decisions.
            Decision(v) at x from c to a & Decision(w) at y from c to a -> x = y",
        ),
        (
            "coming",
            "the wake-up of a process that has woken is under way until it comes.
            near(a, c) & dormant(a, c) & !Sleep(c) -> exists x. WakeUp() at x from c to a",
        ),
        (
            "in-order",
            "before its token.
            Token(v) at y from c to a & WakeUp() at x from c to a -> x < y",
        ),
        (
            "woken",
            "a token has come only from processes whose wake-up has.
            near(a, c) & dormant(a, c) -> silent(a, c)",
        ),
        (
            "waits",
            "a process that has not decided waits for a token, and before it sends its own, for another one or \
             for a wake-up.
            Awake(a) | Sent(a)
                -> exists c d. silent(a, c) & (Sent(a) | c != d & silent(a, d) | dormant(a, c))",
        ),
        (
            "on-its-way",
            "until a token comes, it is under way.
            Sent(c) & silent(c, a) & near(a, c) & silent(a, c) -> exists v x. Token(v) at x from c to a",
        ),
        (
            "is-told",
            "a process that has decided has sent a token or a decision to each neighbour.
            Decided(c) & near(a, c) & silent(a, c)
                -> exists v x. (Token(v) at x from c to a | Decision(v) at x from c to a)",
        ),
        (
            "last",
            "a process that has sent its token waits for one more.
            Sent(a) & silent(a, c) & silent(a, d) -> c = d",
        ),
        (
            "complete",
            "a process that has decided waits for none, and both wait for no wake-up.
            (Decided(a) -> !silent(a, c)) & (Sent(a) | Decided(a) -> !dormant(a, c))",
        ),
        (
            "answered",
            "while a process has not decided, those whose tokens have come wait for its.
            near(a, c) & !silent(c, a) & !Decided(c) -> Sent(a) & silent(a, c)",
        ),
        (
            "around",
            "the neighbours of a process that has decided have decided, too, or wait for it alone.
            Decided(a) & near(a, c) -> Decided(c) | Sent(c) & silent(c, a)",
        ),
    ],
};

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
    /// The neighbours that have not woken it yet.
    dormant: PortSet,
    /// The neighbours whose token has not come.
    silent: PortSet,
}

impl TreeWave {
    /// Sends its token as soon as only one neighbour's is missing.
    fn send_token(&mut self, net: &mut impl Net<Msg>) {
        if let (Awake, true, Some(last)) = (self.state, self.dormant.is_empty(), self.silent.last())
        {
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
        let all = PortSet::all(degree);
        Self { id, least: id, state: Sleep, dormant: all.clone(), silent: all }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.state = if net.is_alone() { Decided } else { Awake };
        net.send_all(WakeUp);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (self.state, msg) {
            (Sleep | Awake, WakeUp) if self.dormant.contains(from) => {
                if self.state == Sleep {
                    self.wake(net);
                }
                self.dormant.remove(from);
                self.send_token(net);
            }
            (Awake, Token(id)) if self.silent.contains(from) && self.silent.last().is_none() => {
                self.silent.remove(from);
                self.least = self.least.min(id);
                self.send_token(net);
            }
            (Sent, Token(id) | Decision(id)) if self.silent.last() == Some(from) => {
                self.silent.remove(from);
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
        Invariant::of_statements(HEADER.invariants, [])
    }
}
