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

/// A step of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Kill(Whom),
    Crash(Whom),
    Stop(Whom),
    Suspend(Whom, Duration),
    Cut(Whom),
    Heal,
    Start(Whom),
    Resign,
    Transfer(Whom),
    Wait(Duration),
}

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |time: &Duration| humantime::format_duration(*time).to_string();
        match self {
            Self::Kill(whom) => write!(f, "kill {whom}"),
            Self::Crash(whom) => write!(f, "crash {whom}"),
            Self::Stop(whom) => write!(f, "stop {whom}"),
            Self::Suspend(whom, pause) => write!(f, "suspend {whom} {}", time(pause)),
            Self::Cut(whom) => write!(f, "cut {whom}"),
            Self::Heal => f.write_str("heal"),
            Self::Start(whom) => write!(f, "start {whom}"),
            Self::Resign => f.write_str("resign"),
            Self::Transfer(whom) => write!(f, "transfer {whom}"),
            Self::Wait(pause) => write!(f, "wait {}", time(pause)),
        }
    }
}

/// Steps, and how often they are repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    steps: Vec<Step>,
    times: usize,
}

impl Script {
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
            ["kill", whom] => Step::Kill(one(whom)?),
            ["crash", whom] => Step::Crash(one(whom)?),
            ["stop", whom] => Step::Stop(one(whom)?),
            ["suspend", whom] => Step::Suspend(one(whom)?, Duration::from_secs(2)),
            ["suspend", whom, pause] => Step::Suspend(one(whom)?, time(pause)?),
            ["cut", whom] => Step::Cut(one(whom)?),
            ["heal"] => Step::Heal,
            ["start", "all"] => Step::Start(Whom::All),
            ["start", whom] => Step::Start(one(whom)?),
            ["resign"] => Step::Resign,
            ["transfer", whom] => Step::Transfer(one(whom)?),
            ["wait", pause] => Step::Wait(time(pause)?),
            _ => {
                return Err(format!(
                    "`{}` is no step; there are kill, crash, stop, suspend, cut, heal, start, \
                     resign, transfer, wait, and repeat",
                    text.trim()
                ));
            }
        };
        self.steps.push(step);
        Ok(())
    }

    /// Returns all steps with their repetitions, in order.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
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
mod tests {
    use super::*;

    #[test]
    fn a_script_is_lines_or_semicolons() {
        let script =
            Script::parse("kill leader; start all # again\n\nsuspend 2 500ms\nrepeat 2").unwrap();
        let steps: Vec<_> = script.steps().map(ToString::to_string).collect();
        let once = ["kill leader", "start all", "suspend 2 500ms"];
        assert_eq!(steps, [once, once].concat());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| Script::parse(text).unwrap_err();
        assert!(wrong("heal\nexplode").starts_with("line 2: `explode` is no step; there are kill"));
        assert!(wrong("kill 6").starts_with("line 1: `6`: write 1 to 5"));
        assert!(wrong("wait long").contains("as in 500ms"));
        assert!(wrong("heal\nrepeat 2\nheal").starts_with("line 3: `repeat` stands once"));
        assert!(wrong("heal; repeat 0").contains("from 1 to 100000"));
        assert_eq!(wrong("# nothing"), "the script has no step");
    }
}
