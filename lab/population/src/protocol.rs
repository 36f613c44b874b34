//! The model of population protocols: agents that meet in pairs.

use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// A population protocol.
///
/// There are no links, ports or messages: an interaction replaces the states of both agents at
/// once, and agents do not choose their meetings (D. Angluin, J. Aspnes, Z. Diamadi, M. J.
/// Fischer, R. Peralta, "Computation in networks of passively mobile finite-state sensors", PODC
/// 2004). A value of the implementing type holds the protocol's parameters, a
/// [`State`](Self::State) all variables of one agent.
pub trait PopulationProtocol {
    /// The whole state of one agent.
    type State: Clone + Debug + Ord;
    /// The output of an agent.
    type Output: Copy + Debug + Ord;

    /// Applies the transition of an interaction to both states.
    fn interact(&self, initiator: &mut Self::State, responder: &mut Self::State);

    /// Applies a meeting of an agent with itself, in a model that has such meetings: both parts of
    /// the transition, on one state. By default does nothing.
    fn interact_with_itself(&self, _agent: &mut Self::State) {}

    /// Returns the output of an agent in this state.
    fn output(&self, state: &Self::State) -> Self::Output;

    /// Erases the parts of a state that cannot matter any more in a population of `agents`, so that
    /// a checker can treat states of the same behaviour as equal. Never changes an output, now or
    /// later.
    fn forget(&self, _state: &mut Self::State, _agents: u32) {}
}

/// The output of an agent with an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Belief {
    /// The identity that the agent believes to be the leader's.
    pub leader: u32,
    /// Whether it calls itself the leader.
    pub is_leader: bool,
    /// Whether it knows, or has been told, that the election is complete.
    pub complete: bool,
    /// Whether it has found out by itself that the election is complete.
    pub declared: bool,
}

/// The counts of an agent that believes in itself.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct MeetingTally {
    /// The number of agents that it has converted.
    pub conversions: u32,
    /// The number of meetings with an agent that already believed in it.
    pub met_followers: u32,
}

/// An election among numbered agents in which the highest identity spreads like an epidemic and
/// an agent that believes in itself may declare, from its own tally, that the election is over.
///
/// This is all that the fast engines need to know of such a protocol. After a meeting both agents
/// hold the maximum of their beliefs; a meeting adds to the tally of an agent that believes in
/// itself: a conversion if the other believed in a lower identity, a follower if it believed in the
/// same. By default no agent ever declares.
pub trait NumberedElection: Copy + Debug + Send + Sync {
    /// Returns whether an agent declares on the conversion that led to this tally.
    fn declares_on_conversion(&self, _tally: MeetingTally) -> bool {
        false
    }

    /// Returns the least number of followers met at which an agent with this many conversions
    /// declares when it meets a follower; `None` if it never does.
    fn followers_to_declare(&self, _conversions: u32) -> Option<u64> {
        None
    }

    /// Returns whether an agent declares on the meeting with a follower that led to this tally.
    #[inline]
    fn declares_on_follower(&self, tally: MeetingTally) -> bool {
        let enough = self.followers_to_declare(tally.conversions);
        enough.is_some_and(|enough| u64::from(tally.met_followers) >= enough)
    }

    /// Returns whether agents that know of the end of the election stop to adopt higher identities
    /// and to count.
    fn freezes(&self) -> bool {
        false
    }
}
