pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "gallager-humblet-spira",
    title: "Gallager-Humblet-Spira: fragments of a minimum spanning tree grow until one is left.",
    paper: "R. G. Gallager, P. A. Humblet, P. M. Spira, ACM TOPLAS 5(1), 1983",
    citation: r#"
R. G. Gallager, P. A. Humblet, P. M. Spira, "A distributed algorithm for minimum-weight spanning
trees", *ACM Transactions on Programming Languages and Systems* 5(1), 1983, pp. 66-77,
doi:10.1145/357195.357200.
"#,
    assumes: "
Any connected graph with FIFO links. A process knows its identity. The paper's links have
distinct weights, known at both ends; here the weight of a link is the pair of the identities at
its ends, which the processes learn first.
",
    idea: "
A fragment is a subtree of the minimum spanning tree, at first a process, of level 0. Its
processes test their links in ascending order and report the lightest that leaves it towards the
core, the link across which it was formed, and it connects through that. Two fragments of one
level that choose the same link merge into one of the next level, whose core is that link; a
higher one absorbs what connects to it. When no link leaves a fragment it is the whole tree, and
of the two ends of its core the larger one leads.
",
    cost: "
At most `5 n floor(log2 n) - 2 n + 4 |E| + n-2` messages. The identities take `2 |E|`. Level `l`
takes `2^l` processes, so none is above `L = floor(log2 n)`. From level 0 a process connects
once; at each further one it gets an initiate and sends a report; at each of these but `L` it
also sends a test that is accepted, gets the accept, and sends a change-root or connect:
`n (1 + 5 (L-1) + 2)`. A link is rejected once at most, by two messages: `2 |E|`. The end is
announced through the whole tree except its core. The paper has `5 n log2 n + 2 |E|`, without first
and last.

Time: at most `5 (n-1) floor(log2 n) + 2 + n-1`. All are at level 1 after `2 n` units. When all
are at level `l`, tests are answered at once and take `2 (n-1)`, and reports, change-roots with
the connect, and initiates `n-1` each; the last level ends with the reports.
",
    deviations: "
Processes first exchange identities, which wakes all of them, and wait for those of all
neighbours. The name of a fragment is the larger identity at its core: with the level it is as
unique as the weight of the core. What the paper puts at the end of the queue is deferred until
the level, the state, or the link through which the process has connected changes. Of parallel
links, which weigh the same, the one with the lowest port at the smaller process counts; others,
and loops, are rejected from the start. The paper was not at hand: all is from memory.
",
    invariants: &[
        ("minimal", "every branch is a link of the minimum spanning tree."),
        (
            "fragment",
            "branches join processes of one level and name, and `2^l` or more of level `l`.",
        ),
        ("last", "when a process has ended, no link is looked for any more."),
    ],
};

use crate::prelude::*;
use crate::queue::LazyQueue;
use alloc::boxed::Box;

/// The weight of a link: the identities of its ends, the smaller one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Weight(Id, Id);

impl Weight {
    /// More than the weight of any link, whose ends differ.
    const INFINITY: Self = Self(Id::new(u64::MAX), Id::new(u64::MAX));

