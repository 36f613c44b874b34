//! As far as it can: an identity travels both ways round a ring, until it meets a smaller one.
//!
//! N. Santoro, *Design and Analysis of Distributed Algorithms*, Wiley, 2007, chapter 3: "As Far", on
//! a bidirectional ring.
//!
//! # Assumes
//! A ring with FIFO links, whose port numbers say nothing about the direction; a process knows its
//! identity.
//!
//! # Idea
//! An initiator sends its identity both ways. A candidate swallows larger identities. If it receives a
//! smaller one, it passes it on, and has lost. A process that has lost passes everything on, and so does
//! a process that is reached before it wakes. The identity of the smallest initiator comes home from both sides, and
//! that process leads.
//!
//! # Cost
//! At most `(k+1) n` messages for `k` initiators among `n` processes. The two identities of an
//! initiator that loses end at the smallest one at the latest, from both sides, and that makes `n`
//! links together; those of the smallest take `n` each. A schedule on which the smallest identity
//! comes first everywhere attains it. The announcement goes round both ways by `Announced`, and
//! takes `2 n` more.
//!
//! # Deviations
//! The winner waits until its identity has come from both sides: then nothing of the election is
//! left under way, and the announcement ends it for all.
//!
use serde::{Deserialize, Serialize};
use suffrage::prelude::*;

/// The identity of an initiator, as far as it can go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Token(Id);

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("token").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    /// Asleep, or beaten.
    Passive,
    Candidate,
    /// Its identity has come home from one side.
    Home,
    Leader,
}
use State::{Candidate, Home, Leader, Passive};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct AsFar {
    id: Id,
    state: State,
}

/// What holds in every configuration, each in words and beneath it as a formula. The checker looks it up in all
/// that it explores; `evidence/proofs` shows that it holds for every number of processes, and what follows from it.
pub(crate) const INVARIANTS: &[(&str, &str)] = &[
    (
        "initiators",
        "only initiators have identities under way, are candidates, or lead.
Token(a) at x | Token(a) back y | Candidate(a) | Home(a) | Leader(a) -> woke(a)",
    ),
    (
        "passed-ahead",
        "a process that an identity has passed on its way forward has lost.
Token(a) at x & b in (a, x) -> Passive(b) & !asleep(b)",
    ),
    (
        "passed-behind",
        "the same on the way back.
Token(a) back x & b in (x, a) -> Passive(b) & !asleep(b)",
    ),
    (
        "alone",
        "where an identity has come home, all other processes have lost.
(Home(a) | Leader(a)) & b != a -> Passive(b) & !asleep(b)",
    ),
    (
        "once-ahead",
        "an identity is under way forward once.
Token(a) at x & Token(a) at y -> x = y",
    ),
    (
        "once-behind",
        "and back once.
Token(a) back x & Token(a) back y -> x = y",
    ),
    (
        "outlived",
        "an initiator that has lost has a smaller one that has not.
Passive(a) & woke(a) -> exists c. c < a & woke(c) & !Passive(c)",
    ),
    (
        "in-order-ahead",
        "an identity that has passed the process of another one does not overtake it.
Token(a) at x & Token(b) at y & b in (a, x) -> !y in (b, x)",
    ),
    (
        "in-order-behind",
        "the same on the way back.
Token(a) back x & Token(b) back y & b in (x, a) -> !y in (x, b)",
    ),
    (
        "swept-ahead",
        "an identity that comes home has others of its direction before it.
Home(a) & Token(a) back x -> !Token(b) at y",
    ),
    (
        "swept-behind",
        "the same on the way back.
Home(a) & Token(a) at x -> !Token(b) back y",
    ),
    (
        "swept",
        "beside a leader nothing is under way.
Leader(a) -> !Token(b) at x & !Token(b) back y",
    ),
    (
        "smallest-survives",
        "what the smallest initiator has sent is under way, or has come home.
woke(a) -> Leader(a) | (exists c. woke(c) & c < a)
    | Candidate(a) & (exists x y. Token(a) at x & Token(a) back y)
    | Home(a) & (exists x. Token(a) at x) | Home(a) & (exists y. Token(a) back y)",
    ),
];

/// The other of the two ports.
const fn opposite(port: Port) -> Port {
    Port(1 - port.0)
}

impl Process for AsFar {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Passive }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        self.state = Candidate;
        net.send_all(Token(self.id));
    }

    fn receive(&mut self, from: Port, msg: Token, net: &mut impl Net<Token>) {
        let Token(id) = msg;
        match self.state {
            Candidate if id == self.id => self.state = Home,
            Home if id == self.id => self.state = Leader,
            Candidate | Home if id > self.id => {} // Mine will beat it: swallow.
            Candidate | Passive => {
                self.state = Passive;
                net.send(opposite(from), msg);
            }
            Home | Leader => net.reject("an identity that has come home is the smallest"),
        }
    }

    fn status(&self) -> Status {
        if self.state == Leader { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leader).then_some(self.id)
    }

    /// The others never halt by themselves: the announcement makes them followers, and ends them.
    fn halted(&self) -> bool {
        self.state == Leader
    }
}

/// What is claimed of the algorithm; the header has the proof of the bound. Every engine holds it to
/// this.
impl Claimed for AsFar {
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestInitiator,
        problem: Problem::Implicit,
        election: Bound::at_most("(k+1) n", |s| (s.initiators + 1) * s.nodes),
        announcement: Bound::exactly("0", |_| 0),
        time: None,
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(INVARIANTS, [])
    }
}
