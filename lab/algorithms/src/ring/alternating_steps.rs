pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "alternating-steps",
    title: "Alternating steps: in turn, a candidate must beat the one before it and the one after it.",
    paper: "J. van Leeuwen, R. B. Tan, Distributed Computing 2(3), 1987; N. Santoro, 2007",
    citation: r#"
J. van Leeuwen, R. B. Tan, "An improved upperbound for distributed election in bidirectional
rings of processors", *Distributed Computing* 2(3), 1987, pp. 149-160; the name and the form of
N. Santoro, *Design and Analysis of Distributed Algorithms*, 2007, chapter 3.
"#,
    assumes: "
An oriented ring with FIFO links, which carry messages both ways; a process knows its identity.
",
    idea: "
In each step a candidate sends its identity one way, and so hears of the nearest candidate on
the other side: forward in odd steps, back in even ones. It stays a candidate if its own
identity is larger. All others pass messages on. One that hears its own identity is alone, and
leads.
",
    cost: "
At most `n r` messages for `k` initiators among `n` processes, where `r` is the largest number
with `F_(r+1) <= k` (Fibonacci numbers, `F_1 = F_2 = 1`): at most `1.4405 n log2 k + n`. Every
step takes `n`, since each candidate's message goes to the next one. As many candidates begin a
step as begin the next two together: where one has beaten its neighbours of two steps, on either
side, the one of the second step was not its neighbour in the first, in which it would have
lost; so one between them has lost in the first. The announcement takes `n`.

Time: at most `n r`: all messages of a step arrive within `n` units after the last has been
sent.
",
    deviations: "
Van Leeuwen and Tan reach `1.44 n log2 n + O(n)` also where the ring has no direction, by a way
that is not followed here; this is the simple form, for rings that have one. Both sources are
from memory; the bound was proved anew, and its last term with it.
",
    invariants: &[
        (
            "largest-stays",
            "an initiator that is passive has a larger one that is not; so the largest is a candidate, \
             or leads.
             Passive(a) & woke(a) -> exists c. a < c & woke(c) & !Passive(c)",
        ),
        (
            "starts",
            "only initiators are candidates or lead.
             Sent(a) | Leader(a) -> woke(a)",
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
            "early-one",
            "what came early is an initiator's identity.
             early(b, a) -> woke(a)",
        ),
        (
            "early-waits",
            "only a candidate keeps what came early.
             early(b) -> Sent(b)",
        ),
        (
            "early-over-passive",
            "what came early from behind came over passive processes alone.
             early(b, c) & Sent(b, behind) & d in (c, b) -> Passive(d) & !asleep(d)",
        ),
        (
            "early-over-passive-back",
            "and so did what came early from ahead.
             early(b, c) & Sent(b, ahead) & d in (b, c) -> Passive(d) & !asleep(d)",
        ),
        (
            "early-own",
            "once a candidate's own identity has come early, all others are passive.
             early(a, a) & b != a -> Passive(b) & !asleep(b)",
        ),
        (
            "alone",
            "beside a leader all are passive.
             Leader(a) & b != a -> Passive(b) & !asleep(b)",
        ),
        (
            "as-many",
            "as many messages are under way, or have come early, as there are candidates.
             count x. (Candidate(_) at x | Candidate(_) back x) + count a. early(a) = count a. Sent(a)",
        ),
        (
            "as-many-forward",
            "and of those that move forward as many as there are candidates that have sent forward.
             count x. Candidate(_) at x + count a. (early(a) & Sent(a, behind)) = count a. Sent(a, ahead)",
        ),
        (
            "as-many-between",
            "between two candidates it is one more than there are candidates between; if the first one \
             sleeps, as many as these.
             (Sent(a) | asleep(a)) & (Sent(b) | asleep(b)) & a != b ->
             count x. (x in (a, b) & (Candidate(_) at x | Candidate(_) back x))
             + count c. (early(c) & (c in (a, b) | Sent(c, ahead) & c = a | Sent(c, behind) & c = b))
             = count c. (Sent(c) & c in (a, b)) + count c. (Sent(c) & c = a)",
        ),
        (
            "as-many-between-back",
            "the same, with the one more said of the second.
             (Sent(a) | asleep(a)) & (Sent(b) | asleep(b)) & a != b ->
             count x. (x in (a, b) & (Candidate(_) at x | Candidate(_) back x))
             + count c. (early(c) & (c in (a, b) | Sent(c, ahead) & c = a | Sent(c, behind) & c = b))
             + count c. (asleep(c) & c = a)
             = count c. (Sent(c) & c in (a, b)) + count c. c = b",
        ),
    ],
};

use crate::around::opposite;
use crate::fibonacci::phases;
use crate::prelude::*;

/// The identity of a candidate.
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
    /// Has sent through this port, and waits for a message through the other.
    Sent(Port),
    Leader,
}
use State::{Leader, Passive, Sent};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AlternatingSteps {
    id: Id,
    state: State,
    /// What has come for the next step, through the port of this one.
    early: Option<Id>,
}

impl AlternatingSteps {
    fn start_step(&mut self, way: Port, net: &mut impl Net<Candidate>) {
        self.state = Sent(way);
        net.send(way, Candidate(self.id));
    }

    /// The message of the step has come, in which it has sent this way.
    fn end_step(&mut self, way: Port, id: Id, net: &mut impl Net<Candidate>) {
        let early = self.early.take();
        if id == self.id {
            self.state = Leader;
        } else if id > self.id {
            self.state = Passive;
            if let Some(early) = early {
                net.send(opposite(way), Candidate(early)); // Now it passes.
            }
        } else {
            self.start_step(opposite(way), net);
            if let Some(early) = early {
                self.end_step(opposite(way), early, net);
            }
        }
    }
}

impl Process for AlternatingSteps {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Candidate;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Passive, early: None }
    }

    fn wake(&mut self, net: &mut impl Net<Candidate>) {
        self.start_step(Port::NEXT, net);
    }

    fn receive(&mut self, from: Port, msg: Candidate, net: &mut impl Net<Candidate>) {
        let Candidate(id) = msg;
        match (self.state, self.early) {
            (Passive, _) => net.send(opposite(from), msg),
            (Sent(way), _) if from != way => self.end_step(way, id, net),
            (Sent(_), None) => self.early = Some(id),
            (Sent(_), Some(_)) => net.reject("no candidate is two steps ahead of its neighbour"),
            (Leader, _) => net.reject("its message has come home, and no other is left"),
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

/// The messages of all steps, and their units of time.
const PHASES: Bound = Bound::at_most("n r", |s| s.nodes.saturating_mul(phases(s.initiators)))
    .given("r is the largest with F_(r+1) <= k");

impl Claimed for AlternatingSteps {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestInitiator,
        election: PHASES,
        time: Some(Time::unannounced(PHASES)),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [])
    }
}
