pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "korach-kutten-moran",
    title: "Korach-Kutten-Moran: tokens of one level that meet become one token of the next level.",
    paper: "E. Korach, S. Kutten, S. Moran, ACM TOPLAS 12(1), 1990",
    citation: r#"
E. Korach, S. Kutten, S. Moran, "A modular technique for the design of efficient distributed
leader finding algorithms", *ACM Transactions on Programming Languages and Systems* 12(1), 1990,
pp. 84-101, doi:10.1145/77606.77610; after G. Tel, *Introduction to Distributed Algorithms*, 2nd
ed., Cambridge University Press, 2000, section 7.4.
"#,
    assumes: "
Any connected graph with FIFO links that hold `n/2` messages or more, rounded down, and at least
one. A process knows its identity.
",
    idea: "
Each initiator sends out a token of level 0 that annexes processes one by one, in the order of a
traversal, here depth-first; a token of a higher level annexes also what others have annexed, and
one of a lower level dies where it comes to a process of a higher one. At a process that a token
of the same level has annexed, one of the smaller identity waits for that token to come by again,
and one of the larger identity chases it along its trail. Where one finds the other waiting, both
die, and the process sends out a token of its own of the next level. A token whose traversal ends
makes its process the leader.
",
    cost: "
At most `(2 |E| + n) floor(log2 k) + 2 |E|` messages, at least `2 |E| + k - 1`, and the
announcement's `2 |E|`. It takes two
tokens of a level to make one of the next, so of level `l` there are `k / 2^l` at most. A process
is annexed once at a level and then sends that token through no port twice, which is `2 |E|`; it
sends one token of a level in chase of another, after which it knows no trail, which is `n`. Of
level `floor(log2 k)` there is one token, which chases none. The leader's token goes over each link
both ways, and every other initiator sends a token at least once. The paper has
`(f + n) (log2 k + 1)` for a traversal that takes `f` messages.

Time: at most as many units as there are messages, and `D + 1` for the announcement, because in
every unit one message of the election arrives. The paper says that it may be as large.

Room: processes that wait for each other in a circle, two at least, have a token each to send,
and as many before it on the link as that has room for; there are `k` tokens.
",
    deviations: "
The leader is announced to all. The paper needs no FIFO links; here the traversal, which is
depth-first search over all links, takes it amiss if a token of an earlier level overtakes one of
a later. That is why nothing is under way when a leader is found: its token has followed all
others on every link. The paper's abstract was at hand; the procedure is from memory of the
textbook.
",
    invariants: &[
        (
            "halving",
            "there are at most `k / 2^l` tokens of level `l` or above, those that wait included.",
        ),
        ("moves", "until there is a leader, a token of the highest level is under way."),
        ("all-in", "when a process leads, all are at its level and in its traversal."),
        ("swept", "when a process leads, no token is left on any link."),
    ],
};

use crate::prelude::*;
use crate::wave::{DepthFirst, Token, Wave};

/// A token of a level, with the identity of the process that sent it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// It annexes processes.
    Annex(i8, Id),
    /// It chases the token that annexed the process from which it comes.
    Chase(i8, Id),
}
use Msg::{Annex, Chase};

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("annex").ids(1).counters(1), Kind::election("chase").ids(1).counters(1)];
    fn kind(&self) -> usize {
        match self {
            Annex(..) => 0,
            Chase(..) => 1,
        }
    }
}

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KorachKuttenMoran {
    id: Id,
    /// The level, -1 before any token has come.
    lev: i8,
    /// The identity of the token that has annexed it.
    cat: Id,
    /// Whether a token of its level waits here.
    wait: bool,
    /// The port through which that token has left; unknown once another has gone after it.
    last: Option<Port>,
    leads: bool,
    /// Its part in the traversal of that token.
    traversal: DepthFirst,
}

/// The net of the traversal.
struct Annexing<'a, N> {
    net: &'a mut N,
    token: Msg,
    last: Option<Port>,
}

impl<N: Net<Msg>> Net<Token> for Annexing<'_, N> {
    fn degree(&self) -> u32 {
        self.net.degree()
    }
    fn send(&mut self, to: Port, _: Token) {
        self.last = Some(to);
        self.net.send(to, self.token);
    }
    fn choose(&mut self, max: u32) -> u32 {
        self.net.choose(max)
    }
    fn set_alarm(&mut self, ticks: u32) {
        self.net.set_alarm(ticks);
    }
    fn reject(&mut self, why: &'static str) {
        self.net.reject(why);
    }
}

impl KorachKuttenMoran {
    /// Sends out a token of its own, of the next level.
    fn start(&mut self, net: &mut impl Net<Msg>) {
        self.annexed(self.lev.saturating_add(1), self.id, net.degree());
        self.traverse(None, net);
    }

    /// Forgets all about earlier tokens.
    fn annexed(&mut self, level: i8, by: Id, degree: u32) {
        (self.lev, self.cat, self.wait) = (level, by, false);
        self.traversal = DepthFirst::new(degree);
    }

