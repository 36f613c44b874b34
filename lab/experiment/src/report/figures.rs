//! The figures of many trials, which add up.

use super::chance::JudgedClaim;
use super::election::{BrokenProperty, TimeBound, claimed_messages};
use crate::election::{Instance, Prepared};
use crate::number::{Decimal, FigureSpread};
use serde::{Deserialize, Serialize};
use suffrage_algorithms::ChanceClaim;
use suffrage_model::Phase;
use suffrage_numbers::statistics::Distribution;
use suffrage_simulator::Outcome;

/// The figures of trials. Their keys are part of the JSON reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The messages sent.
    pub messages: FigureSpread,
    /// The messages of the election.
    pub election_messages: FigureSpread,
    /// The messages that announce the leader.
    pub announcement_messages: FigureSpread,
    /// Their bits.
    pub bits: FigureSpread,
    /// The time.
    pub time: FigureSpread,
    /// The messages in the longest causal chain.
    pub causal_depth: FigureSpread,
    /// The messages that the busiest node sent and received.
    pub busiest: FigureSpread,
}

/// The number of figures.
const FIGURES: usize = 7;

impl Figures {
    /// The keys of the figures, as in JSON and CSV.
    pub const KEYS: [&str; FIGURES] = [
        "messages",
        "election_messages",
        "announcement_messages",
        "bits",
        "time",
        "causal_depth",
        "busiest",
    ];

    /// Gathers the figures of at least one trial.
    pub fn of(trials: &[TrialFigures]) -> Option<Self> {
        let spread =
            |figure: usize| FigureSpread::of(trials.iter().map(|trial| trial.figures()[figure]));
        Some(Self {
            messages: spread(0)?,
            election_messages: spread(1)?,
            announcement_messages: spread(2)?,
            bits: spread(3)?,
            time: spread(4)?,
            causal_depth: spread(5)?,
            busiest: spread(6)?,
        })
    }

    /// The figures in the order of [`KEYS`](Self::KEYS).
    pub const fn all(&self) -> [&FigureSpread; FIGURES] {
        [
            &self.messages,
            &self.election_messages,
            &self.announcement_messages,
            &self.bits,
            &self.time,
            &self.causal_depth,
            &self.busiest,
        ]
    }

    /// Adds the figures of further trials.
    pub fn merge(&mut self, further: &Self) {
        let all = [
            &mut self.messages,
            &mut self.election_messages,
            &mut self.announcement_messages,
            &mut self.bits,
            &mut self.time,
            &mut self.causal_depth,
            &mut self.busiest,
        ];
        for (mine, theirs) in all.into_iter().zip(further.all()) {
            mine.merge(theirs);
        }
    }
}

/// Judges the claims about chance by trials.
pub(crate) fn judged(prepared: &Prepared, trials: &[TrialFigures]) -> Vec<JudgedClaim> {
    let weights_of = |claim| -> Distribution {
        let all = trials.iter().flat_map(|trial| &trial.weights);
        all.filter(|&&(of, _)| of == claim).map(|&(_, weight)| weight).collect()
    };
    JudgedClaim::all(&prepared.algorithm.claims, weights_of)
}

pub(crate) fn nearest(prepared: &Prepared, trials: &[TrialFigures]) -> Option<TimeBound> {
    let claim = prepared.algorithm.claims.time.as_ref()?;
    let bounds = trials.iter().filter_map(|trial| trial.units);
    let bounds = bounds.map(|(units, most)| TimeBound::new(claim, units, most));
    bounds.reduce(nearer)
}

/// The one of two trials that came nearer to the bound; the first, if they came equally near.
pub(crate) fn nearer(one: TimeBound, other: TimeBound) -> TimeBound {
    if other.ratio > one.ratio { other } else { one }
}

/// The values of a trial that a summary needs.
#[derive(Clone, Debug)]
pub struct TrialFigures {
    /// The seed.
    pub seed: u64,
    /// The number of nodes.
    pub nodes: u32,
    /// The messages sent.
    pub messages: u64,
    /// The messages of the election.
    pub election_messages: u64,
    /// The messages that announce the leader.
    pub announcement_messages: u64,
    /// Their bits.
    pub bits: u64,
    /// The time.
    pub time: u64,
    /// The messages in the longest causal chain.
    pub causal_depth: u64,
    /// The node that sent and received the most.
    pub busiest: u64,
    /// The bound for the initiators that woke.
    pub bound: u64,
    /// The time in units, and its bound; `None` if there is no claim, or it does not apply.
    pub units: Option<(u64, u64)>,
    /// The weights for claims about chance.
    pub weights: Vec<(ChanceClaim, u64)>,
    /// The leader, if there is exactly one.
    pub leader: Option<u64>,
    /// The properties that were broken.
    pub violations: Vec<BrokenProperty>,
}

impl TrialFigures {
    /// Creates it from what was found.
    pub fn of(instance: &Instance, outcome: &Outcome) -> Self {
        Self {
            seed: instance.seed(),
            nodes: instance.site.topology.nodes(),
            messages: claimed_messages(outcome),
            election_messages: outcome.messages.of(Phase::Election),
            announcement_messages: outcome.messages.of(Phase::Announcement),
            bits: u64::try_from(outcome.messages.bits()).unwrap_or(u64::MAX),
            busiest: outcome.busiest.messages,
            time: outcome.time,
            causal_depth: outcome.causal_depth.into(),
            bound: instance.bound(outcome.woken),
            units: outcome
                .units
                .zip(instance.time_bound(outcome.woken, outcome.leader.map(|leader| leader.id)))
                .map(|(units, (_, most))| (units, most)),
            weights: instance.weights(outcome),
            leader: outcome.leader.map(|leader| leader.node),
            violations: outcome.violations.iter().map(BrokenProperty::of).collect(),
        }
    }

    /// The figures in the order of [`Figures::KEYS`].
    #[must_use]
    pub const fn figures(&self) -> [u64; FIGURES] {
        [
            self.messages,
            self.election_messages,
            self.announcement_messages,
            self.bits,
            self.time,
            self.causal_depth,
            self.busiest,
        ]
    }

    /// The ratio of two numbers, rounded; `None` if the second is 0.
    pub fn ratio(&self) -> Option<Decimal> {
        Decimal::ratio(self.messages.into(), self.bound.into())
    }
}
