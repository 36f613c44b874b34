//! Instants and durations of global time.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr, time::Duration};

/// A duration of global time, or an instant since the beginning, in nanoseconds.
///
/// It is written with a unit, as in `250ms` or `1.5s`; the units are `ns`, `us`, `ms`, `s`, `min`
/// and `h`. It is shown in the largest unit in which it is a whole number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

const UNITS: [(&str, u64); 6] = [
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// The longest duration that can be read: about a century, so that sums do not overflow.
const LONGEST: u64 = 1 << 61;

impl Nanos {
    /// Creates a duration of a number of milliseconds.
    #[must_use]
    pub const fn millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// Creates a duration of a number of seconds.
    #[must_use]
    pub const fn seconds(seconds: u64) -> Self {
        Self(seconds * 1_000_000_000)
    }
}

impl From<Duration> for Nanos {
    /// Converts a duration; saturates if it does not fit.
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(LONGEST).min(LONGEST))
    }
}

impl From<Nanos> for Duration {
    fn from(nanos: Nanos) -> Self {
        Self::from_nanos(nanos.0)
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |&&(_, unit): &&(&str, u64)| self.0 != 0 && self.0.is_multiple_of(unit);
        let (name, unit) = UNITS.iter().find(whole).copied().unwrap_or(("s", 1));
        write!(f, "{}{name}", self.0 / unit)
    }
}

impl FromStr for Nanos {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no duration; write 250ms, 1.5s or the like");
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let (number, name) = text.split_at(digits);
        let (_, unit) = UNITS.iter().find(|(unit, _)| *unit == name).ok_or_else(wrong)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut nanos = whole.parse::<u64>().map_err(|_| wrong())?.checked_mul(*unit);
        let mut unit = *unit;
        for digit in fraction.chars() {
            let digit = digit.to_digit(10).ok_or_else(wrong)?;
            if unit % 10 != 0 {
                // Minutes and hours have a limited number of decimals; less than a nanosecond has none.
                return Err(wrong());
            }
            unit /= 10;
            nanos = nanos.and_then(|nanos| nanos.checked_add(u64::from(digit) * unit));
        }
        match nanos {
            Some(nanos) if nanos <= LONGEST => Ok(Self(nanos)),
            _ => Err(format!("{text} is too long")),
        }
    }
}

impl Serialize for Nanos {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Nanos {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_with_a_unit() {
        let read = |text: &str| text.parse::<Nanos>();
        assert_eq!(read("250ms"), Ok(Nanos::millis(250)));
        assert_eq!(read("1.5s"), Ok(Nanos::millis(1500)));
        assert_eq!(read("0s"), Ok(Nanos(0)));
        assert_eq!(read("2h"), Ok(Nanos::seconds(7200)));
        assert_eq!(read("0.25min"), Ok(Nanos::seconds(15)));
        for wrong in ["", "5", "ms", "1.s5", "3 s", "-1s", "0.5ns", "1e3s", "99999999999h"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_shown_can_be_read() {
        for nanos in [0, 1, 999, 1000, 1_500_000, 60_000_000_000, 7_200_000_000_001] {
            assert_eq!(Nanos(nanos).to_string().parse(), Ok(Nanos(nanos)));
        }
        assert_eq!(Nanos::millis(1500).to_string(), "1500ms");
        assert_eq!(Nanos(0).to_string(), "0s");
    }
}
