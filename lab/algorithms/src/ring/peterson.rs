pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "peterson",
    title: "Peterson: in turn, an identity must be larger than the one before it and the one after it.",
    paper: "G. L. Peterson, ACM TOPLAS 4(4), 1982",
    citation: r#"
G. L. Peterson, "An O(n log n) unidirectional algorithm for the circular extrema problem", *ACM
Transactions on Programming Languages and Systems* 4(4), 1982, pp. 758-762, the improved
algorithm.
"#,
    assumes: "
An oriented ring with FIFO links; a process knows its identity. Messages go forward only.
",
    idea: "
In each phase an active process sends the identity that it holds, at first its own, to the next
active process (`tid`). In an odd phase it stays active if the identity that it holds is larger
than the one it receives. In an even phase it stays active if the received identity is larger,
and holds that one from now on: as if the identity had been compared with the one after it. A
process that receives the identity that it holds is the last active process, and announces it
(`elected`).
",
    cost: "
At most `n r` election messages for `k` initiators among `n` processes, where `r` is the largest
number with `F_(r+1) <= k` (Fibonacci numbers, `F_1 = F_2 = 1`): at most `1.4405 n log2 k + n`.
Every phase takes `n`, since each active process's message goes to the next one, and `r` is a
bound on the phases: as many identities begin one as begin the next two together. For let `v` be
held through an odd phase and the even one that follows it, and `w` be the next that is left
after the odd one. In the even phase `v > w`; had `w` been next to `v` in the odd one, it would
have lost against `v`. So between any two such neighbours an identity is lost in the odd phase.
The same holds from an even phase to an odd one, with the previous phase. At the end one is alone.
The announcement takes `n`.

Time: at most `n r`, and `n` for the announcement: all messages of a phase arrive within `n`
units after the last has been sent.
",
    deviations: "
The winner is not the owner of the identity, but the process that holds it in the end. As in the
paper, the owner leads: here it learns so by the announcement. The paper compares what comes
with a process's own first identity; here it is compared with what is held, since in the
improved algorithm a process may hold a larger one when its own comes by, on a ring of six for
instance. Which of the two comparisons comes first is from memory, like the program; the number
of phases does not depend on it.
",
    invariants: &[
        (
            "largest-stays",
            "until the announcement, an active process holds the largest initiator's identity, or \
             it is under way.",
        ),
        (
            "one-holds",
            "no two active processes hold the same identity in phases of the same parity.",
        ),
    ],
};

use crate::fibonacci::phases;
use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The identity that the active process behind holds.
    Tid(Id),
    /// The winner.
    Elected(Id),
}
use Msg::{Elected, Tid};

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("tid").ids(1), Kind::announcement("elected").ids(1)];
    fn kind(&self) -> usize {
        match self {
            Tid(_) => 0,
            Elected(_) => 1,
        }
    }
}

/// The parity of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Phase {
    Odd,
    Even,
}
use Phase::{Even, Odd};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    Active(Phase),
    Relay,
    /// Has announced the winner; its `elected` is still to come round.
    Announced,
    Done,
}
use State::{Active, Announced, Done, Relay, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Peterson {
    id: Id,
    /// The identity that it holds; once it has heard of the winner, the winner's.
    tid: Id,
    state: State,
}

impl Peterson {
    fn start(&mut self, phase: Phase, net: &mut impl Net<Msg>) {
        self.state = Active(phase);
        net.send(Port::NEXT, Tid(self.tid));
    }
}

impl Process for Peterson {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, tid: id, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.start(Odd, net);
    }

    fn receive(&mut self, _: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (self.state, msg) {
            (Active(_), Tid(ntid)) if ntid == self.tid => {
                self.state = Announced;
                net.send(Port::NEXT, Elected(ntid));
            }
            (Active(Odd), Tid(ntid)) if self.tid > ntid => self.start(Even, net),
            (Active(Even), Tid(ntid)) if ntid > self.tid => {
                self.tid = ntid;
                self.start(Odd, net);
            }
            (Active(_), Tid(_)) => self.state = Relay,
            (Sleep | Relay, Tid(_)) => {
                self.state = Relay;
                net.send(Port::NEXT, msg);
            }
            (Relay, Elected(winner)) => {
                self.tid = winner;
                self.state = Done;
                net.send(Port::NEXT, msg);
            }
            (Announced, Elected(winner)) if winner == self.tid => self.state = Done,
            (Sleep | Active(_), Elected(_)) => net.reject("all others have given up by then"),
            (Announced | Done, _) => net.reject("the announcement goes once around, as the last"),
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        matches!(self.state, Announced | Done).then_some(self.tid)
    }

    fn halted(&self) -> bool {
        self.state == Done
    }
}

/// The messages of all phases, and their units of time.
const PHASES: Bound = Bound::at_most("n r", |s| s.nodes.saturating_mul(phases(s.initiators)))
    .given("r is the largest with F_(r+1) <= k");

impl Claimed for Peterson {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestInitiator,
        problem: Problem::Explicit,
        election: PHASES,
        announcement: Bound::exactly("n", |s| s.nodes),
        time: Some(Time { election: PHASES, announcement: Bound::at_most("n", |s| s.nodes) }),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [largest_stays, one_holds])
    }
}

fn largest_stays(now: &Configuration<'_, Peterson>) -> Option<String> {
    let largest = now.initiators().max()?;
    let holds = |of: &Peterson| of.tid == largest && !matches!(of.state, Sleep | Relay);
    let on_its_way = |msg: Msg| matches!(msg, Tid(id) | Elected(id) if id == largest);
    let held = now.nodes().any(|(_, node)| holds(node.process));
    if held || now.messages().iter().any(|transit| on_its_way(transit.msg)) {
        return None;
    }
    Some(format!("no active process holds the largest initiator's identity, {largest}"))
}

fn one_holds(now: &Configuration<'_, Peterson>) -> Option<String> {
    let active = || now.nodes().filter(|(_, node)| matches!(node.process.state, Active(_)));
    for (one, first) in active() {
        for (other, second) in active().filter(|&(other, _)| other > one) {
            let (first, second) = (first.process, second.process);
            if first.tid == second.tid && first.state == second.state {
                return Some(format!("{one} and {other} both hold {}", first.tid));
            }
        }
    }
    None
}
