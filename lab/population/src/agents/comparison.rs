//! Real meetings compared with the simulated distribution.

use super::MeetingFindings;
use crate::{
    ensemble::TrialProgress,
    error::PopulationError,
    experiment::{EngineKind, NamedProtocol, PopulationExperiment, TrialSample},
    meetings::{Meetings, Pairs},
    random::RandomStream,
    trial::Trial,
};
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use suffrage_numbers::statistics::quantile;

/// The most meetings that are drawn to see how they spread over the agents.
const DRAWS: u64 = 100_000_000;

/// Makes the seed of the draws differ from the seed of the trials.
const SPREAD: u64 = 0x5eed_0fa6;

/// A number of a real election among simulated ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RealAmongSimulated {
    /// The real number; `None` if it did not come about.
    pub real: Option<u64>,
    /// The share of simulated numbers below the real one, those equal to it counting half.
    pub quantile: Option<f64>,
    /// The simulated median.
    pub median: u64,
    /// The simulated number below which 2.5 % lie.
    pub low: u64,
    /// The simulated number above which 2.5 % lie.
    pub high: u64,
}

/// A comparison of a real election with simulated ones of the same protocol and as many agents, in
/// which all start at once and none dies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RealComparison {
    /// The number of simulated elections.
    pub trials: u64,
    /// Meetings until all held the same identity.
    pub completed_at: Option<RealAmongSimulated>,
    /// Meetings until the first declaration.
    pub declared_at: Option<RealAmongSimulated>,
    /// Meetings until all had been told.
    pub told_at: Option<RealAmongSimulated>,
    /// The share of simulated elections whose first declaration was correct.
    pub right: Option<f64>,
    /// Meetings of the agent that had the fewest, where as many meetings as in the real election are
    /// drawn at random.
    pub fewest: Option<RealAmongSimulated>,
    /// Meetings of the agent that had the most.
    pub most: Option<RealAmongSimulated>,
}

impl RealAmongSimulated {
    /// Places a number among simulated ones; `None` if there are none of these.
    #[must_use]
    pub fn of(real: Option<u64>, mut simulated: Vec<u64>) -> Option<Self> {
        simulated.sort_unstable();
        let rank = |per_mille| quantile(&simulated, per_mille, 1000);
        let below = |real| {
            let less = simulated.partition_point(|&it| it < real);
            let at_most = simulated.partition_point(|&it| it <= real);
            (less + at_most) as f64 / (2.0 * simulated.len() as f64)
        };
        Some(Self {
            real,
            quantile: real.map(below),
            median: rank(500)?,
            low: rank(25)?,
            high: rank(975)?,
        })
    }
}

impl RealComparison {
    /// Simulates as many elections as `trials` says, and compares. An interruption makes them fewer.
    ///
    /// # Errors
    /// As [`PopulationExperiment::plan`].
    pub fn of(
        found: &MeetingFindings,
        protocol: NamedProtocol,
        trials: u64,
        seed: u64,
        progress: &dyn TrialProgress,
        interrupted: &AtomicBool,
    ) -> Result<Self, PopulationError> {
        let experiment = PopulationExperiment {
            trials,
            seed,
            engine: Some(EngineKind::Direct),
            ..PopulationExperiment::new(protocol, found.agents.into())
        };
        let trials = match experiment.run(progress, interrupted)?.sample {
            TrialSample::Trials(trials) => trials,
            TrialSample::Exact(..) | TrialSample::Time(..) => Vec::new(),
        };
        let place = |real, field: fn(&Trial) -> Option<u64>| {
            RealAmongSimulated::of(real, trials.iter().filter_map(field).collect())
        };
        let declared = trials.iter().filter(|trial| trial.declared_at.is_some()).count();
        let right = trials.iter().filter(|trial| trial.first_ok == Some(true)).count();
        let (fewest, most) = spread(found, seed, trials.len() as u64, interrupted);
        let real = found.meetings_per_agent.filter(|_| found.died.is_empty());
        Ok(Self {
            trials: trials.len() as u64,
            completed_at: place(found.completed_at, |trial| trial.completed_at),
            declared_at: place(found.declared.map(|it| it.meetings), |trial| trial.declared_at),
            told_at: place(found.told_at, |trial| trial.told_at),
            right: (declared > 0).then(|| right as f64 / trials.len() as f64),
            fewest: RealAmongSimulated::of(real.map(|spread| spread.min.into()), fewest),
            most: RealAmongSimulated::of(real.map(|spread| spread.max.into()), most),
        })
    }
}

/// Draws as many meetings as there were, again and again, and returns the fewest and the most of an
/// agent.
fn spread(
    found: &MeetingFindings,
    seed: u64,
    trials: u64,
    stop: &AtomicBool,
) -> (Vec<u64>, Vec<u64>) {
    if found.agents < 2 || found.meetings == 0 || !found.died.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let meetings = Meetings::among(found.agents);
    let trials = trials.min(DRAWS / found.meetings);
    let one = |trial| {
        let mut stream = RandomStream::of_trial(seed ^ SPREAD, trial);
        let mut of = vec![0_u64; found.agents as usize];
        for _ in 0..found.meetings {
            let (i, j) = meetings.next(&mut stream);
            of[i as usize] += 1;
            of[j as usize] += 1;
        }
        of.iter().min().copied().zip(of.iter().max().copied())
    };
    (0..trials).take_while(|_| !stop.load(Relaxed)).filter_map(one).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_counts_ties_half() {
        let among = |real| RealAmongSimulated::of(Some(real), vec![4, 1, 2, 2]).unwrap();
        assert_eq!(among(2).quantile, Some(0.5));
        assert_eq!(among(0).quantile, Some(0.0));
        assert_eq!(among(9).quantile, Some(1.0));
        assert_eq!((among(9).low, among(9).median, among(9).high), (1, 2, 4));
        assert_eq!(RealAmongSimulated::of(Some(1), Vec::new()), None);
        assert_eq!(RealAmongSimulated::of(None, vec![3]).unwrap().quantile, None);
    }
}
