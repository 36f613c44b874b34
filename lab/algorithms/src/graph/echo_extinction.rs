pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "echo-extinction",
    title: "Echo with extinction: every initiator starts a wave, and only the smallest one's ends.",
    paper: "E. J. H. Chang, IEEE Transactions on Software Engineering SE-8(4), 1982; G. Tel, 2000",
    citation: r#"
E. J. H. Chang, "Echo algorithms: depth parallel operations on general graphs", *IEEE
Transactions on Software Engineering* SE-8(4), 1982, pp. 391-401; with extinction: G. Tel,
*Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000, chapter 7.
"#,
    assumes: "
Any connected graph of `n` nodes, with FIFO links that hold `n - 1` messages or more: with links
that hold one, three initiators in a triangle may all wait for room (`docs/why/errata.md` has the
proof that `n - 1` are enough). A process knows its identity.
",
    idea: "
Every initiator floods the network with tokens that bear its identity. A process joins the wave
of the smallest identity that it has seen: it takes the first sender as its father, passes the
token on to all other neighbours, and echoes it to its father when the token has come from all
of them. Tokens of larger identities are ignored, which stops their waves. The wave of the
smallest initiator alone comes back from every neighbour, and the initiator floods the result.
",
    cost: "
A wave sends at most one token each way on each link, so `k` initiators send at most `2 |E| k`,
and one exactly `2 |E|`, which is the least, since the winner's wave is never cut short. The
flood of the result takes exactly `2 |E|`.

Time: at most `2 n - 1 + n`, which is less than the `N T` of the textbook, as no wave delays the
smallest one. Within `n - 1` units it reaches all, one unit later all its first tokens have arrived,
and the echoes come back through a tree of height `n - 1` at most. With a diameter of `n - 1` there
is no other way than that tree's, and the unit between is saved.
",
    deviations: r#"
The textbook's identity of no wave is "undefined" and compares as larger than all. In its text
a process floods the result when it first receives it; the leader, which has flooded it before,
then floods it a second time, and its neighbours may stop before all others have told them.
With two processes it sends 3 messages in place of 2, the last to a process that has stopped.
Here the leader remembers that it has flooded.
"#,
    invariants: &[
        (
            "shrinking",
            "the identity of a process's wave only becomes smaller: the tokens that the process \
             has sent through a port have decreasing identities, down to its wave's.",
        ),
        (
            "smallest-spreads",
            "the wave of the smallest initiator is never ignored: a process in it waits for as \
             many tokens as have not reached it.",
        ),
        ("swept", "when it is decided, no token is left on any link."),
    ],
};

use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The token of the wave of this initiator.
    Token(Id),
    /// This is the leader.
    Leader(Id),
}
use Msg::{Leader, Token};

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("token").ids(1), Kind::announcement("leader").ids(1)];
    fn kind(&self) -> usize {
        match self {
            Token(_) => 0,
            Leader(_) => 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// It is in the wave of this initiator; `missing` neighbours have not yet sent its token.
    Wave {
        of: Id,
        missing: u32,
    },
    /// The wave has ended; `missing` neighbours have not yet sent the result.
    Flood {
        of: Id,
        missing: u32,
    },
}
use State::{Flood, Sleep, Wave};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EchoExtinction {
    id: Id,
    state: State,
    /// The port from which the wave came; without meaning in a process's own wave.
    father: Port,
}

impl EchoExtinction {
    /// Counts a token of the current wave that has come from one more neighbour.
    fn count(&mut self, of: Id, missing: u32, net: &mut impl Net<Msg>) {
        self.state = Wave { of, missing };
        match missing {
            0 if of == self.id => self.flood(of, net.degree(), net),
            0 => net.send(self.father, Token(of)),
            _ => {}
        }
    }

    fn flood(&mut self, of: Id, missing: u32, net: &mut impl Net<Msg>) {
        self.state = Flood { of, missing };
        net.send_all(Leader(of));
    }
}

impl Process for EchoExtinction {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Sleep, father: Port(0) }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        net.send_all(Token(self.id));
        match net.degree() {
            0 => self.flood(self.id, 0, net),
            missing => self.state = Wave { of: self.id, missing },
        }
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (self.state, msg) {
            (Wave { of, .. }, Token(id)) if id > of => {} // Extinct.
            (Wave { of, missing }, Token(id)) if id == of && missing > 0 => {
                self.count(of, missing - 1, net);
            }
            (Sleep | Wave { .. }, Token(id)) if id != self.id => {
                // A smaller wave than any before: join it.
                self.father = from;
                net.send_others(from, Token(id));
                self.count(id, net.degree() - 1, net);
            }
            (Wave { of, missing: 0 }, Leader(id)) if id == of => {
                self.flood(of, net.degree() - 1, net);
            }
            (Flood { of, missing }, Leader(id)) if id == of && missing > 0 => {
                self.state = Flood { of, missing: missing - 1 };
            }
            (Flood { .. }, Token(_)) => net.reject("the winning wave sweeps all tokens before it"),
            (_, Leader(_)) => net.reject("the leader's wave has ended, and all took part"),
            _ => net.reject("a neighbour sends one token of a wave"),
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        match self.state {
            Flood { of, .. } => Some(of),
            Sleep | Wave { .. } => None,
        }
    }

    fn halted(&self) -> bool {
        matches!(self.state, Flood { missing: 0, .. })
    }
}