    fn of(one: Id, other: Id) -> Self {
        Self(one.min(other), one.max(other))
    }
}

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The sender has this identity, and this port leads here.
    Identity(Id, Port),
    /// A fragment of this level wants to be joined through this link.
    Connect(u8),
    /// The fragment has this level and this name; whether it is to find its lightest outgoing link.
    Initiate(u8, Id, bool),
    /// Is the receiver outside the fragment with this level and this name?
    Test(u8, Id),
    /// It is.
    Accept,
    /// It is not.
    Reject,
    /// The lightest outgoing link in this part of the fragment has this weight.
    Report(Weight),
    /// The fragment connects through the lightest outgoing link, which is in this direction.
    ChangeRoot,
    /// There is one fragment.
    Halt,
}
use Msg::{Accept, ChangeRoot, Connect, Halt, Identity, Initiate, Reject, Report, Test};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("identity").ids(1).counters(1),
        Kind::election("connect").counters(1),
        Kind::election("initiate").ids(1).counters(1),
        Kind::election("test").ids(1).counters(1),
        Kind::election("accept"),
        Kind::election("reject"),
        Kind::election("report").ids(2),
        Kind::election("change-root"),
        Kind::announcement("halt"),
    ];
    fn kind(&self) -> usize {
        match self {
            Identity(..) => 0,
            Connect(_) => 1,
            Initiate(..) => 2,
            Test(..) => 3,
            Accept => 4,
            Reject => 5,
            Report(_) => 6,
            ChangeRoot => 7,
            Halt => 8,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleeping,
    /// Learns the identities of its neighbours.
    Naming,
    /// Looks for the lightest outgoing link.
    Find,
    Found,
    /// There is one fragment.
    Done,
}
use State::{Done, Find, Found, Naming, Sleeping};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Edge {
    Basic,
    Branch,
    Rejected,
}
use Edge::{Basic, Branch, Rejected};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Link {
    /// The identity of the neighbour.
    neighbour: Id,
    /// The link's port at the end with the smaller identity. Once all links are known, entry `i` holds
    /// the port of the `i`-th lightest link instead.
    order: u32,
    edge: Edge,
}

/// The paper's nil.
const NIL: Port = Port(u32::MAX);

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GallagerHumbletSpira {
    id: Id,
    state: State,
    level: u8,
    /// The name of the fragment.
    name: Id,
    links: Box<[Link]>,
    /// The number of the lightest links that are not basic.
    known: u32,
    best_edge: Port,
    best_weight: Weight,
    test_edge: Port,
    in_branch: Port,
    /// The identities, or later the reports, that have not come.
    missing: u32,
    queue: LazyQueue<(Port, Msg)>,
}

impl GallagerHumbletSpira {
    /// Begins the paper's algorithm, when all links have weights.
    fn wake_up(&mut self, net: &mut impl Net<Msg>) {
        let mut order: Vec<u32> = (0..net.degree()).collect();
        let key = |port: u32| (self.weight(Port(port)), self.links[port as usize].order, port);
        order.sort_unstable_by_key(|&port| key(port));
        let mut before = self.id;
        for &port in &order {
            let Link { neighbour, edge, .. } = &mut self.links[port as usize];
            if *neighbour == before || *neighbour == self.id {
                *edge = Rejected;
            }
            before = *neighbour;
        }
        for (link, port) in self.links.iter_mut().zip(order) {
            link.order = port;
        }
        match self.lightest() {
            None => self.state = Done, // Alone, under its own name.
            Some(port) => {
                self.state = Found;
                self.link(port).edge = Branch;
                net.send(port, Connect(0));
            }
        }
    }

    fn link(&mut self, port: Port) -> &mut Link {
        &mut self.links[port.0 as usize]
    }
    fn edge(&self, port: Port) -> Edge {
        self.links[port.0 as usize].edge
    }
    fn weight(&self, port: Port) -> Weight {
        Weight::of(self.id, self.links[port.0 as usize].neighbour)
    }

    fn lightest(&mut self) -> Option<Port> {
        loop {
            let port = Port(self.links.get(self.known as usize)?.order);
            if self.edge(port) == Basic {
                return Some(port);
            }
            self.known += 1;
        }
    }

    fn test(&mut self, net: &mut impl Net<Msg>) {
        match self.lightest() {
            Some(port) => {
                self.test_edge = port;
                net.send(port, Test(self.level, self.name));
            }
            None => {
                self.test_edge = NIL;
                self.report(net);
            }
        }
    }

    fn report(&mut self, net: &mut impl Net<Msg>) {
        if self.missing == 0 && self.test_edge == NIL {
            self.state = Found;
            net.send(self.in_branch, Report(self.best_weight));
        }
    }

    fn change_root(&mut self, net: &mut impl Net<Msg>) {
        match self.best_edge {
            NIL => net.reject("a fragment connects through an outgoing link"),
            best if self.edge(best) == Branch => net.send(best, ChangeRoot),
            best => {
                net.send(best, Connect(self.level));
                self.link(best).edge = Branch;
            }
        }
    }

    /// Ends, and tells the tree beyond.
    fn halt(&mut self, net: &mut impl Net<Msg>) {
        self.state = Done;
        for port in (0..net.degree()).map(Port) {
            if port != self.in_branch && self.edge(port) == Branch {
                net.send(port, Halt);
            }
        }
    }

    /// Keeps the lighter one of the lightest outgoing link so far and another.
    fn compare(&mut self, j: Port, weight: Weight) {
        if weight < self.best_weight {
            (self.best_edge, self.best_weight) = (j, weight);
        }
    }

    /// Reacts to a message. Returns whether it has, or must wait.
    fn react(&mut self, j: Port, msg: Msg, net: &mut impl Net<Msg>) -> bool {
        match msg {
            Identity(id, port) if self.state == Naming => {
                let order = if id < self.id { port.0 } else { j.0 };
                *self.link(j) = Link { neighbour: id, order, edge: Basic };
                self.missing -= 1;
                if self.missing == 0 {
                    self.wake_up(net);
                }
            }
            Connect(_) | Test(..) if self.state == Naming => return false,
            _ if !matches!(self.state, Find | Found) => net.reject("its identity comes first"),
            Connect(level) if level < self.level && self.edge(j) != Rejected => {
                self.link(j).edge = Branch;
                let find = self.state == Find;
                net.send(j, Initiate(self.level, self.name, find));
                self.missing += u32::from(find);
            }
            Connect(level) if level == self.level && self.edge(j) == Basic => return false,
            Connect(level) if level == self.level && self.edge(j) == Branch => {
                net.send(j, Initiate(self.level.saturating_add(1), self.weight(j).1, true));
            }
            Initiate(level, name, find) if self.edge(j) == Branch && level > self.level => {
                (self.level, self.name) = (level, name);
                self.state = if find { Find } else { Found };
                self.in_branch = j;
                (self.best_edge, self.best_weight) = (NIL, Weight::INFINITY);
                for port in (0..net.degree()).map(Port) {
                    if port != j && self.edge(port) == Branch {
                        net.send(port, msg);
                        self.missing += u32::from(find);
                    }
                }
                if find {
                    self.test(net);
                }
            }
            Test(level, _) if level > self.level => return false,
            Test(_, name) if name != self.name => net.send(j, Accept),
            Test(..) | Reject if msg != Reject || self.test_edge == j => {
                if self.edge(j) == Basic {
                    self.link(j).edge = Rejected;
                }
                if self.test_edge == j {
                    self.test(net);
                } else {
                    net.send(j, Reject);
                }
            }
            Accept if self.test_edge == j => {
                self.test_edge = NIL;
                self.compare(j, self.weight(j));
                self.report(net);
            }
            Report(weight) if j != self.in_branch && self.state == Find && self.missing > 0 => {
                self.missing -= 1;
                self.compare(j, weight);
                self.report(net);
            }
            Report(_) if j == self.in_branch && self.state == Find => return false,
            Report(weight) if j == self.in_branch => {
                if weight > self.best_weight {
                    self.change_root(net);
                } else if weight == Weight::INFINITY && self.best_weight == weight {
                    self.halt(net);
                }
            }
            ChangeRoot if j == self.in_branch && self.state == Found => self.change_root(net),
            Halt if j == self.in_branch => self.halt(net),
            _ => net.reject("it fits neither the state of the process nor that of the link"),
        }
        true
    }

    fn waited_for(&self) -> (u8, State, bool) {
        let connected = self.best_edge != NIL && self.edge(self.best_edge) == Branch;
        (self.level, self.state, connected)
    }
}

impl Process for GallagerHumbletSpira {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self {
            id,
            state: Sleeping,
            level: 0,
            name: id,
            links: Box::default(),
            known: 0,
            best_edge: NIL,
            best_weight: Weight::INFINITY,
            test_edge: NIL,
            in_branch: NIL,
            missing: 0,
            queue: LazyQueue::new(),
        }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        let unknown = Link { neighbour: self.id, order: 0, edge: Basic };
        self.links = vec![unknown; net.degree() as usize].into_boxed_slice();
        self.missing = net.degree();
        self.state = Naming;
        for port in (0..net.degree()).map(Port) {
            net.send(port, Identity(self.id, port));
        }
        if self.missing == 0 {
            self.wake_up(net);
        }
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        if self.state == Sleeping && matches!(msg, Identity(..)) {
            self.wake(net);
        }
        let mut before = self.waited_for();
        if !self.react(from, msg, net) {
            self.queue.push((from, msg));
        }
        while self.waited_for() != before {
            before = self.waited_for();
            for _ in 0..self.queue.iter().count() {
                let Some((from, msg)) = self.queue.pop() else { break };
                if !self.react(from, msg, net) {
                    self.queue.push((from, msg));
                }
            }
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Done).then_some(self.name)
    }

    fn halted(&self) -> bool {
        self.state == Done
    }
}

