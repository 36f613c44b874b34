//! Reads numbers as people write them. Errors name the format and the limits.

use crate::text::textual;
use std::fmt;
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::str::FromStr;
use suffrage_networks::{CountError, parse_count};

/// Parses a whole number such as `1000` or `1e12`.
pub fn count(text: &str) -> Result<u64, String> {
    parse_count(text).map_err(|error| error.to_string())
}

/// Parses a whole number below 2^32.
pub fn count32(text: &str) -> Result<u32, String> {
    within32(0..=u32::MAX)(text)
}

/// Parses a whole number above 0.
pub fn positive(text: &str) -> Result<u64, String> {
    within(1..=u64::MAX)(text)
}

/// Parses a number of threads.
pub fn threads(text: &str) -> Result<NonZero<usize>, String> {
    let most = usize::MAX as u64;
    let number = within(1..=most)(text)?;
    usize::try_from(number).ok().and_then(NonZero::new).ok_or_else(|| limit(most))
}

/// Returns a parser of whole numbers in a range.
pub fn within(range: RangeInclusive<u64>) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| match parse_count(text) {
        Ok(number) if range.contains(&number) => Ok(number),
        Ok(number) if number < *range.start() => {
            Err(format!("write a whole number from {} on", range.start()))
        }
        Ok(_) | Err(CountError::TooLarge) => Err(limit(*range.end())),
        Err(error @ CountError::Form) => Err(error.to_string()),
    }
}

/// Returns a parser of whole numbers in a range.
pub fn within32(range: RangeInclusive<u32>) -> impl Fn(&str) -> Result<u32, String> + Clone {
    let wide = within(u64::from(*range.start())..=u64::from(*range.end()));
    move |text| wide(text).map(|number| number as u32)
}

/// The numbers from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberRange<T> {
    /// The first.
    pub first: T,
    /// The last.
    pub last: T,
}

impl IntoIterator for NumberRange<u32> {
    type Item = u32;
    type IntoIter = RangeInclusive<u32>;

    fn into_iter(self) -> Self::IntoIter {
        self.first..=self.last
    }
}

impl<T: fmt::Display> fmt::Display for NumberRange<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.last)
    }
}

impl FromStr for NumberRange<u64> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        range(text)
    }
}

impl FromStr for NumberRange<u32> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        range32(text)
    }
}

textual!(NumberRange<u64>, NumberRange<u32>);

/// Parses a number, or a range such as `5..32` with both its ends.
pub fn range(text: &str) -> Result<NumberRange<u64>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let example =
        || "write a number, or a range such as 5..32, from the first to the last".to_owned();
    let (first, last) = (count(first).map_err(|_| example())?, count(last).map_err(|_| example())?);
    if first > last {
        return Err(format!(
            "{first} is more than {last}: a range goes from the first to the last"
        ));
    }
    Ok(NumberRange { first, last })
}

/// Parses a number below 2^32, or a range of such.
pub fn range32(text: &str) -> Result<NumberRange<u32>, String> {
    let NumberRange { first, last } = range(text)?;
    let last = u32::try_from(last).map_err(|_| limit32())?;
    Ok(NumberRange { first: first as u32, last })
}

/// Says what the largest number below 2^32 is.
#[must_use]
pub fn limit32() -> String {
    limit(u32::MAX.into())
}

fn limit(most: u64) -> String {
    format!("the largest number here is {most}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_count_is_told_what_to_write_or_the_limit() {
        for wrong in ["", "-1", "+1", "1.5", "1e", "ten"] {
            assert!(count(wrong).unwrap_err().contains("such as 1000 or 1e12"), "{wrong}");
        }
        assert!(count("1e30").unwrap_err().contains("18446744073709551615"));
        assert!(count32("5e9").unwrap_err().contains("4294967295"));
        assert_eq!(count32("4e9"), Ok(4_000_000_000));
        assert!(positive("0").unwrap_err().contains("from 1 on"));
        assert!(within32(1..=10)("11").unwrap_err().contains("10"));
        assert_eq!(threads("1e1").map(NonZero::get), Ok(10));
        assert!(threads("0").unwrap_err().contains("from 1 on"));
    }

    #[test]
    fn a_range_has_both_its_ends() {
        assert_eq!(range("5..32"), Ok(NumberRange { first: 5, last: 32 }));
        assert_eq!(range("1e3"), Ok(NumberRange { first: 1000, last: 1000 }));
        assert!(range32("2..2").unwrap().into_iter().eq([2]));
        for (wrong, says) in
            [("7..3", "more than"), ("..3", "5..32"), ("3..", "5..32"), ("", "5..32")]
        {
            assert!(range(wrong).unwrap_err().contains(says), "{wrong}");
        }
        assert!(range32("0..5e9").unwrap_err().contains("4294967295"));
    }
}
