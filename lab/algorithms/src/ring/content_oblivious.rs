pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "content-oblivious",
    title: "Content-oblivious election: pulses without content, counted first one way round, then the other.",
    paper: "F. Frei, R. Gelles, A. Ghazy, A. Nolin, DISC, 2024",
    citation: r#"
F. Frei, R. Gelles, A. Ghazy, A. Nolin, "Content-oblivious leader election on rings", *38th
International Symposium on Distributed Computing (DISC)*, `LIPIcs` 319, 2024: the algorithm for
oriented rings, which terminates.
"#,
    assumes: "
An oriented ring that carries pulses both ways; what they contain may be corrupted, so they
contain nothing, and their order is of no importance. A process knows its identity. With room
for `n` pulses on each link none waits; with less, two neighbours may wait for each other.
",
    idea: "
Every process sends one pulse clockwise, and passes on every pulse that comes clockwise, except
for one: the pulse whose number is its own. So in the end all processes have received the same
number of pulses: the largest process's own number. As soon as it has received as many as its
number, a process does the same counterclockwise, and so these counts lag behind. A process that
has received its own number both ways is the largest, and leads; it sends one more pulse
counterclockwise, by which all others receive more that way than the other, and learn that it is
over.
",
    cost: "
Exactly `n (2 max + 3)` pulses, where `max` is the largest identity: its number is `max + 1`,
every process receives that many each way, and one more. The paper counts identities from 1,
which makes `n (2 max + 1)`; it proves `Omega(n log(max / n))` for any algorithm. Who initiates
makes no difference, since all take part.

Time: at most `n (2 max + 3)`, since no chain of pulses is longer than all of them.
",
    deviations: "
An identity counts as one more here, since 0 is one, too. A process that is woken by a pulse
starts then. The processes of the paper do not receive a pulse before they want one; here it is
counted as waiting. The number of messages and the idea were checked against abstracts and the
later papers that quote them (J. Chalopin and others, DISC 2025); the program is from memory.
",
    invariants: &[(
        "conserved",
        "the clockwise pulses on a link are those that one end has sent and the other has not \
             received.",
    )],
};

use crate::prelude::*;

/// A message without content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pulse;

impl Message for Pulse {
    const KINDS: &'static [Kind] = &[Kind::election("pulse")];
    fn kind(&self) -> usize {
        0
    }
}

/// What a process has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    /// Has sent its pulse clockwise.
    Clockwise,
    /// Has sent its pulse counterclockwise, too.
    Both,
    /// Leads, and waits for its last pulse.
    Leader,
    Done,
}
use State::{Both, Clockwise, Done, Leader, Sleep};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentOblivious {
    /// Its number: one more than its identity.
    number: u64,
    state: State,
    /// The pulses received clockwise.
    clockwise: u64,
    /// The pulses taken counterclockwise.
    counter: u64,
    /// The pulses that have come counterclockwise too early to be taken.
    waiting: u64,
}

impl ContentOblivious {
    fn take(&mut self, net: &mut impl Net<Pulse>) {
        if self.clockwise < self.number {
            return;
        }
        if self.state == Clockwise {
            self.state = Both;
            net.send(Port::PREVIOUS, Pulse);
        }
        while self.waiting > 0 && self.state != Done {
            self.waiting -= 1;
            self.counter += 1;
            if self.counter > self.clockwise {
                if self.state == Both {
                    net.send(Port::PREVIOUS, Pulse); // The last one goes all the way round.
                }
                self.state = Done;
            } else if self.counter != self.number {
                net.send(Port::PREVIOUS, Pulse);
            } else if self.clockwise == self.number {
                self.state = Leader;
                net.send(Port::PREVIOUS, Pulse);
            }
        }
    }
}

impl Process for ContentOblivious {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Pulse;

    fn new(id: Id, _degree: u32) -> Self {
        let number = id.get().saturating_add(1);
        Self { number, state: Sleep, clockwise: 0, counter: 0, waiting: 0 }
    }

    fn wake(&mut self, net: &mut impl Net<Pulse>) {
        self.state = Clockwise;
        net.send(Port::NEXT, Pulse);
    }

    fn receive(&mut self, from: Port, _: Pulse, net: &mut impl Net<Pulse>) {
        match (self.state, from) {
            (Leader | Done, Port::PREVIOUS) => {
                return net.reject("all have received the largest number of pulses by then");
            }
            (Sleep, Port::PREVIOUS) => self.wake(net),
            (Sleep, _) => return net.reject("none is sent back before one has come this way"),
            _ => {}
        }
        if from == Port::PREVIOUS {
            self.clockwise += 1;
            if self.clockwise != self.number {
                net.send(Port::NEXT, Pulse);
            }
        } else {
            self.waiting += 1;
        }
        self.take(net);
    }

    fn status(&self) -> Status {
        match (self.state, self.clockwise == self.number) {
            (Leader, _) | (Done, true) => Status::Leader,
            (Done, false) => Status::Follower,
            (Sleep | Clockwise | Both, _) => Status::Undecided,
        }
    }

    fn leader(&self) -> Option<Id> {
        matches!(self.state, Leader | Done).then(|| Id::new(self.clockwise.saturating_sub(1)))
    }

    fn halted(&self) -> bool {
        self.state == Done
    }
}

impl Claimed for ContentOblivious {
    const ROOM: Bound = Bound::at_most("n", |s| s.nodes);

    const CLAIMS: Claims = Claims {
        rule: Rule::LargestId,
        problem: Problem::Explicit,
        election: Bound::exactly("n (2 max + 3)", |s| {
            s.largest.saturating_mul(2).saturating_add(3).saturating_mul(s.nodes)
        }),
        announcement: Bound::NONE,
        time: Some(Time::unannounced(Bound::at_most("n (2 max + 3)", |s| {
            s.largest.saturating_mul(2).saturating_add(3).saturating_mul(s.nodes)
        }))),
        ending: Ending::Silent,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [conserved])
    }
}

fn conserved(now: &Configuration<'_, ContentOblivious>) -> Option<String> {
    now.nodes().find_map(|(number, node)| {
        let of = node.process;
        let own = u64::from(of.state != Sleep);
        let sent = own + of.clockwise - u64::from(of.clockwise >= of.number);
        let end = End { node: number, port: Port::NEXT };
        let on_link = now.on_link(end).count() as u64;
        let received = now.process(now.across(number, Port::NEXT).node).clockwise;
        (sent != received + on_link)
            .then(|| format!("{number} has sent {sent}, {on_link} arrive, {received} have"))
    })
}
