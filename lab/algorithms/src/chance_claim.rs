//! Claims about chance, which many elections together are held to.

use crate::{Bound, Claims, Guarantee, Parameters, Property, Rule, Sent};
use alloc::string::String;
use serde::{Deserialize, Serialize};

/// A claim about chance: a bound on an expected cost, or on the probability that something happens.
///
/// No single election breaks such a claim. Each has a [weight](Self::weight), and the claim says that the weights of
/// many elections are at most [`CLAIMED`](Self::CLAIMED) on average.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChanceClaim {
    /// The bound on the messages of the election.
    ElectionMessages,
    /// The bound on the messages of the announcement.
    AnnouncementMessages,
    /// The bound on the time.
    Time,
    /// One process leads with a probability of at least `1 - 1/n`.
    OneLeader,
}

/// What an ended election cost, and whether exactly one process leads.
#[derive(Clone, Copy, Debug)]
pub struct ElectionCost {
    /// The messages sent.
    pub sent: Sent,
    /// The time; `None` where it is not known.
    pub units: Option<u64>,
    /// Whether exactly one process leads.
    pub one_leads: bool,
}

impl ChanceClaim {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::ElectionMessages, Self::AnnouncementMessages, Self::Time, Self::OneLeader];

    /// The weight that elections have on average at most, if the claim holds.
    pub const CLAIMED: u64 = 1_000;

    /// A claim counts as refuted if the weights have, where it holds, a probability of at most 10 to the power of minus
    /// this number: so a false alarm is improbable even in a comparison of a thousand rows.
    pub const SIGNIFICANCE: u32 = 9;

    /// Returns the property that is broken if the claim does not hold.
    #[must_use]
    pub const fn property(self) -> Property {
        match self {
            Self::ElectionMessages | Self::AnnouncementMessages => Property::MessageBound,
            Self::Time => Property::TimeBound,
            Self::OneLeader => Property::ExactlyOneLeader,
        }
    }

    /// Returns the claim in words, with its formula; `None` if nothing of this kind is claimed.
    #[must_use]
    pub fn words(self, claims: &Claims) -> Option<String> {
        let of_bound =
            |bound: &Bound, of: &str| (!bound.is_sure()).then(|| bound.stated().sentence_of(of));
        match self {
            Self::ElectionMessages => of_bound(&claims.election, "election messages"),
            Self::AnnouncementMessages => of_bound(&claims.announcement, "announcement messages"),
            Self::Time => claims
                .time
                .filter(|time| !time.is_sure())
                .map(|time| time.stated().sentence_of("units of time")),
            Self::OneLeader => (claims.rule == Rule::MonteCarlo)
                .then(|| String::from("one process leads with a probability of at least 1 - 1/n")),
        }
    }

    /// Returns the [weights](Self::weight) of an election without faults for all that is claimed.
    pub fn weights(
        claims: &Claims,
        parameters: &Parameters,
        diameter: &dyn Fn() -> u64,
        cost: &ElectionCost,
    ) -> impl Iterator<Item = (Self, u64)> {
        let weight = |claim: Self| claim.weight(claims, parameters, diameter, cost);
        Self::ALL.into_iter().filter_map(move |claim| Some((claim, weight(claim)?)))
    }

    /// Returns the weight of an election without faults: its cost in thousandths of the bound on the expected cost; or,
    /// if an event has a probability of at most `1/n`, 1000 `n` where it happened, and 0 elsewhere. `None` if nothing
    /// of this kind is claimed, or the cost is not known.
    ///
    /// The initiators among the parameters are all that might wake, since the number of those that do may depend on
    /// chance. `diameter` is called only if a bound depends on it.
    #[must_use]
    pub fn weight(
        self,
        claims: &Claims,
        parameters: &Parameters,
        diameter: &dyn Fn() -> u64,
        cost: &ElectionCost,
    ) -> Option<u64> {
        let rare = Self::CLAIMED.saturating_mul(parameters.nodes);
        let bounded = |guarantee: Guarantee, cost: u64, bound: u64| match guarantee {
            Guarantee::Exactly | Guarantee::AtMost => None,
            Guarantee::Expected => Some(thousandths(cost, bound)),
            Guarantee::WithHighProbability => Some(if cost > bound { rare } else { 0 }),
        };
        let messages = |bound: &Bound, sent: u64| {
            let parameters = || claims.measured(*parameters, diameter);
            let at = if bound.is_sure() { 0 } else { bound.at(&parameters()) };
            bounded(bound.guarantee, sent, at)
        };
        match self {
            Self::ElectionMessages => messages(&claims.election, cost.sent.election),
            Self::AnnouncementMessages => messages(&claims.announcement, cost.sent.announcement),
            Self::Time => {
                let time = claims.time.filter(|time| !time.is_sure())?;
                let guarantee = time.election.guarantee.max(time.announcement.guarantee);
                bounded(guarantee, cost.units?, time.within(parameters, diameter))
            }
            Self::OneLeader if claims.rule == Rule::MonteCarlo => {
                Some(if cost.one_leads { 0 } else { rare })
            }
            Self::OneLeader => None,
        }
    }
}

/// Returns a cost in thousandths of a bound, rounded down; saturating.
fn thousandths(cost: u64, bound: u64) -> u64 {
    let ratio = (u128::from(cost) * u128::from(ChanceClaim::CLAIMED)).checked_div(bound.into());
    match ratio {
        Some(ratio) => u64::try_from(ratio).unwrap_or(u64::MAX),
        None if cost == 0 => 0,
        None => u64::MAX,
    }
}

#[cfg(test)]
mod tests;
