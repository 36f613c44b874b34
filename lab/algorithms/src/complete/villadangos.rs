pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "villadangos",
    title: "Villadangos, Córdoba, Fariña and Prieto: candidates leave a ring until the largest is alone.",
    paper: "J. Villadangos, A. Córdoba, F. Fariña, M. Prieto, 13th Euromicro PDP, 2005",
    citation: r#"
J. Villadangos, A. Córdoba, F. Fariña, M. Prieto, "Efficient leader election in complete
networks", *13th Euromicro Conference on Parallel, Distributed and Network-Based Processing*,
2005, pp. 136-143, doi:10.1109/EMPDP.2005.21.
"#,
    assumes: "
A complete network with a sense of direction: the nodes form a virtual ring, in any order, and
port `p` leads to the `p+1`-th node behind. A node knows its identity, its position on the ring
and the size. Links need not be FIFO.
",
    idea: "
An initiator is a candidate and sends its identity to its neighbour on the ring (`message1`);
nodes that are reached asleep become dummies and pass it on, so every candidate learns its
predecessor among the candidates. A candidate that is larger than its predecessor introduces
itself to it as its successor (`message2`) and waits. A candidate that knows both its
predecessor and a successor leaves the ring: it becomes a dummy and hands its predecessor on to
its successor (`message3`), which compares again. One that becomes its own predecessor is alone,
and leads.
",
    cost: "
Exactly `n + 2(k-1)` messages for `k` initiators among `n > 1` nodes, on every schedule: one
`message1` on each link of the ring, and a `message2` and a `message3` for each candidate that
leaves. A single node needs none, having no link to itself. The announcement takes `n - 1`.

Time: at most `n + k - 1` and one for the announcement. No candidate is more than `n - k + 1`
links from the next, so after `n - k + 1` units every `message1` has arrived. From then on, one
of the other `2(k-1)` messages arrives in every unit.
",
    deviations: r#"
The original addresses nodes; here a candidate travels as its identity and its position, and the
difference of two positions is a port. It does not tell the others which node leads: `Announced`
does, and its messages are counted apart.

