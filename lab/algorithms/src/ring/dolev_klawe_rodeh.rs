pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "dolev-klawe-rodeh",
    title: "Dolev, Klawe and Rodeh: of two neighbouring identities at most one survives a round.",
    paper: "D. Dolev, M. Klawe, M. Rodeh, Journal of Algorithms 3(3), 1982",
    citation: r#"
D. Dolev, M. Klawe, M. Rodeh, "An O(n log n) unidirectional distributed algorithm for extrema
finding in a circle", *Journal of Algorithms* 3(3), 1982, pp. 245-260.
"#,
    assumes: "
An oriented ring with FIFO links; a process knows its identity. Messages go forward only.
",
    idea: "
An active process stands for an identity, at first its own. In a round it tells the next active
process that identity (`one`), and then the identity that it was told itself (`two`), so that
each learns two predecessors' identities. It stays active, standing for its predecessor's
identity, if that is smaller than both its own and the one before; passive processes pass
messages on. A process that is told the identity for which it stands is the last active one, and
announces that identity (`small`).
",
    cost: "
At most `2 n floor(log2 k) + n` election messages for `k` initiators among `n` processes. The
messages `one` of a round go once around the ring together, and so do the messages `two`. A
surviving identity is smaller than both its neighbours, so `a > 1` active processes leave at
most `a/2`: there are at most `floor(log2 k)` such rounds. In the last one, a single active
process sends one message, `one`, which travels `n` links. The announcement takes `n`.

Time: at most `n (1 + min(2, floor(log2 k))) + n`, linear though there are `log2 k` rounds. An
active process starts a round when `two` comes from its active predecessor, which sent it when
`one` came from the one before that. So the start of the last round is the end of a walk of
messages, which goes back two gaps between active processes for each round, and takes a unit for
a link. Neighbours never survive a round together, so two gaps of a round fit into one gap of the
next. Hence the walk through a round and all before it stays within four gaps of that round: two
for the round, one for the round before it, and one for all earlier rounds, since each again
takes no more than half of the gap that is left. Four gaps are twice around the ring at most, and
the last `one` goes around once. With two or three initiators there is one such round, of two
gaps.
",
    deviations: "