    /// Sends the token that has annexed it on, and leads if the traversal has ended.
    fn traverse(&mut self, from: Option<Port>, net: &mut impl Net<Msg>) {
        let mut net = Annexing { net, token: Annex(self.lev, self.cat), last: None };
        self.leads = match from {
            None => self.traversal.start(&mut net),
            Some(from) => self.traversal.receive(from, Token, &mut net),
        };
        self.last = net.last;
    }
}

impl Process for KorachKuttenMoran {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, degree: u32) -> Self {
        let traversal = DepthFirst::new(degree);
        Self { id, lev: -1, cat: id, wait: false, last: None, leads: false, traversal }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.start(net);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        let (Annex(l, q) | Chase(l, q)) = msg;
        let annexing = matches!(msg, Annex(..));
        if self.leads || l < 0 {
            return net.reject("the token of the leader comes last");
        }
        if l > self.lev {
            if !annexing {
                return net.reject("a token that is chased has gone before");
            }
            self.annexed(l, q, net.degree());
            self.traverse(Some(from), net);
        } else if l == self.lev && self.wait {
            self.start(net);
        } else if l == self.lev {
            match self.last {
                Some(_) if annexing && q == self.cat => self.traverse(Some(from), net),
                Some(last) if !annexing || q > self.cat => {
                    net.send(last, Chase(l, q));
                    self.last = None;
                }
                _ => self.wait = true,
            }
        }
        // A token of a lower level dies here.
    }

    fn status(&self) -> Status {
        if self.leads { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        self.leads.then_some(self.id)
    }

    fn halted(&self) -> bool {
        self.leads
    }
}

impl Claimed for KorachKuttenMoran {
    const ROOM: Bound = Bound::at_most("max(n/2, 1)", |s| (s.nodes / 2).max(1));

    const CLAIMS: Claims = Claims {
        rule: Rule::LargestLevelAndId,
        election: Bound::at_most("(2 |E| + n) floor(log2 k) + 2 |E|", |s| {
            let levels = u64::from(s.initiators.checked_ilog2().unwrap_or(0));
            let level = s.links.saturating_mul(2).saturating_add(s.nodes);
            level.saturating_mul(levels).saturating_add(s.links.saturating_mul(2))
        })
        .and_at_least(|s| s.links.saturating_mul(2).saturating_add(s.initiators.saturating_sub(1))),
        time: Some(Time::unannounced(Bound::at_most("(2 |E| + n) floor(log2 k) + 2 |E|", |s| {
            let levels = u64::from(s.initiators.checked_ilog2().unwrap_or(0));
            let level = s.links.saturating_mul(2).saturating_add(s.nodes);
            level.saturating_mul(levels).saturating_add(s.links.saturating_mul(2))
        }))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [halving, moves, all_in, swept])
    }
}

type Now<'a> = Configuration<'a, KorachKuttenMoran>;

fn under_way<'a>(now: &'a Now<'_>) -> impl Iterator<Item = i8> + 'a {
    now.messages().iter().map(|one| match one.msg {
        Annex(level, _) | Chase(level, _) => level,
    })
}

fn leader<'a>(now: &'a Now<'_>) -> Option<&'a KorachKuttenMoran> {
    now.nodes().map(|(_, node)| node.process).find(|process| process.leads)
}

fn halving(now: &Now<'_>) -> Option<String> {
    let waiting = now.nodes().filter(|(_, node)| node.process.wait);
    let all: Vec<i8> = under_way(now).chain(waiting.map(|(_, node)| node.process.lev)).collect();
    let initiators = now.initiators().count();
    (0..=all.iter().copied().max().unwrap_or(0)).find_map(|level| {
        let tokens = all.iter().filter(|&&of| of >= level).count();
        (tokens > initiators >> level)
            .then(|| format!("{tokens} tokens of {initiators} are at level {level}"))
    })
}

fn moves(now: &Now<'_>) -> Option<String> {
    let highest = now.nodes().map(|(_, node)| node.process.lev).max().unwrap_or(-1);
    let all_sleep = highest < 0;
    if all_sleep || leader(now).is_some() || under_way(now).any(|level| level == highest) {
        return None;
    }
    Some(format!("no token of level {highest} is under way"))
}

fn all_in(now: &Now<'_>) -> Option<String> {
    let leader = leader(now)?;
    let out = |process: &KorachKuttenMoran| (process.lev, process.cat) != (leader.lev, leader.cat);
    now.nodes().find(|(_, node)| out(node.process)).map(|(number, Node { process, .. })| {
        format!("{number} is in the traversal of {}, at level {}", process.cat, process.lev)
    })
}

fn swept(now: &Now<'_>) -> Option<String> {
    match now.messages().first() {
        Some(token) if leader(now).is_some() => Some(format!("it is decided, and {token:?}")),
        _ => None,
    }
}
