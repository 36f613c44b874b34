pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "itai-rodeh",
    title: "Itai and Rodeh: processes draw identities, phase by phase, until only one has drawn the largest.",
    paper: "A. Itai, M. Rodeh, Information and Computation 88(1), 1990",
    citation: r#"
A. Itai, M. Rodeh, "Symmetry breaking in distributed networks", *Information and Computation*
88(1), 1990, pp. 60-87; first at the 22nd IEEE Symposium on Foundations of Computer Science, 1981.
"#,
    assumes: "
An oriented ring with FIFO links. Processes are anonymous; they know the size of the ring, and
draw at random.
",
    idea: "
As in the algorithm of Chang and Roberts the largest identity travels all the way round, but
identities are drawn, and several processes may have the largest one. A message counts its hops,
so that its sender recognizes it, and carries a bit, which becomes false where it passes a
process with the same identity. A process whose message comes home with the bit true leads; if
it is false, the process draws again, in the next phase. Messages carry the number of their
phase, and a later phase beats an earlier one, whatever the identities.
",
    cost: "
On average at most `n H_k + 7 n` messages for `k` initiators among `n` processes that draw from
`n` identities, on any schedule on which the draws do not determine which processes wake before a
message reaches them. Time: on average at most `4 n`, and `n` for the announcement. *Proof.* On FIFO
links all messages of a phase reach a process before its own does, so no process ever compares
messages of different phases: it is the algorithm A of Fokkink and Pang, message for message, and
the bounds are those that are proved in its file. There is no bound on a single election.
",
    deviations: "
The paper itself was not at hand; the text of the algorithm is from the account that Fokkink and
Pang give of it (*Journal of Universal Computer Science* 12(8), 2006), from memory. It numbers
phases without end, and has infinitely many states; here they are numbered modulo 4. That
changes nothing on FIFO links: if the phases of all active processes and messages are one and
the next, as *two-phases* says, then one step leaves them within three, and of three numbers
modulo 4 it is known which comes first. So a first configuration in which they are not one and
the next would be one in which *two-phases* is false, and exploration finds none. Without FIFO
links an old message may be late by any number of phases: `ItaiRodeh<0, 0>`, which numbers them
without end, needs no FIFO links. It starts all processes at once; here a process that is
reached before it wakes is passive. It leaves open how the others learn that there is a leader;
here `Announced` tells them, without a name.
",
    invariants: &[
        (
            "two-phases",
            "the phases of active processes and of messages are all the same, or one and the next.",
        ),
        (
            "own-message",
            "a message that an active process has sent carries the phase and the identity that it \
             has now, and there is at most one.",
        ),
        (
            "swept",
            "if there is a leader, no message is left, and no other process is active.
             Leader(a) -> !Msg(_, _, _, _) at x & (b != a -> !Active(b))",
        ),
    ],
};

use crate::harmonic::times_harmonic;
use crate::prelude::*;
use core::cmp::Ordering;

/// The identity that a process has drawn in a phase, on its way round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Msg {
    /// The phase.
    pub phase: u32,
    /// The identity.
    pub id: u32,
    /// The number of links that it has crossed when it arrives.
    pub hop: u32,
    /// Whether it has passed no other process with the same identity in the same phase.
    pub bit: bool,
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("message").counters(3)];
    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    Active {
        phase: u32,
        /// The identity that it has drawn in this phase.
        id: u32,
    },
    Passive,
    Leader,
}
use State::{Active, Leader, Passive, Sleep};

/// A process of the algorithm. With `K > 0` it draws one of `K` identities, otherwise one of as many
/// as there are processes. Phases are numbered modulo `PHASES`, or without end if that is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ItaiRodeh<const K: u32 = 0, const PHASES: u32 = 4> {
    n: u32,
    state: State,
}

/// Returns how a phase compares to another one, if one of them is at most the next of the other;
/// `None` if that cannot be.
const fn compare(phase: u32, to: u32, modulus: u32) -> Option<Ordering> {
    if modulus == 0 {
        return Some(if phase < to {
            Ordering::Less
        } else if phase > to {
            Ordering::Greater
        } else {
            Ordering::Equal
        });
    }
    match phase.wrapping_sub(to) % modulus {
        0 => Some(Ordering::Equal),
        1 => Some(Ordering::Greater),
        ahead if ahead + 1 == modulus => Some(Ordering::Less),
        _ => None,
    }
}

