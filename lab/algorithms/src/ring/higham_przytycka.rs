pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "higham-przytycka",
    title: "Higham and Przytycka: envelopes destroy one another, and are promoted where they cannot lose.",
    paper: "L. Higham, T. Przytycka, Information Processing Letters 58(6), 1996",
    citation: r#"
L. Higham, T. Przytycka, "A simple, efficient algorithm for maximum finding on rings",
*Information Processing Letters* 58(6), 1996, pp. 319-324; first in *Distributed Algorithms
(WDAG)*, LNCS 725, 1993, pp. 249-263: algorithm ELECT.
"#,
    assumes: "
An oriented ring with FIFO links; a process knows its identity. Messages go forward only.
",
    idea: "
An initiator sends an envelope with its identity as the label, in round 1, and a process remembers
the last envelope that it sent. An envelope that meets the memory of its own round is destroyed:
in odd rounds if its label is the larger one, in even rounds if it is the smaller one; otherwise
it is promoted to the next round. Two cases of promotion come sooner and save messages: in an
odd round `i` after `F_(i+2)` links (Fibonacci numbers, `F_1 = F_2 = 1`), and in an even one at
a witness, which remembers a smaller label of the round before and so proves that the envelope
will survive. One that comes back to the process that sent it, in the same round, is the last,
and that process leads.
",
    cost: "
At most `n + sum (2 n - n F_i / F_(i+3))` election messages over the even rounds `i` with
`2 F_(i-1) <= n`, for any initiators: less than `1.271 n log2 n + 2.2 n`, which the tests
compare for every `n` up to a million. An envelope of an odd round `i` travels at least `F_i`
links in it, and no two travel the same link in a round, so at most `n / F_i` are in one. Of an
even round `i` and the next, let `x` envelopes begin the second. Each of them has saved `F_i`
links in the first, of the `n` that there are, and travels at most `F_(i+3)` in the second: both
together are at most `n - x F_i + min(n, x F_(i+3))`, which is largest for `x = n / F_(i+3)`.
Round 1 takes `n`. Where `2 F_i > n`, one envelope begins the odd round `i`, and ends in it.
(The lemmas are those of the paper.) The announcement takes `n`.

Time: at most `n (b + 2)`, where `b` is the number of terms of that sum: nothing delays an
envelope, and the last one goes around at most once in round 1, once in an even round with the
odd one before it, and once at the end.
",
    deviations: "
The paper looks for the largest identity, with one more time around for that. Here the process
that the last envelope comes home to leads: it depends on the order of the identities alone, and
may be one that never woke. A process that is reached before it wakes sends no envelope; it
passes them on, remembers them, and promotes them. A count that runs down replaces the distance.
The algorithm and its lemmas were checked against two summaries of the paper (course notes of
the Jagiellonian University), and the bound against the abstract of its report (Calgary,
1992-494-32); the paper says `O(n)` for all terms but the first.
",
    invariants: &[
        (
            "labels",
            "labels are of initiators.
            Odd(a, _, _) at x | Even(a, _) at x | last(q, a) -> woke(a)",
        ),
        ("reached", "who remembers a label is awake.\nlast(q) -> !asleep(q)"),
        (
            "behind",
            "between a process and the envelope of the label that it remembers there is no other one.
            last(q, a, _) & (Odd(a, _, _) at x | Even(a, _) at x) & (Odd(b, _, _) at y | Even(b, _) at y) -> !y in (q, x)",
        ),
        (
            "awake",
            "processes there are awake.
            last(q, a, _) & (Odd(a, _, _) at x | Even(a, _) at x) & b in (q, x) -> !asleep(b)",
        ),
        (
            "silent",
            "when the last envelope has come home, no other one is under way.
            leads(q) -> !Odd(a, _, _) at x & !Even(a, _) at x",
        ),
        ("all-awake", "all processes are awake then.\nleads(q) -> !asleep(a)"),
        ("alone", "no two processes lead.\nleads(p) & leads(q) -> p = q"),
        (
            "one-each",
            "no two envelopes under way have the same label.
            (Odd(a, _, _) at x | Even(a, _) at x) & (Odd(a, _, _) at y | Even(a, _) at y) -> x = y",
        ),
        ("some-left", "once an initiator has woken, an envelope is under way or a process leads."),
        (
            "remembered",
            "the last envelope under way on a link is what the process before it remembers.",
        ),
    ],
};

use crate::fibonacci::fibonacci;
use crate::prelude::*;

/// An envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Envelope {
    /// It is in an odd round.
    Odd {
        /// Its label.
        label: Id,
        /// The links that it still travels before it is promoted anyway.
        left: Count,
        /// The round.
        round: Count<u8>,
    },
    /// It is in an even round.
    Even {
        /// Its label.
        label: Id,
        /// The round.
        round: Count<u8>,
    },
}
use Envelope::{Even, Odd};