Lecture notes and textbooks (G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., 2000,
section 7.2) elect the smallest identity, the paper the largest. Some printed forms garble what
happens when an identity comes back to the process that stands for it: here, that process
announces the identity and records it as the winner, and the process to which it belongs,
perhaps passive by then, becomes the leader when the announcement reaches it. Their estimate
`2 n log n + n` for everything is too small by the last `one`: two initiators on a ring of two
send 2 + 2 messages in the first round, 2 in the last, and 2 to announce, which is 8, not 6.
",
    invariants: &[
        (
            "one-stands",
            "no two active processes in the same round stand for the same identity. One that \
             stands for the same as another is the next, and a round ahead; the one behind is \
             about to give up.",
        ),
        (
            "awake",
            "an initiator does not sleep.
             woke(a) -> !Sleep(a)",
        ),
        (
            "sent",
            "only initiators' identities are told in `one`.
             One(a) at x -> woke(a)",
        ),
        (
            "held",
            "and so what an active process has been told is an initiator's.
             Elimination(b, a) -> woke(a)",
        ),
        (
            "stands",
            "and what an active process stands for is.
             (Propagation(b) | Elimination(b)) & current(b, a) -> woke(a)",
        ),
        (
            "once",
            "no identity is told in two messages `one`.
             One(a) at x & One(a) at y -> x = y",
        ),
        (
            "taken",
            "what an active process has been told is told in none.
             Elimination(b, a) -> !One(a) at x",
        ),
        (
            "one-holds",
            "no two active processes have been told the same.
             Elimination(b, a) & Elimination(c, a) -> b = c",
        ),
        (
            "over-passive",
            "while a process waits for `one`, its own has passed passive processes alone.
             Propagation(b) & current(b, a) & One(a) at x & d in (b, x) -> Passive(d) | Done(d)",
        ),
        (
            "two-ahead",
            "and no `two` is between it and its own `one`.
             Propagation(b) & current(b, a) & One(a) at x & Two(_) at y -> !y in (b, x)",
        ),
        (
            "held-over-passive",
            "and so it is with who has been told its identity: all between are passive.
             Propagation(b) & current(b, a) & Elimination(c, a) & d in (b, c) -> Passive(d) | Done(d)",
        ),
        (
            "two-beyond",
            "and no `two` is between.
             Propagation(b) & current(b, a) & Elimination(c, a) & Two(_) at y -> !y in (b, c)",
        ),
        (
            "alone",
            "beside the process that has announced the winner all are passive.
             Announced(a) & b != a -> Passive(b) | Done(b)",
        ),
        (
            "no-more",
            "during the announcement no process is active or sleeps.
             Small(a) at x -> !Propagation(b) & !Elimination(b) & !Sleep(b)",
        ),
        (
            "no-more-after",
            "nor afterwards.
             Done(a) -> !Propagation(b) & !Elimination(b) & !Sleep(b)",
        ),
        (
            "one-announced",
            "what is announced is one identity.
             Small(a) at x & Small(b) at y -> a = b",
        ),
        (
            "own-announced",
            "which is that of the process that announced it.
             Announced(a) & current(a, c) & Small(b) at x -> b = c",
        ),
        (
            "heard-announced",
            "and of those that have heard of it.
             Done(a) & Small(b) at x -> current(a, b)",
        ),
        (
            "heard-own",
            "those have heard what was announced.
             Announced(a) & current(a, c) & Done(b) -> current(b, c)",
        ),
        (
            "heard-same",
            "and all the same.
             Done(a) & current(a, c) & Done(b) -> current(b, c)",
        ),
        (
            "ones",
            "as many messages `one` are under way as processes wait for one.
             count x. One(_) at x = count a. Propagation(a)",
        ),
        (
            "twos",
            "and as many `two` as processes wait for one of these.
             count x. Two(_) at x = count a. Elimination(a)",
        ),
        (
            "smalls",
            "and a `small` as long as its process waits for it.
             count x. Small(_) at x = count a. Announced(a)",
        ),
        (
            "one-one",
            "between two `one` there is a `two`, or a process that is to receive the first of them.
             One(_) at x & One(_) at y & x != y -> (exists z. Two(_) at z & z in (x, y))
             | (exists c. (Propagation(c) | Sleep(c)) & c in (x, y))",
        ),
        (
            "two-two",
            "and so it is with two `two`.
             Two(_) at x & Two(_) at y & x != y -> (exists z. One(_) at z & z in (x, y))
             | (exists c. Elimination(c) & c in (x, y))",
        ),
        (
            "two-before",
            "before a `two` comes to a process that does not wait for one, something is between.
             (Propagation(b) | Sleep(b)) & Two(_) at x -> (exists z. One(_) at z & z in (x, b))
             | (exists c. Elimination(c) & c in (x, b))",
        ),
        (
            "one-before",
            "and before a `one` comes to a process that waits for `two`.
             Elimination(b) & One(_) at x -> (exists z. Two(_) at z & z in (x, b))
             | (exists c. (Propagation(c) | Sleep(c)) & c in (x, b))",
        ),
        (
            "two-after",
            "what a process that waits for `one` has sent last is `one`.
             Propagation(a) & Two(_) at x -> (exists z. One(_) at z & z in (a, x))
             | (exists c. Elimination(c) & c in (a, x))",
        ),
        (
            "one-after",
            "and what one that waits for `two` has sent last is `two`.
             (Elimination(a) | Sleep(a)) & One(_) at x -> (exists z. Two(_) at z & z in (a, x))
             | (exists c. (Propagation(c) | Sleep(c)) & c in (a, x))",
        ),
        (
            "two-between",
            "so between two processes that wait for `two`, one is under way, or another process waits.
             (Elimination(a) | Sleep(a)) & Elimination(b) & a != b -> (exists z. Two(_) at z & z in (a, b))
             | (exists c. (Propagation(c) | Sleep(c)) & c in (a, b))",
        ),
        (
            "one-between",
            "and between two that wait for `one`.
             Propagation(a) & (Propagation(b) | Sleep(b)) & a != b -> (exists z. One(_) at z & z in (a, b))
             | (exists c. Elimination(c) & c in (a, b))",
        ),
        (
            "one-sleep",
            "ahead of a sleeping process one waits for `one` before any other message comes.
             Sleep(a) & One(_) at x -> exists c. Propagation(c) & c in (a, x)",
        ),
        (
            "two-sleep",
            "or any `two`.
             Sleep(a) & Two(_) at x -> exists c. Propagation(c) & c in (a, x)",
        ),
        (
            "told-sleep",
            "or a process that waits for `two`.
             Sleep(a) & Elimination(b) -> exists c. Propagation(c) & c in (a, b)",
        ),
        (
            "one-kept",
            "while a process waits for `one`, its own is under way, or has been told.
             Propagation(b) & current(b, a) -> (exists x. One(a) at x) | (exists c. Elimination(c, a))",
        ),
        (
            "not-own",
            "no process waits for `two` that has been told what it stands for.
             Elimination(b, a) -> !current(b, a)",
        ),
        (
            "two-woke",
            "what `two` tells is an initiator's identity.
             Two(a) at x -> woke(a)",
        ),
        (
            "one-two",
            "the `two` that tells the same as a `one` is ahead of it, with passive processes alone between.
             One(a) at x & Two(a) at y & d in (x, y) -> Passive(d) | Done(d)",
        ),
        (
            "two-passive",
            "and the `two` that a process has sent has passed passive processes alone.
             Elimination(b, a) & Two(a) at x & d in (b, x) -> Passive(d) | Done(d)",
        ),
        (
            "two-own",
            "and does not come back to it.
             Elimination(b, a) & Two(a) at x ->
             exists c. (Propagation(c) | Elimination(c) | Sleep(c)) & c in (x, b)",
        ),
        (
            "smaller-stays",
            "an initiator's identity, or a smaller one, is told in `one`, or has been told, or is announced.
             woke(a) -> (exists b c. c <= a
             & (Elimination(b, c) | (Announced(b) | Done(b)) & current(b, c)))
             | (exists c x. c <= a & (One(c) at x | Small(c) at x))",
        ),
        (
            "one-small",
            "there is one `small`.
             Small(_) at x & Small(_) at y -> x = y",
        ),
        (
            "reached",
            "it has been heard of where it has been.
             Small(_) at x & Announced(a) & b in (a, x) -> Done(b)",
        ),
        (
            "not-reached",
            "and nowhere else.
             Small(_) at x & Announced(a) & b in (x, a) -> !Done(b)",
        ),
        (
            "all-reached",
            "once it has come round, everyone has heard of it.
             Done(a) & !Done(b) -> exists c. Announced(c)",
        ),
    ],
};