impl<const K: u32, const PHASES: u32> ItaiRodeh<K, PHASES> {
    /// Draws an identity in a phase, and sends it.
    fn select(&mut self, phase: u32, net: &mut impl Net<Msg>) {
        let identities = if K > 0 { K } else { self.n };
        let id = 1 + net.choose(identities - 1);
        self.state = Active { phase, id };
        net.send(Port::NEXT, Msg { phase, id, hop: 1, bit: true });
    }

    const fn next(phase: u32) -> u32 {
        let next = phase.saturating_add(1);
        if PHASES > 0 { next % PHASES } else { next }
    }
}

impl<const K: u32, const PHASES: u32> Process for ItaiRodeh<K, PHASES> {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Size;
    type Msg = Msg;

    fn new(Size(n): Size, _degree: u32) -> Self {
        Self { n, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.select(0, net);
    }

    fn receive(&mut self, _: Port, msg: Msg, net: &mut impl Net<Msg>) {
        let pass_on = Msg { hop: msg.hop.saturating_add(1), ..msg };
        match self.state {
            Active { phase, .. } if msg.hop == self.n => match msg.bit {
                true => self.state = Leader,
                false => self.select(Self::next(phase), net),
            },
            Active { phase, id } => {
                let Some(phases) = compare(msg.phase, phase, PHASES) else {
                    return net.reject("phases differ by one at most");
                };
                match phases.then(msg.id.cmp(&id)) {
                    Ordering::Less => {} // Mine will beat it: purge.
                    Ordering::Equal => net.send(Port::NEXT, Msg { bit: false, ..pass_on }),
                    Ordering::Greater => {
                        self.state = Passive;
                        net.send(Port::NEXT, pass_on);
                    }
                }
            }
            Passive if msg.hop >= self.n => net.reject("what comes home finds its sender active"),
            Sleep | Passive => {
                self.state = Passive;
                net.send(Port::NEXT, pass_on);
            }
            Leader => net.reject("the message that has come home has swept all others before it"),
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Active { .. } => Status::Undecided,
            Leader => Status::Leader,
            Passive => Status::Follower,
        }
    }

    /// Only the leader halts by itself. A passive process passes messages on until the announcement
    /// ends it.
    fn halted(&self) -> bool {
        self.state == Leader
    }
}

impl<const K: u32, const PHASES: u32> Claimed for ItaiRodeh<K, PHASES> {
    const CLAIMS: Claims = Claims {
        rule: Rule::Chance,
        election: Bound::expected("n H_k + 7 n", |s| {
            times_harmonic(s.nodes, s.initiators).saturating_add(s.nodes.saturating_mul(7))
        }),
        time: Some(Time::unannounced(Bound::expected("4 n", |s| s.nodes.saturating_mul(4)))),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        Invariant::of_statements(HEADER.invariants, [two_phases, own_message])
    }
}

fn two_phases<const K: u32, const PHASES: u32>(
    now: &Configuration<'_, ItaiRodeh<K, PHASES>>,
) -> Option<String> {
    let active = now.nodes().filter_map(|(_, node)| match node.process.state {
        Active { phase, .. } => Some(phase),
        Sleep | Passive | Leader => None,
    });
    let mut phases: Vec<u32> =
        active.chain(now.messages().iter().map(|one| one.msg.phase)).collect();
    phases.sort_unstable();
    phases.dedup();
    let near = match phases[..] {
        [] | [_] => true,
        [one, other] => {
            let next = ItaiRodeh::<K, PHASES>::next;
            next(one) == other || next(other) == one
        }
        _ => false,
    };
    (!near).then(|| format!("there are the phases {phases:?}"))
}

fn own_message<const K: u32, const PHASES: u32>(
    now: &Configuration<'_, ItaiRodeh<K, PHASES>>,
) -> Option<String> {
    let mut sent = Vec::new();
    for one in now.messages() {
        let hops = one.msg.hop.saturating_sub(1) % now.size();
        let back = |node, _| now.across(node, Port::PREVIOUS).node;
        let sender = (0..hops).fold(one.from.node, back);
        let Active { phase, id } = now.process(sender).state else { continue };
        if (one.msg.phase, one.msg.id) != (phase, id) || sent.contains(&sender) {
            let own = now.process(sender).state;
            return Some(format!("process {sender} is {own:?}, and has sent {:?}", one.msg));
        }
        sent.push(sender);
    }
    None
}
