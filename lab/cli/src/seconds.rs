//! Durations in seconds.

use std::time::Duration;
use suffrage::runtime::Timeouts;

/// The most seconds that a duration may have.
const SECONDS: f64 = Timeouts::LONGEST.as_secs_f64();

/// Parses a positive number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 =
        text.parse().map_err(|_| "write a number of seconds such as 60 or 0.5".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(time) if number <= SECONDS && !time.is_zero() => Ok(time),
        _ if number > SECONDS => Err(format!("the largest number here is {SECONDS}")),
        _ => Err("it must be more than 0".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_a_limit() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        assert!(seconds("1e30").unwrap_err().contains("1000000000"));
        for wrong in ["0", "-1", "nan", "inf", "soon"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
