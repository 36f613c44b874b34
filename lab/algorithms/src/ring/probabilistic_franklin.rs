pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "probabilistic-franklin",
    title: "Probabilistic Franklin: a process goes on if neither neighbour on the ring draws more.",
    paper: "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol, Fifth IFIP TCS, 2008",
    citation: r#"
R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol, "Leader election in anonymous rings: Franklin
goes probabilistic", *Fifth IFIP International Conference on Theoretical Computer Science*,
2008, pp. 57-72.
"#,
    assumes: "
A ring, which need not be oriented, nor have FIFO links. Processes are anonymous; they know the
size of the ring, and draw at random.
",
    idea: "
As in Franklin's algorithm, in each round an active process sends its identity both ways to the
nearest active processes, and goes on to another round unless one of them has a larger one; the
others become passive, and relay. Here it draws an identity for every round. Messages count
their hops, so that the last active process recognizes its own, and leads. A neighbour may be
one round ahead, and not two; so the parity of its round tells a process whether to keep its
message for the next round.
",
    cost: "
On average at most `2.2 n ceil(log2 k) + 8.2 n` messages for `k` initiators among `n` processes
that draw from `n` identities, on any schedule on which the draws do not determine which processes
wake before a message reaches them. *Proof.* A round takes `2 n` messages: one over each link either
way. Of `m` active processes, `m > 2`, each survives a round with probability `(n+1)(2n+1)/(6n^2)`,
and at least one does; for `n > 2` that is at most 0.52, so the number of those that survive beside
one falls to 0.52 of itself on average, or less. Of two processes, `1 + 1/n` survive on average. The
rounds with two or more that are active are then at most `1.06 log2 k + 1` and a geometric series,
which adds up to less than 2.1; the last round has one process. Time: on average at most half of
that, as a round takes `n` units. There is no bound on a single election.
",
    deviations: "
The text of the algorithm is from memory and from accounts of the paper; the paper itself was
not at hand. It starts all processes at once; here a process that is reached before it wakes is
passive. It draws from `k` identities for any `k`; here there are as many as processes. It
leaves open how the others learn that there is a leader; here `Announced` tells them, without a
name.
",
    invariants: &[
        (
            "one-each-way",
            "twice as many messages are under way, or kept for a round, as processes are active.",
        ),
        ("survives", "unless one leads or none has woken, some process is active."),
    ],
};

use crate::prelude::*;

/// The identity that a process has drawn for a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Msg {
    /// The identity.
    pub id: u32,
    /// The number of links that it has crossed when it arrives.
    pub hop: u32,
    /// The parity of the round.
    pub odd: bool,
}

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("even").counters(2), Kind::election("odd").counters(2)];
    fn kind(&self) -> usize {
        self.odd.into()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    Active {
        /// The identity that it has drawn for this round.
        id: u32,
        /// The parity of this round.
        odd: bool,
    },
    Passive,
    Leader,
}
use State::{Active, Leader, Passive, Sleep};

/// An identity with its hops.
type Heard = Option<(u32, u32)>;

/// A process of the algorithm. With `K > 0` it draws one of `K` identities, otherwise one of as many
/// as there are processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProbabilisticFranklin<const K: u32 = 0> {
    n: u32,
    state: State,
    /// What has come through each port, by the parity of the round.
    heard: [[Heard; 2]; 2],
}

impl<const K: u32> ProbabilisticFranklin<K> {
    /// Begins a round: draws an identity, and sends it both ways.
    fn begin(&mut self, odd: bool, net: &mut impl Net<Msg>) {
        let identities = if K > 0 { K } else { self.n };
        let id = 1 + net.choose(identities - 1);
        self.state = Active { id, odd };
        net.send_all(Msg { id, hop: 1, odd });
    }

    /// Ends the round, if both neighbours have been heard, and any that it can end after it.
    fn end_round(&mut self, net: &mut impl Net<Msg>) {
        while let Active { id, odd } = self.state
            && let [Some((left, hop)), Some((right, _))] = self.heard[usize::from(odd)]
        {
            self.heard[usize::from(odd)] = [None; 2];
            if hop == self.n {
                self.state = Leader;
            } else if left.max(right) > id {
                self.state = Passive;
                // A neighbour is a round ahead: its message was not for this process.
                let next = core::mem::take(&mut self.heard[usize::from(!odd)]);
                for (port, heard) in (0..).zip(next) {
                    if let Some((id, hop)) = heard {
                        Self::relay(Port(port), Msg { id, hop, odd: !odd }, net);
                    }
                }
            } else {
                self.begin(!odd, net);
            }
        }
    }

    /// Passes on what has come through a port.
    fn relay(from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        net.send_others(from, Msg { hop: msg.hop.saturating_add(1), ..msg });
    }
}

impl<const K: u32> Process for ProbabilisticFranklin<K> {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = Size;
    type Msg = Msg;

    fn new(Size(n): Size, _degree: u32) -> Self {
        Self { n, state: Sleep, heard: [[None; 2]; 2] }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.begin(false, net);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match self.state {
            Active { .. } => {
                let heard = self.heard[usize::from(msg.odd)].get_mut(from.0 as usize);
                let Some(heard @ None) = heard else {
                    return net.reject("a neighbour is at most one round ahead");
                };
                *heard = Some((msg.id, msg.hop));
                self.end_round(net);
            }
            Sleep | Passive if msg.hop < self.n => {
                self.state = Passive;
                Self::relay(from, msg, net);
            }
            Sleep | Passive => net.reject("what comes home finds its sender active"),
            Leader => net.reject("the last active process has both of its messages back"),
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Active { .. } => Status::Undecided,
            Leader => Status::Leader,
            Passive => Status::Follower,
        }
    }

    /// Only the leader halts by itself. A passive process relays messages until the announcement
    /// ends it.
    fn halted(&self) -> bool {
        self.state == Leader
    }
}

const fn rounds(k: u64) -> u64 {
    match k {
        0 | 1 => 0,
        _ => (k - 1).ilog2() as u64 + 1,
    }
}

impl<const K: u32> Claimed for ProbabilisticFranklin<K> {
    const CLAIMS: Claims = Claims {
        rule: Rule::Chance,
        election: Bound::expected("2.2 n ceil(log2 k) + 8.2 n", |s| {
            s.nodes.saturating_mul(22 * rounds(s.initiators) + 82) / 10
        }),
        time: Some(Time::unannounced(Bound::expected("1.1 n ceil(log2 k) + 4.1 n", |s| {
            s.nodes.saturating_mul(11 * rounds(s.initiators) + 41) / 10
        }))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [one_each_way, survives])
    }
}

fn one_each_way<const K: u32>(now: &Configuration<'_, ProbabilisticFranklin<K>>) -> Option<String> {
    let active = now.nodes().filter(|(_, node)| matches!(node.process.state, Active { .. }));
    let kept = now.nodes().flat_map(|(_, node)| node.process.heard.iter().flatten().flatten());
    let (active, messages) = (active.count(), kept.count() + now.messages().len());
    match messages == 2 * active {
        true => None,
        false => Some(format!("{active} processes are active, and there are {messages} messages")),
    }
}

fn survives<const K: u32>(now: &Configuration<'_, ProbabilisticFranklin<K>>) -> Option<String> {
    let woken = now.initiators().next().is_some();
    let lost = |state| matches!(state, Sleep | Passive);
    let all_lost = woken && now.nodes().all(|(_, node)| lost(node.process.state));
    all_lost.then(|| "none is active any more, and none leads".into())
}