use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The identity for which the active process behind stands.
    One(Id),
    /// The identity for which the active process behind that one stands.
    Two(Id),
    /// The winner.
    Small(Id),
}
use Msg::{One, Small, Two};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("one").ids(1),
        Kind::election("two").ids(1),
        Kind::announcement("small").ids(1),
    ];
    fn kind(&self) -> usize {
        match self {
            One(_) => 0,
            Two(_) => 1,
            Small(_) => 2,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// Has sent `one` and waits for the other's.
    Propagation,
    /// Has sent `two` and waits for the other's; this is its active predecessor's identity.
    Elimination(Id),
    Passive,
    /// Has announced the winner; its `small` is still to come round.
    Announced,
    Done,
}
use State::{Announced, Done, Elimination, Passive, Propagation, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DolevKlaweRodeh {
    id: Id,
    /// The identity for which it stands; once it has heard of the winner, the winner's.
    current: Id,
    state: State,
}

impl DolevKlaweRodeh {
    fn start_round(&mut self, identity: Id, net: &mut impl Net<Msg>) {
        self.current = identity;
        self.state = Propagation;
        net.send(Port::NEXT, One(identity));
    }
}

impl Process for DolevKlaweRodeh {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, current: id, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.start_round(self.id, net);
    }

    fn receive(&mut self, _: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (self.state, msg) {
            (Propagation, One(id)) if id == self.current => {
                self.state = Announced;
                net.send(Port::NEXT, Small(id));
            }
            (Propagation, One(id)) => {
                self.state = Elimination(id);
                net.send(Port::NEXT, Two(id));
            }
            (Elimination(before), Two(id)) if before < self.current && before < id => {
                self.start_round(before, net);
            }
            (Elimination(_), Two(_)) => self.state = Passive,
            (Passive, Small(id)) => {
                self.current = id;
                self.state = Done;
                net.send(Port::NEXT, msg);
            }
            (Sleep | Passive, One(_)) | (Passive, Two(_)) => {
                self.state = Passive;
                net.send(Port::NEXT, msg);
            }
            (Announced, Small(id)) if id == self.current => self.state = Done,
            (Sleep, Two(_) | Small(_)) => net.reject("the first message is `one`"),
            (Propagation, Two(_) | Small(_)) => net.reject("`one` precedes `two` in a round"),
            (Elimination(_), One(_) | Small(_)) => net.reject("`two` follows `one` in a round"),
            (Announced | Done, _) => net.reject("the announcement goes once around, as the last"),
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        matches!(self.state, Announced | Done).then_some(self.current)
    }

    fn halted(&self) -> bool {
        self.state == Done
    }
}

impl Claimed for DolevKlaweRodeh {
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestInitiator,
        problem: Problem::Explicit,
        election: Bound::at_most("2 n floor(log2 k) + n", |s| {
            let rounds = u64::from(s.initiators.checked_ilog2().unwrap_or(0));
            s.nodes.saturating_mul(2 * rounds + 1)
        }),
        announcement: Bound::exactly("n", |s| s.nodes),
        time: Some(Time {
            election: Bound::at_most("n (1 + min(2, floor(log2 k)))", |s| {
                let rounds = u64::from(s.initiators.checked_ilog2().unwrap_or(0));
                s.nodes.saturating_mul(1 + rounds.min(2))
            }),
            announcement: Bound::at_most("n", |s| s.nodes),
        }),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [one_stands])
    }

    fn race() -> Option<Race<Self>> {
        let standing = |process: &Self| {
            let active = matches!(process.state, Propagation | Elimination(_));
            active.then_some(Standing::StandsFor(process.current))
        };
        let limit = |_, round, before| if round == 1 { before } else { before / 2 };
        let formula = "half of those that reached the round before";
        Some(Race { stage: "round", first: 1, formula, limit, standing })
    }
}

fn active<'c>(
    now: &'c Configuration<'_, DolevKlaweRodeh>,
) -> impl Iterator<Item = (u32, &'c DolevKlaweRodeh)> {
    let nodes = now.nodes().map(|(number, node)| (number, node.process));
    nodes.filter(|(_, process)| matches!(process.state, Propagation | Elimination(_)))
}

fn one_stands(now: &Configuration<'_, DolevKlaweRodeh>) -> Option<String> {
    // Two active processes stand for the same identity only if one is about to give up. The other
    // is the next one; it has been told the identity and is a round ahead.
    let gives_up = |process: &DolevKlaweRodeh| matches!(process.state, Elimination(before) if before > process.current);
    for (one, process) in active(now) {
        for (other, second) in active(now).filter(|&(other, _)| other > one) {
            if process.current == second.current && gives_up(process) == gives_up(second) {
                return Some(format!("{one} and {other} stand for {}", process.current));
            }
        }
    }
    None
}