impl Claimed for GallagerHumbletSpira {
    const PER_PORT: usize = size_of::<Link>();
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestLevelAndId,
        problem: Problem::Explicit,
        election: Bound::at_most("5 n floor(log2 n) - 2 n + 4 |E|", |s| {
            let levels = u64::from(s.nodes.checked_ilog2().unwrap_or(0));
            let all = s.nodes.saturating_mul(5 * levels).saturating_add(s.links.saturating_mul(4));
            all.saturating_sub(s.nodes.saturating_mul(2))
        }),
        announcement: Bound::exactly("n-2", |s| s.nodes.saturating_sub(2)),
        time: Some(Time {
            election: Bound::at_most("5 (n-1) floor(log2 n) + 2", |s| {
                let levels = u64::from(s.nodes.checked_ilog2().unwrap_or(0));
                s.nodes.saturating_sub(1).saturating_mul(5 * levels).saturating_add(2)
            }),
            announcement: Bound::at_most("n - 1", |s| s.nodes.saturating_sub(1)),
        }),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [minimal, fragment, last])
    }
}

type Now<'a> = Configuration<'a, GallagerHumbletSpira>;
fn edge(now: &Now<'_>, end: End) -> Edge {
    now.process(end.node).links.get(end.port.0 as usize).map_or(Basic, |link| link.edge)
}

