//! Faults by name: one vocabulary for every engine, for files and for flags.

use crate::parse_count;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{borrow::Cow, fmt, mem, str::FromStr};

/// A way in which a network breaks the assumptions of an algorithm: that links are reliable and
/// FIFO, and that no process fails.
///
/// Written and read as `no-fifo`, `loss:0.05` or `loss:5%` (a probability), `loss:1` (a count),
/// `duplicate:..` likewise, `crash:3@10` (process 3 at tick 10) and `crash:1` (a count). An engine
/// refuses what it cannot do: a simulation draws its faults and takes probabilities, the checker
/// explores every case and takes counts.
///
/// ```
/// use suffrage_networks::{Amount, Fault};
///
/// assert_eq!("loss:20%".parse(), Ok(Fault::Loss(Amount::Probability(0.2))));
/// assert_eq!("loss:1".parse(), Ok(Fault::Loss(Amount::Count(1))));
/// assert_eq!(Fault::Loss(Amount::Probability(1.0)).to_string(), "loss:1.0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// Messages on one link may overtake each other.
    NoFifo,
    /// Messages are lost.
    Loss(Amount),
    /// Messages arrive twice.
    Duplicate(Amount),
    /// A process stops permanently, at this tick or at its next event after it.
    Crash {
        /// The process that crashes.
        node: u32,
        /// The time, in ticks.
        at: u64,
    },
    /// At most this number of processes stop permanently, each at any moment.
    Crashes(u32),
}

/// The number of messages that a fault affects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Each message with this probability, from 0 to 1, independently of the others.
    Probability(f64),
    /// At most this number of messages, at least 1; any messages.
    Count(u32),
}

impl Fault {
    /// Returns whether two faults contradict each other: they are of the same kind (crashes: of the
    /// same process) and differ.
    #[must_use]
    pub fn contradicts(&self, other: &Self) -> bool {
        let same = match (self, other) {
            (Self::Crash { node, .. }, Self::Crash { node: other, .. }) => node == other,
            _ => mem::discriminant(self) == mem::discriminant(other),
        };
        same && self != other
    }

    /// Checks that each of these faults is in its range, and that no two contradict each other.
    ///
    /// # Errors
    /// Returns an error for the first fault or pair of faults that is invalid.
    pub fn check_all(faults: &[Self]) -> Result<(), FaultError> {
        for (number, fault) in faults.iter().enumerate() {
            match fault {
                Self::Loss(Amount::Probability(p)) | Self::Duplicate(Amount::Probability(p))
                    if !(0.0..=1.0).contains(p) =>
                {
                    return Err(FaultError::Probability(fault.to_string()));
                }
                Self::Loss(Amount::Count(0))
                | Self::Duplicate(Amount::Count(0))
                | Self::Crashes(0) => return Err(FaultError::Zero(fault.to_string())),
                _ => {}
            }
            if let Some(other) = faults[..number].iter().find(|other| other.contradicts(fault)) {
                return Err(FaultError::Contradiction(*other, *fault));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFifo => f.write_str("no-fifo"),
            Self::Loss(amount) => write!(f, "loss:{amount}"),
            Self::Duplicate(amount) => write!(f, "duplicate:{amount}"),
            Self::Crash { node, at } => write!(f, "crash:{node}@{at}"),
            Self::Crashes(count) => write!(f, "crash:{count}"),
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Written with a point, even if it is whole: 1.0 is no count.
            Self::Probability(p) => write!(f, "{p:?}"),
            Self::Count(count) => write!(f, "{count}"),
        }
    }
}

/// The reason why a text is not a fault, or why faults cannot be combined.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FaultError {
    /// No fault has this name.
    #[error(
        "unknown fault `{0}`; choose no-fifo, loss:AMOUNT, duplicate:AMOUNT, crash:NODE@TICK or \
         crash:COUNT"
    )]
    Unknown(String),
    /// The number of messages that are affected is missing or ambiguous.
    #[error(
        "fault `{given}`: write a probability with a point or a percent sign, as in {name}:0.05 or \
         {name}:5%, or a count, as in {name}:1"
    )]
    Amount {
        /// The text that was given.
        given: String,
        /// The name of the fault.
        name: &'static str,
    },
    /// The probability is out of range.
    #[error("fault `{0}`: a probability is from 0 to 1, or from 0% to 100%")]
    Probability(String),
    /// The count is 0.
    #[error(
        "fault `{}`: at most 0 times is no fault; leave it out{}",
        .0,
        match .0.starts_with("crash") {
            true => "",
            false => ", or write a probability with a point or a percent sign, as in 0.05 or 5%",
        }
    )]
    Zero(String),
    /// The process, the time or the number of a crash is missing.
    #[error(
        "fault `{0}`: write which process crashes at which tick, as in crash:3@10, or how many \
         processes crash, as in crash:1"
    )]
    Crash(String),
    /// Two faults contradict each other.
    #[error("the faults {0} and {1} contradict each other: give one of them")]
    Contradiction(Fault, Fault),
}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let (name, parameter) = match text.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (text, None),
        };
        let amount = |name| amount(text, name, parameter.unwrap_or_default());
        match (name, parameter) {
            ("no-fifo", None) => Ok(Self::NoFifo),
            ("loss", _) => amount("loss").map(Self::Loss),
            ("duplicate", _) => amount("duplicate").map(Self::Duplicate),
            ("crash", _) => crash(text, parameter.unwrap_or_default()),
            _ => Err(FaultError::Unknown(text.into())),
        }
    }
}

/// Parses a probability or a count.
fn amount(given: &str, name: &'static str, text: &str) -> Result<Amount, FaultError> {
    let unclear = || FaultError::Amount { given: given.into(), name };
    let number = |text: &str| text.parse::<f64>().ok().filter(|p| p.is_finite());
    let probability = if let Some(percent) = text.strip_suffix('%') {
        number(percent).ok_or_else(unclear)? / 100.0
    } else if text.contains('.') || text.contains("e-") {
        number(text).ok_or_else(unclear)?
    } else {
        return match count(text) {
            Ok(0) => Err(FaultError::Zero(given.into())),
            Ok(count) => Ok(Amount::Count(count)),
            Err(_) => Err(unclear()),
        };
    };
    match (0.0..=1.0).contains(&probability) {
        true => Ok(Amount::Probability(probability)),
        false => Err(FaultError::Probability(given.into())),
    }
}

/// Parses a count that fits into 32 bits.
fn count(text: &str) -> Result<u32, ()> {
    parse_count(text).ok().and_then(|count| u32::try_from(count).ok()).ok_or(())
}

/// Parses the process and the time of a crash, or the number of crashes.
fn crash(given: &str, text: &str) -> Result<Fault, FaultError> {
    let unclear = || FaultError::Crash(given.into());
    match text.split_once('@') {
        Some((node, at)) => {
            let (node, at) = (count(node), parse_count(at));
            Ok(Fault::Crash { node: node.map_err(|_| unclear())?, at: at.map_err(|_| unclear())? })
        }
        None => match count(text) {
            Ok(0) => Err(FaultError::Zero(given.into())),
            Ok(count) => Ok(Fault::Crashes(count)),
            Err(_) => Err(unclear()),
        },
    }
}

/// Serializes a fault as text.
impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Deserializes a fault from text.
impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <Cow<'de, str>>::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
