//! Agents for real: meetings by messages, as a [`Process`] that every engine runs, between hosts over
//! TCP and TLS as well.
//!
//! Idea: an agent invites another one, chosen uniformly at random, again and again, after pauses of
//! random length. A meeting takes three messages: `invite`; `accept`, with the state of the agent
//! that was invited; and `result`, with its next state. The agent that has invited applies the
//! protocol's transition to both states in its reaction to `accept`, as the initiator of the
//! interaction. The protocols are those of [`protocols`](crate::protocols): Algorithm 2
//! ([`NumberedCandidate`]), Algorithm 3 ([`Agent`]), and Algorithm 1, which needs no meetings ([`KnowsAll`]).
//!
//! *Atomicity.* An agent that has accepted keeps its state until the result arrives: meanwhile it
//! answers other invitations with `busy`, and an `accept` of its own invitation with `cancel`. An
//! agent that has invited keeps nothing, and may meet others before the answer comes.
//!
//! *No deadlock.* An agent waits for nothing but the reaction to its own `accept`, and that reaction,
//! `result` or `cancel`, waits for nothing.
//!
//! *The order of meetings.* Pauses are geometric, hence without memory, and whether an agent is busy
//! does not depend on identities or counts. So every pair is equally likely to be the next one, up
//! to the time that a meeting takes: an agent that is busy is passed over, which is rare where
//! pauses are much longer than messages are under way. An agent sends one invitation per tick at
//! most, so the number of its meetings varies a little less than in the model, by a factor of 15/16
//! in the variance.
//!
//! *Agents that come late* are invited once by each other agent, and take part when they answer.
//!
//! *Agents that die* do not hold up those who have invited them. One that dies between an `accept` and its
//! result leaves the other one waiting: after `PATIENCE` ticks that one goes on with the state that
//! it had. If the first agent was not dead but slow, the result comes too late and is void: one of the
//! two has met and the other has not, so the counts of an agent may be off by one meeting. No agent
//! can tell the two cases apart. With a `PATIENCE` of 0 it waits without limit.
//!
//! *The end.* In the paper agents never stop meeting. Here an agent has decided when it knows that the election is
//! complete, and is the leader or believes in another one. It goes on meeting, so that the others are told; agents
//! report along a binary tree by their positions: `told`, once an agent and all below it have decided, and `end` from
//! the root down. An agent halts at `end`. The tree is the only thing for which agents use their position and their
//! number; if an agent has died, the others decide and do not halt.
//!
//! Cost: three messages for each meeting, two for each refusal, and 2(n-1) for the end.

mod comparison;
mod known_bounds;
mod record;
#[cfg(test)]
mod tests;

pub use comparison::{RealAmongSimulated, RealComparison};
pub use known_bounds::KnowsAll;
pub use record::{Declaration, MeetingFindings, MeetingRecord, MeetingsPerAgent, RecordEntry};

use crate::protocol::{Belief, PopulationProtocol};
use crate::protocols::{Agent, NumberedCandidate, NumberedEpidemic, SelfTerminating};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{collections::BTreeSet, fmt::Debug, hash::Hash};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Place, Port, Process, Size, Status};

/// The mean pause between two invitations of an agent, in ticks.
pub const PAUSE: u32 = 8;

/// The longest pause, in ticks: one in 10^7 would be longer.
const LONGEST: u32 = 16 * PAUSE;

/// The least capacity of a link with which no agent ever waits for room: an agent has at most an
/// invitation, an answer to one, a result and a message about the end under way to another.
pub const CAPACITY: u32 = 4;

/// The state of an agent that can meet others by messages.
pub trait Numbered:
    Copy + Debug + Ord + Hash + Send + Sync + Serialize + DeserializeOwned + 'static
{
    /// The protocol, with its default parameters.
    type Protocol: PopulationProtocol<State = Self, Output = Belief> + Default;

    /// Creates the initial state of the agent with this identity.
    fn numbered(aid: u32) -> Self;
}

/// Algorithm 2 spreads the highest identity. Its agents never decide.
impl Numbered for NumberedCandidate {
    type Protocol = NumberedEpidemic;

    fn numbered(aid: u32) -> Self {
        Self::new(aid)
    }
}

/// Algorithm 3, by the text's rule.
impl Numbered for Agent {
    type Protocol = SelfTerminating;

    fn numbered(aid: u32) -> Self {
        Self::new(aid)
    }
}

/// The messages of agents whose states are `S`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg<S> {
    /// Asks for a meeting.
    Invite,
    /// Agrees to meet, with the state of the sender, which keeps it until the answer arrives.
    Accept(S),
    /// The meeting has taken place; this is the next state of the receiver.
    Result(S),
    /// Refuses to meet, since the sender waits for a result.
    Busy,
    /// Takes an invitation back, since the sender has accepted another one.
    Cancel,
    /// The sender and all below it in the tree have decided.
    Told,
    /// All have decided; halt.
    End,
}

