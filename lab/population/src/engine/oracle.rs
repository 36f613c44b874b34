//! Exact answers: sums and dynamic programming instead of random numbers.
//!
//! [`Oracle`] has expectations and probabilities, [`completion_cdf`] and [`DeclarationTime`] whole
//! distributions.

mod completion;
mod declaration;
mod distributions;
mod tally;
#[cfg(test)]
mod tests;

pub use completion::completion_cdf;
pub use declaration::DeclarationTime;
pub use distributions::{Distributions, ExactQuantile, Quantiles};

use crate::protocol::NumberedElection;
use serde::{Deserialize, Serialize};

/// The largest population whose election the oracle follows.
pub const MAX_AGENTS: u32 = 10_000;

/// Mean and standard deviation of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExactMoments {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

impl ExactMoments {
    fn sum(parts: impl Iterator<Item = (f64, f64)>) -> Self {
        let (mean, variance) = parts.fold((0.0, 0.0), |(m, v), part| (m + part.0, v + part.1));
        Self { mean, deviation: variance.sqrt() }
    }
}

/// Exact values of an election among numbered agents that does not freeze.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Oracle {
    /// The number of interactions until all hold the maximum.
    pub completed_at: ExactMoments,
    /// The eventual leader's conversions.
    pub conversions: ExactMoments,
    /// The number of followers that it meets until completion.
    pub followers_met: ExactMoments,
    /// The probability that all hold the maximum when it declares; `None` if it never declares.
    pub leader_ok: Option<f64>,
    /// The expected number of interactions until it declares.
    pub leader_declared_at: Option<f64>,
}

impl Oracle {
    /// Computes all values, in time proportional to `agents` times a few thousand.
    ///
    /// `agents` is from 2 to [`MAX_AGENTS`].
    #[must_use]
    pub fn of(election: &impl NumberedElection, agents: u32) -> Self {
        let n = u64::from(agents);
        let declares = election.followers_to_declare(1).is_some();
        let (leader_ok, leader_declared_at) = if declares {
            tally::expected_declaration(election, agents)
        } else {
            (f64::NAN, f64::NAN)
        };
        Self {
            completed_at: completion(n),
            conversions: ExactMoments::sum((1..n).map(|k| {
                let p = 1.0 / k as f64;
                (p, p * (1.0 - p))
            })),
            followers_met: ExactMoments::sum((1..n).map(|k| {
                let q = follower_share(n, k);
                (q / (1.0 - q), q / ((1.0 - q) * (1.0 - q)))
            })),
            // A sum of products may be above 1 in its last bit.
            leader_ok: declares.then_some(leader_ok.min(1.0)),
            leader_declared_at: declares.then_some(leader_declared_at),
        }
    }
}

fn conversion_rate(n: u64, k: u64) -> f64 {
    let (n, k) = (n as f64, k as f64);
    2.0 * k * (n - k) / (n * (n - 1.0))
}

/// Returns the probability that the next interaction that converts an agent or in which the leader
/// meets a follower is of the second kind.
fn follower_share(n: u64, k: u64) -> f64 {
    let met = (k - 1) as f64;
    met / (met + (k * (n - k)) as f64)
}

/// Returns the number of interactions until all of `agents` agents follow the highest; its mean is
/// (n-1) H(n-1).
#[must_use]
pub fn completion(agents: u64) -> ExactMoments {
    let variance: f64 = (1..agents)
        .map(|k| {
            let p = conversion_rate(agents, k);
            (1.0 - p) / (p * p)
        })
        .sum();
    ExactMoments { mean: (agents - 1) as f64 * harmonic(agents - 1), deviation: variance.sqrt() }
}

/// Returns the number of interactions until one of `agents` anonymous leaders is left; its mean is
/// (n-1)².
#[must_use]
pub fn fratricide(agents: u64) -> ExactMoments {
    let pairs = agents as f64 * (agents - 1) as f64;
    ExactMoments::sum((2..=agents).map(|k| {
        let p = k as f64 * (k - 1) as f64 / pairs;
        (1.0 / p, (1.0 - p) / (p * p))
    }))
}

/// Returns H(n) = 1 + 1/2 + ... + 1/n: summed up to 256, then by its asymptotic series, whose next
/// term is below 10^-19.
#[must_use]
pub fn harmonic(n: u64) -> f64 {
    if n <= 256 {
        return (1..=n).rev().map(|i| 1.0 / i as f64).sum();
    }
    const EULER: f64 = 0.577_215_664_901_532_9;
    let x = n as f64;
    libm::log(x) + EULER + 1.0 / (2.0 * x) - 1.0 / (12.0 * x * x) + 1.0 / (120.0 * x * x * x * x)
}