The original demands that the ring be sorted, and deadlocks even so (a later paper of the same
group, M. Castillo and others, "A modified O(n) leader election algorithm for complete
networks", *15th Euromicro PDP*, 2007, doi:10.1109/PDP.2007.18, says that it may fail). On the
ring 3, 2, 1 let 3 and 1 initiate. `message1` of 1 reaches 3, and `message2` of 3 reaches 1 before
`message1` of 3 does, which 2 passes on. Then 1 stores both and never acts, and 3 waits without
end. Two repairs make it correct on every ring, sorted or not. (a) A candidate that knows its
successor leaves on `message1` whatever the identities are. (b) A node that waits, knows no
successor, and learns that its new predecessor is larger, is a candidate again, so that a later
`message2` makes it leave. The type parameter `REPAIRED` tells the forms apart; the published one
is kept as a warning.

Why that is enough: a node learns of a successor only if that is larger, so the largest candidate
never leaves. While there are two candidates or more, some are smaller than both neighbours on
the ring; such a one is introduced to its successor, does not wait for its predecessor, and
leaves as soon as it knows both. So the others leave one by one until the largest is alone.
"#,
    invariants: &[
        (
            "largest-stays",
            "an initiator that is a dummy is not the largest, which so never is one.
            Dummy(a) & woke(a) -> exists c. woke(c) & a < c",
        ),
        (
            "initiators",
            "only initiators are on the ring.
            Candidate(a) | Waiting(a) | Leader(a) -> woke(a)",
        ),
        ("asleep", "who sleeps is passive, and nobody else.\nPassive(a) -> asleep(a)"),
        (
            "one-position",
            "a candidate travels as its identity and its position.
            Message1(b, p) at x to a | Message2(b, p) at x to a | Message3(b, p) at x to a
            | predecessor(a, b, p) | successor(a, b, p) -> b = p",
        ),
        (
            "told-of",
            "and it is an initiator.
            Message1(b, _) at x to a | Message2(b, _) at x to a | Message3(b, _) at x to a
            | predecessor(a, b) | successor(a, b) -> woke(b)",
        ),
        (
            "between",
            "all nodes between a candidate and its predecessor, known or told of, are dummies.
            (Message1(c, _) at x to a | Message3(c, _) at x to a | predecessor(a, c) & !Dummy(a))
            & b in (c, a) -> Dummy(b)",
        ),
        (
            "all-around",
            "and if that is itself, all others are.
            (Message1(a, _) at x to a | Message3(a, _) at x to a | predecessor(a, a)) & b != a
            -> Dummy(b)",
        ),
        (
            "first",
            "a node is told once of the nearest candidate behind.
            Message1(c, _) at x to a -> !Dummy(a) & !Leader(a) & !predecessor(a) & !Dummy(c)",
        ),
        (
            "first-once",
            "at most one such message is under way to it.
            Message1(c, _) at x to a & Message1(d, _) at y to a -> x = y",
        ),
        (
            "reached",
            "and not before the node behind it has woken or was told.
            next(b, a) & (Dummy(a) | predecessor(a)) -> !asleep(b)",
        ),
        (
            "handed-on",
            "a new predecessor takes the place of a dummy.
            Message3(c, _) at x to a -> Waiting(a) & !Dummy(c) & (predecessor(a, b) -> Dummy(b))",
        ),
        (
            "handed-on-once",
            "no node is told of two.
            Message3(c, _) at x to a & Message3(d, _) at y to a -> x = y",
        ),
        (
            "introduced",
            "a successor, known or told of, is larger than the node that knows it, and waits for it.
            (Message2(a, _) at x to c | successor(c, a) & !Dummy(c))
            -> Waiting(a) & c < a & predecessor(a, c) & !Dummy(c)",
        ),
        (
            "introduced-once",
            "no node is told of two.
            Message2(a, _) at x to c
            -> !successor(c, b) & (Message2(b, _) at y to c -> x = y)",
        ),
        (
            "known",
            "a candidate is known to the next one on the ring, or a message says so.
            Candidate(c) | Waiting(c)
            -> exists a. (exists x. Message1(c, _) at x to a | Message3(c, _) at x to a)
            | predecessor(a, c) & !Dummy(a)",
        ),
        ("alone", "beside a leader all are dummies.\nLeader(a) & b != a -> Dummy(b)"),
        // The published form breaks these three.
        (
            "waits",
            "who waits has a smaller predecessor, and a candidate that knows it a larger one.
            (Waiting(a) -> predecessor(a)) & (Waiting(a) & predecessor(a, c) -> c < a)
            & (Candidate(a) & predecessor(a, c) -> a < c)",
        ),
        (
            "leaves",
            "a candidate does not know both neighbours, since it leaves at once; and its predecessor stays.
            (Candidate(a) & predecessor(a) -> !successor(a))
            & (Candidate(a) & predecessor(a, c) -> !Dummy(c))",
        ),
        (
            "asked",
            "who waits has told its predecessor, or is told of another one.
            Waiting(a) & predecessor(a, c)
            -> (exists x. Message2(a, _) at x to c | Message3(_, _) at x to a)
            | successor(c, a) & !Dummy(c)",
        ),
    ],
};

/// The header of `villadangos@published`.
pub(crate) const PUBLISHED: AlgorithmHeader = AlgorithmHeader {
    name: "villadangos@published",
    invariants: HEADER.invariants.split_at(HEADER.invariants.len() - 3).0,
    ..HEADER
};

pub(crate) const FORM: Form = Form {
    kind: FormKind::Faulty,
    difference: "deadlocks where a candidate hears of its successor before its predecessor",
    shown_by: "suffrage check villadangos@published --nodes 3",
    breaks: Some(Property::ExactlyOneLeader),
    printed: "",
    explained: "",
};

use crate::prelude::*;

/// A candidate and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Candidate {
    /// Its identity.
    pub id: Id,
    /// Its position on the ring.
    pub place: Place,
}

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The nearest candidate behind.
    Message1(Candidate),
    /// A larger candidate, to which the receiver is the predecessor.
    Message2(Candidate),
    /// The new predecessor, in place of the sender.
    Message3(Candidate),
}
use Msg::{Message1, Message2, Message3};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("message1").ids(1).counters(1),
        Kind::election("message2").ids(1).counters(1),
        Kind::election("message3").ids(1).counters(1),
    ];
    fn kind(&self) -> usize {
        match self {
            Message1(_) => 0,
            Message2(_) => 1,
            Message3(_) => 2,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Passive,
    Candidate,
    /// A candidate that has introduced itself to its predecessor.
    Waiting,
    Dummy,
    Leader,
}
use State::{Dummy, Leader, Passive, Waiting};

/// A process of the algorithm: the repaired form, or the published one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Villadangos<const REPAIRED: bool = true> {
    me: Candidate,
    size: Size,
    state: State,
    predecessor: Option<Candidate>,
    successor: Option<Candidate>,
}

