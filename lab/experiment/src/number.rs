//! Formats numbers for reports, with the same digits on every machine.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::{self, Display};
use suffrage_numbers::statistics::Distribution;

/// A number with three digits after the point, kept as a whole number of thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(u128);

impl Decimal {
    /// The ratio of two numbers, rounded; `None` if the second is 0.
    pub fn ratio(a: u128, b: u128) -> Option<Self> {
        (b > 0).then(|| Self((a.saturating_mul(1000) + b / 2) / b))
    }

    /// The nearest one to a float.
    pub fn near(number: f64) -> Self {
        Self((number * 1000.0).round() as u128)
    }

    /// Formats it with grouped thousands and the useful digits after the point: one from 100 on.
    pub fn short(self) -> String {
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

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(from)?;
        if number < 0.0 {
            return Err(serde::de::Error::custom("a number below 0"));
        }
        Ok(Self::near(number))
    }
}

/// Formats a number with its digits in groups of three: `1,234,567`.
pub fn grouped(number: impl Display) -> String {
    suffrage_numbers::grouped(&number.to_string(), ',')
}

/// Formats a number with its noun: `1 node`, `2 nodes`, `3 processes`.
pub fn count(number: u64, what: &str) -> Cow<'static, str> {
    suffrage_numbers::counted(number, what).into()
}

/// Formats a time in seconds to one or two digits.
#[must_use]
pub fn rough_time(seconds: f64) -> Cow<'static, str> {
    let (number, unit) = match seconds {
        ..90.0 => (seconds.ceil(), "second"),
        ..5400.0 => (seconds / 60.0, "minute"),
        ..172_800.0 => (seconds / 3600.0, "hour"),
        _ => ((seconds / 86_400.0).min(1e9), "day"),
    };
    count(number.round() as u64, unit)
}

/// The spread of a figure over trials. Everything follows from how often each figure was there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written")]
pub struct FigureSpread {
    /// The mean.
    pub mean: Decimal,
    /// Half the width of the 95 % confidence interval of the mean; `None` of one figure.
    pub ci95: Option<Decimal>,
    /// The standard deviation; `None` of one figure.
    pub deviation: Option<Decimal>,
    /// The smallest figures that 50 and 95 of 100 trials do not exceed (the nearest rank).
    pub median: u64,
    /// The figure that 95 of 100 trials do not exceed.
    pub p95: u64,
    /// The greatest figure.
    pub max: u64,
    /// The least figure.
    pub min: u64,
    /// Pairs of a figure and how often it was there.
    #[serde(serialize_with = "on_a_line")]
    pub values: Distribution,
}

/// What is read of a spread.
#[derive(Deserialize)]
struct Written {
    values: Distribution,
}

impl TryFrom<Written> for FigureSpread {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        Self::new(written.values).ok_or("a spread has at least one value")
    }
}

/// Serializes on one line of JSON, since there may be many values.
pub fn on_a_line<T: Serialize, S: Serializer>(values: &T, to: S) -> Result<S::Ok, S::Error> {
    let line = serde_json::to_string(values).map_err(serde::ser::Error::custom)?;
    RawValue::from_string(line).map_err(serde::ser::Error::custom)?.serialize(to)
}

impl FigureSpread {
    /// Computes the spread of at least one figure.
    pub fn of(figures: impl Iterator<Item = u64>) -> Option<Self> {
        Self::new(figures.collect())
    }

    fn new(values: Distribution) -> Option<Self> {
        Some(Self {
            mean: Decimal::ratio(values.sum(), values.count().into())?,
            ci95: values.half_width().map(Decimal::near),
            deviation: values.deviation().map(Decimal::near),
            median: values.quantile(1, 2)?,
            p95: values.quantile(95, 100)?,
            max: values.max()?,
            min: values.min()?,
            values,
        })
    }

    /// Adds further figures.
    pub fn merge(&mut self, further: &Self) {
        let mut values = std::mem::take(&mut self.values);
        values.merge(&further.values);
        if let Some(all) = Self::new(values) {
            *self = all;
        }
    }

    /// The mean, with half of its 95 % confidence interval.
    pub fn mean_with_interval(&self) -> String {
        let interval = self.ci95.map(|width| format!(" ± {}", width.short()));
        self.mean.short() + &interval.unwrap_or_default()
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
    fn a_spread_is_read_from_its_values() {
        let spread = FigureSpread::of((1..=100).rev()).unwrap();
        assert_eq!((spread.median, spread.p95, spread.max, spread.min), (50, 95, 100, 1));
        assert_eq!(spread.mean.to_string(), "50.500");
        assert_eq!(spread.deviation.unwrap().to_string(), "29.011");
        assert_eq!(spread.mean_with_interval(), "50.500 ± 5.757");
        let text = serde_json::to_string(&spread).unwrap();
        assert_eq!(serde_json::from_str::<FigureSpread>(&text).unwrap(), spread);
        assert_eq!(FigureSpread::of(std::iter::empty()), None);
        assert_eq!(FigureSpread::of([3].into_iter()).unwrap().mean_with_interval(), "3.000");
        assert!(serde_json::from_str::<FigureSpread>("{\"values\":[]}").is_err());
    }
}
