//! Extinction: every initiator starts a wave, and only the wave of the smallest one ends.

use crate::prelude::*;
use crate::wave::Wave;
use core::fmt::{self, Debug, Formatter};
use core::marker::PhantomData;

/// A process of the election by extinction over any centralized [wave](Wave) algorithm (G. Tel,
/// *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000, section 7.3).
///
/// Each initiator starts a wave whose messages bear its identity. A process takes part in the wave of
/// the smallest identity that it has seen, from the start of that wave, and ignores the messages of
/// larger ones. The wave of the smallest initiator is ignored by no process, so it ends as it would
/// alone, and its initiator leads. No other one ends, since the smallest initiator takes no part in it.
///
/// If a wave takes at most `M` messages and `T` units of time, an election with `k` initiators takes at
/// most `k M` messages, and at most `T` units after the last initiator has started, as no other wave
/// delays the smallest. It takes at most `k T` units after the first has started: of those that have
/// started, the smallest one's wave ends within `T` units, unless some process ignores it. That process
/// takes part in a smaller wave, which has then started, and there are `k` of them.
///
/// The leader is not announced to the others: see [`Announced`](crate::Announced).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Extinction<W> {
    id: Id,
    /// The initiator of the wave in which it takes part: the currently active wave.
    of: Option<Id>,
    wave: W,
    leads: bool,
}

/// The invariants of extinction over any wave.
pub(crate) const INVARIANTS: &[(&str, &str)] = &[
    (
        "shrinking",
        "the identity of the wave in which a process takes part only becomes smaller, and so do those \
         of the messages that it has sent through a port.",
    ),
    ("all-in", "when a process leads, all take part in its wave."),
    ("swept", "when a process leads, no message of another wave is left on any link."),
];

/// A message of the wave of one initiator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tagged<M> {
    /// The initiator of the wave.
    pub of: Id,
    /// The message.
    pub msg: M,
}

/// Writes the message, and the initiator in parentheses: `Token(Id(7))`.
impl<M: Debug> Debug for Tagged<M> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}({:?})", self.msg, self.of)
    }
}

/// The size of the array of kinds, more than any wave has: the length of an array may not depend on
/// a type parameter.
const ROOM: usize = 8;

/// The kinds of a wave's messages, each with one identity more.
struct TaggedKinds<M>(PhantomData<M>);

impl<M: Message> TaggedKinds<M> {
    const ALL: &'static [Kind; ROOM] = &{
        let mut all = [Kind::election("token"); ROOM];
        let mut i = 0;
        while i < M::KINDS.len() {
            let kind = M::KINDS[i];
            all[i] = kind.ids(kind.ids + 1);
            i += 1;
        }
        all
    };
}

impl<M: Message> Message for Tagged<M> {
    const KINDS: &'static [Kind] = TaggedKinds::<M>::ALL.split_at(M::KINDS.len()).0;

    fn kind(&self) -> usize {
        self.msg.kind()
    }
}

/// The net of one wave. It tags each message with the identity of the initiator.
struct Tagging<'a, N> {
    of: Id,
    net: &'a mut N,
}

impl<N> Tagging<'_, N> {
    fn tagged<M>(&self, msg: M) -> Tagged<M> {
        Tagged { of: self.of, msg }
    }
}

impl<M: Copy, N: Net<Tagged<M>>> Net<M> for Tagging<'_, N> {
    fn degree(&self) -> u32 {
        self.net.degree()
    }
    fn is_alone(&self) -> bool {
        self.net.is_alone()
    }
    fn send(&mut self, to: Port, msg: M) {
        self.net.send(to, self.tagged(msg));
    }
    fn send_all(&mut self, msg: M) {
        self.net.send_all(self.tagged(msg));
    }
    fn send_others(&mut self, than: Port, msg: M) {
        self.net.send_others(than, self.tagged(msg));
    }
    fn choose(&mut self, max: u32) -> u32 {
        self.net.choose(max)
    }
    fn set_alarm(&mut self, ticks: u32) {
        self.net.set_alarm(ticks);
    }
    fn reject(&mut self, why: &'static str) {
        self.net.reject(why);
    }
}

impl<W: Wave> Process for Extinction<W> {
    const NETWORK: NetworkClass = W::NETWORK;
    type Knows = Id;
    type Msg = Tagged<W::Msg>;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, of: None, wave: W::new(degree), leads: false }
    }

    fn wake(&mut self, net: &mut impl Net<Self::Msg>) {
        self.of = Some(self.id);
        self.leads = self.wave.start(&mut Tagging { of: self.id, net });
    }

    fn receive(
        &mut self,
        from: Port,
        Tagged { of, msg }: Self::Msg,
        net: &mut impl Net<Self::Msg>,
    ) {
        if self.leads {
            return net.reject("the winning wave sweeps all messages before it");
        }
        if self.of.is_some_and(|current| current < of) {
            return; // Extinct.
        }
        if self.of != Some(of) {
            if of == self.id {
                return net.reject("a process that started no wave is told of its own");
            }
            // A smaller wave than any before: take part in it from the start.
            self.of = Some(of);
            self.wave = W::new(net.degree());
        }
        if self.wave.receive(from, msg, &mut Tagging { of, net }) {
            if of != self.id {
                return net.reject("a wave is decided by the process that started it");
            }
            self.leads = true;
        }
    }

    fn status(&self) -> Status {
        if self.leads { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        self.leads.then_some(self.id)
    }

    /// Only the leader halts by itself. Every other process waits until the announcement ends it.
    fn halted(&self) -> bool {
        self.leads
    }
}

impl<W: Wave> Claimed for Extinction<W> {
    const ROOM: Bound = W::ROOM;
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestInitiator,
        election: W::MESSAGES,
        // The wave of the smallest initiator takes as long as it would alone.
        time: Some(Time::unannounced(W::TIME)),
        ..Claims::UNANNOUNCED
    };

    fn invariants() -> Vec<Invariant<Self>> {
        let mut all = Invariant::of_header(INVARIANTS, [shrinking, all_in, swept]);
        all.extend(Invariant::of_statements(W::INVARIANTS, []));
        all
    }
}

fn shrinking<W: Wave>(now: &Configuration<'_, Extinction<W>>) -> Option<String> {
    for (node, Node { process, woke, degree, .. }) in now.nodes() {
        match process.of {
            Some(of) if *woke && of > process.id => {
                return Some(format!("{node} started a wave, and is in a larger one, of {of}"));
            }
            _ => {}
        }
        for port in (0..*degree).map(Port) {
            let sent: Vec<Id> = now.on_link(End { node, port }).map(|msg| msg.of).collect();
            let last = sent.last().copied();
            let before = last.is_some() && last < process.of;
            if !sent.is_sorted_by(|a, b| a >= b) || before {
                return Some(format!(
                    "{node} is in the wave of {:?}, and has sent {sent:?}",
                    process.of
                ));
            }
        }
    }
    None
}

fn all_in<W: Wave>(now: &Configuration<'_, Extinction<W>>) -> Option<String> {
    let (_, leader) = now.nodes().find(|(_, node)| node.process.leads)?;
    now.nodes()
        .find(|(_, node)| node.process.of != Some(leader.id))
        .map(|(node, _)| format!("{} leads, and {node} is not in its wave", leader.id))
}

fn swept<W: Wave>(now: &Configuration<'_, Extinction<W>>) -> Option<String> {
    let (_, leader) = now.nodes().find(|(_, node)| node.process.leads)?;
    now.messages()
        .iter()
        .find(|message| message.msg.of != leader.id)
        .map(|message| format!("{} leads, and {message:?}", leader.id))
}
