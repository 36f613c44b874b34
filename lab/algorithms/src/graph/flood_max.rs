pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "flood-max",
    title: "Flood max: the largest identity is flooded, for as many rounds as that may take.",
    paper: "N. Lynch, Distributed Algorithms, 1996, section 4.1",
    citation: "
N. Lynch, *Distributed Algorithms*, Morgan Kaufmann, 1996, section 4.1 (`OptFloodMax`).
",
    assumes: "
Any connected network, in rounds. A process knows its identity and the diameter `D`.
",
    idea: "
Every process keeps the largest identity that it has heard of, at first its own. In the round in
which it wakes, and in each round in which it has heard of a larger one, it tells all its
neighbours. A process that is reached asleep joins in: after `D` rounds all are awake, and after
`D` more the largest identity has reached them all. So a process counts `2 D + 1` rounds from
when it joins, and then it leads if it has heard of no identity larger than its own.
",
    cost: "
At most `2 |E| min(n, 2 D + 1)` messages: what a process tells grows each time, so it tells at
most `n` identities; and it tells one in a round, the last of them in round `2 D` after the first
wake-up. With all initiators it is `D + 1` rounds, since the largest identity needs `D`. Time: at
most `3 D + 1`, since a process joins at most `D` rounds after the first wake-up.
",
    deviations: "
In the book all processes start in the same round, and `D` rounds are enough; the time is `D`
then. Here any of them wake at any time, which takes `D` rounds more, and one more so that no
message reaches a process that has halted. The book's `FloodMax` tells in every round, its
`OptFloodMax` as here. What was checked is the algorithm; the bound on messages is derived here.
",
    invariants: &[
        (
            "real",
            "what a process has heard of is an identity of the network, and not smaller than its own.
             exists v. max(a, v) & a <= v",
        ),
        ("told", "what a process has told has reached each neighbour, or is under way to it."),
    ],
};

use crate::prelude::*;

/// The largest identity that a process has heard of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Max(pub Id);

impl Message for Max {
    const KINDS: &'static [Kind] = &[Kind::election("max").ids(1)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// It takes part, for this number of rounds more.
    Counting(u32),
    Decided,
}
use State::{Counting, Decided, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FloodMax {
    id: Id,
    diameter: u32,
    state: State,
    max: Id,
    /// What it has told its neighbours.
    told: Option<Id>,
}

impl FloodMax {
    fn join(&mut self, net: &mut impl Net<Max>) {
        self.state = Counting(self.diameter.saturating_mul(2).saturating_add(1));
        net.set_alarm(0);
    }
}

impl Process for FloodMax {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    const TIMING: Timing = Timing::Rounds;
    type Knows = (Id, Diameter);
    type Msg = Max;

    fn new((id, Diameter(diameter)): (Id, Diameter), _degree: u32) -> Self {
        Self { id, diameter, state: Sleep, max: id, told: None }
    }

    fn wake(&mut self, net: &mut impl Net<Max>) {
        self.join(net);
    }

    fn receive(&mut self, _: Port, Max(id): Max, net: &mut impl Net<Max>) {
        if self.state == Sleep {
            self.join(net);
        }
        self.max = self.max.max(id);
    }

    /// Ends a round.
    fn alarm(&mut self, net: &mut impl Net<Max>) {
        let Counting(rounds) = self.state else { return };
        if self.told < Some(self.max) {
            self.told = Some(self.max);
            net.send_all(Max(self.max));
        }
        match rounds {
            0 => self.state = Decided,
            _ => {
                self.state = Counting(rounds - 1);
                net.set_alarm(1);
            }
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        self.halted().then_some(self.max)
    }

    fn halted(&self) -> bool {
        self.state == Decided
    }
}

impl Claimed for FloodMax {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestId,
        problem: Problem::Explicit,
        election: Bound::at_most("2 |E| min(n, 2 D + 1)", |s| {
            let told = s.nodes.min(s.diameter.saturating_mul(2).saturating_add(1));
            s.links.saturating_mul(2).saturating_mul(told)
        }),
        announcement: Bound::NONE,
        time: Some(Time::unannounced(Bound::at_most("3 D + 1", |s| {
            s.diameter.saturating_mul(3).saturating_add(1)
        }))),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [told])
    }
}

fn told(now: &Configuration<'_, FloodMax>) -> Option<String> {
    for (number, node) in now.nodes() {
        let Some(told) = node.process.told else { continue };
        for port in (0..node.degree).map(Port) {
            let neighbour = now.across(number, port).node;
            let mut under_way = now.on_link(End { node: number, port });
            if now.process(neighbour).max < told && !under_way.any(|Max(id)| id == told) {
                return Some(format!(
                    "process {number} has told {told}, and {neighbour} misses it"
                ));
            }
        }
    }
    None
}
