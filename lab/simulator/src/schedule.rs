//! Schedules, which determine when messages arrive.

use crate::replay::Recording;
use std::{fmt, str::FromStr, sync::Arc};
use suffrage_networks::{CountError, parse_count, short};

/// A schedule, which determines when messages arrive. Links are FIFO under every schedule unless a
/// fault says otherwise.
///
/// The first six are *timed*: each message is given a delay, in whole ticks, and a later message
/// on the same link never arrives before an earlier one. The others are *untimed*: messages arrive
/// one after another, and a tick is one arrival.
///
/// The messages of a tick arrive in the order in which they were sent, and timers go off before
/// them. [`Rounds`](Self::Rounds) is the exception: its order does not depend on the past of other
/// processes.
#[derive(Clone, Debug, PartialEq)]
pub enum Schedule {
    /// Every message takes one tick.
    Synchronous,
    /// Every message takes `1..=D` ticks. On rings and stored networks each message draws its own
    /// delay, uniformly. On implicit complete networks each link has one uniformly random instant
    /// of delivery in each epoch of about `(D+1)/2` ticks, and a message takes the next one: that
    /// keeps the link FIFO without any memory. Delays have the same range there, but are not
    /// uniform: their mean is about a third of `D`, where uniform delays have half of `D`.
    Uniform(u32),
    /// Exponentially distributed delays of this mean, in ticks, rounded up.
    Exponential(f64),
    /// Pareto distributed delays with this exponent and a least delay of one tick, rounded up: the
    /// smaller the exponent the heavier the tail. Exponents of 1 and less have no mean.
    Pareto(f64),
    /// Every one-way link has a delay of its own in `1..=D`, uniformly random, and keeps it.
    PerLink(u32),
    /// Delays as of the pace, and in each tick one canonical order, which is the same however the
    /// processes are distributed: first the wake-ups, by process; then the messages, by receiver and
    /// port, those of one link in the order of sending; then the alarms, by process.
    /// [`peak_in_flight`](crate::Outcome::peak_in_flight) is taken at the ends of ticks only.
    Rounds(Pace),
    /// The next message arrives on a link chosen uniformly among those that hold a message.
    Random,
    /// The next message arrives on the link that began to hold messages last. One process runs as
    /// far as possible before another one moves, which is cheap for algorithms that capture.
    Newest,
    /// The next message arrives on the link that began to hold messages first, until it is empty.
    Oldest,
    /// The events happen in the order in which they were recorded.
    Replay(Arc<Recording>),
}

/// An order of the messages, one after another, in an election that goes on after a
/// [`Recording`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adversary {
    /// The order of [`Schedule::Random`], with this seed.
    Random(u64),
    /// The order of [`Schedule::Newest`].
    Newest,
    /// The order of [`Schedule::Oldest`].
    Oldest,
}

/// The delays of messages under [`Schedule::Rounds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Those of [`Schedule::Synchronous`].
    Unit,
    /// Those of [`Schedule::Uniform`].
    Uniform(u32),
    /// Those of [`Schedule::PerLink`].
    PerLink(u32),
}

/// The longest delay of a message, in ticks, whatever the distribution.
pub const LONGEST_DELAY: u64 = 1 << 32;

impl Schedule {
    /// Returns whether messages have delays; otherwise events happen one after another.
    #[must_use]
    pub const fn is_timed(&self) -> bool {
        !matches!(self, Self::Random | Self::Newest | Self::Oldest | Self::Replay(_))
    }

    /// Returns whether, without FIFO links, a message could overtake another one.
    #[must_use]
    pub const fn can_reorder(&self) -> bool {
        let alike = matches!(self, Self::Rounds(Pace::Unit | Pace::PerLink(_)));
        !alike && !matches!(self, Self::Synchronous | Self::PerLink(_))
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Synchronous => write!(f, "synchronous"),
            Self::Uniform(most) => write!(f, "uniform:{most}"),
            Self::Exponential(mean) => write!(f, "exponential:{}", short(*mean)),
            Self::Pareto(alpha) => write!(f, "pareto:{}", short(*alpha)),
            Self::PerLink(most) => write!(f, "per-link:{most}"),
            Self::Rounds(Pace::Unit) => write!(f, "rounds"),
            Self::Rounds(Pace::Uniform(most)) => write!(f, "rounds:uniform:{most}"),
            Self::Rounds(Pace::PerLink(most)) => write!(f, "rounds:per-link:{most}"),
            Self::Random => write!(f, "random"),
            Self::Newest => write!(f, "newest"),
            Self::Oldest => write!(f, "oldest"),
            Self::Replay(recording) => write!(f, "replay:{}", recording.source()),
        }
    }
}

