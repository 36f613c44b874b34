//! The result of an election of all nodes.

use crate::outcome::Outcome;
use crate::verdict::{NodeReport, verdict};
use std::time::{Duration, Instant};
use suffrage_algorithms::{Claims, Verdict};
use suffrage_model::{Kind, Status};

/// The result of an election of all nodes.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The outcomes of the nodes, in order.
    pub outcomes: Vec<Outcome>,
    /// The verdict on the election: its leader, and the properties that it violated.
    pub verdict: Verdict,
    /// The maximal number of messages that were sent and not yet known to be taken.
    pub peak_in_flight: u64,
}

impl Summary {
    /// Judges the outcomes of all nodes, on a network with this number of links.
    ///
    /// Without claims only the properties of every election are checked.
    #[must_use]
    pub fn new(mut outcomes: Vec<Outcome>, links: u64, claims: Option<&Claims>) -> Self {
        outcomes.sort_by_key(|outcome| outcome.node);
        let reports: Vec<_> = outcomes.iter().map(NodeReport::from).collect();
        Self { verdict: verdict(claims, links, &reports), outcomes, peak_in_flight: 0 }
    }

    /// Returns the node that leads; `None` if there is none or more than one.
    #[must_use]
    pub fn leader(&self) -> Option<&Outcome> {
        let mut leaders = self.outcomes.iter().filter(|one| one.role == Status::Leader);
        leaders.next().filter(|_| leaders.next().is_none())
    }

    /// Returns whether every node names the leader. Where the leader is anonymous, and does not name
    /// even itself, returns whether every other node follows.
    #[must_use]
    pub fn agreed(&self) -> bool {
        self.leader().is_some_and(|leader| {
            let name = leader.leader.map(|_| leader.id);
            let decided = |one: &Outcome| one.role != Status::Undecided;
            self.outcomes.iter().all(|one| one.leader == name && decided(one))
        })
    }

    /// Returns the time from the start until the last node knew the leader; `None` if one never
    /// did.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        let decided: Option<Vec<Instant>> = self.outcomes.iter().map(|one| one.decided).collect();
        let began = self.outcomes.iter().map(|one| one.began).min()?;
        Some(decided?.into_iter().max()?.saturating_duration_since(began))
    }

    /// Returns the number of messages sent of each kind, in the algorithm's order.
    #[must_use]
    pub fn sent(&self) -> Vec<(&'static Kind, u64)> {
        let mut all = Vec::new();
        for one in &self.outcomes {
            if all.is_empty() {
                all.clone_from(&one.sent);
            } else {
                all.iter_mut().zip(&one.sent).for_each(|(sum, (_, count))| sum.1 += count);
            }
        }
        all
    }

    /// Returns the number of messages sent.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.outcomes.iter().map(Outcome::total).sum()
    }

    /// Returns the length of the longest chain of messages.
    #[must_use]
    pub fn causal_depth(&self) -> u32 {
        self.outcomes.iter().map(|one| one.causal_depth).max().unwrap_or(0)
    }

    /// Returns the number of messages that arrived after a process had halted.
    #[must_use]
    pub fn late(&self) -> u64 {
        self.outcomes.iter().map(|one| one.late).sum()
    }

    /// Returns the number of links that were opened.
    #[must_use]
    pub fn links(&self) -> usize {
        self.outcomes.iter().map(|one| one.links).sum::<usize>() / 2
    }

    /// Returns the number of nodes that woke by themselves.
    #[must_use]
    pub fn woken(&self) -> u64 {
        self.outcomes.iter().filter(|one| one.woke).count() as u64
    }
}
