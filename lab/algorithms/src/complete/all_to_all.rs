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
        ("one-each", "a process has sent its identity through every port or through none."),
        (
            "heard",
            "a process that has sent, and waits for `m` more identities, has received all but `m`.",
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

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AllToAll {
    id: Id,
    /// The largest identity so far, its own included.
    largest: Id,
    /// The number of identities still to come.
    missing: u32,
    /// Whether it has sent its own.
    sent: bool,
}

impl Process for AllToAll {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Identity;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, largest: id, missing: degree, sent: false }
    }

    fn wake(&mut self, net: &mut impl Net<Identity>) {
        self.sent = true;
        net.send_all(Identity(self.id));
    }

    fn receive(&mut self, _: Port, Identity(id): Identity, net: &mut impl Net<Identity>) {
        if self.halted() {
            return net.reject("every other process sends its identity once");
        }
        if !self.sent {
            self.wake(net);
        }
        self.largest = self.largest.max(id);
        self.missing -= 1;
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        self.halted().then_some(self.largest)
    }

    fn halted(&self) -> bool {
        self.sent && self.missing == 0
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
        Invariant::of_header(HEADER.invariants, [one_each, heard])
    }
}

fn one_each(now: &Configuration<'_, AllToAll>) -> Option<String> {
    for transit in now.messages() {
        let from = transit.from.node;
        if !now.process(from).sent {
            return Some(format!("process {from} has not sent, and its identity is under way"));
        }
        if now.on_link(transit.from).count() > 1 {
            return Some(format!("process {from} has sent its identity twice through one port"));
        }
    }
    None
}

fn heard(now: &Configuration<'_, AllToAll>) -> Option<String> {
    now.nodes().find_map(|(node, Node { process, degree, .. })| {
        let others = (0..*degree).map(|port| now.across(node, Port(port)));
        let heard = others
            .filter(|&other| now.process(other.node).sent && now.on_link(other).next().is_none());
        let all: Vec<Id> = heard.map(|other| now.process(other.node).id).collect();
        let largest = all.iter().copied().max().map_or(process.id, |id| id.max(process.id));
        let heard = degree.checked_sub(process.missing) == Some(all.len() as u32);
        (!heard || process.largest != largest)
            .then(|| format!("process {node} has received {} identities: {process:?}", all.len()))
    })
}