/// An error: a text is not a schedule, or a parameter is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// No schedule has this name.
    #[error(
        "unknown schedule `{0}`; choose synchronous, uniform:D, exponential:MEAN, pareto:ALPHA, \
         per-link:D, rounds, random, newest, oldest or replay:FILE"
    )]
    Unknown(String),
    /// The schedule needs a parameter, or takes none.
    #[error("schedule `{given}`: write it as {form}")]
    Form {
        /// The text that was given.
        given: String,
        /// The form that is expected, with an example.
        form: &'static str,
    },
    /// The parameter is out of range.
    #[error("schedule `{given}`: {name} must be {range}")]
    Range {
        /// The value that was given.
        given: String,
        /// The parameter's name.
        name: &'static str,
        /// The range of the parameter.
        range: &'static str,
    },
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    /// Reads the format that `Display` writes, except for `replay:FILE`, whose file has to be read.
    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let (name, parameter) = match text.split_once(':') {
            Some((name, parameter)) => (name, Some(parameter)),
            None => (text, None),
        };
        let form = |form| ScheduleError::Form { given: text.into(), form };
        let ticks = |example| {
            let range = "from 1 to 1048576 ticks";
            let error = ScheduleError::Range { given: text.into(), name: "D", range };
            match parameter.map(parse_count) {
                None | Some(Err(CountError::Form)) => Err(form(example)),
                Some(Ok(most @ 1..=0x10_0000)) => Ok(most as u32),
                Some(_) => Err(error),
            }
        };
        let positive = |example, name, range, most| {
            let value: f64 = parameter.and_then(|p| p.parse().ok()).ok_or(form(example))?;
            let error = ScheduleError::Range { given: text.into(), name, range };
            (value > 0.0 && value <= most).then_some(value).ok_or(error)
        };
        let plain = |schedule| match parameter {
            None => Ok(schedule),
            Some(_) => Err(form("the name alone")),
        };
        match name {
            "synchronous" => plain(Self::Synchronous),
            "random" => plain(Self::Random),
            "newest" => plain(Self::Newest),
            "oldest" => plain(Self::Oldest),
            "uniform" => ticks("uniform:D, such as uniform:10").map(Self::Uniform),
            "per-link" => ticks("per-link:D, such as per-link:10").map(Self::PerLink),
            "rounds" => match parameter.map(str::parse) {
                None => Ok(Self::Rounds(Pace::Unit)),
                Some(Ok(Self::Uniform(most))) => Ok(Self::Rounds(Pace::Uniform(most))),
                Some(Ok(Self::PerLink(most))) => Ok(Self::Rounds(Pace::PerLink(most))),
                Some(Err(error @ ScheduleError::Range { .. })) => Err(error),
                Some(_) => Err(form("rounds, rounds:uniform:D or rounds:per-link:D")),
            },
            "exponential" => {
                let range = "above 0 and at most 1000000 ticks";
                positive("exponential:MEAN, such as exponential:4.5", "MEAN", range, 1e6)
                    .map(Self::Exponential)
            }
            "pareto" => {
                let range = "above 0 and at most 1000";
                positive("pareto:ALPHA, such as pareto:1.5", "ALPHA", range, 1e3).map(Self::Pareto)
            }
            _ => Err(ScheduleError::Unknown(text.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_reads_what_it_writes() {
        for text in [
            "synchronous",
            "uniform:10",
            "exponential:4.5",
            "pareto:1.5",
            "per-link:3",
            "rounds",
            "rounds:uniform:10",
            "rounds:per-link:3",
            "random",
            "newest",
            "oldest",
        ] {
            assert_eq!(text.parse::<Schedule>().unwrap().to_string(), text);
        }
        assert_eq!("uniform:1e3".parse(), Ok(Schedule::Uniform(1000)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let say = |text: &str| text.parse::<Schedule>().unwrap_err().to_string();
        assert!(say("uniform").contains("such as uniform:10"));
        assert!(say("uniform:0").contains("from 1 to 1048576"));
        assert!(say("uniform:18446744073709551615").contains("from 1 to 1048576"));
        assert!(say("exponential:nan").contains("above 0"));
        assert!(say("pareto:-1").contains("ALPHA must be above 0"));
        assert!(say("random:3").contains("the name alone"));
        assert!(say("rounds:pareto:2").contains("rounds, rounds:uniform:D or rounds:per-link:D"));
        assert!(say("rounds:uniform:0").contains("from 1 to 1048576"));
        assert!(say("fastest").contains("unknown schedule `fastest`"));
    }
}
