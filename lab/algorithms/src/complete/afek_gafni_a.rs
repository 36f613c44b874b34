pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "afek-gafni-a",
    title: "Afek and Gafni A: in rounds, candidates capture twice as many processes in each level.",
    paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
    citation: r#"
Y. Afek, E. Gafni, "Time and message bounds for election in synchronous and asynchronous complete
networks", *SIAM Journal on Computing* 20(2), 1991, pp. 376-394, the synchronous algorithm.
"#,
    assumes: "
A complete network, in rounds. A process knows its identity, a number.
",
    idea: "
A process that wakes is a candidate, and has a level, which grows every second round. At level
`l` it asks `2^l` processes that it has not asked before. A process that is asked in a round is
captured by the candidate with the largest level or, of several, the largest identity, if that
is larger than the present level and identity of the candidate that owns it; it acknowledges
that one alone. A candidate that all have acknowledged goes on to the next level, and to
leadership if there is no process left to ask; any other gives up.
",
    cost: "
With `L = ceil(log2 n)`, at most `2 k + 3 n (L - 1)` messages, and none for one process. *Proof.*
As levels grow with time, the candidate that has woken earlier has the larger level. So the
outcome of a capture does not depend on when the two meet, and the owner of a process only improves.
A process acknowledges one candidate at a level at most: a second one, in a later round, has woken
later than its owner. So `n / 2^l` candidates at most complete level `l`, and those at level
`l + 1` send `2 n` messages at most. There are `n` acknowledgements of each level at most. At
level 0 there are `k` messages, and `k` acknowledgements at most. Time: at most `2 L`, since the
candidate that has woken first and has the largest identity is never refused, and asks all others
in `L` levels.
",
    deviations: "
Only the paper's abstract was at hand: `O(n log n)` messages and `O(log n)` time. The algorithm
is from memory and from accounts of it, and the constants are derived here. The level of an
owner is compared as it is in the present round, so that candidates which wake at different
ticks need no common parity of rounds. The announcement is ours.
",
    invariants: &[
        ("real-owner", "the owner of a process is an initiator."),
        (
            "answers",
            "of those that a candidate has asked, it counts no more than have answered, and no \
             more answers are under way to it than are missing.",
        ),
        ("all-owned", "if one leads, it owns all processes."),
    ],
};

use crate::prelude::*;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A candidate of this level and identity captures.
    Capture(u32, Id),
    /// It has captured.
    Acknowledge,
}
use Msg::{Acknowledge, Capture};

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("capture").ids(1).counters(1), Kind::election("acknowledge")];
    fn kind(&self) -> usize {
        match self {
            Capture(..) => 0,
            Acknowledge => 1,
        }
    }
}

/// A candidate, as another process knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Rival {
    /// The round in which it woke, counted by that process.
    woken: i32,
    id: Id,
}

impl Rival {
    fn beats(self, other: Self) -> bool {
        self.woken < other.woken || self.woken == other.woken && self.id > other.id
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// A candidate: its level, the number of processes asked, and of those that have not answered.
    Candidate {
        level: u32,
        asked: u32,
        missing: u32,
    },
    /// It owns nothing.
    Captured,
    Leader,
}
use State::{Candidate, Captured, Leader, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AfekGafniA {
    id: Id,
    state: State,
    /// The number of rounds since it has woken or was asked first.
    round: u32,
    owner: Option<Rival>,
    /// The best candidate that has asked it in this round, and its port.
    best: Option<(Rival, Port)>,
}

impl AfekGafniA {
    /// Answers the best candidate of this round, if it captures.
    fn answer(&mut self, net: &mut impl Net<Msg>) {
        if let Some((rival, port)) = self.best.take()
            && self.owner.is_none_or(|owner| rival.beats(owner))
        {
            self.owner = Some(rival);
            net.send(port, Acknowledge);
            if let Candidate { .. } = self.state {
                self.state = Captured;
            }
        }
    }

    /// Goes on to the next level, or gives up, at the end of one.
    fn advance(&mut self, net: &mut impl Net<Msg>) {
        let Candidate { level, asked, missing } = self.state else { return };
        if missing > 0 {
            self.state = Captured;
        } else if asked == net.degree() {
            self.state = Leader;
        } else {
            let most = 1_u32.checked_shl(level).unwrap_or(u32::MAX);
            let last = asked.saturating_add(most).min(net.degree());
            for port in (asked..last).map(Port) {
                net.send(port, Capture(level, self.id));
            }
            self.state = Candidate { level: level + 1, asked: last, missing: last - asked };
        }
    }
}

impl Process for AfekGafniA {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    const TIMING: Timing = Timing::Rounds;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Sleep, round: 0, owner: None, best: None }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.state = Candidate { level: 0, asked: 0, missing: 0 };
        self.owner = Some(Rival { woken: 0, id: self.id });
        net.set_alarm(0);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (msg, &mut self.state) {
            (_, Leader) => net.reject("the leader has captured all others"),
            (Capture(level, id), state) => {
                if *state == Sleep {
                    *state = Captured;
                    net.set_alarm(0);
                }
                // It has sent this in the round before, which was the second one of each level.
                let since = level.saturating_mul(2).saturating_add(1).min(1 << 30);
                let woken = self.round.min(1 << 30) as i32 - since as i32;
                let rival = Rival { woken, id };
                if self.best.is_none_or(|(best, _)| rival.beats(best)) {
                    self.best = Some((rival, from));
                }
            }
            (Acknowledge, Candidate { missing: missing @ 1.., .. }) => *missing -= 1,
            (Acknowledge, Captured) => {} // It has given up meanwhile.
            (Acknowledge, Sleep | Candidate { .. }) => net.reject("none answers unasked"),
        }
    }