impl Envelope {
    /// Creates the envelope with this label that is promoted to this round.
    fn promoted(label: Id, round: Count<u8>) -> Self {
        if round.map(|round| round % 2) == Count::new(0) {
            return Even { label, round };
        }
        let distance = |round| u32::try_from(fibonacci(u32::from(round) + 2)).unwrap_or(u32::MAX);
        Odd { label, left: round.map(|round| distance(round) - 1), round }
    }

    const fn face(self) -> (Id, Count<u8>) {
        let (Odd { label, round, .. } | Even { label, round }) = self;
        (label, round)
    }
}

impl Message for Envelope {
    const KINDS: &'static [Kind] =
        &[Kind::election("odd").ids(1).counters(2), Kind::election("even").ids(1).counters(1)];
    fn kind(&self) -> usize {
        match self {
            Odd { .. } => 0,
            Even { .. } => 1,
        }
    }
}

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct HighamPrzytycka {
    id: Id,
    /// The label and the round of the last envelope that it has sent.
    last: Option<(Id, Count<u8>)>,
    leads: bool,
}

impl HighamPrzytycka {
    fn send(&mut self, envelope: Envelope, net: &mut impl Net<Envelope>) {
        self.last = Some(envelope.face());
        net.send(Port::NEXT, envelope);
    }
}

impl Process for HighamPrzytycka {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Envelope;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, last: None, leads: false }
    }

    fn wake(&mut self, net: &mut impl Net<Envelope>) {
        self.send(Envelope::promoted(self.id, Count::new(1)), net);
    }

    fn receive(&mut self, _: Port, envelope: Envelope, net: &mut impl Net<Envelope>) {
        if self.leads {
            return net.reject("the last envelope has come home");
        }
        let (label, round) = envelope.face();
        let before = round.map(|round| round.saturating_sub(1));
        // The label that it remembers of a round.
        let of = |round: Count<u8>| self.last.filter(|last| last.1 == round).map(|last| last.0);
        let promoted = match envelope {
            _ if of(round) == Some(label) => {
                self.leads = true;
                return;
            }
            Odd { .. } if of(round).is_some_and(|other| other < label) => return,
            Even { .. } if of(round).is_some_and(|other| other > label) => return,
            Even { .. } if of(round).is_some() => {
                return net.reject("a witness stands before a label that is smaller");
            }
            Odd { left, .. } => left == Count::new(0) || of(round).is_some(),
            Even { .. } => of(before).is_some_and(|witness| witness < label),
        };
        let next = match envelope {
            _ if promoted => Envelope::promoted(label, round.map(|round| round.saturating_add(1))),
            Odd { left, .. } => Odd { label, left: left.map(|left| left.saturating_sub(1)), round },
            Even { .. } => envelope,
        };
        self.send(next, net);
    }

    fn status(&self) -> Status {
        if self.leads { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        self.leads.then_some(self.id)
    }

    /// Only the leader halts by itself. The others pass envelopes on until the announcement ends
    /// them.
    fn halted(&self) -> bool {
        self.leads
    }
}

fn even_rounds(nodes: u64) -> impl Iterator<Item = u32> {
    (2..90).step_by(2).take_while(move |&i| fibonacci(i - 1).saturating_mul(2) <= nodes)
}

impl Claimed for HighamPrzytycka {
    const CLAIMS: Claims = Claims {
        rule: Rule::LastLeft,
        election: Bound::at_most("n + sum (2 n - n F_i / F_(i+3))", |s| {
            let pairs = even_rounds(s.nodes).map(|i| {
                let saved = u128::from(s.nodes) * u128::from(fibonacci(i));
                let saved = saved.div_ceil(fibonacci(i + 3).into());
                s.nodes.saturating_mul(2) - u64::try_from(saved).unwrap_or(s.nodes)
            });
            pairs.fold(s.nodes, u64::saturating_add)
        })
        .given("i is every even number with 2 F_(i-1) <= n"),
        time: Some(Time::unannounced(
            Bound::at_most("n (b + 2)", |s| {
                s.nodes.saturating_mul(even_rounds(s.nodes).count() as u64 + 2)
            })
            .given("b is the number of even i with 2 F_(i-1) <= n"),
        )),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [some_left, remembered])
    }
}

fn some_left(now: &Configuration<'_, HighamPrzytycka>) -> Option<String> {
    let leads = now.nodes().any(|(_, node)| node.process.leads);
    let none_left = !leads && now.messages().is_empty() && now.initiators().next().is_some();
    none_left.then(|| "all envelopes are destroyed".into())
}

fn remembered(now: &Configuration<'_, HighamPrzytycka>) -> Option<String> {
    for (number, node) in now.nodes() {
        let last = now.on_link(End { node: number, port: Port::NEXT }).last();
        match (last.map(Envelope::face), node.process.last) {
            (Some(sent), last) if last != Some(sent) => {
                return Some(format!("{number} has sent {sent:?} and remembers {last:?}"));
            }
            _ => {}
        }
    }
    None
}
