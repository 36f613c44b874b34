//! Models of meetings: uniformly random pairs, pairs that include self-meetings, and the links of
//! an interaction graph.

use crate::{
    random::RandomStream,
    sampling::{geometric, negative_binomial},
};
use std::sync::Arc;
use suffrage_model::Port;
use suffrage_networks::{Ports, Topology};

/// A source of random meetings.
pub trait Pairs: Clone {
    /// Returns the number of agents.
    fn agents(&self) -> u32;

    /// Prepares for a trial.
    fn start(&mut self, _stream: &mut RandomStream) {}

    /// Draws initiator and responder of the next meeting.
    fn next(&self, stream: &mut RandomStream) -> (u32, u32);
}

/// Meetings that are equally likely for all agents.
pub trait UniformMeetings: Pairs {
    /// Whether an agent may meet itself.
    const SELF_MEETINGS: bool;
}

/// Draws the time in which one of `agents` agents meets `followers` of the others, at least one. With
/// self-meetings it may meet itself, which counts as two.
pub(crate) fn time_to_meet(
    agents: u64,
    self_meetings: bool,
    followers: u64,
    stream: &mut RandomStream,
) -> u64 {
    let n = agents as f64;
    if !self_meetings {
        return negative_binomial(stream, followers, 2.0 / n);
    }
    let (mut met, mut time) = (0, 0);
    while met < followers {
        // Of n² ordered pairs, 2(n-1) are with another agent and one is with itself.
        time += geometric(stream, (2.0 * n - 1.0) / (n * n));
        met += 1 + u64::from(stream.below(2 * agents - 1) == 0);
    }
    time
}

/// Ordered pairs of two different agents, each equally likely.
#[derive(Clone, Copy, Debug)]
pub struct Meetings {
    agents: u64,
    /// The number of ordered pairs.
    pairs: u64,
    /// 2^64 modulo the number of pairs: the number of values to reject for an exact draw.
    threshold: u64,
}

impl Meetings {
    /// Returns the meetings among `agents` agents.
    ///
    /// # Panics
    /// If there are fewer than two agents.
    #[must_use]
    pub const fn among(agents: u32) -> Self {
        assert!(agents >= 2, "a meeting takes two agents");
        let agents = agents as u64;
        let pairs = agents * (agents - 1);
        Self { agents, pairs, threshold: pairs.wrapping_neg() % pairs }
    }
}

impl Pairs for Meetings {
    fn agents(&self) -> u32 {
        self.agents as u32
    }

    /// Draws exactly uniformly, from one 64-bit number except for rare rejections. The high word of
    /// a product is the one agent; the low word is again a random number, for the other.
    #[inline]
    fn next(&self, stream: &mut RandomStream) -> (u32, u32) {
        loop {
            let first = u128::from(stream.bits()) * u128::from(self.agents);
            let second = u128::from(first as u64) * u128::from(self.agents - 1);
            let low = second as u64;
            if low < self.pairs && low < self.threshold {
                continue;
            }
            let (i, j) = ((first >> 64) as u64, (second >> 64) as u64);
            return (i as u32, (j + u64::from(j >= i)) as u32);
        }
    }
}

impl UniformMeetings for Meetings {
    const SELF_MEETINGS: bool = false;
}

/// Ordered pairs of agents, each equally likely, those of an agent with itself included: the
/// meetings that the proofs of the numbered agents' paper assume.
#[derive(Clone, Copy, Debug)]
pub struct SelfMeetings {
    agents: u64,
}

impl SelfMeetings {
    /// Returns the meetings among `agents` agents.
    ///
    /// # Panics
    /// If there are no agents.
    #[must_use]
    pub const fn among(agents: u32) -> Self {
        assert!(agents >= 1, "a meeting takes an agent");
        Self { agents: agents as u64 }
    }
}

impl Pairs for SelfMeetings {
    fn agents(&self) -> u32 {
        self.agents as u32
    }

    #[inline]
    fn next(&self, stream: &mut RandomStream) -> (u32, u32) {
        (stream.below(self.agents) as u32, stream.below(self.agents) as u32)
    }
}

impl UniformMeetings for SelfMeetings {
    const SELF_MEETINGS: bool = true;
}

/// The links of an interaction graph: each is equally likely, in each direction.
///
/// On a graph the places of the identities matter. Agents are numbered by their identities; each
/// trial puts them on the nodes at random, unless they have fixed places.
#[derive(Clone, Debug)]
pub struct LinkMeetings {
    ends: Arc<[(u32, u32)]>,
    /// Whether the places are drawn anew for each trial.
    shuffled: bool,
    /// Entry v: the rank of the identity at node v.
    ranks: Vec<u32>,
}

impl LinkMeetings {
    /// Returns the bytes that the links of a network take.
    #[must_use]
    pub fn bytes(network: &Topology) -> u64 {
        8 * network.links() + 4 * u64::from(network.nodes())
    }

    /// Returns the links of a connected network of at least two nodes, with identities at random
    /// places.
    #[must_use]
    pub fn of(network: &Topology) -> Self {
        let wiring = network.wire(Ports::Rotation, 0);
        let mut ends = Vec::with_capacity(usize::try_from(network.links()).unwrap_or(0));
        for node in 0..wiring.nodes() {
            for port in (0..wiring.degree(node)).map(Port) {
                let end = wiring.across(node, port);
                if (node, port) < (end.node, end.port) {
                    ends.push((node, end.node));
                }
            }
        }
        Self { ends: ends.into(), shuffled: true, ranks: (0..wiring.nodes()).collect() }
    }

    /// Returns the number of links.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.ends.len() as u64
    }

    /// Returns the agents at both ends of each link.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let agent = |node: u32| self.ranks[node as usize];
        self.ends.iter().map(move |&(a, b)| (agent(a), agent(b)))
    }

    /// Returns the same links with an identity at each node: `ids[v]` is the identity at node v.
    ///
    /// # Panics
    /// If the number of identities is not the number of nodes.
    #[must_use]
    pub fn with_ids(mut self, ids: &[u64]) -> Self {
        assert_eq!(ids.len(), self.ranks.len(), "each node has an identity");
        let mut nodes: Vec<u32> = (0..ids.len() as u32).collect();
        nodes.sort_unstable_by_key(|&node| ids[node as usize]);
        for (rank, node) in (0..).zip(nodes) {
            self.ranks[node as usize] = rank;
        }
        self.shuffled = false;
        self
    }
}

impl Pairs for LinkMeetings {
    fn agents(&self) -> u32 {
        self.ranks.len() as u32
    }

    fn start(&mut self, stream: &mut RandomStream) {
        if self.shuffled {
            // Fisher-Yates shuffle, from an order that does not depend on the trial before.
            for (place, rank) in (0..).zip(&mut self.ranks) {
                *rank = place;
            }
            for i in (1..self.ranks.len()).rev() {
                self.ranks.swap(i, stream.below(i as u64 + 1) as usize);
            }
        }
    }

    #[inline]
    fn next(&self, stream: &mut RandomStream) -> (u32, u32) {
        let place = stream.below(2 * self.ends.len() as u64);
        let (a, b) = self.ends[(place / 2) as usize];
        let (a, b) = (self.ranks[a as usize], self.ranks[b as usize]);
        if place & 1 == 0 { (a, b) } else { (b, a) }
    }
}

#[cfg(test)]
mod tests;
