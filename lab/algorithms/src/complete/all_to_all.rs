pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "all-to-all",
    title: "All to all: every process tells every other its identity.",
    paper: "folklore",
    citation: r#"
Folklore; the yardstick of the papers that do better on a complete network, such as
P. Humblet, "Selecting a leader in a clique in O(N log N) messages", *23rd IEEE Conference on
Decision and Control*, 1984, doi:10.1109/CDC.1984.272191.
"#,
    assumes: "
A complete network; a process knows its identity.
",
    idea: "
Every process sends its identity to every other one. A process that has heard from all of them
knows all identities, and the largest is the leader's. A process that is reached before it wakes
takes part as if it had woken, since the others wait for its identity.
",
    cost: "
Exactly `n(n-1)` messages, for any initiators and on every schedule. Each decides by itself,
so there is nothing to announce. Time: at most two units, one to reach those that sleep,
and one for their identities.
",
    deviations: "
The usual description lets all processes start. Here any of them may; the others start when the
first message reaches them.
",
    invariants: &[
        (
            "heard",
            "a process that has sent, and waits for `m` more identities, has received all but `m`.",
        ),
        (
            "own",
            "what is under way is the sender's identity.
             Identity(v) at x from c to a -> v = c",
        ),
        (
            "sent",
            "who has sent is awake.
             Identity(v) at x from c to a -> !Sleep(c)",
        ),
        (
            "one-each",
            "to each process one message is under way from each.
             Identity(v) at x from c to a & Identity(w) at y from c to a -> x = y",
        ),
        (
            "awaited",
            "a process waits for each identity that is on its way to it.
             Identity(v) at x from c to a -> counted missing(a, c)",
        ),
        (
            "sleepers",
            "all wait for who sleeps.
             Sleep(c) & a != c -> counted missing(a, c)",
        ),
        (
            "idle",
            "and who sleeps waits for all.
             Sleep(a) & c != a -> counted missing(a, c)",
        ),
        (
            "awake",
            "an initiator does not sleep.
             woke(a) -> !Sleep(a)",
        ),
        (
            "known",
            "each process knows an identity.
             exists v. largest(a, v)",
        ),
        (
            "of-those-heard",
            "the largest that it knows is its own, or of a process for which it does not wait any more.
             largest(a, v) & v != a -> !counted missing(a, v)",
        ),
        (
            "largest-own",
            "and is no smaller than its own.
             largest(a, v) -> a <= v",
        ),
        (
            "largest-heard",
            "nor than that of any process for which it does not wait any more.
             largest(a, v) & a != c & !counted missing(a, c) -> c <= v",
        ),
        (
            "all-heard",
            "a process that has decided waits for none.
             Decided(a) -> !counted missing(a, c)",
        ),
        (
            "waits",
            "one that has not, and is awake, waits for some.
             Waiting(a) -> exists c. counted missing(a, c)",
        ),
        (
            "on-its-way",
            "what is missing from a process that is awake is under way.
             counted missing(a, c) & !Sleep(c) -> exists v x. Identity(v) at x from c to a",
        ),
    ],
};

use crate::prelude::*;

/// The identity of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Identity(pub Id);

impl Message for Identity {
    const KINDS: &'static [Kind] = &[Kind::election("identity").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// Has sent its identity, and waits for those of others.
    Waiting,
    Decided,
}
use State::{Decided, Sleep, Waiting};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AllToAll {
    id: Id,
    /// The largest identity so far, its own included.
    largest: Id,
    /// The ports through which an identity is still to come.
    missing: CountedPorts,
    state: State,
}

impl AllToAll {
    fn take_part(&mut self, net: &mut impl Net<Identity>) {
        self.state = Waiting;
        net.send_all(Identity(self.id));
    }

    /// Decides if no identity is missing.
    fn may_decide(&mut self) {
        if self.missing.is_empty() {
            self.state = Decided;
        }
    }
}

impl Process for AllToAll {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Identity;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, largest: id, missing: CountedPorts::all(degree), state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Identity>) {
        self.take_part(net);
        self.may_decide();
    }

    fn receive(&mut self, from: Port, Identity(id): Identity, net: &mut impl Net<Identity>) {
        if self.halted() {
            return net.reject("every other process sends its identity once");
        }
        if self.state == Sleep {
            self.take_part(net);
        }
        self.largest = self.largest.max(id);
        self.missing.remove(from);
        self.may_decide();
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        self.halted().then_some(self.largest)
    }

    fn halted(&self) -> bool {
        self.state == Decided
    }
}

impl Claimed for AllToAll {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestId,
        problem: Problem::Explicit,
        election: Bound::exactly("n(n-1)", |s| s.nodes.saturating_mul(s.nodes.saturating_sub(1))),
        announcement: Bound::NONE,
        time: Some(Time::unannounced(Bound::at_most("2", |_| 2))),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [heard])
    }
}

fn heard(now: &Configuration<'_, AllToAll>) -> Option<String> {
    now.nodes().find_map(|(node, Node { process, degree, .. })| {
        let others = (0..*degree).map(|port| now.across(node, Port(port)));
        let heard = others
            .filter(|&of| now.process(of.node).state != Sleep && now.on_link(of).next().is_none());
        let all: Vec<Id> = heard.map(|other| now.process(other.node).id).collect();
        let largest = all.iter().copied().max().map_or(process.id, |id| id.max(process.id));
        let heard = degree.checked_sub(process.missing.len()) == Some(all.len() as u32);
        (!heard || process.largest != largest)
            .then(|| format!("process {node} has received {} identities: {process:?}", all.len()))
    })
}
