//! Statistics of trials: one interval, one quantile and one histogram for everything that is reported.
//!
//! A [`Distribution`] is whole numbers alone. Its sums and quantiles do not depend on the order in which
//! values came, so that the trials of several machines, added up by [`Distribution::merge`], give the
//! same figures to the last digit as those of one. [`Moments`] are those of a sample of floats, and a
//! [`Rate`] is a share of trials.
//!
//! Everything is computed by additions, multiplications, divisions and square roots, which IEEE 754
//! rounds alike on every machine: a report has the same digits everywhere.
//!
//! ```
//! use suffrage_numbers::statistics::Distribution;
//!
//! let one: Distribution = [3, 5, 5, 7].into_iter().collect();
//! let mut both: Distribution = [11, 5].into_iter().collect();
//! both.merge(&one);
//! assert_eq!((both.count(), both.sum(), both.quantile(1, 2)), (6, 36, Some(5)));
//! assert_eq!(both.deviation(), Some(f64::sqrt(38.0 / 5.0)));
//! ```

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The 97.5 % quantile of the standard normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// Returns the 97.5 % quantile of Student's distribution with so many degrees of freedom: of a table
/// up to ten, and then by the expansion of Cornish and Fisher (Abramowitz, Stegun, 26.7.5), which is off
/// by less than 10^-5.
#[must_use]
pub fn student(freedom: u64) -> f64 {
    const TABLE: [f64; 10] =
        [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281];
    match freedom {
        0 => f64::INFINITY,
        1..=10 => TABLE[freedom as usize - 1],
        _ => {
            let n = freedom as f64;
            let square = Z95 * Z95;
            let first = Z95 * (square + 1.0) / 4.0;
            let second = Z95 * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
            let third = Z95 * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
            let fourth = (((79.0 * square + 776.0) * square + 1482.0) * square - 1920.0) * square;
            let fourth = Z95 * (fourth - 945.0) / 92160.0;
            Z95 + (first + (second + (third + fourth / n) / n) / n) / n
        }
    }
}

/// Returns half the width of the 95 % confidence interval of a mean, by Student's distribution, from the
/// sample's standard deviation; `None` of fewer than two values.
fn half_width(count: u64, deviation: f64) -> Option<f64> {
    let freedom = count.checked_sub(1).filter(|&freedom| freedom > 0)?;
    Some(student(freedom) * deviation / (count as f64).sqrt())
}

/// Returns the nearest rank of a quantile, from 1 on: the rank of the least of `count` values in
/// order that `share` of `of` values do not exceed.
fn nearest_rank(count: u64, share: u64, of: u64) -> u128 {
    (u128::from(count) * u128::from(share)).div_ceil(of.into()).max(1)
}

/// Returns the quantile of values in order: the least value that `share` of `of` values do not exceed
/// (the nearest rank); `None` if there are no values.
///
/// ```
/// use suffrage_numbers::statistics::quantile;
///
/// assert_eq!(quantile(&[15, 20, 35, 40, 50], 40, 100), Some(20));
/// ```
#[must_use]
pub fn quantile<T: Copy>(sorted: &[T], share: u64, of: u64) -> Option<T> {
    sorted.get((nearest_rank(sorted.len() as u64, share, of) - 1) as usize).copied()
}

/// The distribution of a sample: how often each value was there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct Distribution {
    counts: BTreeMap<u64, u64>,
}

impl Distribution {
    /// Adds a value.
    pub fn record(&mut self, value: u64) {
        self.add(value, 1);
    }

    /// Adds all values of another distribution.
    pub fn merge(&mut self, other: &Self) {
        other.counts().for_each(|(value, count)| self.add(value, count));
    }

    fn add(&mut self, value: u64, count: u64) {
        *self.counts.entry(value).or_default() += count;
    }

    /// Returns the values in order, each with how often it was there.
    pub fn counts(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> + '_ {
        self.counts.iter().map(|(&value, &count)| (value, count))
    }

