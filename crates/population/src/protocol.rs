//! The model: agents that meet in pairs.

use std::fmt::Debug;

/// A protocol, as two agents that meet run it.
///
/// There are no links, ports or messages: an interaction replaces the states of both agents at
/// once, and who meets whom is not theirs to choose (D. Angluin, J. Aspnes, Z. Diamadi, M. J.
/// Fischer, R. Peralta, "Computation in networks of passively mobile finite-state sensors", PODC
/// 2004). A value of the implementing type holds the protocol's parameters, a
/// [`State`](Self::State) all variables of one agent.
pub trait PopulationProtocol {
    /// The whole state of one agent.
    type State: Clone + Debug + Ord;
    /// What an agent shows of its state.
    type Output: Copy + Debug + Ord;

    /// One interaction: the joint transition.
    fn interact(&self, initiator: &mut Self::State, responder: &mut Self::State);

    /// A meeting of an agent with itself, in a model that has such meetings: the joint transition
    /// with both parts applied to one state. By default changes nothing.
    fn interact_with_itself(&self, _agent: &mut Self::State) {}

    /// What an agent in this state shows.
    fn output(&self, state: &Self::State) -> Self::Output;

    /// Erases from a state what cannot matter any more in a population of `agents`, so that a
    /// checker may treat states as equal that behave alike. It never changes what an agent shows,
    /// now or later.
    fn forget(&self, _state: &mut Self::State, _agents: u32) {}
}

/// What an agent with an identity shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Belief {
    /// The identity that the agent takes for the leader's.
    pub leader: u32,
    /// Whether it calls itself the leader.
    pub is_leader: bool,
    /// Whether it knows, or has been told, that the election is complete.
    pub complete: bool,
    /// Whether it has found out by itself that the election is complete.
    pub declared: bool,
}

/// What an agent that believes in itself has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tally {
    /// Agents whom it has converted.
    pub conversions: u32,
    /// Meetings with an agent that believed in it already.
    pub met_followers: u32,
}

/// An election among numbered agents in which the highest identity spreads like an epidemic and
/// an agent that believes in itself may declare, from its own tally, that the election is over.
///
/// This is all that the fast engines need to know of such a protocol. `max` of what two agents
/// believe is what both believe afterwards; a meeting adds to the tally of an agent that believes
/// in itself, a conversion where the other believed in less, a follower where it believed in the
/// same.
pub trait Election: Copy + Debug + Send + Sync {
    /// Whether an agent declares on the conversion that made its tally what it is.
    fn declares_on_conversion(&self, tally: Tally) -> bool;

    /// The least number of followers met at which an agent with this many conversions declares
    /// when it meets a follower; `None` if it never does.
    fn followers_to_declare(&self, conversions: u32) -> Option<u64>;

    /// Whether agents who have been told that the election is complete stop to believe in higher
    /// identities and to count.
    fn freezes(&self) -> bool;
}
