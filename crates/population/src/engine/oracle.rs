//! Exact answers: sums and dynamic programming instead of random numbers.

use crate::{protocol::Election, statistics::harmonic};
use serde::{Deserialize, Serialize};

/// The largest population whose election the oracle follows.
pub const MAX_AGENTS: u32 = 10_000;

/// Probabilities below this are dropped; what is lost in all stays below 10^-20.
const NEGLIGIBLE: f64 = 1e-30;

/// Followers met before completion, at most: more have a probability near 2^-256, since even
/// before the last conversion every other event is that conversion.
const MOST_FOLLOWERS: usize = 256;

/// Mean and standard deviation of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

impl Spread {
    /// The sum of independent variables, given mean and variance of each.
    fn sum(parts: impl Iterator<Item = (f64, f64)>) -> Self {
        let (mean, variance) = parts.fold((0.0, 0.0), |(m, v), part| (m + part.0, v + part.1));
        Self { mean, deviation: variance.sqrt() }
    }
}

/// What is known exactly of an election among numbered agents that does not freeze.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Oracle {
    /// Interactions until all hold the maximum.
    pub completed_at: Spread,
    /// The eventual leader's conversions.
    pub conversions: Spread,
    /// The followers that it meets until completion.
    pub followers_met: Spread,
    /// The probability that all hold the maximum when it declares; `None` if it never declares.
    pub leader_ok: Option<f64>,
    /// The expected number of interactions until it declares.
    pub leader_declared_at: Option<f64>,
}

impl Oracle {
    /// Computes everything, in time proportional to `agents` times a few thousand.
    ///
    /// `agents` is from 2 to [`MAX_AGENTS`].
    #[must_use]
    pub fn of(election: &impl Election, agents: u32) -> Self {
        let n = u64::from(agents);
        let declares = election.followers_to_declare(1).is_some();
        let (leader_ok, leader_declared_at) =
            if declares { declaration(election, agents) } else { (f64::NAN, f64::NAN) };
        Self {
            completed_at: completion(n),
            conversions: Spread::sum((1..n).map(|k| {
                let p = 1.0 / k as f64;
                (p, p * (1.0 - p))
            })),
            followers_met: Spread::sum((1..n).map(|k| {
                let q = follower_share(n, k);
                (q / (1.0 - q), q / ((1.0 - q) * (1.0 - q)))
            })),
            leader_ok: declares.then_some(leader_ok),
            leader_declared_at: declares.then_some(leader_declared_at),
        }
    }
}

/// The probability that an interaction converts, when k of n agents follow.
fn conversion_rate(n: u64, k: u64) -> f64 {
    let (n, k) = (n as f64, k as f64);
    2.0 * k * (n - k) / (n * (n - 1.0))
}

/// The probability that the next interaction that converts an agent or in which the leader meets a
/// follower is of the second kind.
fn follower_share(n: u64, k: u64) -> f64 {
    let met = (k - 1) as f64;
    met / (met + (k * (n - k)) as f64)
}

/// Interactions until all of `agents` agents follow the highest: the mean is (n-1) H(n-1).
#[must_use]
pub fn completion(agents: u64) -> Spread {
    let variance: f64 = (1..agents)
        .map(|k| {
            let p = conversion_rate(agents, k);
            (1.0 - p) / (p * p)
        })
        .sum();
    Spread { mean: (agents - 1) as f64 * harmonic(agents - 1), deviation: variance.sqrt() }
}

/// Interactions until one of `agents` anonymous leaders is left: the mean is (n-1)².
#[must_use]
pub fn fratricide(agents: u64) -> Spread {
    let pairs = agents as f64 * (agents - 1) as f64;
    Spread::sum((2..=agents).map(|k| {
        let p = k as f64 * (k - 1) as f64 / pairs;
        (1.0 / p, (1.0 - p) / (p * p))
    }))
}

/// The distribution of the time until all hold the maximum: entry t is the probability of at most
/// t interactions; it ends where that is 1 to within 10^-12. Time and memory grow with n² ln n.
#[must_use]
pub fn completion_cdf(agents: u32) -> Vec<f64> {
    let n = u64::from(agents);
    let rates: Vec<f64> =
        (0..n).map(|k| if k == 0 { 0.0 } else { conversion_rate(n, k) }).collect();
    let mut share = vec![0.0; agents as usize + 1];
    share[1] = 1.0;
    let (mut low, mut high) = (1, 1);
    let mut cdf = vec![if agents == 1 { 1.0 } else { 0.0 }];
    while share[agents as usize] < 1.0 - 1e-12 {
        for k in (low..=high.min(agents as usize - 1)).rev() {
            let moved = share[k] * rates[k];
            share[k + 1] += moved;
            share[k] -= moved;
        }
        high = (high + 1).min(agents as usize);
        while low < high && share[low] < NEGLIGIBLE {
            low += 1;
        }
        cdf.push(share[agents as usize]);
    }
    cdf
}

/// Probability mass of a tally, and the same times the expected time on the way to it.
#[derive(Clone, Copy, Default)]
struct Mass {
    probability: f64,
    time: f64,
}

impl Mass {
    fn scaled(self, by: f64) -> Self {
        Self { probability: self.probability * by, time: self.time * by }
    }

    fn add(&mut self, other: Self) {
        self.probability += other.probability;
        self.time += other.time;
    }
}

