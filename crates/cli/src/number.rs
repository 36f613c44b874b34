//! Formats numbers for reports, with the same digits on every machine.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::{self, Display};

/// A number with three digits after the point, kept as a whole number of thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Decimal(u128);

impl Decimal {
    /// Returns the quotient of two numbers, rounded; `None` if the divisor is 0.
    pub(crate) fn ratio(a: u128, b: u128) -> Option<Self> {
        (b > 0).then(|| Self((a.saturating_mul(1000) + b / 2) / b))
    }

    /// Formats it with grouped thousands and the useful digits after the point: one from 100 on.
    pub(crate) fn short(self) -> String {
        if self.0 >= 100_000 {
            let tenths = (self.0 + 50) / 100;
            format!("{}.{}", grouped(tenths / 10), tenths % 10)
        } else {
            self.to_string()
        }
    }
}

impl Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{:03}", self.0 / 1000, self.0 % 1000))
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Raw, because a float would lose its trailing zeros.
        RawValue::from_string(self.to_string())
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

/// Formats a number with its digits in groups of three: `1,234,567`.
pub(crate) fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with its noun: `1 node`, `2 nodes`, `3 processes`.
pub(crate) fn count(number: u64, what: &str) -> Cow<'static, str> {
    let s = match number {
        1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {what}{s}", grouped(number)).into()
}

/// The spread of a figure over trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Spread {
    pub(crate) mean: Decimal,
    /// The smallest figure that 95 of 100 trials do not exceed (the nearest rank).
    pub(crate) p95: u64,
    pub(crate) max: u64,
    pub(crate) min: u64,
}

impl Spread {
    /// Computes the spread of at least one figure.
    pub(crate) fn of(figures: impl Iterator<Item = u64>) -> Option<Self> {
        let mut figures: Vec<u64> = figures.collect();
        figures.sort_unstable();
        let count = figures.len();
        let sum: u128 = figures.iter().copied().map(u128::from).sum();
        Some(Self {
            mean: Decimal::ratio(sum, count as u128)?,
            p95: figures[(count * 95).div_ceil(100) - 1],
            max: figures[count - 1],
            min: figures[0],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let all = [0, 12, 999, 1000, 12_345, 1_234_567].map(grouped);
        assert_eq!(all, ["0", "12", "999", "1,000", "12,345", "1,234,567"]);
    }

    #[test]
    fn one_thing_has_no_plural() {
        assert_eq!(count(1, "node"), "1 node");
        assert_eq!(count(0, "node"), "0 nodes");
        assert_eq!(count(1200, "process"), "1,200 processes");
    }

    #[test]
    fn a_ratio_has_three_digits() {
        let text = |a, b| Decimal::ratio(a, b).map(|ratio| ratio.to_string());
        assert_eq!(text(1, 2).as_deref(), Some("0.500"));
        assert_eq!(text(2, 3).as_deref(), Some("0.667"));
        assert_eq!(text(7, 0), None);
        assert_eq!(serde_json::to_string(&Decimal::ratio(3, 1)).unwrap(), "3.000");
        assert_eq!(Decimal::ratio(12_345_678, 10).unwrap().short(), "1,234,567.8");
    }

    #[test]
    fn the_95th_percentile_is_the_nearest_rank() {
        let spread = Spread::of((1..=100).rev()).unwrap();
        assert_eq!((spread.p95, spread.max, spread.min), (95, 100, 1));
        assert_eq!(spread.mean.to_string(), "50.500");
        assert_eq!(Spread::of([3, 9].into_iter()).unwrap().p95, 9);
        assert_eq!(Spread::of(std::iter::empty()), None);
    }
}
