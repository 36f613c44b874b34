//! Algorithm 1 as a process: it compares, and is done.

use super::{AgentSnapshot, Meets, Msg};
use crate::protocol::{Belief, PopulationProtocol};
use crate::protocols::KnownBounds;
use suffrage_model::{Id, Net, NetworkClass, Port, Process, Size, Status};

/// An agent of Algorithm 1: its identity is one of 1, ..., n, and it knows n. It meets no other
/// agent, sends nothing, and decides when it wakes.
///
/// With other identities there may be no leader, or several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KnowsAll {
    /// Its identity minus 1.
    rank: u32,
    agents: u32,
    compared: bool,
}

impl Process for KnowsAll {
    const NETWORK: NetworkClass = NetworkClass::OrientedComplete;
    type Knows = (Id, Size);
    type Msg = Msg<()>;

    fn new((id, Size(agents)): Self::Knows, _degree: u32) -> Self {
        let rank = id.get().saturating_sub(1).try_into().unwrap_or(u32::MAX);
        Self { rank, agents, compared: false }
    }

    fn wake(&mut self, _: &mut impl Net<Self::Msg>) {
        self.compared = true;
    }

    fn receive(&mut self, _: Port, _: Self::Msg, net: &mut impl Net<Self::Msg>) {
        net.reject("a message, though no agent sends any");
    }

    fn status(&self) -> Status {
        match self.snapshot().belief {
            Belief { complete: false, .. } => Status::Undecided,
            Belief { is_leader: true, .. } => Status::Leader,
            Belief { .. } => Status::Follower,
        }
    }

    fn leader(&self) -> Option<Id> {
        self.compared.then_some(Id::new(self.agents.into()))
    }

    fn halted(&self) -> bool {
        self.compared
    }
}

impl Meets for KnowsAll {
    fn snapshot(&self) -> AgentSnapshot {
        let protocol = KnownBounds { agents: self.agents };
        let belief = protocol.output(&KnownBounds::start(self.rank));
        let is_leader = self.compared && belief.is_leader;
        AgentSnapshot {
            initiated: 0,
            answered: 0,
            refused: 0,
            belief: Belief {
                leader: belief.leader + 1,
                is_leader,
                complete: self.compared,
                declared: false,
            },
            halted: self.compared,
        }
    }
}
