pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "humblet",
    title: "Humblet: capture the others one by one; a majority makes a leader.",
    paper: "P. Humblet, 23rd IEEE Conference on Decision and Control, 1984",
    citation: r#"
P. Humblet, "Selecting a leader in a clique in O(N log N) messages", *23rd IEEE Conference on
Decision and Control*, 1984, doi:10.1109/CDC.1984.272191.
"#,
    assumes: "
A complete network with FIFO links; a process knows its identity, and the size of the network
from its number of ports.
",
    idea: "
An active node captures the others one by one, in the order of its ports; its level is the
number of nodes that it has captured. A node that is captured again asks its owner: the one
with the larger pair of level and identity keeps it, an owner that loses is no longer active,
and an attacker that loses is told nothing and stops. While a node waits for its owner's verdict,
further captures queue. A node whose territory, itself included, is more than half of the
network announces itself.
",
    cost: "
At most `4 n H_(n/2) + n - 1` messages, `n/2` rounded down. A capture causes at most three more
messages (it is forwarded, answered and accepted). The territories of nodes that are active when
they reach level `l` are disjoint, so at most `n/(l+1)` captures are sent at level `l`, and none
at a level that is a majority. The announcement takes `n - 1`. The algorithm is sensitive to the
numbering of the ports: if every node's first port leads to a different node, few captures meet.

Time: at most `4 n H_(n/2) + 2`, because in every unit one of the messages of the election arrives,
and after the announcement, which takes one unit, what was under way may take one more. Whether
the time is linear is open here: a capture waits in line at a captured node, whose owner may
itself be captured and wait for a verdict, and so on.
",
    deviations: "
The original lets every node start. Here any may: a node that is reached asleep never starts and
is captured by the first that comes, whatever the identities, since a sleeper that defended
itself could leave no node in the race. The bound holds all the same: a sleeper has neither level
nor territory, and the argument never compares with the pair of a node that was not active.

That argument is usually stated for all nodes that reach level `l`, which is false: an accept
may reach a node that has been defeated meanwhile. With `n = 3`, let 1 capture 2, and 3 capture
1 while the accept of 2 is under way: both then reach level 1, where at most 3/2 nodes should,
and both territories contain 1. It is true of nodes that are active when they reach the level,
and only those send captures or announce themselves.

A capture is one that a captured node forwards if and only if its port is below the level,
because by FIFO a node's own capture comes before its accept. This has to be determined when the
capture arrives: the level may grow while it waits in the queue.

The announcement overtakes captures and verdicts that are under way, so these may arrive at a
node that has finished. They are discarded.
",
    invariants: &[
        (
            "disjoint",
            "no node is in the territories of two active nodes: the nodes behind the ports below the level, and the node \
             itself.
            (Active(a) | leads(a)) & (Active(b) | leads(b)) & a != b
                -> !level(a, b) & !(level(a, c) & level(b, c))",
        ),
        (
            "level",
            "an active node owns as many nodes as its level says.
            (Active(a) | leads(a)) & level(a, c) -> owner(c, a)",
        ),
        (
            "accepted",
            "and one more while an accept is under way to it.
            Accept() at x from c to a & (Active(a) | asleep(a)) -> owner(c, a)",
        ),
        (
            "free",
            "an active node has no owner.
            Active(a) | leads(a) -> !owner(a)",
        ),
        (
            "yielded",
            "who gives a node away is not active, and never will be.
            Yes() at x from a to c -> !Active(a) & !leads(a) & !asleep(a)",
        ),
        (
            "majority",
            "the territory of a leader is a majority.
            leads(a) -> level(a, most)",
        ),
        (
            "told",
            "a leader is announced that leads.
            Leader(w) at x to a -> leads(w)",
        ),
        (
            "followed",
            "and so does the one that a node names.
            Done(a, w) -> leads(w)",
        ),
        (
            "captured",
            "who has an owner is inactive, until it hears of a leader.
            owner(a) -> Inactive(a) | Done(a)",
        ),
        (
            "waits",
            "who waits for a verdict has an owner.
            contender(a) -> owner(a)",
        ),
        (
            "idle",
            "a node that has not started captures none.
            Sleep(a) -> !level(a, c) & !woke(a)",
        ),
        (
            "candidate",
            "until there is a leader, the node with the largest pair of potential level and \
             identity, of those that started, is active and has not lost its last capture. The \
             potential level counts a capture that has won and whose verdict or accept is under \
             way.",
        ),
        (
            "upward",
            "a node that started was captured with a larger pair than its own, which has grown by \
             one accept since then at most; so no cycle of nodes waits for one another's verdicts.",
        ),
        (
            "one-attempt",
            "every node has at most one open capture, at the node's level: it is under way, \
             queues, has won and its verdict is under way, or its accept is. As a node sends a \
             capture only when it wakes or is accepted, one that has lost its last capture, or is \
             inactive and has none open, never gains a level again (lemmas 1 to 3 of the usual \
             proof; *candidate* is lemma 4).",
        ),
        ("prompt", "captures queue only while the node waits for a verdict."),
    ],
};