impl<S: Copy + Debug + Eq + Hash + Send + Sync + 'static> Message for Msg<S> {
    const KINDS: &'static [Kind] = &[
        Kind::election("invite"),
        Kind::election("accept").ids(2).counters(2),
        Kind::election("result").ids(2).counters(2),
        Kind::election("busy"),
        Kind::election("cancel"),
        Kind::announcement("told"),
        Kind::announcement("end"),
    ];

    fn kind(&self) -> usize {
        match self {
            Self::Invite => 0,
            Self::Accept(_) => 1,
            Self::Result(_) => 2,
            Self::Busy => 3,
            Self::Cancel => 4,
            Self::Told => 5,
            Self::End => 6,
        }
    }
}

/// An observer's view of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentSnapshot {
    /// The number of meetings in which it was the initiator. They count from the moment at which it
    /// applies the transition.
    pub initiated: u32,
    /// The number of meetings in which it was the responder. They count once it has the result.
    pub answered: u32,
    /// The number of invitations that it has refused or taken back.
    pub refused: u32,
    /// Its output.
    pub belief: Belief,
    /// Whether it has halted.
    pub halted: bool,
}

impl AgentSnapshot {
    /// Returns the number of its meetings.
    #[must_use]
    pub const fn meetings(&self) -> u32 {
        self.initiated + self.answered
    }

    /// Returns whether it has decided: it knows that the election is complete, and is the leader or
    /// believes in another one than itself, `aid`.
    #[must_use]
    pub const fn has_decided(&self, aid: u32) -> bool {
        self.belief.complete && (self.belief.is_leader || self.belief.leader != aid)
    }
}

/// A process that is an agent.
pub trait Meets: Process {
    /// Returns what an observer sees.
    fn snapshot(&self) -> AgentSnapshot;
}

/// An agent as a process on a complete network, with the identity of the process, which must be below
/// 2^32: larger ones count as 2^32 - 1.
///
/// It waits for a result for `PATIENCE` ticks, 10 seconds on real networks, or without limit if that is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MeetingAgent<S, const PATIENCE: u32 = 1000> {
    aid: u32,
    place: u32,
    size: u32,
    state: S,
    awake: bool,
    /// The ports at which an invitation is unanswered.
    invited: BTreeSet<Port>,
    /// The port whose invitation it has accepted, while it waits for the result.
    accepted: Option<Port>,
    /// The ports of those below it in the tree that have not reported.
    unreported: BTreeSet<Port>,
    /// Whether it has reported itself.
    reported: bool,
    ended: bool,
    initiated: u32,
    answered: u32,
    refused: u32,
}

impl<S: Numbered, const PATIENCE: u32> MeetingAgent<S, PATIENCE> {
    /// Returns the state of the protocol.
    #[must_use]
    pub const fn state(&self) -> &S {
        &self.state
    }

    /// Returns the port of the agent whose invitation it has accepted, while it waits for the
    /// result.
    #[must_use]
    pub const fn accepted(&self) -> Option<Port> {
        self.accepted
    }

    fn belief(&self) -> Belief {
        S::Protocol::default().output(&self.state)
    }

    /// Sets the alarm for the next invitation.
    fn pause(net: &mut impl Net<Msg<S>>) {
        let mut ticks = 1;
        while ticks < LONGEST && net.choose(PAUSE - 1) != 0 {
            ticks += 1;
        }
        net.set_alarm(ticks);
    }

    /// Invites a random other agent, unless that one has an invitation already.
    fn invite(&mut self, net: &mut impl Net<Msg<S>>) {
        if let Some(last) = net.degree().checked_sub(1) {
            let port = Port(net.choose(last));
            if self.invited.insert(port) {
                net.send(port, Msg::Invite);
            }
            Self::pause(net);
        }
    }

    /// Keeps the state for the agent at this port until the result arrives.
    fn accept(&mut self, from: Port, net: &mut impl Net<Msg<S>>) {
        self.accepted = Some(from);
        net.send(from, Msg::Accept(self.state));
        if PATIENCE > 0 {
            net.set_alarm(PATIENCE);
        }
    }

    /// Ends the wait for a result from this port. Returns whether it waited for that one.
    fn release(&mut self, from: Port, net: &mut impl Net<Msg<S>>) -> bool {
        let waited = self.accepted.take_if(|port| *port == from).is_some();
        if waited && PATIENCE > 0 {
            // The alarm for the next invitation was replaced. As pauses have no memory, a new one
            // is as good.
            Self::pause(net);
        }
        waited
    }

