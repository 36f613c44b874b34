//! Statistics that are exact, and that add up: how often each value was there.
//!
//! A [`Distribution`] is whole numbers alone. Its sums and quantiles do not depend on the order in which
//! values came, so that the trials of several machines, added up by [`Distribution::merge`], give the
//! same figures to the last digit as those of one.
//!
//! ```
//! use suffrage::statistics::Distribution;
//!
//! let one: Distribution = [3, 5, 5, 7].into_iter().collect();
//! let mut both: Distribution = [11, 5].into_iter().collect();
//! both.merge(&one);
//! assert_eq!((both.count(), both.sum(), both.quantile(1, 2)), (6, 36, Some(5)));
//! assert_eq!(both.deviation(), Some(f64::sqrt(38.0 / 5.0)));
//! ```

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How often each value was there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct Distribution {
    counts: BTreeMap<u64, u64>,
}

impl Distribution {
    /// Adds a value.
    pub fn record(&mut self, value: u64) {
        *self.counts.entry(value).or_default() += 1;
    }

    /// Adds all values of another distribution.
    pub fn merge(&mut self, other: &Self) {
        for (&value, &count) in &other.counts {
            *self.counts.entry(value).or_default() += count;
        }
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
        let rank = (u128::from(self.count()) * u128::from(share)).div_ceil(of.into()).max(1);
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

    /// Returns the standard deviation of the sample (divided by one less than the number of values);
    /// `None` of fewer than two.
    #[must_use]
    pub fn deviation(&self) -> Option<f64> {
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
        let variance = exact().unwrap_or_else(|| {
            let mean = self.mean().unwrap_or_default();
            let square = |(value, count): (u64, u64)| (value as f64 - mean).powi(2) * count as f64;
            self.counts().map(square).sum::<f64>() / (count - 1) as f64
        });
        Some(variance.sqrt())
    }

    /// Returns half the width of the 95 % confidence interval of the mean, by Student's distribution;
    /// `None` of fewer than two values.
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        let count = self.count();
        Some(student(count.checked_sub(1)?) * self.deviation()? / (count as f64).sqrt())
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
        for (value, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            *all.counts.entry(value).or_default() += count;
        }
        all
    }
}

impl From<Distribution> for Vec<(u64, u64)> {
    fn from(all: Distribution) -> Self {
        all.counts.into_iter().collect()
    }
}

/// Returns the 97.5 % quantile of Student's distribution with so many degrees of freedom: of a table
/// up to ten, and then by the expansion of Cornish and Fisher (Abramowitz, Stegun, 26.7.5), which is off
/// by less than 10^-5.
#[must_use]
pub fn student(freedom: u64) -> f64 {
    const TABLE: [f64; 10] =
        [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281];
    const Z: f64 = 1.959_963_984_540_054;
    match freedom {
        0 => f64::INFINITY,
        1..=10 => TABLE[freedom as usize - 1],
        _ => {
            let n = freedom as f64;
            let square = Z * Z;
            let first = Z * (square + 1.0) / 4.0;
            let second = Z * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
            let third = Z * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
            let fourth = (((79.0 * square + 776.0) * square + 1482.0) * square - 1920.0) * square;
            let fourth = Z * (fourth - 945.0) / 92160.0;
            Z + (first + (second + (third + fourth / n) / n) / n) / n
        }
    }
}

#[cfg(test)]
mod tests;
