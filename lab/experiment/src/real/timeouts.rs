//! The timeouts of nodes, by their names.

use crate::cluster::Timeout;
use crate::error::Error;
use std::time::Duration;
use suffrage_runtime::Timeouts;

/// Parses a positive number of seconds.
///
/// # Errors
/// If it is none, or too large.
pub fn seconds(text: &str) -> Result<Duration, String> {
    const MOST: f64 = Timeouts::LONGEST.as_secs_f64();
    let number: f64 =
        text.parse().map_err(|_| "write a number of seconds such as 60 or 0.5".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(time) if number <= MOST && !time.is_zero() => Ok(time),
        _ if number > MOST => Err(format!("the largest number here is {MOST}")),
        _ => Err("it must be more than 0".to_owned()),
    }
}

/// Parses a timeout of a node, as in `gone=10`.
///
/// # Errors
/// If there is no such timeout, or it has no length: names all of them.
pub fn timeout(text: &str) -> Result<Timeout, String> {
    let names = || Timeouts::names().join(", ");
    let Some((name, number)) = text.split_once('=') else {
        return Err(format!(
            "write NAME=SECONDS, as in gone=10, where NAME is one of {}; --timeout SECONDS is when to \
             give up",
            names()
        ));
    };
    if !Timeouts::names().contains(&name) {
        return Err(format!(
            "there is no timeout `{}`; there are {}",
            name.escape_debug(),
            names()
        ));
    }
    Ok(Timeout { name: name.to_owned(), seconds: seconds(number)?.as_secs_f64() })
}

/// Sets these timeouts, and checks the result.
///
/// # Errors
/// If there is no such timeout, or the result contradicts itself.
pub fn apply(given: &[Timeout], timeouts: &mut Timeouts) -> Result<(), Error> {
    for given in given {
        let known = timeout(&given.to_string()).map_err(|error| Error::of("--timeouts", error))?;
        if let Some(length) = timeouts.named(&known.name) {
            *length = Duration::from_secs_f64(known.seconds);
        }
    }
    timeouts.check().map_err(|error| Error::of(format!("--timeouts {}", error.name()), error))
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