impl Claimed for EchoExtinction {
    const ROOM: Bound = Bound::at_most("max(n-1, 1)", |s| s.nodes.saturating_sub(1).max(1));

    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestInitiator,
        problem: Problem::Explicit,
        election: Bound::at_most("2 |E| k", |s| {
            s.links.saturating_mul(2).saturating_mul(s.initiators)
        })
        .and_at_least(|s| s.links.saturating_mul(2)),
        announcement: Bound::exactly("2 |E|", |s| s.links.saturating_mul(2)),
        time: Some(Time {
            election: Bound::at_most("2 n - 1", |s| s.nodes.saturating_mul(2).saturating_sub(1)),
            announcement: Bound::at_most("n", |s| s.nodes),
        }),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [shrinking, smallest_spreads, swept])
    }
}

fn shrinking(now: &Configuration<'_, EchoExtinction>) -> Option<String> {
    for (node, Node { process, woke, degree, .. }) in now.nodes() {
        let of = match process.state {
            Sleep => continue,
            Wave { of, .. } | Flood { of, .. } => of,
        };
        if *woke && of > process.id {
            return Some(format!("{node} started a wave, and is in a larger one, of {of}"));
        }
        for port in (0..*degree).map(Port) {
            let tokens = now.on_link(End { node, port }).filter_map(|msg| match msg {
                Token(id) => Some(id),
                Leader(_) => None,
            });
            let tokens: Vec<Id> = tokens.collect();
            if !tokens.is_sorted_by(|a, b| a > b) || tokens.last().is_some_and(|&last| last < of) {
                return Some(format!("{node} is in the wave of {of}, and has sent {tokens:?}"));
            }
        }
    }
    None
}

fn smallest_spreads(now: &Configuration<'_, EchoExtinction>) -> Option<String> {
    let smallest = now.initiators().min()?;
    // Whether this end has sent its token of the wave to the other end.
    let has_sent = |end: End| match now.process(end.node) {
        EchoExtinction { id, state: Wave { of, missing }, father } if *of == smallest => {
            *id == smallest || *father != end.port || *missing == 0
        }
        process => matches!(process.state, Flood { .. }),
    };
    for (node, Node { process, degree, .. }) in now.nodes() {
        let Wave { of, missing } = process.state else { continue };
        if of != smallest {
            continue;
        }
        let to_come = (0..*degree).map(Port).filter(|&port| {
            let other = now.across(node, port);
            !has_sent(other) || now.on_link(other).any(|msg| msg == Token(smallest))
        });
        let to_come = to_come.count() as u32;
        if missing != to_come {
            return Some(format!(
                "{node} waits for {missing} tokens of {of}, and {to_come} will come"
            ));
        }
    }
    None
}

fn swept(now: &Configuration<'_, EchoExtinction>) -> Option<String> {
    let floods =
        |(_, node): (u32, &Node<'_, EchoExtinction>)| matches!(node.process.state, Flood { .. });
    let token = now.messages().iter().find(|one| matches!(one.msg, Token(_)));
    match token {
        Some(token) if now.nodes().any(floods) => Some(format!("it is decided, and {token:?}")),
        _ => None,
    }
}
