pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "time-slice",
    title: "Time slices: each identity has a slice of time, and the first to speak has won.",
    paper: "N. Lynch, Distributed Algorithms, 1996, section 3.5.1",
    citation: "
N. Lynch, *Distributed Algorithms*, Morgan Kaufmann, 1996, section 3.5.1.
",
    assumes: "
An oriented ring, in rounds. A process knows its identity, a number, and the size `n`.
",
    idea: "
Time is divided into slices of `n` rounds, and slice `v` belongs to the process whose identity is
`v`. If it has heard nothing until its slice begins, it leads, and its token goes round within
the slice. A process that wakes wakes the next one, so a process `e` steps ahead of `v` wakes at
most `e` rounds after it, and its token takes the `n - e` steps that are left. If its slice comes
before, `v` hears of it at the latest in the round in which its own slice begins, and remains
silent.
",
    cost: "
Exactly `2 n` messages: every process wakes the next one, and passes on the one token. Time: at
most `n v + 2 n - 1` for the smallest identity `v`, which is no function of the size: silence
costs no messages, and much time. Its process wakes `n - 1` rounds after the last initiator at
most, listens for `n v`, and its token takes `n`.
",
    deviations: "
In the book all processes start in the same round, and there are `n` messages. Here any of them
wake at any time, and wake the others. Slices are counted from 0, and not from 1. A slice that
begins later than at tick `2^64` begins then.
",
    invariants: &[
        (
            "smallest-speaks",
            "there is at most one token, and it carries the smallest identity of all.",
        ),
        (
            "woken",
            "the next process after an awake one is awake, or a message to wake it is under way.",
        ),
    ],
};

use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Wake up.
    Wake,
    /// This process has spoken first.
    Token(Id),
}
use Msg::{Token, Wake};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("wake"), Kind::election("token").ids(1)];
    fn kind(&self) -> usize {
        match self {
            Wake => 0,
            Token(_) => 1,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// It listens for this number of rounds more than its alarm is set for.
    Listening(u64),
    /// It leads, and its token is under way.
    Speaking,
    /// It has seen the token of this process.
    Over(Id),
}
use State::{Listening, Over, Sleep, Speaking};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TimeSlice {
    id: Id,
    size: u32,
    state: State,
}

impl TimeSlice {
    fn join(&mut self, net: &mut impl Net<Msg>) {
        net.send(Port::NEXT, Wake);
        let slice = u64::from(self.size);
        self.listen(slice.saturating_mul(self.id.get()), net);
    }

    /// Waits for this number of rounds, in parts if an alarm is too short.
    fn listen(&mut self, rounds: u64, net: &mut impl Net<Msg>) {
        let part = u32::try_from(rounds).unwrap_or(u32::MAX);
        self.state = Listening(rounds - u64::from(part));
        net.set_alarm(part);
    }
}

impl Process for TimeSlice {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    const TIMING: Timing = Timing::Rounds;
    type Knows = (Id, Size);
    type Msg = Msg;

    fn new((id, Size(size)): (Id, Size), _degree: u32) -> Self {
        Self { id, size, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.join(net);
    }

    fn receive(&mut self, _: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (msg, self.state) {
            (Wake, Sleep) => self.join(net),
            (Wake, Listening(_) | Speaking) => {}
            (Token(id), Listening(_)) => {
                self.state = Over(id);
                net.send(Port::NEXT, Token(id));
            }
            (Token(id), Speaking) if id == self.id => self.state = Over(id),
            (Token(_), Speaking) => {
                net.reject("one process speaks, and all others hear it in time");
            }
            (Token(_), Sleep) => net.reject("what wakes a process comes before the token"),
            (_, Over(_)) => net.reject("nothing comes behind the token"),
        }
    }

    fn alarm(&mut self, net: &mut impl Net<Msg>) {
        match self.state {
            Listening(0) => {
                self.state = Speaking;
                net.send(Port::NEXT, Token(self.id));
            }
            Listening(rounds) => self.listen(rounds, net),
            Sleep | Speaking | Over(_) => {}
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        match self.state {
            Sleep | Listening(_) => None,
            Speaking => Some(self.id),
            Over(id) => Some(id),
        }
    }

    fn halted(&self) -> bool {
        matches!(self.state, Over(_))
    }
}

impl Claimed for TimeSlice {
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestId,
        problem: Problem::Explicit,
        election: Bound::exactly("2 n", |s| s.nodes.saturating_mul(2)),
        announcement: Bound::NONE,
        time: Some(Time::unannounced(Bound::at_most("n v + 2 n - 1", |s| {
            let rounds = s.nodes.saturating_mul(s.winner.saturating_add(2));
            if rounds < u64::MAX { rounds.saturating_sub(1) } else { rounds }
        }))),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [smallest_speaks, woken])
    }
}

fn smallest_speaks(now: &Configuration<'_, TimeSlice>) -> Option<String> {
    let smallest = now.nodes().map(|(_, node)| node.id).min();
    let mut tokens = now.messages().iter().filter_map(|transit| match transit.msg {
        Token(id) => Some(id),
        Wake => None,
    });
    match (tokens.next(), tokens.next()) {
        (first, None) if first.is_none() || first == smallest => None,
        (first, second) => Some(format!("there are the tokens {first:?} and {second:?}")),
    }
}

fn woken(now: &Configuration<'_, TimeSlice>) -> Option<String> {
    now.nodes().find_map(|(number, node)| {
        let next = now.across(number, Port::NEXT).node;
        let mut under_way = now.on_link(End { node: number, port: Port::NEXT });
        (node.process.state != Sleep
            && now.process(next).state == Sleep
            && !under_way.any(|msg| msg == Wake))
        .then(|| format!("process {number} is awake, and nothing wakes {next}"))
    })
}
