pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "korach-moran-zaks",
    title: "Korach-Moran-Zaks: kings ask one node after another to join them, with all of its kingdom.",
    paper: "E. Korach, S. Moran, S. Zaks, 3rd ACM PODC, 1984",
    citation: r#"
E. Korach, S. Moran, S. Zaks, "Tight lower and upper bounds for some distributed algorithms for a
complete network of processors", *3rd ACM Symposium on Principles of Distributed Computing*,
1984, pp. 199-207, doi:10.1145/800222.806747.
"#,
    assumes: "
A complete network with FIFO links; a process knows its identity.
",
    idea: "
Every initiator is a king, and a kingdom is a tree of citizens below it. A king asks its
neighbours one after another; a citizen passes the question up to its own king, and that one
yields if its pair of phase and identity is smaller: the answer comes down the same way and turns
the links of the tree, so that the kingdom hangs from the citizen that was asked. If the two
kings were in one phase, the new king goes on to the next phase; it then tells all of its
kingdom, or only those who have joined, its phase and identity. A citizen that knows the king who
asks says so, and a king who has asked all leads.
",
    cost: "
At most `5 n floor(log2 k) + 5 n - 4 k - 2` messages and the announcement's `n-1`. It takes two
kingdoms of a phase to make one of the next, so that there are `k / 2^p` kings of phase `p` at
most, and `L = floor(log2 k)` is the last. What a node knows rises in phase whenever it is told,
as the king it had is of a lower phase. So it is told once for each phase, passes on one question
in each but `L`, passes or gives one answer in each but `L`, and says once in each that it
belongs to the king: `n L` each, with `n - k` more for nodes that did not start, and `k` less for
questions. Kings get `n-1` answers that join a kingdom, at most `n L + n-k` of the other kind,
and none to the last question of each king but the leader. The paper is cited for `5 n log2 k +
O(n)`.

Time: at most as many units as there are messages of the election, and 1, because in every unit
one of them arrives. The paper is cited for `O(n log n)`.
",
    deviations: "
A process that is reached asleep joins the first king that asks, as a kingdom of a phase below
all others. The answer that turns links bears the phase of the king that yields, not that which
the citizens know. A citizen that learns from its king that this is the one who asks does not
answer a question that a citizen below has passed on, for that one answers itself. The leader is
announced to all by one message each, which overtakes questions under way. The paper was not at
hand: the procedure is from memory and from a program after it, `O(n)` is worked out here.
",
    invariants: &[(
        "kingdoms",
        "from every citizen the way up leads to a king, or to where an answer turns it.",
    )],
};

use crate::prelude::*;
use crate::queue::LazyQueue;

/// A phase, -1 for a process that has not started, and a king.
type Rank = (i8, Id);

/// A message of the algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// The king of this phase and identity asks to be joined.
    Ask(i8, Id),
    /// The king of this phase has yielded, and the sender joins.
    Accept(i8),
    /// The king is now of this phase and identity.
    Update(i8, Id),
    /// The sender belongs to the king who asks.
    YourCitizen,
}
use Msg::{Accept, Ask, Update, YourCitizen};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("ask").ids(1).counters(1),
        Kind::election("accept").counters(1),
        Kind::election("update").ids(1).counters(1),
        Kind::election("your-citizen"),
    ];
    fn kind(&self) -> usize {
        match self {
            Ask(..) => 0,
            Accept(_) => 1,
            Update(..) => 2,
            YourCitizen => 3,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Asleep,
    King,
    Citizen,
    /// A citizen that has passed a question up.
    Asking,
    /// A citizen whose king has yielded, and that waits for the new one's word.
    Joining,
    Leads,
}
use State::{Asking, Asleep, Citizen, Joining, King, Leads};

/// A process of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KorachMoranZaks {
    id: Id,
    state: State,
    /// The phase of its king, as far as it knows, and the king.
    phase: i8,
    king: Id,
    /// The first port through which it has not asked.
    next: u32,
    /// The way to its king.
    overlord: Port,
    /// Those whose overlord it is.
    vassals: LazyQueue<Port>,
    /// The question that it has passed up, and the port from which it came.
    asked_from: Port,
    asked: (i8, Id),
    /// What waits for a verdict or an update.
    queue: LazyQueue<(Port, Msg)>,
}

impl KorachMoranZaks {
    fn rank(&self) -> Rank {
        (self.phase, self.king)
    }

    /// Asks the next one, or leads.
    fn advance(&mut self, net: &mut impl Net<Msg>) {
        if self.next == net.degree() {
            self.state = Leads;
        } else {
            net.send(Port(self.next), Ask(self.phase, self.id));
            self.next += 1;
        }
    }

    /// Joins the king who asks from there, with all below it.
    fn join(&mut self, from: Port, yielded: i8, net: &mut impl Net<Msg>) {
        for _ in 0..self.vassals.iter().count() {
            if let Some(vassal) = self.vassals.pop()
                && vassal != from
            {
                self.vassals.push(vassal);
            }
        }
        self.overlord = from;
        self.state = Joining;
        net.send(from, Accept(yielded));
    }

