pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "franklin",
    title: "Franklin: on a ring without direction, a process beats both its neighbours or gives up.",
    paper: "W. R. Franklin, Communications of the ACM 25(5), 1982",
    citation: r#"
W. R. Franklin, "On an improved algorithm for decentralized extrema finding in circular
configurations of processors", *Communications of the ACM* 25(5), 1982, pp. 336-337.
"#,
    assumes: "
A ring with FIFO links, whose port numbers say nothing about the direction; a process knows its
identity.
",
    idea: "
In each round an active process sends its identity both ways, and waits for the identities of
the nearest active processes on both sides. It stays active if its own is larger than both. A
passive process passes on what comes; a process that is reached before it wakes stays passive. A
process that hears its own identity from both sides is alone, and leads.
",
    cost: "
At most `2 n floor(log2 k) + 2 n` messages for `k` initiators among `n` processes: `2 n` a
round. The `r`-th message on every link in either direction is one of round `r`, since a process
passes on or sends exactly one each way in each round, and links are FIFO. Of two neighbours
among the `a > 1` active processes of a round at most one stays active, so at most `a/2` do; the
last round has one. The paper's abstract says `2 n floor(log2 n) + 3 n`, which has the
announcement in it: `Announced` sends it round both ways, and takes `2 n`.

Time: at most `n (floor(log2 k) + 1)`, since all messages of a round arrive within `n` units of
the last that were sent. It is not linear: where two clusters of active processes lie far apart,
their ends may have to wait for each other in every round.
",
    deviations: "
A process waits for both sides even when the first has beaten it, and the winner does, too: then
nothing of the election is left under way, and the announcement ends it for all. The bound of
the abstract was checked; the paper's program is from memory.
",
    invariants: &[
        (
            "largest-stays",
            "an initiator that is passive has a larger one that is not; so the largest is active, or \
             leads.
             Passive(a) & woke(a) -> exists c. a < c & woke(c) & !Passive(c)",
        ),
        (
            "starts",
            "only initiators are active or lead.
             Active(a) | Leader(a) -> woke(a)",
        ),
        (
            "sent",
            "only initiators' identities move forward.
             Candidate(a) at x -> woke(a)",
        ),
        (
            "sent-back",
            "only initiators' identities move back.
             Candidate(a) back x -> woke(a)",
        ),
        (
            "over-passive",
            "an identity that moves forward has passed passive processes alone.
             Candidate(a) at x & b in (a, x) -> Passive(b) & !asleep(b)",
        ),
        (
            "over-passive-back",
            "and so has one that moves back.
             Candidate(a) back x & b in (x, a) -> Passive(b) & !asleep(b)",
        ),
        (
            "heard-one",
            "what has been heard is an initiator's identity.
             heard(b, _, a) -> woke(a)",
        ),
        (
            "early-one",
            "and so is what came early.
             early(b, a) -> woke(a)",
        ),
        (
            "early-second",
            "what came early came after what has been heard.
             early(b) -> heard(b)",
        ),
        (
            "passive-hears-nothing",
            "a passive process keeps nothing.
             heard(b) -> !Passive(b)",
        ),
        (
            "heard-over-passive",
            "what has been heard from behind came over passive processes alone.
             heard(b, behind, c) & d in (c, b) -> Passive(d) & !asleep(d)",
        ),
        (
            "heard-over-passive-back",
            "and so did what has been heard from ahead.
             heard(b, ahead, c) & d in (b, c) -> Passive(d) & !asleep(d)",
        ),
        (
            "early-over-passive",
            "and what came early from behind.
             early(b, c) & heard(b, behind) & d in (c, b) -> Passive(d) & !asleep(d)",
        ),
        (
            "early-over-passive-back",
            "and what came early from ahead.
             early(b, c) & heard(b, ahead) & d in (b, c) -> Passive(d) & !asleep(d)",
        ),
        (
            "heard-own",
            "once a process has heard its own identity, all others are passive.
             heard(a, _, a) & b != a -> Passive(b) & !asleep(b)",
        ),
        (
            "early-own",
            "and if it came early.
             early(a, a) & b != a -> Passive(b) & !asleep(b)",
        ),
        (
            "alone",
            "beside a leader all are passive.
             Leader(a) & b != a -> Passive(b) & !asleep(b)",
        ),
        (
            "as-many",
            "two messages for each active process are under way, or have been heard, or came early.
             count x. (Candidate(_) at x | Candidate(_) back x) + count a. heard(a) + count a. early(a)
             = count a. Active(a) + count a. Active(a)",
        ),
        (
            "as-many-forward",
            "and half of them move forward.
             count x. Candidate(_) at x + count a. heard(a, behind) + count a. (early(a) & heard(a, behind))
             = count a. Active(a)",
        ),
        (
            "as-many-between",
            "and so it is between two processes, where each of these counts once.
             (Active(a) | asleep(a)) & (Active(b) | asleep(b)) & a != b ->
             count x. (x in (a, b) & (Candidate(_) at x | Candidate(_) back x))
             + count c. (heard(c) & c in (a, b)) + count c. (early(c) & c in (a, b))
             + count c. (heard(c, ahead) & c = a) + count c. (heard(c, ahead) & early(c) & c = a)
             + count c. (heard(c, behind) & c = b) + count c. (heard(c, behind) & early(c) & c = b)
             = count c. (Active(c) & c in (a, b)) + count c. (Active(c) & c in (a, b))
             + count c. (Active(c) & c = a) + count c. (Active(c) & c = b)",
        ),
    ],
};

