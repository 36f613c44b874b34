//! Faults by name, so that failures can be shown.

use std::{fmt, str::FromStr};
use suffrage_topology::parse_count;

/// A way in which a network breaks the assumptions that every algorithm here makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// Messages on one link may overtake each other.
    NoFifo,
    /// Each message is lost with this probability.
    Loss(f64),
    /// Each message arrives twice with this probability.
    Duplicate(f64),
    /// A process stops for ever, at this tick or at its next event after it.
    Crash {
        /// The process that crashes.
        node: u32,
        /// When, in ticks.
        at: u64,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFifo => write!(f, "no-fifo"),
            Self::Loss(p) => write!(f, "loss:{p}"),
            Self::Duplicate(p) => write!(f, "duplicate:{p}"),
            Self::Crash { node, at } => write!(f, "crash:{node}@{at}"),
        }
    }
}

/// Why a text is not a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    /// No fault has this name.
    #[error("unknown fault `{0}`; choose no-fifo, loss:P, duplicate:P or crash:NODE@TIME")]
    Unknown(String),
    /// A probability is missing or out of range.
    #[error("fault `{0}`: P is a probability from 0 to 1, as in loss:0.05")]
    Probability(String),
    /// A crash lacks its process or its time.
    #[error("fault `{0}`: write which process crashes at which tick, as in crash:3@10")]
    Crash(String),
}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let (name, parameter) = text.split_once(':').unwrap_or((text, ""));
        let probability = || match parameter.parse::<f64>() {
            Ok(p) if (0.0..=1.0).contains(&p) => Ok(p),
            _ => Err(FaultError::Probability(text.into())),
        };
        match name {
            "no-fifo" if parameter.is_empty() => Ok(Self::NoFifo),
            "loss" => probability().map(Self::Loss),
            "duplicate" => probability().map(Self::Duplicate),
            "crash" => parameter
                .split_once('@')
                .and_then(|(node, at)| {
                    let node = u32::try_from(parse_count(node).ok()?).ok()?;
                    Some(Self::Crash { node, at: parse_count(at).ok()? })
                })
                .ok_or_else(|| FaultError::Crash(text.into())),
            _ => Err(FaultError::Unknown(text.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_reads_what_it_writes() {
        for text in ["no-fifo", "loss:0.25", "duplicate:1", "crash:3@10"] {
            assert_eq!(text.parse::<Fault>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let say = |text: &str| text.parse::<Fault>().unwrap_err().to_string();
        assert!(say("loss:1.5").contains("from 0 to 1"));
        assert!(say("loss").contains("loss:0.05"));
        assert!(say("crash:3").contains("crash:3@10"));
        assert!(say("fire").contains("unknown fault `fire`"));
        assert!(say("no-fifo:1").contains("unknown"));
    }
}
