pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "variable-speeds",
    title: "Variable speeds: the smaller an identity, the faster its token.",
    paper: "G. Frederickson, N. Lynch, Journal of the ACM 34(1), 1987",
    citation: r#"
G. Frederickson, N. Lynch, "Electing a leader in a synchronous ring", *Journal of the ACM* 34(1),
1987, pp. 98-115; N. Lynch, *Distributed Algorithms*, Morgan Kaufmann, 1996, section 3.5.2; H.
Attiya, J. Welch, *Distributed Computing*, 2nd ed., Wiley, 2004, section 3.4.1.
"#,
    assumes: "
An oriented ring, in rounds. A process knows its identity, a number.
",
    idea: "
Every initiator sends a token with its identity around the ring. A token is passed on at once by
processes that it wakes, which only relay; once it has met one that was awake it is slow, and a
token of the identity `v` stays with each process for `2^v - 1` rounds. A process swallows every
token that is not smaller than all it has seen, its own included. So the token of the smallest
initiator comes home, and while it goes round once the second smallest one can go half the way at
most, the next one a quarter of it.
",
    cost: "
At most `4 n` messages (Attiya and Welch, lemmas 3.14 to 3.17): a link carries one fast token at
most, which makes `n`; slow tokens take at most `n` steps within `n` rounds of the first wake-up,
in which the smallest initiator's becomes slow; and then at most `2 n` until that one is home.
The announcement takes `n`.

Time: at most `n + min(k-1, 1) (n-1) (2^v - 1)` for the smallest initiator `v`, which is no
function of the size, and `n` for the announcement. Its token takes `n` rounds on links, and waits
`2^v - 1` rounds with each process between if it is slow. The token of a single initiator never
becomes slow.
",
    deviations: "
In Lynch's form all processes start in the same round, tokens are slow from the start, and there
are fewer than `2 n`. The fast tokens, for processes that wake at any time, are those of
Frederickson and Lynch as Attiya and Welch describe them. A process keeps one token at a time: a
smaller one that arrives takes the place of the one that waits, which could not win any more. A
token waits for `2^63` rounds at most. `Announced` makes the leader known, and its messages are
counted apart.
",
    invariants: &[
        (
            "smallest-survives",
            "the token of the smallest initiator is on the ring or waits at a process, or it has \
             won.",
        ),
        ("least-waits", "a token that waits is the smallest that its process has seen."),
    ],
};

use crate::prelude::*;

/// The identity of an initiator, on its way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Token {
    /// All processes that it has reached so far were asleep.
    Fast(Id),
    /// It has reached one that was awake.
    Slow(Id),
}
use Token::{Fast, Slow};

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("fast").ids(1), Kind::election("slow").ids(1)];
    fn kind(&self) -> usize {
        match self {
            Fast(_) => 0,
            Slow(_) => 1,
        }
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

/// A token that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Waiting {
    id: Id,
    /// The number of rounds for which it waits after the alarm that is set.
    rounds: u64,
}

const fn rounds(id: u64) -> u64 {
    let shift = if id < 63 { id } else { 63 };
    (1 << shift) - 1
}

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct VariableSpeeds {
    id: Id,
    state: State,
    /// The smallest identity that it has seen, its own included if it is an initiator.
    least: Option<Id>,
    waiting: Option<Waiting>,
}

impl VariableSpeeds {
    /// Keeps a token for this number of rounds, in parts if an alarm is too short.
    fn hold(&mut self, id: Id, rounds: u64, net: &mut impl Net<Token>) {
        let part = u32::try_from(rounds).unwrap_or(u32::MAX);
        self.waiting = Some(Waiting { id, rounds: rounds - u64::from(part) });
        net.set_alarm(part);
    }
}

impl Process for VariableSpeeds {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    const TIMING: Timing = Timing::Rounds;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Sleep, least: None, waiting: None }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        self.state = Candidate;
        self.least = Some(self.id);
        net.send(Port::NEXT, Fast(self.id));
    }

    fn receive(&mut self, _: Port, token: Token, net: &mut impl Net<Token>) {
        match (self.state, token) {
            (Sleep, Fast(id)) => {
                self.state = Lost;
                self.least = Some(id);
                net.send(Port::NEXT, Fast(id));
            }
            (Sleep, Slow(_)) => net.reject("a fast token wakes all before a slow one comes"),
            (Candidate, Fast(id) | Slow(id)) if id == self.id => self.state = Leader,
            (Candidate | Lost, Fast(id) | Slow(id)) => {
                if self.least > Some(id) {
                    self.state = Lost;
                    self.least = Some(id);
                    self.hold(id, rounds(id.get()), net);
                }
            }
            (Leader, _) => net.reject("the winning token sweeps every other one before it"),
        }
    }

    fn alarm(&mut self, net: &mut impl Net<Token>) {
        match self.waiting.take() {
            Some(Waiting { id, rounds: 0 }) => net.send(Port::NEXT, Slow(id)),
            Some(Waiting { id, rounds }) => self.hold(id, rounds, net),
            None => {}
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

impl Claimed for VariableSpeeds {
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestInitiator,
        election: Bound::at_most("4 n", |s| s.nodes.saturating_mul(4))
            .standing(BoundStanding::ProvedElsewhere),
        time: Some(Time::unannounced(Bound::at_most("n + min(k-1, 1) (n-1) (2^v - 1)", |s| {
            let waits = s.initiators.saturating_sub(1).min(1) * s.nodes.saturating_sub(1);
            // 2^v - 1, and 2^63 - 1 at most.
            let wait = u64::MAX.checked_shr(64 - s.winner.min(63) as u32).unwrap_or(0);
            s.nodes.saturating_add(waits.saturating_mul(wait))
        }))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [smallest_survives, least_waits])
    }
}

fn smallest_survives(now: &Configuration<'_, VariableSpeeds>) -> Option<String> {
    let smallest = now.initiators().min()?;
    let on_ring =
        now.messages().iter().filter(|of| matches!(of.msg, Fast(id) | Slow(id) if id == smallest));
    let waits = |process: &VariableSpeeds| process.waiting.is_some_and(|of| of.id == smallest);
    let waiting = now.nodes().filter(|(_, node)| waits(node.process)).count();
    let won = now.nodes().any(|(_, node)| node.id == smallest && node.process.state == Leader);
    let tokens = on_ring.count() + waiting;
    if tokens == usize::from(!won) {
        return None;
    }
    Some(format!("{tokens} tokens of the smallest initiator, {smallest}, are there"))
}

fn least_waits(now: &Configuration<'_, VariableSpeeds>) -> Option<String> {
    now.each(|one| {
        let VariableSpeeds { waiting, least, .. } = one.process;
        (waiting.is_some_and(|waiting| *least != Some(waiting.id)))
            .then(|| format!("{waiting:?} waits, and the least seen is {least:?}"))
    })
}