use crate::harmonic::times_harmonic;
use crate::prelude::*;
use crate::queue::{LazyQueue, serve};

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// A node of this level and identity wants to own the receiver, or a node that it owns.
    Capture {
        /// The number of nodes that it has captured.
        level: Count,
        /// Its identity.
        id: Id,
    },
    /// You own me now.
    Accept,
    /// To a captured node: its contender wins.
    Yes,
    /// To a captured node: its owner keeps it.
    No,
    /// This is the leader.
    Leader(Id),
}
use Msg::{Accept, Capture, Leader, No, Yes};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("capture").ids(1).counters(1),
        Kind::election("accept"),
        Kind::election("yes"),
        Kind::election("no"),
        Kind::announcement("leader").ids(1),
    ];
    fn kind(&self) -> usize {
        match self {
            Capture { .. } => 0,
            Accept => 1,
            Yes => 2,
            No => 3,
            Leader(_) => 4,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    Active,
    /// Defeated, or captured if it has an owner.
    Inactive,
    /// Finished, with this leader.
    Done(Id),
}
use State::{Active, Done, Inactive, Sleep};

/// A capture that waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Attempt {
    from: Port,
    level: Count,
    id: Id,
    /// Whether it comes from a node that this one has captured.
    forwarded: bool,
}

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Humblet {
    id: Id,
    /// The ports of the nodes that it has captured.
    level: FirstPorts,
    state: State,
    owner: Option<Port>,
    /// The port of the node whose capture the owner is judging.
    contender: Option<Port>,
    queue: LazyQueue<Attempt>,
}

impl Humblet {
    /// Announces itself if its territory is a majority; else captures the next node.
    fn advance(&mut self, net: &mut impl Net<Msg>) {
        if self.level.are_majority(net) {
            self.state = Done(self.id);
            net.send_all(Leader(self.id));
        } else {
            net.send(self.level.next(), Capture { level: self.level.count(), id: self.id });
        }
    }

    /// Takes a capture from the queue if there is no contender.
    fn next(&mut self) -> Option<Attempt> {
        if self.contender.is_none() { self.queue.pop() } else { None }
    }

    /// Handles a capture while there is no contender.
    fn process(&mut self, attempt: Attempt, net: &mut impl Net<Msg>) {
        let Attempt { from, level, id, forwarded } = attempt;
        let wins = (level, id) > (self.level.count(), self.id);
        match self.owner {
            _ if forwarded => {
                if wins {
                    self.state = Inactive;
                }
                net.send(from, if wins { Yes } else { No });
            }
            Some(owner) => {
                self.contender = Some(from);
                net.send(owner, Capture { level, id });
            }
            None if wins || self.state == Sleep => self.captured(from, net),
            None => {} // The sender has lost, and is not told.
        }
    }

    fn captured(&mut self, by: Port, net: &mut impl Net<Msg>) {
        self.state = Inactive;
        self.owner = Some(by);
        net.send(by, Accept);
    }
}

impl Process for Humblet {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self {
            id,
            level: FirstPorts::NONE,
            state: Sleep,
            owner: None,
            contender: None,
            queue: LazyQueue::new(),
        }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.state = Active;
        self.advance(net);
    }

    // What is called in one place is inlined anyway, but a printed version calls it, too.
    #[inline(always)]
    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match msg {
            Capture { level, id } => {
                let attempt = Attempt { from, level, id, forwarded: self.level.contains(from) };
                match self.contender {
                    None => self.process(attempt, net), // Then the queue is empty.
                    Some(_) => self.queue.push(attempt),
                }
            }
            Accept if from == self.level.next() && matches!(self.state, Active | Inactive) => {
                self.level = self.level.and_next();
                if self.state == Active {
                    self.advance(net);
                }
            }
            Accept => net.reject("an accept answers the last capture"),
            Yes | No => match self.contender {
                Some(contender) if self.owner == Some(from) => {
                    self.contender = None;
                    if msg == Yes {
                        self.captured(contender, net);
                    }
                    serve(self, net, Self::next, Self::process);
                }
                _ => net.reject("a verdict comes from the owner, on a contender"),
            },
            Leader(id) => self.state = Done(id),
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        match self.state {
            Done(leader) => Some(leader),
            Sleep | Active | Inactive => None,
        }
    }

    fn halted(&self) -> bool {
        matches!(self.state, Done(_))
    }
}

