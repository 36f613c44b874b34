//! The margin of a declaration.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The number of places after the decimal point.
const PLACES: usize = 6;

/// 10 to the power of [`PLACES`].
const ONE: u32 = 1_000_000;

/// The margin m: a decimal number from 0 to 4294967295.999999, kept exactly.
///
/// ```
/// use suffrage_population::protocols::Margin;
///
/// let margin: Margin = "2.5".parse()?;
/// assert_eq!((margin.floor_times(3), margin.ceil_times(3)), (7, 8));
/// assert_eq!(Margin::from(4).to_string(), "4");
/// # Ok::<(), suffrage_population::protocols::MarginError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Margin {
    whole: u32,
    /// Less than [`ONE`].
    millionths: u32,
}

/// The error for text that is not a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a margin is a decimal number such as 4 or 0.5, below 2^32 and with at most six decimals")]
pub struct MarginError;

impl Margin {
    /// Returns the whole number `margin`.
    #[must_use]
    pub const fn whole(margin: u32) -> Self {
        Self { whole: margin, millionths: 0 }
    }

    /// Returns `count` halves.
    #[must_use]
    pub const fn halves(count: u32) -> Self {
        Self { whole: count / 2, millionths: count % 2 * (ONE / 2) }
    }

    /// Returns whether the margin is 0.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.whole == 0 && self.millionths == 0
    }

    /// Returns the number of millionths.
    #[must_use]
    pub const fn millionths(self) -> u64 {
        self.whole as u64 * ONE as u64 + self.millionths as u64
    }

    /// Returns m · count, rounded down.
    #[must_use]
    pub const fn floor_times(self, count: u32) -> u64 {
        // Neither product leaves 64 bits: 2^32 · 2^32 and 10^6 · 2^32.
        self.whole as u64 * count as u64 + self.millionths as u64 * count as u64 / ONE as u64
    }

    /// Returns m · count, rounded up.
    #[must_use]
    pub const fn ceil_times(self, count: u32) -> u64 {
        let fraction = self.millionths as u64 * count as u64;
        self.whole as u64 * count as u64 + fraction.div_ceil(ONE as u64)
    }

    /// Returns the nearest floating-point number.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.whole) + f64::from(self.millionths) / f64::from(ONE)
    }
}

impl From<u32> for Margin {
    fn from(margin: u32) -> Self {
        Self::whole(margin)
    }
}

impl FromStr for Margin {
    type Err = MarginError;

    fn from_str(text: &str) -> Result<Self, MarginError> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole) || !digits(decimals) || decimals.len() > PLACES {
            return Err(MarginError);
        }
        let millionths = format!("{decimals:0<PLACES$}").parse().map_err(|_| MarginError)?;
        Ok(Self { whole: whole.parse().map_err(|_| MarginError)?, millionths })
    }
}

impl fmt::Display for Margin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.millionths == 0 {
            return f.pad(&self.whole.to_string());
        }
        let text = format!("{}.{:0PLACES$}", self.whole, self.millionths);
        f.pad(text.trim_end_matches('0'))
    }
}

/// Serializes a number: an integer if the margin is whole.
impl Serialize for Margin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.millionths == 0 {
            serializer.serialize_u32(self.whole)
        } else {
            serializer.serialize_f64(self.value())
        }
    }
}

/// Deserializes what was serialized.
impl<'de> Deserialize<'de> for Margin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The shortest decimal of a number that was written from a margin is that margin.
        let text = f64::deserialize(deserializer)?.to_string();
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_are_exact_decimals() {
        for text in ["0", "4", "0.5", "16", "2.25", "0.000001", "4294967295.999999"] {
            assert_eq!(text.parse::<Margin>().unwrap().to_string(), text);
        }
        for text in ["4", "0.5", "4294967295.999999"] {
            let margin: Margin = text.parse().unwrap();
            let json = serde_json::to_string(&margin).unwrap();
            assert_eq!(serde_json::from_str::<Margin>(&json).unwrap(), margin, "{json}");
        }
        assert_eq!("4.00".parse(), Ok(Margin::whole(4)));
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1.0000001", "4294967296", "½"] {
            assert_eq!(text.parse::<Margin>(), Err(MarginError), "{text}");
        }
    }

    #[test]
    fn products_are_rounded_once() {
        let third: Margin = "0.333333".parse().unwrap();
        assert_eq!((third.floor_times(3), third.ceil_times(3)), (0, 1));
        let most: Margin = "4294967295.999999".parse().unwrap();
        let exact = u128::from(u32::MAX) * 4_294_967_295_999_999;
        assert_eq!(u128::from(most.floor_times(u32::MAX)), exact / 1_000_000);
        assert_eq!(u128::from(most.ceil_times(u32::MAX)), exact / 1_000_000 + 1);
    }
}
