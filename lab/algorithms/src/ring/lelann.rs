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
            "where the token of an initiator has been, the tokens of all others are ahead of it, \
             or the initiator has seen them; so when it comes home, the initiator has seen all.",
        ),
        (
            "homeward",
            "a token is on the ring, once, from its sending until its initiator receives it.",
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
        Invariant::of_header(HEADER.invariants, [all_seen, homeward])
    }
}

/// Returns, for each process, the tokens with its identity that are under way: each as the number
/// of nodes that it has passed, and its position on its link.
fn tokens(now: &Configuration<'_, LeLann>) -> Vec<Vec<(u32, usize)>> {
    let mut owners: Vec<(Id, u32)> = now.nodes().map(|(number, node)| (node.id, number)).collect();
    owners.sort_unstable();
    let mut tokens = vec![Vec::new(); owners.len()];
    for (from, _) in now.nodes() {
        let link = now.on_link(End { node: from, port: Port::NEXT });
        for (place, Token(id)) in link.enumerate() {
            if let Ok(at) = owners.binary_search_by_key(&id, |&(owner, _)| owner) {
                let of = owners[at].1;
                tokens[of as usize].push(((from + now.size() - of) % now.size(), place));
            }
        }
    }
    tokens
}

fn homeward(now: &Configuration<'_, LeLann>) -> Option<String> {
    now.nodes().zip(tokens(now)).find_map(|((node, Node { process, .. }), tokens)| {
        let expected = usize::from(matches!(process.state, Candidate(_)));
        (tokens.len() != expected)
            .then(|| format!("{node} is {:?}, and its token not where it belongs", process.state))
    })
}

fn all_seen(now: &Configuration<'_, LeLann>) -> Option<String> {
    let (n, tokens) = (now.size(), tokens(now));
    for (node, Node { process, .. }) in now.nodes() {
        let (least, passed, place) = match (process.state, tokens[node as usize].first()) {
            (Candidate(least), Some(&(passed, place))) => (least, passed, place),
            (Leader, None) => (process.id, n, usize::MAX), // No place is behind it.
            _ => continue,
        };
        for (other, Node { id, woke, .. }) in now.nodes().filter(|(other, _)| *other != node) {
            let ahead = (other + n - node) % n;
            if !woke || ahead > passed {
                continue; // The token has not been there.
            }
            // The distance of the other token from this node, in the same direction.
            let (at, same) = tokens[other as usize].first().copied().unwrap_or((n, 0));
            let before =
                (ahead + at, core::cmp::Reverse(same)) > (passed, core::cmp::Reverse(place));
            if !before || ahead + at >= n && least > *id {
                return Some(format!("{node} has not seen the token of {other}"));
            }
        }
    }
    None
}
