//! Exact answers: sums and dynamic programming instead of random numbers.
//!
//! [`Oracle`] has expectations and probabilities, [`completion_cdf`] and [`DeclarationTime`] whole
//! distributions.

mod declaration;
mod distributions;
mod tally;
#[cfg(test)]
mod tests;

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

/// Euler's constant γ: H(n) is about ln n + γ.
pub(crate) const EULER: f64 = 0.577_215_664_901_532_9;

/// Returns H(n) = 1 + 1/2 + ... + 1/n: summed up to 256, then by its asymptotic series, whose next
/// term is below 10^-19.
#[must_use]
pub fn harmonic(n: u64) -> f64 {
    if n <= 256 {
        return (1..=n).rev().map(|i| 1.0 / i as f64).sum();
    }
    let x = n as f64;
    libm::log(x) + EULER + 1.0 / (2.0 * x) - 1.0 / (12.0 * x * x) + 1.0 / (120.0 * x * x * x * x)
}

/// Probabilities below this are dropped or not moved. There are fewer than 10^10 of them, so that
/// the total error stays below 10^-20.
const NEGLIGIBLE: f64 = 1e-30;

/// The remaining probability at which the distribution is cut off.
const END: f64 = 1e-12;

/// Returns the distribution of the time until all hold the maximum: entry t is the probability of
/// at most t interactions; it ends when that is 1 to within 10^-12. Uses dynamic programming over
/// the number of agents that hold it, in time proportional to n² ln n: half a second for 10^4
/// agents.
#[must_use]
pub fn completion_cdf(agents: u32) -> Vec<f64> {
    let all = agents as usize;
    let rate = |k| if k == 0 { 0.0 } else { conversion_rate(agents.into(), k) };
    let rates: Vec<f64> = (0..u64::from(agents)).map(rate).collect();
    // Entry k: the probability that k agents hold it now.
    let mut share = vec![0.0; all + 1];
    share[1] = 1.0;
    let (mut low, mut high) = (1, 1);
    let mut cdf = vec![share[all]];
    loop {
        // Checked periodically, and at every step for small populations.
        if cdf.len().is_multiple_of(all / 16 + 1) && share[low..all].iter().sum::<f64>() < END {
            return cdf;
        }
        if high < all && share[high] * rates[high] > NEGLIGIBLE {
            high += 1;
        }
        let mut arriving = 0.0;
        for (share, rate) in share[low..high].iter_mut().zip(&rates[low..high]) {
            let leaving = *share * rate;
            *share = *share - leaving + arriving;
            arriving = leaving;
        }
        share[high] += arriving;
        while low < high && share[low] < NEGLIGIBLE {
            low += 1;
        }
        cdf.push(share[all]);
    }
}
