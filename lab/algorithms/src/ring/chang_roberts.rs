pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "chang-roberts",
    title: "Chang and Roberts: an identity travels on only as long as it may win.",
    paper: "E. Chang, R. Roberts, Communications of the ACM 22(5), 1979",
    citation: r#"
E. Chang, R. Roberts, "An improved algorithm for decentralized extrema-finding in circular
configurations of processes", *Communications of the ACM* 22(5), 1979, pp. 281-283.
"#,
    assumes: "
An oriented ring with FIFO links: otherwise the winning token may overtake another one, which then
reaches a process that expects none. A process knows its identity.
",
    idea: "
Every initiator sends a token with its identity around the ring. A candidate swallows the
tokens of larger identities, which cannot win any more; a smaller one it passes on, and has
lost. A process that is reached before it wakes never becomes a candidate. Only the token of
the smallest initiator comes all the way round, and makes it the leader.
",
    cost: "
At most `k n - k(k-1)/2` tokens for `k` initiators among `n` processes, since tokens that are
swallowed end at the smallest initiator at the latest, each from another distance. With all
initiators that is `n(n+1)/2`, attained when the identities ascend along the ring; the least is
`2n-1`, when they descend (`n + k-1` for `k` initiators, since each sends its token); the average
over all orders is `n H_n`. The announcement takes `n` messages. Time: at most `2 n`, since
nothing delays the token of the smallest initiator.
",
    deviations: "
The paper elects the largest identity, the lecture notes that this form follows (G. Tel,
*Introduction to Distributed Algorithms*, 2nd ed., 2000, section 7.2) the smallest. In both the
leader's announcement is a remark; here `Announced` makes it, and its messages are counted
apart.
",
    invariants: &[
        (
            "smallest-survives",
            "the token of the smallest initiator is on the ring, or it has won.
             woke(a) -> Leader(a) | (exists x. Token(a) at x) | (exists c. woke(c) & c < a)",
        ),
        (
            "swept",
            "when a token comes home, no other token is left.
             Leader(a) -> !Token(b) at x",
        ),
        (
            "initiators",
            "only initiators have tokens, are candidates or lead.
             Token(a) at x | Candidate(a) | Leader(a) -> woke(a)",
        ),
        (
            "awake",
            "an initiator does not sleep.
             woke(a) -> !Sleep(a)",
        ),
        (
            "passed",
            "a process that a token has passed has lost.
             Token(a) at x & b in (a, x) -> Lost(b)",
        ),
        (
            "once",
            "no initiator has two tokens.
             Token(a) at x & Token(a) at y -> x = y",
        ),
        (
            "in-order",
            "a token that has passed the process of another one is not ahead of it.
             Token(a) at x & Token(b) at y & b in (a, x) -> !y in (b, x)",
        ),
        (
            "alone",
            "beside a leader all have lost.
             Leader(a) & b != a -> Lost(b)",
        ),
        (
            "outlived",
            "an initiator that has lost has a smaller one that has not.
             Lost(a) & woke(a) -> exists c. c < a & woke(c) & !Lost(c)",
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
        (
            "not-beyond",
            "whoever passes a token on has lost, and so have all up to it, so that no token goes \
             beyond the smallest initiator.
             Token(a) by q & q != a & (c = q | c in (a, q)) -> Lost(c)",
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
    Candidate,
    Leader,
    Lost,
}
use State::{Candidate, Leader, Lost, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChangRoberts {
    id: Id,
    state: State,
}

impl Process for ChangRoberts {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        self.state = Candidate;
        net.send(Port::NEXT, Token(self.id));
    }

    fn receive(&mut self, _: Port, Token(id): Token, net: &mut impl Net<Token>) {
        // One comparison decides for most tokens, whether or not the process has lost before.
        let passes = id < self.id || matches!(self.state, Sleep | Lost);
        match self.state {
            Leader => net.reject("the winning token sweeps every other one before it"),
            _ if passes => {
                self.state = Lost;
                net.send(Port::NEXT, Token(id));
            }
            _ if id == self.id => self.state = Leader,
            _ => {} // Mine will beat it: swallow.
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Candidate => Status::Undecided,
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

impl Claimed for ChangRoberts {
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestInitiator,
        // Saturates as one number, since the difference of two saturated ones is wrong.
        election: Bound::at_most("k n - k(k-1)/2", |s| {
            let (n, k) = (u128::from(s.nodes), u128::from(s.initiators));
            (k * n - k * k.saturating_sub(1) / 2).try_into().unwrap_or(u64::MAX)
        })
        .and_at_least(|s| s.nodes.saturating_add(s.initiators).saturating_sub(1)),
        time: Some(Time::unannounced(Bound::at_most("n", |s| s.nodes))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [])
    }
}