    /// Returns the number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns the sum of the values.
    #[must_use]
    pub fn sum(&self) -> u128 {
        self.counts().map(|(value, count)| u128::from(value) * u128::from(count)).sum()
    }

    /// Returns the least value.
    #[must_use]
    pub fn min(&self) -> Option<u64> {
        self.counts.keys().next().copied()
    }

    /// Returns the greatest value.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        self.counts.keys().next_back().copied()
    }

    /// Returns the least value that `share` of `of` values do not exceed (the nearest rank).
    #[must_use]
    pub fn quantile(&self, share: u64, of: u64) -> Option<u64> {
        let rank = nearest_rank(self.count(), share, of);
        let mut below = 0_u128;
        self.counts().find_map(|(value, count)| {
            below += u128::from(count);
            (below >= rank).then_some(value)
        })
    }

    /// Returns the mean, rounded to a float.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.sum() as f64 / count as f64)
    }

    /// Returns the variance of the sample (divided by one less than the number of values); `None` of
    /// fewer than two.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        let count = self.count();
        if count < 2 {
            return None;
        }
        // Whole numbers as long as they fit, so that only the last step rounds.
        let least = self.min()?;
        let exact = || {
            let (mut sum, mut squares) = (0_u128, 0_u128);
            for (value, count) in self.counts() {
                let (above, count) = (u128::from(value - least), u128::from(count));
                sum = sum.checked_add(above.checked_mul(count)?)?;
                squares = squares.checked_add(above.checked_mul(above)?.checked_mul(count)?)?;
            }
            let all = u128::from(count);
            let spread = squares.checked_mul(all)?.checked_sub(sum.checked_mul(sum)?)?;
            Some(spread as f64 / (all * (all - 1)) as f64)
        };
        Some(exact().unwrap_or_else(|| {
            let mean = self.mean().unwrap_or_default();
            let distance = |value: u64| value as f64 - mean;
            let square = |(value, count)| distance(value) * distance(value) * count as f64;
            self.counts().map(square).sum::<f64>() / (count - 1) as f64
        }))
    }

    /// Returns the standard deviation of the sample; `None` of fewer than two values.
    #[must_use]
    pub fn deviation(&self) -> Option<f64> {
        Some(self.variance()?.sqrt())
    }

    /// Returns half the width of the 95 % confidence interval of the mean, by Student's distribution;
    /// `None` of fewer than two values.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        half_width(self.count(), self.deviation()?)
    }

    /// Returns how firmly the values refute that their mean is at most `most`: the greatest `d` such that values like
    /// these have, if it is, a probability of at most 10^-d. It is 0 if nothing speaks against it.
    ///
    /// The values are those of independent trials; when the trials end may depend on them.
    /// Nothing is assumed of their number or their distribution, so a few trials or a rare great value
    /// refute nothing by accident. The test is a bet (I. Waudby-Smith, A. Ramdas, *Estimating means of bounded random
    /// variables by betting*, JRSS B 86, 2024): a gambler who stakes a part of his capital on each value, and wins
    /// the value over `most` times his stake, cannot expect to have more than 1 in the end, if he began
    /// with 1; so he has `c` or more with a probability of at most `1/c` (Markov's inequality). The capital
    /// is the mean of those of `GAMBLERS`, who stake all, a half, a quarter and so on.
    ///
    /// ```
    /// use suffrage_numbers::statistics::Distribution;
    ///
    /// let heads: Distribution = [1; 10].into_iter().collect();
    /// assert_eq!(heads.refutes_mean(1), 0);
    /// let twice: Distribution = [2; 40].into_iter().collect(); // 2^40 is 10^12; a 21st of it is above 10^10.
    /// assert_eq!((twice.refutes_mean(1), twice.refutes_mean(2)), (10, 0));
    /// ```
    #[must_use]
    pub fn refutes_mean(&self, most: u64) -> u32 {
        if most == 0 {
            return if self.max() > Some(0) { u32::MAX } else { 0 };
        }
        let richest = (0..GAMBLERS).filter_map(|gambler| {
            let stake = 1.0 / (1_u64 << gambler) as f64;
            self.counts().try_fold(Capital::ONE, |capital, (value, count)| {
                capital.after(1.0 - stake + stake * (value as f64 / most as f64), count)
            })
        });
        let binary = richest.map(|capital| capital.exponent).max().unwrap_or(0);
        // The share of one of 21 gamblers is less than 2^5 times his capital, and a power of two is more than 0.30102
        // powers of ten.
        let decimal = i128::from(binary.saturating_sub(5).max(0)) * 30_102 / 100_000;
        u32::try_from(decimal).unwrap_or(u32::MAX)
    }

    /// Counts the values in at most so many intervals of equal length: the least value that belongs to
    /// each, and the number of values in it. The last number is the length of the intervals.
    ///
    /// ```
    /// use suffrage_numbers::statistics::Distribution;
    ///
    /// let all: Distribution = [1, 2, 2, 5, 9].into_iter().collect();
    /// assert_eq!(all.histogram(3), (vec![(1, 3), (4, 1), (7, 1)], 3));
    /// ```
    ///
    /// # Panics
    /// If `intervals` is 0.
    #[must_use]
    pub fn histogram(&self, intervals: u64) -> (Vec<(u64, u64)>, u64) {
        let Some((least, most)) = self.min().zip(self.max()) else { return (Vec::new(), 1) };
        let length = ((most - least) / intervals).saturating_add(1);
        let starts = (0..=(most - least) / length).map(|place| (least + length * place, 0));
        let mut all: Vec<(u64, u64)> = starts.collect();
        for (value, count) in self.counts() {
            all[((value - least) / length) as usize].1 += count;
        }
        (all, length)
    }
}