    /// Ends a round.
    fn alarm(&mut self, net: &mut impl Net<Msg>) {
        self.answer(net);
        if self.round.is_multiple_of(2) {
            self.advance(net);
        }
        // All is over then, with the announcement.
        let last = 2 * levels(u64::from(net.degree()) + 1) + 1;
        if self.state != Leader && u64::from(self.round) < last {
            self.round = self.round.saturating_add(1);
            net.set_alarm(1);
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Candidate { .. } | Captured => Status::Undecided,
            Leader => Status::Leader,
        }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leader).then_some(self.id)
    }

    fn halted(&self) -> bool {
        self.state == Leader
    }
}

const fn levels(n: u64) -> u64 {
    match n {
        0 | 1 => 0,
        _ => (n - 1).ilog2() as u64 + 1,
    }
}

/// For the claims, which the process's own levels must not move.
fn ceil_log2(n: u64) -> u64 {
    (64 - n.saturating_sub(1).leading_zeros()).into()
}

impl Claimed for AfekGafniA {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestLevelAndId,
        problem: Problem::Explicit,
        election: Bound::at_most("2 k + 3 n (ceil(log2 n) - 1)", |s| match ceil_log2(s.nodes) {
            0 => 0,
            log => {
                let later = s.nodes.saturating_mul(3 * (log - 1));
                s.initiators.saturating_mul(2).saturating_add(later)
            }
        }),
        announcement: Bound::NONE,
        time: Some(Time::unannounced(Bound::at_most("2 ceil(log2 n)", |s| 2 * ceil_log2(s.nodes)))),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [real_owner, answers, all_owned])
    }
}

fn real_owner(now: &Configuration<'_, AfekGafniA>) -> Option<String> {
    now.nodes().find_map(|(number, node)| {
        let Rival { id, .. } = node.process.owner?;
        (!now.initiators().any(|initiator| initiator == id))
            .then(|| format!("process {number} is owned by {id}"))
    })
}

fn answers(now: &Configuration<'_, AfekGafniA>) -> Option<String> {
    for (number, node) in now.nodes() {
        let Candidate { asked, missing, .. } = node.process.state else { continue };
        let ends = (0..node.degree).map(|port| now.across(number, Port(port)));
        let under_way = |end: End| now.on_link(end).filter(|&msg| msg == Acknowledge).count();
        let answers: usize = ends.map(under_way).sum();
        if missing > asked || answers > missing as usize {
            return Some(format!(
                "process {number} has asked {asked}, misses {missing}, and gets {answers}"
            ));
        }
    }
    None
}

fn all_owned(now: &Configuration<'_, AfekGafniA>) -> Option<String> {
    let (_, leader) = now.nodes().find(|(_, node)| node.process.state == Leader)?;
    let owned = |id: Option<Rival>| id.is_some_and(|owner| owner.id == leader.process.id);
    now.nodes()
        .find(|(_, node)| !owned(node.process.owner))
        .map(|(number, _)| format!("{} leads, and does not own {number}", leader.process.id))
}