impl<const REPAIRED: bool> Villadangos<REPAIRED> {
    fn port(&self, to: Candidate) -> Port {
        self.me.place.port_to(to.place, self.size)
    }

    /// Leaves the ring, knowing both neighbours on it.
    fn leave(&mut self, from: Candidate, to: Candidate, net: &mut impl Net<Msg>) {
        self.state = Dummy;
        net.send(self.port(to), Message3(from));
    }

    /// Introduces this node to its predecessor, which is smaller, and waits.
    fn introduce(&mut self, to: Candidate, net: &mut impl Net<Msg>) {
        self.state = Waiting;
        net.send(self.port(to), Message2(self.me));
    }
}

impl<const REPAIRED: bool> Process for Villadangos<REPAIRED> {
    const NETWORK: NetworkClass = NetworkClass::OrientedComplete;
    type Knows = (Id, (Place, Size));
    type Msg = Msg;

    fn new((id, (place, size)): Self::Knows, _degree: u32) -> Self {
        let me = Candidate { id, place };
        Self { me, size, state: Passive, predecessor: None, successor: None }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        if net.is_alone() {
            self.state = Leader;
        } else {
            self.state = State::Candidate;
            net.send(Port::NEXT, Message1(self.me));
        }
    }

    fn receive(&mut self, _: Port, msg: Msg, net: &mut impl Net<Msg>) {
        let (Message1(of) | Message2(of) | Message3(of)) = msg;
        let own = of.id == self.me.id;
        if !of.place.is_in(self.size) || own != (of.place == self.me.place) {
            return net.reject("a candidate has a place of its own on the ring");
        }
        match (self.state, msg) {
            (_, Message2(_)) if own => net.reject("no node is its own successor"),
            (Passive, Message1(_)) => {
                self.state = Dummy;
                net.send(Port::NEXT, msg);
            }
            (State::Candidate, Message1(new)) if self.predecessor.is_none() => {
                self.predecessor = Some(new);
                match self.successor {
                    _ if new.id == self.me.id => self.state = Leader,
                    Some(successor) if REPAIRED || self.me.id > new.id => {
                        self.leave(new, successor, net); // Repair (a): or smaller.
                    }
                    None if self.me.id > new.id => self.introduce(new, net),
                    _ => {}
                }
            }
            (State::Candidate, Message2(new)) => match self.predecessor {
                Some(predecessor) => self.leave(predecessor, new, net),
                None => self.successor = Some(new),
            },
            (Waiting, Message2(new)) => self.successor = Some(new),
            (Waiting, Message3(new)) => {
                self.predecessor = Some(new);
                match self.successor {
                    _ if new.id == self.me.id => self.state = Leader,
                    Some(successor) => self.leave(new, successor, net),
                    None if self.me.id > new.id => self.introduce(new, net),
                    None if REPAIRED => self.state = State::Candidate, // Repair (b).
                    None => {}
                }
            }
            _ => net.reject("a node is told of one neighbour at a time, while it takes part"),
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Passive | State::Candidate | Waiting => Status::Undecided,
            Dummy => Status::Follower,
            Leader => Status::Leader,
        }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leader).then_some(self.me.id)
    }

    /// Returns whether it leads: a dummy does nothing more, but it does not know the leader, so the
    /// announcement ends it.
    fn halted(&self) -> bool {
        self.state == Leader
    }
}

impl<const REPAIRED: bool> Claimed for Villadangos<REPAIRED> {
    /// The claims, whose bound the published form keeps, although it may send less: it deadlocks.
    const CLAIMS: Claims = {
        let guarantee = if REPAIRED { Guarantee::Exactly } else { Guarantee::AtMost };
        Claims {
            rule: Rule::LargestInitiator,
            // A single node has no link to itself and sends nothing.
            election: Bound::exactly("n + 2(k-1)", |s| match s.nodes {
                1 => 0,
                n => n.saturating_add(s.initiators.saturating_sub(1).saturating_mul(2)),
            })
            .with(guarantee),
            announcement: Bound::NONE.with(guarantee),
            time: Some(Time::unannounced(Bound::at_most("n + k-1", |s| {
                s.nodes.saturating_add(s.initiators.saturating_sub(1))
            }))),
            ..Claims::UNANNOUNCED
        }
    };

    fn invariants() -> Vec<Invariant<Self>> {
        let AlgorithmHeader { invariants, .. } = if REPAIRED { HEADER } else { PUBLISHED };
        Invariant::of_statements(invariants, [])
    }
}