    /// Reports, once this agent and all below it have decided; the root then ends the election.
    fn report(&mut self, net: &mut impl Net<Msg<S>>) {
        let ready = self.unreported.is_empty() && self.status() != Status::Undecided;
        if !ready || self.reported {
            return;
        }
        self.reported = true;
        match self.above() {
            Some(parent) => net.send(parent, Msg::Told),
            None => self.end(net),
        }
    }

    fn end(&mut self, net: &mut impl Net<Msg<S>>) {
        self.ended = true;
        for port in self.below() {
            net.send(port, Msg::End);
        }
    }

    /// The port to the agent at this position.
    const fn port(&self, there: u32) -> Port {
        Port((there + self.size - self.place - 1) % self.size)
    }

    /// The port to the agent above this one in the tree.
    fn above(&self) -> Option<Port> {
        Some(self.port(self.place.checked_sub(1)? / 2))
    }

    /// The ports to the agents below this one in the tree.
    fn below(&self) -> impl Iterator<Item = Port> + use<S, PATIENCE> {
        let first = 2 * u64::from(self.place) + 1;
        let places = (first..first + 2).filter(|&place| place < self.size.into());
        places.map(|place| self.port(place as u32)).collect::<Vec<_>>().into_iter()
    }
}

impl<S: Numbered, const PATIENCE: u32> Process for MeetingAgent<S, PATIENCE> {
    const NETWORK: NetworkClass = NetworkClass::OrientedComplete;
    type Knows = (Id, (Place, Size));
    type Msg = Msg<S>;

    fn new((id, (Place(place), Size(size))): Self::Knows, _degree: u32) -> Self {
        let aid = id.get().try_into().unwrap_or(u32::MAX);
        let mut agent = Self {
            aid,
            place,
            size,
            state: S::numbered(aid),
            awake: false,
            invited: BTreeSet::new(),
            accepted: None,
            unreported: BTreeSet::new(),
            reported: false,
            ended: false,
            initiated: 0,
            answered: 0,
            refused: 0,
        };
        agent.unreported = agent.below().collect();
        agent
    }

    fn wake(&mut self, net: &mut impl Net<Self::Msg>) {
        self.awake = true;
        Self::pause(net);
    }

    fn alarm(&mut self, net: &mut impl Net<Self::Msg>) {
        if self.accepted.is_some() && PATIENCE == 0 {
            Self::pause(net);
        } else if self.accepted.take().is_some() {
            // The agent that has invited this one has died, or is too slow.
            Self::pause(net);
        } else {
            self.invite(net);
        }
    }

    fn receive(&mut self, from: Port, msg: Self::Msg, net: &mut impl Net<Self::Msg>) {
        if !self.awake {
            self.wake(net);
        }
        match msg {
            Msg::Invite if self.accepted.is_some() => {
                self.refused += 1;
                net.send(from, Msg::Busy);
            }
            Msg::Invite => self.accept(from, net),
            Msg::Accept(_) | Msg::Busy if !self.invited.remove(&from) => {
                net.reject("an answer to an invitation that was not sent");
            }
            Msg::Accept(_) if self.accepted.is_some() => {
                self.refused += 1;
                net.send(from, Msg::Cancel);
            }
            Msg::Accept(mut other) => {
                S::Protocol::default().interact(&mut self.state, &mut other);
                self.initiated += 1;
                net.send(from, Msg::Result(other));
            }
            Msg::Told if !self.unreported.remove(&from) => {
                net.reject("a report from an agent that is not below");
            }
            Msg::Busy | Msg::Told => {}
            Msg::Result(state) => {
                // Void if it comes after all patience.
                if self.release(from, net) {
                    self.state = state;
                    self.answered += 1;
                }
            }
            Msg::Cancel => {
                self.release(from, net);
            }
            Msg::End if self.reported && self.above() == Some(from) => self.end(net),
            Msg::End => net.reject("the end, which was not to come from there or not yet"),
        }
        self.report(net);
    }

    fn status(&self) -> Status {
        let snapshot = self.snapshot();
        match snapshot.belief.is_leader {
            _ if !snapshot.has_decided(self.aid) => Status::Undecided,
            true => Status::Leader,
            false => Status::Follower,
        }
    }

    fn leader(&self) -> Option<Id> {
        (self.status() != Status::Undecided).then(|| Id::new(self.belief().leader.into()))
    }

    fn halted(&self) -> bool {
        self.ended
    }
}

impl<S: Numbered, const PATIENCE: u32> Meets for MeetingAgent<S, PATIENCE> {
    fn snapshot(&self) -> AgentSnapshot {
        AgentSnapshot {
            initiated: self.initiated,
            answered: self.answered,
            refused: self.refused,
            belief: self.belief(),
            halted: self.ended,
        }
    }
}
