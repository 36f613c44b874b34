pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "yo-yo",
    title: "Yo-Yo: identities run down to the sinks, votes run up to the sources, until one source is left.",
    paper: "N. Santoro, Design and Analysis of Distributed Algorithms, 2007, section 3.8.3",
    citation: "
N. Santoro, *Design and Analysis of Distributed Algorithms*, Wiley, 2007, section 3.8.3.
",
    assumes: "
Any connected graph with FIFO links. A process knows its identity.
",
    idea: r#"
Neighbours exchange identities, and each link is directed from the smaller to the larger: a
process without in-neighbours is a source, one without out-neighbours a sink. In the phase "Yo-"
the sources send their identities down, and each process passes on the smallest of those of its
in-neighbours; in the phase "-Yo" the sinks vote yes to the in-neighbours from which the smallest
came and no to the others, and each process passes yes on in the same way if all out-neighbours
have voted yes, else no to all, and turns the links of a no round, so that a source that gets one
is none any more. Votes also prune links that carry nothing new: all but one of those that
brought the same value, and the last one of a process that would have no other. A source that is
left without links leads.
"#,
    cost: "
At most `2 |E| (2 + r)` messages and the announcement's `2 |E|`, where `r` is the largest number
with `F(r+2) <= n-1` and `F` are Fibonacci's, at least 0. The identities take `2 |E|`, and an
iteration `2 |E|` or less. With `s` sources, `s'` of them survive an iteration and `s''` the
next, where `s' + s'' <= s`: each of the `s'` beats another source somewhere and has that source
below it from then on. If two beat the same source, the larger of the two is beaten next; so
each of the `s''` has beaten a source of its own. There are `n-1` sources at most, being no
neighbours, so that after `r` iterations there is one, and the next prunes all.

Time: at most `n + 2 (n-1) (r+1) + D + 1`: the identities have come after `n` units, and the two
phases of an iteration take a unit for each link of a directed path.
",
    deviations: "
In the book, a sink with one in-neighbour has that link pruned. Here the rule also applies, in
the same vote, to a process whose out-neighbours have all had their links pruned. So with one
source, one iteration prunes all links, instead of as many iterations as the longest path has
links. A process may be an iteration ahead of its neighbour, whose next value is kept. It is
often stated that an iteration leaves at most half of the sources. That is false: two of three
sources may survive (`docs/why/errata.md`). The procedure is from memory of the book; the proof of
the bound is above.
",
    invariants: &[
        ("smallest-stays", "the process with the smallest identity has no in-neighbour."),
        (
            "two-ended",
            "a link on which nothing is under way is out of one end and into the other, or pruned \
             at both, once both have the other's identity.",
        ),
        ("joined", "links that are not pruned join all processes that still take part."),
    ],
};

