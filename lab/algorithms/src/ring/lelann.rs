pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "lelann",
    title: "LeLann: every identity travels all the way round.",
    paper: "G. Le Lann, Information Processing 77 (IFIP Congress), 1977",
    citation: r#"
G. Le Lann, "Distributed systems: towards a formal approach", *Information Processing 77* (IFIP
Congress), North-Holland, 1977, pp. 155-160.
"#,
    assumes: "
An oriented ring with FIFO links; a process knows its identity.
",
    idea: "
Every initiator sends a token with its identity around the ring, and all pass it on. Links
are FIFO, so when its own token comes home, an initiator has seen the tokens of all the others.
It leads if its identity is the smallest of them. A process that is reached before it wakes has
lost, and passes tokens on.
",
    cost: "
Exactly `k n` tokens for `k` initiators among `n` processes, on every schedule: every token
visits every process. The announcement takes `n` messages. Time: at most `2 n`, since every token is
home after `n` units, and the announcement goes around once.
",
    deviations: "
The paper elects the largest identity, later accounts (G. Tel, *Introduction to Distributed
Algorithms*, 2nd ed., 2000, section 7.2) the smallest, as here. They keep the list of all
identities seen; only its least member is ever used, and only that is kept. In them, a process
that did not start never learns the leader's identity and never stops passing tokens on. Here
`Announced` tells all of these processes and ends them; its messages are counted apart.
",
    invariants: &[
        (
            "all-seen",
            "an initiator has seen each token that has passed it.
             Token(b) at y & a in (b, y) & Candidate(a, v) -> v <= b",
        ),
        (
            "homeward",
            "a candidate's token is on the ring.
             Candidate(a) -> exists x. Token(a) at x",
        ),
        (
            "initiators",
            "only a candidate has a token.
             Token(a) at x -> woke(a) & Candidate(a)",
        ),
        (
            "starts",
            "only initiators are candidates or lead.
             Candidate(a) | Leader(a) -> woke(a)",
        ),
        (
            "awake",
            "an initiator does not sleep.
             woke(a) -> !Sleep(a)",
        ),
        (
            "once",
            "no initiator has two tokens.
             Token(a) at x & Token(a) at y -> x = y",
        ),
        (
            "reached",
            "no process that a token has passed sleeps.
             Token(a) at x & b in (a, x) -> !Sleep(b)",
        ),
        (
            "in-order",
            "a token that has passed the process of another one is not ahead of it.
             Token(a) at x & Token(b) at y & b in (a, x) -> !y in (b, x)",
        ),
        (
            "seen",
            "a candidate has seen an initiator's identity, its own or a smaller one.
             Candidate(a, v) -> v <= a & woke(v)",
        ),
        (
            "seen-decided",
            "a candidate has seen each initiator that is none any more.
             woke(b) & !Candidate(b) & Candidate(a, v) -> v <= b",
        ),
        (
            "all-reached",
            "once an initiator is no candidate any more, no process sleeps.
             woke(b) & !Candidate(b) -> !Sleep(a)",
        ),
        (
            "smallest",
            "no initiator is smaller than a leader.
             Leader(a) & woke(b) -> a <= b",
        ),
        (
            "behind",
            "tokens that are left have passed the leader.
             Leader(a) & Token(b) at y -> a in (b, y)",
        ),
        (
            "loses",
            "an initiator that has lost has a smaller one.
             Lost(a) & woke(a) -> exists b. woke(b) & b < a",
        ),
        (
            "sent",
            "a token that has been sent is that of an initiator.
             Token(a) by q -> woke(a)",
        ),
        (
            "sent-so-far",
            "a token on the ring has been sent by its initiator and those that it has passed alone.
             Token(a) by q & Token(a) at x -> q = a | q in (a, x)",
        ),
    ],
};

use crate::prelude::*;

/// The identity of an initiator, on its way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Token(pub Id);

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("token").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// Its token is under way; this is the smallest identity seen so far.
    Candidate(Id),
    Leader,
    Lost,
}
use State::{Candidate, Leader, Lost, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LeLann {
    id: Id,
    state: State,
}

impl Process for LeLann {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        self.state = Candidate(self.id);
        net.send(Port::NEXT, Token(self.id));
    }

    fn receive(&mut self, _: Port, Token(id): Token, net: &mut impl Net<Token>) {
        match self.state {
            Candidate(least) if id == self.id => {
                self.state = if least == self.id { Leader } else { Lost };
            }
            Candidate(least) => {
                self.state = Candidate(least.min(id));
                net.send(Port::NEXT, Token(id));
            }
            Sleep | Lost if id != self.id => {
                self.state = Lost;
                net.send(Port::NEXT, Token(id));
            }
            Sleep | Lost => net.reject("a token comes home once, and only if it was sent"),
            Leader => net.reject("all other tokens pass before the leader's own comes home"),
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Candidate(_) => Status::Undecided,
            Leader => Status::Leader,
            Lost => Status::Follower,
        }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leader).then_some(self.id)
    }

    /// Only the leader halts by itself. A loser passes tokens on until the announcement ends it.
    fn halted(&self) -> bool {
        self.state == Leader
    }
}

impl Claimed for LeLann {
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestInitiator,
        election: Bound::exactly("k n", |s| s.initiators.saturating_mul(s.nodes)),
        time: Some(Time::unannounced(Bound::at_most("n", |s| s.nodes))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [])
    }
}
