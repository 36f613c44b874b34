pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "least-element-lists",
    title: "Least-element lists: ranks are drawn and flooded, and only the echo of the least one returns.",
    paper: "S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, Journal of the ACM 62(1), 2015",
    citation: r#"
S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, "On the complexity of universal
leader election", *Journal of the ACM* 62(1), 2015, article 7; first at PODC 2013.
"#,
    assumes: "
Any connected graph, in rounds; all processes wake in the first one. A process knows its
identity and the size `n`, and draws at random.
",
    idea: "
Every process draws a rank and floods it. In each round a process keeps the least rank that it
has seen, and passes it on only when it is new: the ranks that it keeps one after the other are
its least-element list, which is short, as nearer ranks are rarely beaten by farther ones. The
first neighbour that brought a rank is the father, to whom the process echoes it when all other
neighbours have sent it, too. The process whose rank is the least of all hears it echoed by all
its neighbours, and leads; of any other rank an echo stays away, since it is extinct somewhere.
",
    cost: "
At most `2 |E| min(H_n + 1, D + 1)` messages on average, and `2 |E|` for the announcement.
*Proof.* After `t` rounds a process keeps the least of the ranks at a distance of at most `t`:
no process on the way has kept a smaller rank, since that would have arrived by now as well. So
its list has at most `D + 1` entries. For each entry it sends at most one message to each
neighbour, to its father the echo. Let `b(t)` be the number of processes at a distance of at
most `t`. There is an entry in round `t` if one of the `b(t) - b(t-1)` that are then reached has
the least rank of the `b(t)`. Were all ranks distinct, each would have it with probability
`1/b(t)`, which makes at most `1/(b(t-1)+1) + ... + 1/b(t)` for the round, and `H_n` for all
rounds. As `n` ranks are drawn from `n`, one of `b` is not above the others with probability
`(1^(b-1) + ... + n^(b-1)) / n^b`, which is at most `1/b + 1/n`: with `1/n` for each of the
`n-1` processes that are reached it is less than `H_n + 1`.

Time: at most `2 D + 1`, and `D + 1` for the announcement. A process at the distance `d` of the
winner passes its rank on in round `d`, and echoes it in round `2 D - d + 1` at the latest: the
farthest have heard of it from all sides in round `D + 1`, and an echo takes one round more for
each step.
",
    deviations: "
The paper itself was not at hand, only its abstract, which speaks of several algorithms that
trade messages for time. That this one takes `O(D)` time and `O(m min(log n, D))` messages, and
how it goes, is from memory. There ranks are drawn from `n^4`, so that they are distinct with
high probability. Here they are drawn from `n`, and identities decide between equal ones: it
never errs. The constants of the bounds and the proof are ours. The paper's election is implicit;
`Announced` makes the leader known, and its messages are counted apart.
",
    invariants: &[
        ("real", "what a process keeps is the rank of a process, and not larger than its own."),
        ("descending", "the ranks on their way from a process descend to the one that it keeps."),
        (
            "least-spreads",
            "a process that keeps the least rank of all waits for as many neighbours as have not \
             sent it.",
        ),
        ("swept", "when there is a leader, no rank is left on any link."),
    ],
};

use crate::harmonic::times_harmonic;
use crate::prelude::*;
use core::cmp::Ordering;

/// A rank, and the identity of the process that has drawn it, which decides between equal ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Element {
    rank: u32,
    id: Id,
}

/// An element of the sender's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Least(pub Element);

impl Message for Least {
    const KINDS: &'static [Kind] = &[Kind::election("least").ids(1).counters(1)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// In this round it has heard of the element for the first time.
    Joining,
    /// It has passed the element on; neighbours are missing.
    Waiting,
    /// It has echoed the element.
    Echoed,
    Leader,
}
use State::{Echoed, Joining, Leader, Sleep, Waiting};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LeastElementLists {
    size: u32,
    state: State,
    own: Element,
    /// The least element that it has seen, the last of its list.
    least: Element,
    /// The port from which that came; without meaning if it is its own.
    father: Port,
    /// The number of neighbours that have not yet sent that.
    missing: u32,
}

impl Process for LeastElementLists {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    const TIMING: Timing = Timing::SimultaneousRounds;
    type Knows = (Id, Size);
    type Msg = Least;

    fn new((id, Size(size)): (Id, Size), degree: u32) -> Self {
        let own = Element { rank: 0, id };
        Self { size, state: Sleep, own, least: own, father: Port(0), missing: degree }
    }