/// The number of gamblers that bet against a mean. The last one stakes a millionth of his capital.
const GAMBLERS: u32 = 21;

/// The capital of a gambler: a number from 1 to 2, times a power of two.
#[derive(Clone, Copy)]
struct Capital {
    mantissa: f64,
    exponent: i64,
}

impl Capital {
    const ONE: Self = Self { mantissa: 1.0, exponent: 0 };

    /// Returns the capital after it has been multiplied so often; `None` if nothing is left.
    fn after(self, factor: f64, mut count: u64) -> Option<Self> {
        if factor <= 0.0 && count > 0 {
            return None;
        }
        let (mut all, mut power) = (self, Self { mantissa: factor, exponent: 0 }.normal());
        while count > 0 {
            if count % 2 == 1 {
                all = all.times(power);
            }
            power = power.times(power);
            count /= 2;
        }
        Some(all)
    }

    fn times(self, other: Self) -> Self {
        let exponent = self.exponent.saturating_add(other.exponent);
        Self { mantissa: self.mantissa * other.mantissa, exponent }.normal()
    }

    fn normal(self) -> Self {
        const BIAS: u64 = 1023;
        let bits = self.mantissa.to_bits();
        let exponent = (bits >> 52) as i64 - BIAS as i64;
        let mantissa = f64::from_bits(bits & (u64::MAX >> 12) | BIAS << 52);
        Self { mantissa, exponent: self.exponent.saturating_add(exponent) }
    }
}

impl FromIterator<u64> for Distribution {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|value| all.record(value));
        all
    }
}

impl From<Vec<(u64, u64)>> for Distribution {
    fn from(counts: Vec<(u64, u64)>) -> Self {
        let mut all = Self::default();
        let counts = counts.into_iter().filter(|&(_, count)| count > 0);
        counts.for_each(|(value, count)| all.add(value, count));
        all
    }
}

impl From<Distribution> for Vec<(u64, u64)> {
    fn from(all: Distribution) -> Self {
        all.counts.into_iter().collect()
    }
}