use crate::prelude::*;
use alloc::boxed::Box;

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender has this identity.
    Identity(Id),
    /// The smallest identity that has come down to the sender.
    Value(Id),
    /// A vote on the value.
    Vote {
        /// Whether it is the smallest that has come to any process below.
        yes: bool,
        /// Whether the link is pruned.
        prune: bool,
    },
}
use Msg::{Identity, Value, Vote};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("identity").ids(1),
        Kind::election("value").ids(1),
        Kind::election("yes"),
        Kind::election("yes-prune"),
        Kind::election("no"),
        Kind::election("no-prune"),
    ];
    fn kind(&self) -> usize {
        match *self {
            Identity(_) => 0,
            Value(_) => 1,
            Vote { yes, prune } => 2 + 2 * usize::from(!yes) + usize::from(prune),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Phase {
    Asleep,
    /// Learns the identities of its neighbours.
    Setup,
    /// Waits for the values of its in-neighbours.
    Down,
    /// Waits for the votes of its out-neighbours.
    Up,
    /// Has no links any more, and was no source.
    Useless,
    Leads,
}
use Phase::{Asleep, Down, Leads, Setup, Up, Useless};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Side {
    /// The neighbour's identity has not come.
    Unknown,
    /// An in-neighbour.
    In,
    /// An in-neighbour whose value has come.
    Heard,
    /// An in-neighbour from the next iteration on, whose value for that has come.
    Early,
    /// An out-neighbour.
    Out,
    Pruned,
}
use Side::{Early, Heard, In, Out, Pruned, Unknown};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Link {
    side: Side,
    /// The value that has come.
    value: Id,
}

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct YoYo {
    id: Id,
    phase: Phase,
    /// Whether all votes of this phase are yes.
    yes: bool,
    /// The messages for which this phase waits.
    missing: u32,
    links: Box<[Link]>,
}

impl YoYo {
    fn count(&self, side: Side) -> u32 {
        self.links.iter().filter(|link| link.side == side).count() as u32
    }

    /// Begins an iteration.
    fn begin(&mut self, net: &mut impl Net<Msg>) {
        for link in self.links.iter_mut().filter(|link| link.side == Early) {
            link.side = Heard;
        }
        self.yes = true;
        self.missing = self.count(In);
        self.phase = if self.links.iter().all(|link| link.side == Pruned) { Leads } else { Down };
        if self.missing == 0 && self.phase == Down {
            self.descend(net);
        }
    }

    fn value(&self) -> Id {
        let heard = self.links.iter().filter(|link| link.side == Heard);
        heard.map(|link| link.value).min().unwrap_or(self.id)
    }

    /// Sends the smallest value down.
    fn descend(&mut self, net: &mut impl Net<Msg>) {
        let value = self.value();
        self.phase = Up;
        self.missing = self.count(Out);
        for (port, link) in (0..).map(Port).zip(&self.links) {
            if link.side == Out {
                net.send(port, Value(value));
            }
        }
        if self.missing == 0 {
            self.vote(net);
        }
    }

    /// Votes on the values, and turns and prunes links.
    fn vote(&mut self, net: &mut impl Net<Msg>) {
        let smallest = self.value();
        let mut heard: Vec<(Id, u32)> = (0..)
            .zip(&self.links)
            .filter(|(_, link)| link.side == Heard)
            .map(|(port, link)| (link.value, port))
            .collect();
        heard.sort_unstable();
        let beyond = self.count(Out) + self.count(In) + self.count(Early);
        let useless =
            beyond == 0 && heard.first().map(|one| one.0) == heard.last().map(|one| one.0);
        let mut before = None;
        for &(value, port) in &heard {
            let yes = self.yes && value == smallest;
            let prune = useless || before == Some(value);
            self.links[port as usize].side = match (prune, yes) {
                (true, _) => Pruned,
                (false, true) => In,
                (false, false) => Out,
            };
            net.send(Port(port), Vote { yes, prune });
            before = Some(value);
        }
        if useless && !heard.is_empty() {
            self.phase = Useless;
        } else {
            self.begin(net);
        }
    }
}

impl Process for YoYo {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, phase: Asleep, yes: true, missing: 0, links: Box::default() }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        let unknown = Link { side: Unknown, value: self.id };
        self.links = vec![unknown; net.degree() as usize].into_boxed_slice();
        self.missing = net.degree();
        self.phase = Setup;
        net.send_all(Identity(self.id));
        if self.missing == 0 {
            self.begin(net);
        }
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        if self.phase == Asleep && matches!(msg, Identity(_)) {
            self.wake(net);
        }
        let Some(link) = self.links.get_mut(from.0 as usize) else {
            return net.reject("its identity comes first");
        };
        match (msg, link.side, self.phase) {
            (Identity(id), Unknown, Setup) => {
                link.side = match id.cmp(&self.id) {
                    core::cmp::Ordering::Less => In,
                    core::cmp::Ordering::Greater => Out,
                    core::cmp::Ordering::Equal => Pruned, // A loop.
                };
                self.missing -= 1;
                if self.missing == 0 {
                    self.begin(net);
                }
            }
            (Value(value), In, Setup | Up) => {
                let side = if self.phase == Up { Early } else { Heard };
                *link = Link { side, value };
            }
            (Value(value), In, Down) if self.missing > 0 => {
                *link = Link { side: Heard, value };
                self.missing -= 1;
                if self.missing == 0 {
                    self.descend(net);
                }
            }
            (Vote { yes, prune }, Out, Up) if self.missing > 0 => {
                link.side = match (prune, yes) {
                    (true, _) => Pruned,
                    (false, true) => Out,
                    (false, false) => In,
                };
                self.yes &= yes;
                self.missing -= 1;
                if self.missing == 0 {
                    self.vote(net);
                }
            }
            _ => net.reject("it fits neither the phase nor the direction of the link"),
        }
    }

    fn status(&self) -> Status {
        match self.phase {
            Leads => Status::Leader,
            Asleep | Setup | Down | Up | Useless => Status::Undecided,
        }
    }

    fn leader(&self) -> Option<Id> {
        (self.phase == Leads).then_some(self.id)
    }

    fn halted(&self) -> bool {
        matches!(self.phase, Leads | Useless)
    }
}

