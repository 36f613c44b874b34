pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "loui-matsushita-west",
    title: "Loui-Matsushita-West: the larger of two sends its identity after the smaller, across the ring.",
    paper: "M. C. Loui, T. A. Matsushita, D. B. West, Information Processing Letters 22(4), 1986",
    citation: r#"
M. C. Loui, T. A. Matsushita, D. B. West, "Election in a complete network with a sense of
direction", *Information Processing Letters* 22(4), 1986, pp. 185-187,
doi:10.1016/0020-0190(86)90025-6.
"#,
    assumes: "
A complete network with a sense of direction: port `p` leads `p + 1` places further around a ring
that goes through all processes. A process knows its identity, and the size of the network from
its number of ports.
",
    idea: "
Every process starts active and sends a token with its identity to the next one; a token bears
the distance from its process, so that its receiver knows where that is. An active process
that gets the token of a larger one becomes passive and remembers where that one is; if the token
is of a smaller one, it sends its own token there. A passive process sends a token on to the one
that made it passive. A process that gets its own token leads.
",
    cost: "
At most `4 n - 4` messages and the announcement's `n-1`, which is attained, for instance by
identities `n, 1, 2, .., n-1` around the ring. Between two active processes that follow each
other there is one token, whose process and whose receiver lie there too, or are one of the two;
passive processes there remember others there, so that each leads, by what it remembers, to one
of the two: the token's process to one, its receiver to the other. So a token is passed on to the
one, beaten or not, then to the other, and then one of the two is passive. What it has passed is
not on the way of the tokens from beyond: each process but the leader passes a token on once at
most, `n-1`. A token is beaten twice at most, that which the largest starts never, and one of the
others only once, the first one that makes a process passive or the last one: `2 n - 3`. Each
starts one, `n`.

Time: at most `4 n - 4 + 1`, because in every unit one of the messages of the election arrives.
",
    deviations: "
A process that a token reaches asleep starts first. Distances are modulo `n`: a passive process
that remembers one further away than the token comes from adds `n`. The leader is announced to
all. The paper was not at hand: the procedure is from memory and from two programs after the
paper; one program does not reduce the distance. The bound and its proof are ours.
",
    invariants: &[
        ("one-each", "there are as many tokens as active processes, until one leads."),
        (
            "distance",
            "a token is on its way to the process that lies as far from its own as it says.",
        ),
        ("upward", "a passive process remembers a larger one."),
    ],
};

use crate::prelude::*;

/// The token of the process with this identity, and the distance from there to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Elect(Id, u32);

impl Message for Elect {
    const KINDS: &'static [Kind] = &[Kind::election("elect").ids(1).counters(1)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    Active,
    /// A larger one lies this far before it.
    Passive(u32),
    Leads,
}
use State::{Active, Leads, Passive, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LouiMatsushitaWest {
    id: Id,
    state: State,
}

impl Process for LouiMatsushitaWest {
    const NETWORK: NetworkClass = NetworkClass::OrientedComplete;
    type Knows = Id;
    type Msg = Elect;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Elect>) {
        if net.degree() == 0 {
            self.state = Leads;
        } else {
            self.state = Active;
            net.send(Port(0), Elect(self.id, 1));
        }
    }

    fn receive(&mut self, _: Port, Elect(id, distance): Elect, net: &mut impl Net<Elect>) {
        let size = net.degree() + 1;
        if (id == self.id) != (distance == 0) || distance >= size {
            return net.reject("the distance is that from the process of the identity");
        }
        if self.state == Sleep {
            self.wake(net);
        }
        match self.state {
            Active if id == self.id => self.state = Leads,
            Active if id > self.id => self.state = Passive(distance),
            Active => {
                let there = size - distance;
                net.send(Port(there - 1), Elect(self.id, there));
            }
            Passive(before) => {
                let from_there =
                    if distance < before { distance + size } else { distance } - before;
                net.send(Port(size - before - 1), Elect(id, from_there));
            }
            Sleep | Leads => net.reject("the token of the leader is the last"),
        }
    }

    fn status(&self) -> Status {
        if self.state == Leads { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leads).then_some(self.id)
    }

    fn halted(&self) -> bool {
        self.state == Leads
    }
}

impl Claimed for LouiMatsushitaWest {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestId,
        election: Bound::at_most("4 n - 4", |s| s.nodes.saturating_sub(1).saturating_mul(4)),
        time: Some(Time::unannounced(Bound::at_most("4 n - 4", |s| {
            s.nodes.saturating_sub(1).saturating_mul(4)
        }))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [one_each, distance, upward])
    }
}

type Now<'a> = Configuration<'a, LouiMatsushitaWest>;

fn one_each(now: &Now<'_>) -> Option<String> {
    let of = |state| now.nodes().filter(|(_, node)| node.process.state == state).count();
    let (active, tokens) = (of(Active), now.messages().len());
    if active != tokens && of(Leads) == 0 {
        return Some(format!("{active} processes are active, and {tokens} tokens under way"));
    }
    None
}

fn before(now: &Now<'_>, node: u32, distance: u32) -> Id {
    let size = now.size();
    now.process((node + size - distance.min(size)) % size).id
}

fn distance(now: &Now<'_>) -> Option<String> {
    let wrong = |to, Elect(id, distance)| before(now, to, distance) != id;
    now.messages().iter().find(|one| wrong(one.to.node, one.msg)).map(|one| format!("{one:?}"))
}

fn upward(now: &Now<'_>) -> Option<String> {
    for (node, at) in now.nodes() {
        if let Passive(distance) = at.process.state
            && before(now, node, distance) < at.id
        {
            return Some(format!("{node} remembers a smaller one"));
        }
    }
    None
}
