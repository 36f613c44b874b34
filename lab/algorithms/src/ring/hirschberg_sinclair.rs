pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "hirschberg-sinclair",
    title: "Hirschberg and Sinclair: a candidate asks ever farther whether a larger one is there.",
    paper: "D. S. Hirschberg, J. B. Sinclair, Communications of the ACM 23(11), 1980",
    citation: r#"
D. S. Hirschberg, J. B. Sinclair, "Decentralized extrema-finding in circular configurations of
processors", *Communications of the ACM* 23(11), 1980, pp. 627-628.
"#,
    assumes: "
A ring with FIFO links, whose port numbers say nothing about the direction; a process knows its
identity. Links that hold fewer messages than there can be, two for each initiator, may all be
full of questions when the answers are due.
",
    idea: "
A candidate sends its identity both ways (`from`), as far as `maxnum` links, at first one. An
initiator with a larger identity sends it back (`no`), and the candidate has lost; all others
pass it on, having lost themselves, and the last one approves of it (`ok`). When both its
messages are approved of, the candidate asks twice as far. One whose own messages come home all
the way round has won.
",
    cost: "
At most `2 n + sum min(2^(r+2) k, 8 n)` messages for `k` initiators among `n` processes, over
the phases `r < ceil(log2 n)`. A candidate of phase `r` sends two messages over `2^r` links,
which are answered over as many. Those that reach phase `r` are more than `2^(r-1)` links apart,
since of two that are as near as that the smaller one is refused in phase `r-1`: they are at
most `n / (2^(r-1) + 1)`, and send less than `8 n`. In phase `ceil(log2 n)` there is only the
winner, for half of the ring lies nearer than its next rival, and its two messages take `n`
links each. For `k = n` that makes `8 n ceil(log2 n) - 2 n`, where the paper has
`8 n + 8 ceil(n log2 n)`. The announcement goes round both ways and takes `2 n`.

Time: at most `n + 2 (2^ceil(log2 n) - 1)`, less than `5 n`: nothing delays the messages of the
largest initiator, and all but the last are round trips.
",
    deviations: "
The paper's process wins when one of its messages comes home. The other is under way still, and
so the winner waits for it here: the two have swept the ring both ways, and no `from` is left.
Only answers to losers are left; the announcement, which also goes both ways, sweeps them. A
message carries how far it may still go, where the paper's has both numbers. In the paper all
processes are candidates; here a process that is reached before it wakes only passes messages
on. The bound was checked against the abstract of Franklin's paper, which quotes it; the paper's
program is from memory.
",
    invariants: &[
        ("asked", "who asks has woken.\nFrom(a, _) at x | From(a, _) back x -> woke(a)"),
        ("ran", "who is or was a candidate has woken.\n!Passive(a) -> woke(a) & !asleep(a)"),
        ("relays", "who is reached before it wakes only passes on.\nPassive(a) -> !woke(a)"),
        (
            "passed-ahead",
            "processes that a question has passed, on its way forward, are no candidates.
            From(a, _) at x & b in (a, x) -> !asleep(b) & (Passive(b) | Lost(b))",
        ),
        (
            "passed-behind",
            "nor are they on its way back.
            From(a, _) back x & b in (x, a) -> !asleep(b) & (Passive(b) | Lost(b))",
        ),
        (
            "less-ahead",
            "initiators that a question has passed, on its way forward, are smaller.
            From(a, _) at x & b in (a, x) & woke(b) -> b < a",
        ),
        (
            "less-behind",
            "so they are on its way back.
            From(a, _) back x & b in (x, a) & woke(b) -> b < a",
        ),
        (
            "alone",
            "once a question has come home, no other process is a candidate.
            (Home(a) | Won(a)) & a != b -> !asleep(b) & (Passive(b) | Lost(b))",
        ),
        (
            "largest",
            "the one to which it came home is the largest initiator.
            (Home(a) | Won(a)) & woke(b) -> b <= a",
        ),
        (
            "refused",
            "who is refused is not the largest initiator.
            No(a) at x | No(a) back x -> exists b. woke(b) & a < b",
        ),
        (
            "largest-stays",
            "who has lost is not the largest initiator, which so is a candidate, or has won.
            Lost(a) -> exists b. woke(b) & a < b",
        ),
        ("apart", "no two candidates that ask as far as `maxnum` are within `maxnum / 2` links."),
    ],
};