    /// Tells a citizen that is asked by its king's question, unless one below has passed it on.
    fn belongs(&self, from: Port, net: &mut impl Net<Msg>) {
        if !self.vassals.iter().any(|&vassal| vassal == from) {
            net.send(from, YourCitizen);
        }
    }

    fn update_vassals(&self, net: &mut impl Net<Msg>) {
        for &vassal in self.vassals.iter() {
            net.send(vassal, Update(self.phase, self.king));
        }
    }

    fn must_wait(&self, from: Port, msg: Msg) -> bool {
        match (self.state, msg) {
            (Asking | Joining, Update(..)) => false,
            (Asking, Accept(_)) => from != self.overlord,
            (Asking | Joining, _) => true,
            _ => false,
        }
    }

    fn handle(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (self.state, msg) {
            // Late, or an answer to what it asked as a king.
            (Leads, _) | (Citizen, YourCitizen) => {}
            (_, Ask(phase, _)) if phase < 0 => net.reject("who asks has started"),
            (Asleep, Ask(..)) => self.join(from, self.phase, net),
            (King, Ask(phase, king)) => {
                if (phase, king) > self.rank() {
                    self.join(from, self.phase, net);
                }
            }
            (Citizen, Ask(phase, king)) if (phase, king) > self.rank() => {
                self.state = Asking;
                (self.asked_from, self.asked) = (from, (phase, king));
                net.send(self.overlord, msg);
            }
            (Citizen, Ask(phase, king)) => {
                if (phase, king) == self.rank() {
                    self.belongs(from, net);
                }
            }
            (King, Accept(phase)) if phase <= self.phase => {
                self.vassals.push(from);
                if phase < self.phase {
                    net.send(from, Update(self.phase, self.king));
                } else {
                    self.phase = self.phase.saturating_add(1);
                    self.update_vassals(net);
                }
                self.advance(net);
            }
            (Citizen, Accept(_)) => {
                // The answer to what it asked as a king.
                self.vassals.push(from);
                net.send(from, Update(self.phase, self.king));
            }
            (Asking, Accept(phase)) => {
                let above = self.overlord;
                self.join(self.asked_from, phase, net);
                self.vassals.push(above);
            }
            (Citizen | Asking | Joining, Update(phase, king)) if from == self.overlord => {
                (self.phase, self.king) = (phase, king);
                self.update_vassals(net);
                match self.state {
                    Asking if self.rank() < self.asked => {} // The verdict is to come.
                    Asking => {
                        self.state = Citizen;
                        if self.rank() == self.asked {
                            self.belongs(self.asked_from, net);
                        }
                    }
                    _ => self.state = Citizen,
                }
            }
            (King, YourCitizen) => self.advance(net),
            _ => net.reject("it fits neither what the process is nor what it has asked"),
        }
    }
}

impl Process for KorachMoranZaks {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self {
            id,
            state: Asleep,
            phase: -1,
            king: id,
            next: 0,
            overlord: Port(0),
            vassals: LazyQueue::new(),
            asked_from: Port(0),
            asked: (-1, id),
            queue: LazyQueue::new(),
        }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.state = King;
        self.phase = 0;
        self.advance(net);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        if self.must_wait(from, msg) {
            self.queue.push((from, msg));
            return;
        }
        self.handle(from, msg, net);
        // Nothing waits where nothing must.
        while !matches!(self.state, Asking | Joining) {
            let Some((from, msg)) = self.queue.pop() else { break };
            self.handle(from, msg, net);
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

impl Claimed for KorachMoranZaks {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestLevelAndId,
        problem: Problem::Implicit,
        election: Bound::at_most("5 n floor(log2 k) + 5 n - 4 k - 2", |s| {
            let phases = u64::from(s.initiators.checked_ilog2().unwrap_or(0));
            let all = s.nodes.saturating_mul(5 * (phases + 1));
            all.saturating_sub(s.initiators.saturating_mul(4).saturating_add(2))
        }),
        announcement: Bound::NONE,
        time: Some(Time::unannounced(Bound::at_most("5 n floor(log2 k) + 5 n - 4 k - 2", |s| {
            let phases = u64::from(s.initiators.checked_ilog2().unwrap_or(0));
            let all = s.nodes.saturating_mul(5 * (phases + 1));
            all.saturating_sub(s.initiators.saturating_mul(4).saturating_add(2))
        }))),
        ending: Ending::LateMessages,
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_header(HEADER.invariants, [kingdoms])
    }
}

type Now<'a> = Configuration<'a, KorachMoranZaks>;

fn kingdoms(now: &Now<'_>) -> Option<String> {
    for (node, _) in now.nodes().filter(|(_, at)| at.process.state != Asleep) {
        let mut here = node;
        for step in 0..=now.size() {
            let process = now.process(here);
            let up = End { node: here, port: process.overlord };
            let turns = || now.on_link(up).any(|msg| matches!(msg, Accept(_)));
            match process.state {
                King | Leads => break,
                Joining if turns() => break,
                _ if step == now.size() => return Some(format!("no way up from {node} ends")),
                _ => here = now.across(up.node, up.port).node,
            }
        }
    }
    None
}