impl Claimed for Humblet {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestLevelAndId,
        problem: Problem::Explicit,
        election: Bound::at_most("4 n H_(n/2)", |s| {
            times_harmonic(s.nodes.saturating_mul(4), s.nodes / 2)
        }),
        announcement: Bound::exactly("n-1", |s| s.nodes.saturating_sub(1)),
        time: Some(Time {
            election: Bound::at_most("4 n H_(n/2)", |s| {
                times_harmonic(s.nodes.saturating_mul(4), s.nodes / 2)
            }),
            announcement: Bound::at_most("2", |_| 2),
        }),
        ending: Ending::LateMessages,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [candidate, upward, one_attempt, prompt])
    }

    fn race() -> Option<Race<Self>> {
        let standing =
            |node: &Self| node.is_active().then_some(Standing::Level(node.level.get().into()));
        let limit = |nodes, level, _| nodes / (level + 1);
        Some(Race { stage: "level", first: 0, formula: "n/(l+1) at level l", limit, standing })
    }
}

impl Humblet {
    pub(crate) fn is_asleep(&self) -> bool {
        self.state == Sleep
    }

    fn is_active(&self) -> bool {
        self.state == Active || self.state == Done(self.id)
    }
}

fn accepting(now: &Configuration<'_, Humblet>, node: u32) -> Option<u32> {
    let accept = |msg: Msg| msg == Accept;
    let mut all = now.messages().iter().filter(|one| one.to.node == node && accept(one.msg));
    all.next().map(|one| one.from.node)
}

/// The state of a node's last capture: lost, open, or won with its `yes` or `accept` under way.
enum Last {
    Lost,
    Open,
    Won,
}

fn last_capture(now: &Configuration<'_, Humblet>, node: u32) -> Last {
    let Humblet { id: own, level, .. } = *now.process(node);
    let at = level.count();
    if accepting(now, node).is_some() {
        return Last::Won;
    }
    for one in now.messages() {
        match one.msg {
            Capture { level, id } if (level, id) == (at, own) => return Last::Open,
            Yes => {
                let contender = now.process(one.to.node).contender;
                if contender.is_some_and(|port| now.across(one.to.node, port).node == node) {
                    return Last::Won;
                }
            }
            _ => {}
        }
    }
    let queued =
        |queue: &LazyQueue<Attempt>| queue.iter().any(|one| (one.level, one.id) == (at, own));
    if now.nodes().any(|(_, other)| queued(&other.process.queue)) { Last::Open } else { Last::Lost }
}

fn candidate(now: &Configuration<'_, Humblet>) -> Option<String> {
    if now.nodes().any(|(_, node)| matches!(node.process.state, Done(_))) {
        return None;
    }
    let started = now.nodes().filter(|(_, node)| node.woke).map(|(number, node)| {
        let last = last_capture(now, number);
        let potential = node.process.level.get() + u32::from(matches!(last, Last::Won));
        let lives = node.process.state == Active && !matches!(last, Last::Lost);
        ((potential, node.id), number, lives)
    });
    match started.max_by_key(|&(pair, ..)| pair) {
        Some((pair, node, false)) => {
            Some(format!("{node} has the largest pair, {pair:?}, and lost"))
        }
        _ => None,
    }
}

fn upward(now: &Configuration<'_, Humblet>) -> Option<String> {
    now.nodes().find_map(|(node, Node { process, woke, .. })| {
        let owner = process.owner.map(|port| now.across(node, port))?;
        // The owner's port tells the level at which it captured the node; since then, one accept
        // may have come to the node.
        let with = (owner.port.0, now.process(owner.node).id);
        let own = (process.level.get().saturating_sub(1), process.id);
        (*woke && with < own)
            .then(|| format!("{} captured {node} with {with:?}, below {own:?}", owner.node))
    })
}

fn one_attempt(now: &Configuration<'_, Humblet>) -> Option<String> {
    let mut owners: Vec<(Id, u32)> = now.nodes().map(|(number, node)| (node.id, number)).collect();
    owners.sort_unstable();
    let owner = |id: Id| {
        let at = owners.binary_search_by_key(&id, |&(owner, _)| owner).ok()?;
        Some(owners[at].1)
    };
    let under_way = now.messages().iter().filter_map(|one| match one.msg {
        Capture { level, id } => Some((owner(id)?, level.get())),
        Accept => Some((one.to.node, one.to.port.0)),
        Yes => {
            let by = now.across(one.to.node, now.process(one.to.node).contender?);
            Some((by.node, by.port.0))
        }
        No | Leader(_) => None,
    });
    let queued = now.nodes().flat_map(|(_, node)| node.process.queue.iter());
    let queued = queued.filter_map(|attempt| Some((owner(attempt.id)?, attempt.level.get())));
    let mut open = vec![false; now.size() as usize];
    under_way.chain(queued).find_map(|(node, level)| {
        let own = now.process(node).level.get();
        (level != own || core::mem::replace(&mut open[node as usize], true))
            .then(|| format!("{node}, of level {own}, has an attempt of level {level} more"))
    })
}

fn prompt(now: &Configuration<'_, Humblet>) -> Option<String> {
    let idle = |process: &Humblet| {
        !process.halted() && process.contender.is_none() && process.queue.iter().next().is_some()
    };
    now.each(|one| idle(one.process).then(|| "waits for no verdict, and captures wait".into()))
}