use crate::around::opposite;
use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A candidate asks; its message may still be passed on over as many links.
    From {
        /// The candidate.
        id: Id,
        /// The number of links.
        left: Count,
    },
    /// To this candidate: no larger one is as near.
    Ok(Id),
    /// To this candidate: there is a larger one.
    No(Id),
}
use Msg::{From, No, Ok as Yes};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("from").ids(1).counters(1),
        Kind::election("ok").ids(1),
        Kind::election("no").ids(1),
    ];
    fn kind(&self) -> usize {
        match self {
            From { .. } => 0,
            Yes(_) => 1,
            No(_) => 2,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    /// Asleep, or reached before it woke.
    Passive,
    /// Asks as far as `maxnum`, and has been approved of on one side or on none.
    Candidate {
        maxnum: Count,
        approved: bool,
    },
    /// One of its messages has come home.
    Home,
    Lost,
    Won,
}
use State::{Candidate, Home, Lost, Passive, Won};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HirschbergSinclair {
    id: Id,
    state: State,
}

impl HirschbergSinclair {
    fn ask(&mut self, maxnum: Count, net: &mut impl Net<Msg>) {
        self.state = Candidate { maxnum, approved: false };
        net.send_all(From { id: self.id, left: maxnum.map(|links| links - 1) });
    }
}

impl Process for HirschbergSinclair {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Passive }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.ask(Count::new(1), net);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (msg, self.state) {
            (_, Won) => net.reject("what its own messages have not swept is no question to it"),
            (From { id, .. }, Candidate { .. }) if id == self.id => self.state = Home,
            (From { id, .. }, Home) if id == self.id => self.state = Won,
            (From { id, .. }, _) if id == self.id => net.reject("only the winner's come home"),
            (From { id, .. }, Candidate { .. } | Home | Lost) if id < self.id => {
                net.send(from, No(id));
            }
            (From { id, left }, state) => {
                self.state = if state == Passive { Passive } else { Lost };
                match left.checked_sub(1) {
                    Some(left) => net.send(opposite(from), From { id, left }),
                    None => net.send(from, Yes(id)),
                }
            }
            (Yes(id) | No(id), _) if id != self.id => net.send(opposite(from), msg),
            (Yes(_), Candidate { maxnum, approved: false }) => {
                self.state = Candidate { maxnum, approved: true };
            }
            (Yes(_), Candidate { maxnum, approved: true }) => {
                self.ask(maxnum.map(|links| links.saturating_mul(2)), net);
            }
            (No(_), Candidate { .. }) => self.state = Lost,
            (Yes(_) | No(_), Lost) => {} // It has lost already.
            (Yes(_) | No(_), Passive | Home) => net.reject("it has asked nothing, or has answers"),
        }
    }

    fn status(&self) -> Status {
        if self.state == Won { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Won).then_some(self.id)
    }

    /// Only the winner halts by itself. The others pass messages on until the announcement ends
    /// them.
    fn halted(&self) -> bool {
        self.state == Won
    }
}

fn last_phase(nodes: u64) -> u32 {
    nodes.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1)
}

impl Claimed for HirschbergSinclair {
    const ROOM: Bound = Bound::at_most("2 n", |s| s.nodes.saturating_mul(2));

    const CLAIMS: Claims = Claims {
        rule: Rule::LargestInitiator,
        election: Bound::at_most("2 n + sum min(2^(r+2) k, 8 n)", |s| {
            let phases = (0..last_phase(s.nodes)).map(|r| {
                let all = s.initiators.saturating_mul(4).saturating_mul(1 << r);
                all.min(s.nodes.saturating_mul(8))
            });
            phases.fold(s.nodes.saturating_mul(2), u64::saturating_add)
        })
        .given("r is 0 to ceil(log2 n) - 1"),
        time: Some(Time::unannounced(Bound::at_most("n + 2 (2^ceil(log2 n) - 1)", |s| {
            let reach = 1_u64.checked_shl(last_phase(s.nodes)).unwrap_or(u64::MAX);
            s.nodes.saturating_add((reach - 1).saturating_mul(2))
        }))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [apart])
    }
}

fn apart(now: &Configuration<'_, HirschbergSinclair>) -> Option<String> {
    for (number, node) in now.nodes() {
        let Candidate { maxnum, .. } = node.process.state else { continue };
        for port in [0, 1].map(Port) {
            let mut end = now.across(number, port);
            for distance in 1..=maxnum.get() / 2 {
                match now.process(end.node).state {
                    Candidate { maxnum: other, .. } if other >= maxnum && end.node != number => {
                        return Some(format!(
                            "{number} and {}, {distance} links apart, both ask as far as {maxnum:?}",
                            end.node
                        ));
                    }
                    _ => end = now.across(end.node, opposite(end.port)),
                }
            }
        }
    }
    None
}
