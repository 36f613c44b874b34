pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "stages-with-feedback",
    title: "Stages with feedback: a candidate goes on only where both its neighbours prefer it.",
    paper: "E. Korach, D. Rotem, N. Santoro, Int. Journal of Computer Mathematics 16, 1984",
    citation: r#"
E. Korach, D. Rotem, N. Santoro, "Distributed election in a circle without a global sense of
orientation", *International Journal of Computer Mathematics* 16, 1984, pp. 115-124; the form of
N. Santoro, *Design and Analysis of Distributed Algorithms*, 2007, chapter 3.
"#,
    assumes: "
A ring with FIFO links, whose port numbers say nothing about the direction; a process knows its
identity.
",
    idea: "
In each stage a candidate sends its identity both ways (`stage`), and hears of the nearest
candidates on both sides. If one is larger than itself, it approves of the larger of the two
(`feedback`), and only passes messages on from then on. Otherwise it waits for the approval of
both, and goes on to the next stage; an identity of the next stage in the place of an approval
says that there is none. One that hears its own identity from both sides is alone, and leads.
",
    cost: "
At most `3 n ceil(log3((k+1)/2)) + 2 n` messages for `k` initiators among `n` processes,
`1.893 n log2 k + O(n)`. In a stage the identities take `2 n`; of two neighbours only the
smaller one may approve of the other, so feedback takes at most `n`. Who goes on is the largest
of five in a row, as its neighbours have approved of none but it: of `a` candidates at most
`a/3` go on, or one. So stages of several candidates are at most `s` where `k < 2 3^s`. In the
last one a single candidate's two messages take `2 n`. The announcement goes round both ways and
takes `2 n`.

Time: at most `2 n ceil(log3((k+1)/2)) + n`, since all identities of a stage arrive within `n`
units, and all feedback within as many.
",
    deviations: "
In the book a candidate that is smaller than a neighbour still waits for what replaces its
approvals; here it is passive at once, and drops an approval that comes too late to be of use.
If the nearest candidate on both sides is one and the same, the last rival, and larger, it is
approved of on both sides, since it waits for two approvals. A neighbour may be a stage ahead,
so one early identity is kept. The winner waits for both its messages: then nothing of the
election is left under way. A source that was at hand (course notes of the Jagiellonian
University) has the bound as `3 n log3 n + O(n)`; the additive terms were proved anew. The paper
and the book are from memory.
",
    invariants: &[
        ("largest-stays", "the largest initiator is a candidate, or leads."),
        (
            "one-early",
            "while a candidate has not heard what it waits for, at most one identity of the next \
             stage has come from a side, and nothing follows it.",
        ),
        (
            "starts",
            "only initiators are candidates or lead.
             Listening(a) | Waiting(a) | Leader(a) -> woke(a)",
        ),
        (
            "sent",
            "only initiators' identities move forward.
             Stage(a) at x -> woke(a)",
        ),
        (
            "sent-back",
            "only initiators' identities move back.
             Stage(a) back x -> woke(a)",
        ),
        (
            "over-passive",
            "an identity that moves forward has passed passive processes alone.
             Stage(a) at x & b in (a, x) -> Passive(b) & !asleep(b)",
        ),
        (
            "over-passive-back",
            "and so has one that moves back.
             Stage(a) back x & b in (x, a) -> Passive(b) & !asleep(b)",
        ),
        (
            "heard-one",
            "what has been heard is an initiator's identity.
             heard(b, _, a) -> woke(a)",
        ),
        (
            "early-one",
            "and so is what came early.
             early(b, _, a) -> woke(a)",
        ),
        (
            "heard-listens",
            "only a listening candidate keeps what one side has said.
             heard(b) -> Listening(b)",
        ),
        (
            "early-second",
            "what came early came to a candidate, after what has been heard.
             early(b) -> Listening(b) & heard(b) | Waiting(b) | Leader(b)",
        ),
        (
            "approved-once",
            "only a candidate has been approved of, or the leader.
             approved(b) -> !Passive(b)",
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
             early(b, behind, c) & d in (c, b) -> Passive(d) & !asleep(d)",
        ),
        (
            "early-over-passive-back",
            "and what came early from ahead.
             early(b, ahead, c) & d in (b, c) -> Passive(d) & !asleep(d)",
        ),
        (
            "heard-own",
            "once a candidate has heard its own identity, all others are passive.
             heard(a, _, a) & b != a -> Passive(b) & !asleep(b)",
        ),
        (
            "early-own",
            "and if it came early.
             early(a, _, a) & b != a -> Passive(b) & !asleep(b)",
        ),
        (
            "alone",
            "beside a leader all are passive.
             Leader(a) & b != a -> Passive(b) & !asleep(b)",
        ),
    ],
};