    fn wake(&mut self, net: &mut impl Net<Least>) {
        self.own.rank = net.choose(self.size.saturating_sub(1));
        self.least = self.own;
        net.send_all(Least(self.own));
        self.state = if net.degree() == 0 { Leader } else { Waiting };
    }

    fn receive(&mut self, from: Port, Least(element): Least, net: &mut impl Net<Least>) {
        match (element.cmp(&self.least), self.state) {
            (_, Sleep) => net.reject("all wake in the first round"),
            (_, Leader) => net.reject("the least element sweeps all others before it"),
            (Ordering::Greater, _) => {} // Extinct.
            (Ordering::Equal, Joining | Waiting) if self.missing > 0 => {
                self.missing -= 1;
                net.set_alarm(0);
            }
            (Ordering::Equal, _) => net.reject("a neighbour sends an element once"),
            (Ordering::Less, _) => {
                self.state = Joining;
                self.least = element;
                self.father = from;
                self.missing = net.degree() - 1;
                net.set_alarm(0);
            }
        }
    }

    /// Ends a round.
    fn alarm(&mut self, net: &mut impl Net<Least>) {
        if self.state == Joining {
            net.send_others(self.father, Least(self.least));
            self.state = Waiting;
        }
        if self.state == Waiting && self.missing == 0 {
            if self.least == self.own {
                self.state = Leader;
            } else {
                net.send(self.father, Least(self.least));
                self.state = Echoed;
            }
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Joining | Waiting | Echoed => Status::Undecided,
            Leader => Status::Leader,
        }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leader).then_some(self.own.id)
    }

    fn halted(&self) -> bool {
        self.state == Leader
    }
}

impl Claimed for LeastElementLists {
    const CLAIMS: Claims = Claims {
        rule: Rule::Chance,
        election: Bound::expected("2 |E| min(H_n + 1, D + 1)", |s| {
            let both = s.links.saturating_mul(2);
            let by_size = times_harmonic(both, s.nodes).saturating_add(both);
            by_size.min(both.saturating_mul(s.diameter.saturating_add(1)))
        }),
        time: Some(Time::unannounced(Bound::at_most("2 D + 1", |s| {
            s.diameter.saturating_mul(2).saturating_add(1)
        }))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [real, descending, least_spreads, swept])
    }
}

fn real(now: &Configuration<'_, LeastElementLists>) -> Option<String> {
    now.nodes().find_map(|(number, node)| {
        let LeastElementLists { own, least, .. } = node.process;
        (least > own || !now.nodes().any(|(_, other)| other.process.own == *least))
            .then(|| format!("process {number} has drawn {own:?}, and keeps {least:?}"))
    })
}

fn descending(now: &Configuration<'_, LeastElementLists>) -> Option<String> {
    for (number, node) in now.nodes() {
        for port in (0..node.degree).map(Port) {
            let sent: Vec<_> = now.on_link(End { node: number, port }).collect();
            let descends = sent.is_sorted_by(|Least(a), Least(b)| a > b);
            if !descends || sent.last().is_some_and(|&Least(last)| last < node.process.least) {
                return Some(format!("process {number} has sent {sent:?}"));
            }
        }
    }
    None
}

fn least_spreads(now: &Configuration<'_, LeastElementLists>) -> Option<String> {
    let awake = || now.nodes().all(|(_, node)| node.process.state != Sleep);
    let least = now.nodes().map(|(_, node)| node.process.own).min();
    let least = least.filter(|_| awake())?;
    // Whether this end has sent it to the other end.
    let has_sent = |end: End| {
        let LeastElementLists { state, own, least: kept, father, .. } = now.process(end.node);
        *kept == least
            && match state {
                Sleep | Joining => false,
                Waiting => *own == least || *father != end.port,
                Echoed | Leader => true,
            }
    };
    for (number, node) in now.nodes() {
        let LeastElementLists { least: kept, missing, .. } = node.process;
        if *kept != least {
            continue;
        }
        let to_come = (0..node.degree).map(Port).filter(|&port| {
            let other = now.across(number, port);
            !has_sent(other) || now.on_link(other).any(|Least(element)| element == least)
        });
        let to_come = to_come.count() as u32;
        if *missing != to_come {
            return Some(format!(
                "process {number} waits for {missing} neighbours, and {to_come} will send {least:?}"
            ));
        }
    }
    None
}

fn swept(now: &Configuration<'_, LeastElementLists>) -> Option<String> {
    let leader = now.nodes().find(|(_, node)| node.process.state == Leader);
    match (leader, now.messages().first()) {
        (Some((number, _)), Some(one)) => Some(format!("process {number} leads, and {one:?}")),
        _ => None,
    }
}
