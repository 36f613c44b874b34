//! The steps of a demonstration.

use std::fmt::{self, Display};
use std::time::Duration;

/// The number of members.
pub(crate) const HOSTS: usize = 5;

/// The maximal number of repetitions.
const MOST: usize = 100_000;

/// The target of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    Leader,
    Other,
    All,
    /// The host with this index, from 0.
    Number(usize),
}

/// The directions in which links are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ways {
    Both,
    /// It hears no other member.
    In,
    /// No other member hears it.
    Out,
}

/// A step of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoStep {
    Kill(Whom),
    Crash(Whom),
    Stop(Whom),
    /// For this time, or until it is resumed.
    Suspend(Whom, Option<Duration>),
    Resume(Whom),
    Cut(Whom, Ways),
    Heal,
    Start(Whom),
    Resign,
    Transfer(Whom),
    Wait(Duration),
}

impl Display for Whom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leader => f.write_str("leader"),
            Self::Other => f.write_str("other"),
            Self::All => f.write_str("all"),
            Self::Number(number) => write!(f, "{}", number + 1),
        }
    }
}

impl Display for DemoStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |time: &Duration| humantime::format_duration(*time).to_string();
        match self {
            Self::Kill(whom) => write!(f, "kill {whom}"),
            Self::Crash(whom) => write!(f, "crash {whom}"),
            Self::Stop(whom) => write!(f, "stop {whom}"),
            Self::Suspend(whom, None) => write!(f, "suspend {whom}"),
            Self::Suspend(whom, Some(pause)) => write!(f, "suspend {whom} {}", time(pause)),
            Self::Resume(whom) => write!(f, "resume {whom}"),
            Self::Cut(whom, Ways::Both) => write!(f, "cut {whom}"),
            Self::Cut(whom, Ways::In) => write!(f, "cut {whom} in"),
            Self::Cut(whom, Ways::Out) => write!(f, "cut {whom} out"),
            Self::Heal => f.write_str("heal"),
            Self::Start(whom) => write!(f, "start {whom}"),
            Self::Resign => f.write_str("resign"),
            Self::Transfer(whom) => write!(f, "transfer {whom}"),
            Self::Wait(pause) => write!(f, "wait {}", time(pause)),
        }
    }
}

impl DemoStep {
    pub(crate) const fn whom(&self) -> Option<Whom> {
        match self {
            Self::Kill(whom)
            | Self::Crash(whom)
            | Self::Stop(whom)
            | Self::Suspend(whom, _)
            | Self::Resume(whom)
            | Self::Cut(whom, _)
            | Self::Start(whom)
            | Self::Transfer(whom) => Some(*whom),
            Self::Heal | Self::Resign | Self::Wait(_) => None,
        }
    }
}

/// Steps, and how often they are repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DemoScript {
    steps: Vec<DemoStep>,
    times: usize,
}

impl DemoScript {
    /// Parses a script. Errors name the line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut script = Self { steps: Vec::new(), times: 1 };
        for (number, line) in text.lines().enumerate() {
            let line = line.split_once('#').map_or(line, |(line, _)| line);
            for step in line.split(';') {
                script.add(step).map_err(|error| format!("line {}: {error}", number + 1))?;
            }
        }
        if script.steps.is_empty() { Err("the script has no step".to_owned()) } else { Ok(script) }
    }

    fn add(&mut self, text: &str) -> Result<(), String> {
        let words: Vec<_> = text.split_whitespace().collect();
        if let ["repeat", times] = words.as_slice() {
            let times = times.parse().ok().filter(|times| (1..=MOST).contains(times));
            let times = times.ok_or_else(|| format!("`{text}`: repeat from 1 to {MOST} times"))?;
            if self.times > 1 {
                return Err("`repeat` stands once, as the last step".to_owned());
            }
            self.times = times;
            return Ok(());
        }
        if self.times > 1 && !words.is_empty() {
            return Err("`repeat` stands once, as the last step".to_owned());
        }
        let step = match words.as_slice() {
            [] => return Ok(()),
            ["kill", whom] => DemoStep::Kill(one(whom)?),
            ["crash", whom] => DemoStep::Crash(one(whom)?),
            ["stop", whom] => DemoStep::Stop(one(whom)?),
            ["suspend", whom] => DemoStep::Suspend(one(whom)?, None),
            ["suspend", whom, pause] => DemoStep::Suspend(one(whom)?, Some(time(pause)?)),
            ["resume", whom] => DemoStep::Resume(one(whom)?),
            ["cut", whom] => DemoStep::Cut(one(whom)?, Ways::Both),
            ["cut", whom, "in"] => DemoStep::Cut(one(whom)?, Ways::In),
            ["cut", whom, "out"] => DemoStep::Cut(one(whom)?, Ways::Out),
            ["heal"] => DemoStep::Heal,
            ["start", "all"] => DemoStep::Start(Whom::All),
            ["start", whom] => DemoStep::Start(one(whom)?),
            ["resign"] => DemoStep::Resign,
            ["transfer", whom] => DemoStep::Transfer(one(whom)?),
            ["wait", pause] => DemoStep::Wait(time(pause)?),
            _ => {
                return Err(format!(
                    "`{}` is no step; there are kill, crash, stop, suspend, resume, cut, heal, \
                     start, resign, transfer, wait, and repeat",
                    text.trim()
                ));
            }
        };
        self.steps.push(step);
        Ok(())
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = &DemoStep> {
        (0..self.times).flat_map(|_| &self.steps)
    }
}

fn one(text: &str) -> Result<Whom, String> {
    match text {
        "leader" => Ok(Whom::Leader),
        "other" => Ok(Whom::Other),
        number => match number.parse::<usize>() {
            Ok(number @ 1..=HOSTS) => Ok(Whom::Number(number - 1)),
            _ => Err(format!("`{text}`: write 1 to {HOSTS}, `leader` or `other`")),
        },
    }
}

fn time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("`{text}`: {error}, as in 500ms"))
}

#[cfg(test)]
mod tests;