use crate::around::{largest_stays, opposite};
use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The identity of a candidate.
    Stage(Id),
    /// To this candidate: its neighbour approves of it.
    Feedback(Id),
}
use Msg::{Feedback, Stage};

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("stage").ids(1), Kind::election("feedback").ids(1)];
    fn kind(&self) -> usize {
        match self {
            Stage(_) => 0,
            Feedback(_) => 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    /// Asleep, or beaten.
    Passive,
    /// A candidate that has not heard of the candidates on both sides.
    Listening,
    /// A candidate that is larger than both its neighbours, and waits for their approval.
    Waiting,
    Leader,
}
use State::{Leader, Listening, Passive, Waiting};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StagesWithFeedback {
    id: Id,
    state: State,
    /// What one side has said in this stage, while the other has not.
    heard: Option<(Port, Id)>,
    /// The side that has approved, while the other has not.
    approved: Option<Port>,
    /// What a side has said for the next stage.
    early: Option<(Port, Id)>,
}

impl StagesWithFeedback {
    fn start_stage(&mut self, net: &mut impl Net<Msg>) {
        self.state = Listening;
        self.approved = None;
        self.heard = self.early.take();
        net.send_all(Stage(self.id));
    }

    /// Both sides have spoken.
    fn decide(&mut self, one: (Port, Id), other: (Port, Id), net: &mut impl Net<Msg>) {
        let largest = one.1.max(other.1);
        self.heard = None;
        if largest == self.id {
            self.state = Leader;
        } else if largest > self.id {
            for (side, _) in [one, other].into_iter().filter(|&(_, id)| id == largest) {
                net.send(side, Feedback(largest));
            }
            self.give_up(net);
        } else {
            self.state = Waiting;
            match self.early {
                Some((side, _)) if self.approved != Some(side) => self.give_up(net),
                _ => {}
            }
        }
    }

    /// Messages that came early pass now.
    fn give_up(&mut self, net: &mut impl Net<Msg>) {
        self.state = Passive;
        self.approved = None;
        if let Some((side, id)) = self.early.take() {
            net.send(opposite(side), Stage(id));
        }
    }
}

impl Process for StagesWithFeedback {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Passive, heard: None, approved: None, early: None }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.start_stage(net);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (self.state, msg) {
            (Passive, Feedback(id)) if id == self.id => {} // It has lost already.
            (Passive, _) => net.send(opposite(from), msg),
            (Listening, Stage(id)) => match self.heard {
                None => self.heard = Some((from, id)),
                Some(one) if one.0 != from => self.decide(one, (from, id), net),
                Some(_) if self.early.is_none() => self.early = Some((from, id)),
                Some(_) => net.reject("no candidate is two stages ahead of its neighbour"),
            },
            (Waiting, Stage(id)) if self.approved == Some(from) && self.early.is_none() => {
                self.early = Some((from, id));
            }
            (Waiting, Stage(_)) => {
                self.give_up(net);
                net.send(opposite(from), msg);
            }
            (Listening | Waiting, Feedback(id)) if id == self.id => match self.approved {
                None => self.approved = Some(from),
                Some(side) if side != from && self.state == Waiting => self.start_stage(net),
                Some(_) => net.reject("a side approves once, of what both have heard"),
            },
            (Listening | Waiting, Feedback(_)) => net.reject("feedback is for the next candidate"),
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

fn stages(k: u64) -> u64 {
    core::iter::successors(Some(k), |&a| Some((a / 3).max(1))).take_while(|&a| a > 1).count() as u64
}

impl Claimed for StagesWithFeedback {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestInitiator,
        election: Bound::at_most("3 n ceil(log3((k+1)/2)) + 2 n", |s| {
            s.nodes.saturating_mul(3 * stages(s.initiators) + 2)
        }),
        time: Some(Time::unannounced(Bound::at_most("2 n ceil(log3((k+1)/2)) + n", |s| {
            s.nodes.saturating_mul(2 * stages(s.initiators) + 1)
        }))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(
            HEADER.invariants,
            [|now| largest_stays(now, |of: &Self| of.state != Passive), one_early],
        )
    }
}

fn one_early(now: &Configuration<'_, StagesWithFeedback>) -> Option<String> {
    now.each(|one| {
        let (side, _) = one.process.early?;
        let first = one.arriving(side).next();
        first.map(|msg| format!("has heard of the next stage, and {msg:?} arrives"))
    })
}