/// Mean and spread of a sample of floats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// The number of values.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (of the sample: divided by `count - 1`).
    pub deviation: f64,
    /// The standard error of the mean.
    pub error: f64,
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
}

impl Moments {
    /// Returns the moments of a sample; `None` if it is empty. Two passes, in the order given, so
    /// that the result is the same for every number of threads.
    #[must_use]
    pub fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let count = values.clone().count() as u64;
        if count == 0 {
            return None;
        }
        let mean = values.clone().sum::<f64>() / count as f64;
        let squares: f64 = values.clone().map(|x| (x - mean) * (x - mean)).sum();
        let deviation = (squares / (count.max(2) - 1) as f64).sqrt();
        let (min, max) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| (x.min(min), x.max(max)));
        Some(Self { count, mean, deviation, error: deviation / (count as f64).sqrt(), min, max })
    }

    /// Returns half the width of the 95 % confidence interval of the mean, by Student's distribution;
    /// `None` of fewer than two values.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        half_width(self.count, self.deviation)
    }
}

/// The rate of successes in trials, with a confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The number of successes.
    pub successes: u64,
    /// The number of trials.
    pub trials: u64,
    /// The share.
    pub rate: f64,
    /// Lower end of the 95 % confidence interval (E. B. Wilson, JASA 22, 1927).
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Rate {
    /// Returns the rate of `successes` in `trials`; `None` if there are no trials.
    #[must_use]
    pub fn of(successes: u64, trials: u64) -> Option<Self> {
        if trials == 0 {
            return None;
        }
        let (n, rate) = (trials as f64, successes as f64 / trials as f64);
        let weight = Z95 * Z95 / n;
        let centre = (rate + weight / 2.0) / (1.0 + weight);
        let width = Z95 * (rate * (1.0 - rate) / n + weight / (4.0 * n)).sqrt() / (1.0 + weight);
        let (low, high) = ((centre - width).max(0.0), (centre + width).min(1.0));
        Some(Self { successes, trials, rate, low, high })
    }
}

/// Returns the Kolmogorov-Smirnov distance of two samples, times `sqrt(nm / (n + m))`: in the limit
/// above 1.36 in 5 % of pairs from one distribution, above 1.95 in 0.1 %, above 2.23 in 10^-4. Ties
/// make it smaller.
#[must_use]
pub fn ks_distance(a: &[u64], b: &[u64]) -> f64 {
    let mut b = b.to_vec();
    b.sort_unstable();
    let (n, m) = (a.len() as f64, b.len() as f64);
    let distance = ks_distance_to(a, |x| b.partition_point(|&y| y <= x) as f64 / m);
    distance * (m / (n + m)).sqrt()
}

/// Returns the Kolmogorov-Smirnov distance of a sample from a distribution, times `sqrt(n)`: the
/// same limits as for [`ks_distance`]. `cdf[x]` is the probability of a value of at most `x`;
/// values beyond its end count as certain.
#[must_use]
pub fn ks_distance_from(sample: &[u64], cdf: &[f64]) -> f64 {
    ks_distance_to(sample, |x| cdf.get(x as usize).copied().unwrap_or(1.0))
}

/// Returns the same for a distribution that is given as a function: `cdf(x)` is the probability of
/// a value of at most `x`.
#[must_use]
pub fn ks_distance_to(sample: &[u64], cdf: impl Fn(u64) -> f64) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_unstable();
    let n = sorted.len() as f64;
    let (mut seen, mut distance) = (0, 0.0_f64);
    for equal in sorted.chunk_by(|a, b| a == b) {
        let x = equal[0];
        let below = if x == 0 { 0.0 } else { cdf(x - 1) };
        distance = distance.max((seen as f64 / n - below).abs());
        seen += equal.len();
        distance = distance.max((seen as f64 / n - cdf(x)).abs());
    }
    distance * n.sqrt()
}

#[cfg(test)]
mod tests;