use crate::around::opposite;
use crate::prelude::*;

/// The identity of an active process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Candidate(pub Id);

impl Message for Candidate {
    const KINDS: &'static [Kind] = &[Kind::election("candidate").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    /// Asleep, or beaten.
    Passive,
    Active,
    Leader,
}
use State::{Active, Leader, Passive};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Franklin {
    id: Id,
    state: State,
    /// What one side has said in this round, while the other has not.
    heard: Option<(Port, Id)>,
    /// What the same side has said for the next round.
    early: Option<Id>,
}

impl Franklin {
    /// Both sides have spoken; this is the larger identity, and what is heard is the next round's.
    fn end_round(&mut self, larger: Id, net: &mut impl Net<Candidate>) {
        if larger < self.id {
            net.send_all(Candidate(self.id));
        } else if larger == self.id {
            self.state = Leader;
        } else {
            self.state = Passive;
            if let Some((side, id)) = self.heard.take() {
                net.send(opposite(side), Candidate(id)); // It came early: now it passes.
            }
        }
    }
}

impl Process for Franklin {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = Id;
    type Msg = Candidate;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Passive, heard: None, early: None }
    }

    fn wake(&mut self, net: &mut impl Net<Candidate>) {
        self.state = Active;
        net.send_all(Candidate(self.id));
    }

    fn receive(&mut self, from: Port, msg: Candidate, net: &mut impl Net<Candidate>) {
        let Candidate(id) = msg;
        match (self.state, self.heard) {
            (Passive, _) => net.send(opposite(from), msg),
            (Active, None) => self.heard = Some((from, id)),
            (Active, Some((side, _))) if side == from => match self.early {
                None => self.early = Some(id),
                Some(_) => net.reject("no process is two rounds ahead of its neighbour"),
            },
            (Active, Some((side, other))) => {
                self.heard = self.early.take().map(|id| (side, id));
                self.end_round(id.max(other), net);
            }
            (Leader, _) => net.reject("both its messages have come home, and no other is left"),
        }
    }

    fn status(&self) -> Status {
        if self.state == Leader { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leader).then_some(self.id)
    }

    /// Only the leader halts by itself. The others pass messages on until the announcement ends
    /// them.
    fn halted(&self) -> bool {
        self.state == Leader
    }
}

impl Claimed for Franklin {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestInitiator,
        election: Bound::at_most("2 n floor(log2 k) + 2 n", |s| {
            let rounds = u64::from(s.initiators.checked_ilog2().unwrap_or(0)) + 1;
            s.nodes.saturating_mul(2 * rounds)
        }),
        time: Some(Time::unannounced(Bound::at_most("n floor(log2 k) + n", |s| {
            let rounds = u64::from(s.initiators.checked_ilog2().unwrap_or(0)) + 1;
            s.nodes.saturating_mul(rounds)
        }))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [])
    }
}