fn rivalries(nodes: u64) -> u64 {
    let (mut fibonacci, mut next, mut iterations) = (2_u64, 3_u64, 0);
    while fibonacci <= nodes.saturating_sub(1) {
        (fibonacci, next) = (next, next.saturating_add(fibonacci));
        iterations += 1;
    }
    iterations
}

/// The condition that determines [`rivalries`].
const RIVALRIES: &str = "r is the largest with F_(r+2) <= n-1, or 0";

impl Claimed for YoYo {
    const PER_PORT: usize = size_of::<Link>();

    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestId,
        election: Bound::at_most("2 |E| (2 + r)", |s| {
            s.links.saturating_mul(2).saturating_mul(2 + rivalries(s.nodes))
        })
        .given(RIVALRIES),
        time: Some(Time::unannounced(
            Bound::at_most("n + 2 (n-1) (r+1)", |s| {
                let phases = 2 * (rivalries(s.nodes) + 1);
                s.nodes.saturating_add(s.nodes.saturating_sub(1).saturating_mul(phases))
            })
            .given(RIVALRIES),
        )),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [smallest_stays, two_ended, joined])
    }
}

type Now<'a> = Configuration<'a, YoYo>;

fn smallest_stays(now: &Now<'_>) -> Option<String> {
    let smallest = now.nodes().min_by_key(|(_, node)| node.id);
    let loses = |link: &Link| matches!(link.side, In | Heard | Early);
    match smallest {
        Some((node, of)) if of.process.links.iter().any(loses) => {
            Some(format!("{node}, the smallest, has an in-neighbour"))
        }
        _ => None,
    }
}

fn side(now: &Now<'_>, end: End) -> Side {
    now.process(end.node).links.get(end.port.0 as usize).map_or(Unknown, |link| link.side)
}

fn two_ended(now: &Now<'_>) -> Option<String> {
    now.ends().find_map(|end| {
        let other = now.across(end.node, end.port);
        let sides = (side(now, end), side(now, other));
        let quiet = now.on_link(end).chain(now.on_link(other)).next().is_none();
        let fits = match sides {
            (Unknown, _) | (_, Unknown) | (Pruned, Pruned) => true,
            (Out, to) | (to, Out) => matches!(to, In | Heard | Early),
            _ => false,
        };
        (quiet && !fits).then(|| format!("{} and {} differ: {sides:?}", end.node, other.node))
    })
}

fn joined(now: &Now<'_>) -> Option<String> {
    let parts = now.parts(|end, other| {
        let part = |end| side(now, end) != Pruned && now.process(end.node).phase != Useless;
        part(end) && part(other)
    });
    let mut rest = now.nodes().zip(&parts).filter(|((_, at), _)| at.process.phase != Useless);
    let (_, first) = rest.next()?;
    let ((node, _), _) = rest.find(|(_, part)| *part != first)?;
    Some(format!("{node} is cut off"))
}
