//! Explores every meeting order of a small population.
//!
//! An adversary, not chance, chooses the meetings here: all reachable configurations are found,
//! breadth first, so that a configuration with some property comes with a shortest meeting order
//! that leads to it. Then fairness is added: a run in which every meeting that stays possible
//! happens eventually (under uniformly random meetings, with probability 1) ends in a set of
//! configurations that it cannot leave any more.

mod space;
#[cfg(test)]
mod tests;

pub use space::{Meeting, ReachableSpace, TooLarge};

use crate::protocol::{Belief, PopulationProtocol};
use serde::Serialize;

/// The results of exploring an election among numbered agents. Meeting orders are shortest ones, of
/// pairs of initiator and responder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckFindings {
    /// The number of agents.
    pub agents: u32,
    /// The number of reachable configurations.
    pub configurations: usize,
    /// The number of those in which the outputs can never change again.
    pub stable: usize,
    /// A meeting order after which two agents have declared.
    pub two_declare: Option<Vec<Meeting>>,
    /// A meeting order after which an agent has declared while not all hold the maximum.
    pub too_early: Option<Vec<Meeting>>,
    /// A meeting order to a configuration that cannot change and is wrong: not all hold the
    /// maximum, or the agents that call themselves leader are not exactly the highest one.
    pub stuck_wrong: Option<Vec<Meeting>>,
    /// Whether every fair run ends in a configuration that cannot change and is right.
    pub ends_right: bool,
}

/// Explores an election among at most five agents; agent i begins in state `initial(i)` and has
/// the identity i.
///
/// # Errors
/// If there are more than 5 agents, none, or more than `limit` configurations.
pub fn election<P>(
    protocol: &P,
    agents: u32,
    initial: impl Fn(u32) -> P::State,
    limit: usize,
) -> Result<CheckFindings, TooLarge>
where
    P: PopulationProtocol<Output = Belief>,
{
    let start: Vec<_> = (0..agents).map(initial).collect();
    let space = ReachableSpace::explore(protocol, &start, limit)?;
    let highest = agents - 1;
    let complete = |beliefs: &[Belief]| beliefs.iter().all(|belief| belief.leader == highest);
    let right = |beliefs: &[Belief]| {
        complete(beliefs) && (0..agents).zip(beliefs).all(|(i, b)| b.is_leader == (i == highest))
    };
    let declared = |beliefs: &[Belief]| beliefs.iter().filter(|belief| belief.declared).count();
    let stable = space.stable();
    Ok(CheckFindings {
        agents,
        configurations: space.len(),
        stable: stable.iter().filter(|&&stable| stable).count(),
        two_declare: space.shortest(|_, beliefs| declared(beliefs) >= 2),
        too_early: space.shortest(|_, beliefs| declared(beliefs) >= 1 && !complete(beliefs)),
        stuck_wrong: space.shortest(|place, beliefs| stable[place] && !right(beliefs)),
        ends_right: space.always_reaches(|place, beliefs| stable[place] && right(beliefs)),
    })
}