/// The probability that the leader declares after completion, and the expected time of its
/// declaration: the joint distribution of conversions and followers met, stage by stage.
fn declaration(election: &impl Election, agents: u32) -> (f64, f64) {
    let n = u64::from(agents);
    let mut rows: Vec<Vec<Mass>> = vec![vec![Mass { probability: 1.0, time: 0.0 }]];
    let mut early = Mass::default();
    for k in 1..n {
        let share = follower_share(n, k);
        // An event takes this long, whichever of the two kinds it turns out to be.
        let wait = 1.0 / (conversion_rate(n, k) / (1.0 - share));
        for (row, conversions) in rows.iter_mut().zip(0..) {
            let enough = election.followers_to_declare(conversions).unwrap_or(u64::MAX);
            meet_followers(row, share, wait, enough, &mut early);
        }
        convert(&mut rows, 1.0 / k as f64);
    }
    let mut late = Mass::default();
    for (row, conversions) in rows.iter().zip(0..) {
        let enough = election.followers_to_declare(conversions).unwrap_or(u64::MAX);
        for (mass, met) in row.iter().zip(0_u64..) {
            let missing = enough.saturating_sub(met).max(1) as f64 * n as f64 / 2.0;
            late.add(Mass {
                probability: mass.probability,
                time: mass.time + mass.probability * missing,
            });
        }
    }
    (late.probability, late.time + early.time)
}

/// One stage: the leader meets a follower again and again with probability `share`, and declares
/// where that makes `enough`.
fn meet_followers(row: &mut Vec<Mass>, share: f64, wait: f64, enough: u64, early: &mut Mass) {
    let mut carried = Mass::default();
    let mut met = 0;
    while met < row.len() || carried.probability > NEGLIGIBLE && met < MOST_FOLLOWERS {
        if met == row.len() {
            row.push(Mass::default());
        }
        let mut mass = row[met];
        mass.add(carried);
        mass.time += mass.probability * wait;
        row[met] = mass.scaled(1.0 - share);
        carried = mass.scaled(share);
        met += 1;
        if met as u64 >= enough {
            early.add(carried);
            carried = Mass::default();
        }
    }
}

/// The conversion that ends a stage is the leader's with the given probability. The last row is
/// kept as it is where nothing but a negligible mass would leave it.
fn convert(rows: &mut Vec<Vec<Mass>>, leaders: f64) {
    let last: f64 = rows.last().into_iter().flatten().map(|mass| mass.probability).sum();
    if last * leaders > NEGLIGIBLE {
        rows.push(Vec::new());
    }
    for c in (1..rows.len()).rev() {
        let Ok([from, to]) = rows.get_disjoint_mut([c - 1, c]) else { unreachable!() };
        to.resize(to.len().max(from.len()), Mass::default());
        for (from, to) in from.iter_mut().zip(to) {
            to.add(from.scaled(leaders));
            *from = from.scaled(1.0 - leaders);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{NumberedEpidemic, Rule, SelfTerminating};

    #[test]
    fn theorems_in_closed_form() {
        for agents in [2_u32, 3, 10, 1000] {
            let n = f64::from(agents);
            let h = harmonic(u64::from(agents) - 1);
            let oracle = Oracle::of(&NumberedEpidemic::default(), agents);
            assert!((oracle.completed_at.mean - (n - 1.0) * h).abs() < 1e-9 * n * h);
            let sum: f64 =
                (1..agents).map(|k| 1.0 / conversion_rate(agents.into(), k.into())).sum();
            assert!((oracle.completed_at.mean - sum).abs() < 1e-9 * sum);
            assert!((oracle.conversions.mean - h).abs() < 1e-9);
            assert!((oracle.followers_met.mean - (1.0 - 2.0 / n) * h).abs() < 1e-9);
            assert_eq!(oracle.leader_ok, None);
            let anonymous = fratricide(u64::from(agents));
            assert!((anonymous.mean - (n - 1.0) * (n - 1.0)).abs() < 1e-6 * n);
        }
    }

    #[test]
    fn the_distribution_has_the_moments() {
        for agents in [2_u32, 3, 50] {
            let cdf = completion_cdf(agents);
            let mean: f64 = cdf.iter().map(|p| 1.0 - p).sum();
            assert!((mean - completion(agents.into()).mean).abs() < 1e-6, "{agents}: {mean}");
        }
    }

    /// Three agents by hand: after the first meeting, which need not be the leader's, stage 2 ends
    /// with probability 2/3 of what matters. With m = 1 the text's rule wants more followers met
    /// than conversions.
    #[test]
    fn three_agents_by_hand() {
        let protocol = SelfTerminating { margin: 1, rule: Rule::Text, min_interactions: 0 };
        let oracle = Oracle::of(&protocol, 3);
        // Stage 1 ends by the leader's conversion. Stage 2: (1,0) meets two followers, each with
        // probability 1/3, and declares too early: 1/9.
        assert!((oracle.leader_ok.unwrap() - 8.0 / 9.0).abs() < 1e-12);
    }

    /// n = 1000 and 10000, m = 4: in per cent, from an independent program.
    #[test]
    fn rates_of_the_rules() {
        for (rule, min_interactions, agents, percent) in RATES {
            let protocol = SelfTerminating { margin: 4, rule, min_interactions };
            let rate = 100.0 * Oracle::of(&protocol, agents).leader_ok.unwrap();
            assert!((rate - percent).abs() < 1e-4, "{rule:?} {agents}: {rate}");
        }
    }
    const RATES: [(Rule, u32, u32, f64); 5] = [
        (Rule::Text, 0, 1000, 99.4580),
        (Rule::AtLeast, 0, 1000, 99.2137),
        (Rule::Text, 25, 1000, 99.9912),
        (Rule::Text, 30, 2000, 99.998_631),
        (Rule::AtLeast, 0, 3335, 99.5050),
    ];
}
