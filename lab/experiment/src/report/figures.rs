//! The figures of many trials, which add up.

use super::election::TimeBound;
use super::summary::TrialFigures;
use crate::election::Prepared;
use crate::number::FigureSpread;
use serde::{Deserialize, Serialize};

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
pub(super) const FIGURES: usize = 7;

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
