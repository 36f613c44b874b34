//! The figures of many trials, which add up.

use super::facts::TimeBound;
use super::summary::Trial;
use crate::number::Spread;
use crate::plan::Setup;
use serde::{Deserialize, Serialize};

/// The figures of trials. Their keys are part of the JSON reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figures {
    pub(crate) messages: Spread,
    pub(crate) election_messages: Spread,
    pub(crate) announcement_messages: Spread,
    pub(crate) bits: Spread,
    pub(crate) time: Spread,
    pub(crate) causal_depth: Spread,
    /// The messages that the busiest node sent and received.
    pub(crate) busiest: Spread,
}

/// The number of figures.
pub(crate) const FIGURES: usize = 7;

impl Figures {
    /// The keys of the figures, as in JSON and CSV.
    pub(crate) const KEYS: [&str; FIGURES] = [
        "messages",
        "election_messages",
        "announcement_messages",
        "bits",
        "time",
        "causal_depth",
        "busiest",
    ];

    /// Gathers the figures of at least one trial.
    pub(crate) fn of(trials: &[Trial]) -> Option<Self> {
        let spread = |figure: usize| Spread::of(trials.iter().map(|trial| trial.figures()[figure]));
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
    pub(crate) const fn all(&self) -> [&Spread; FIGURES] {
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
    pub(crate) fn merge(&mut self, further: &Self) {
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

pub(super) fn nearest(setup: &Setup, trials: &[Trial]) -> Option<TimeBound> {
    let claim = setup.algorithm.claims.time.as_ref()?;
    let bounds = trials.iter().filter_map(|trial| trial.units);
    let bounds = bounds.map(|(units, most)| TimeBound::new(claim, units, most));
    bounds.reduce(nearer)
}

/// The one of two trials that came nearer to the bound; the first, if they came equally near.
pub(super) fn nearer(one: TimeBound, other: TimeBound) -> TimeBound {
    if other.ratio > one.ratio { other } else { one }
}