fn joined(now: &Now<'_>) -> Vec<u32> {
    now.parts(|end, other| edge(now, end) == Branch && edge(now, other) == Branch)
}

fn minimal(now: &Now<'_>) -> Option<String> {
    let at = |end: End| (now.process(end.node).id, end.port);
    let weight = |end: End, other: End| {
        let (low, high) = (at(end).min(at(other)), at(end).max(at(other)));
        (Weight(low.0, high.0), low.1)
    };
    now.ends().filter(|&end| edge(now, end) == Branch).find_map(|end| {
        let other = now.across(end.node, end.port);
        let lighter = now.parts(|a, b| weight(a, b) < weight(end, other));
        (lighter[end.node as usize] == lighter[other.node as usize])
            .then(|| format!("lighter links join {} and {}", end.node, other.node))
    })
}

fn fragment(now: &Now<'_>) -> Option<String> {
    let parts = joined(now);
    let all = || now.nodes().zip(&parts).filter(|((_, at), _)| at.process.in_branch != NIL);
    for ((node, Node { process, .. }), part) in all() {
        let size = parts.iter().filter(|&other| other == part).count();
        if size < 1 << process.level.min(31) {
            return Some(format!("{node} is at level {} among {size}", process.level));
        }
        let name = |of: &GallagerHumbletSpira| (of.level, of.name);
        let apart = all().find(|((_, at), of)| name(at.process) == name(process) && *of != part);
        if let Some(((other, _), _)) = apart {
            return Some(format!("{node} and {other} are of one fragment, and not joined"));
        }
    }
    None
}

fn last(now: &Now<'_>) -> Option<String> {
    let late = |msg: Msg| matches!(msg, Halt | Report(Weight::INFINITY));
    let ended = || now.nodes().any(|(_, node)| node.process.state == Done);
    match now.messages().iter().find(|one| !late(one.msg)) {
        Some(other) if ended() => Some(format!("it has ended, and {other:?}")),
        _ => None,
    }
}
