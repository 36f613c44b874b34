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
pub(crate) enum Step {
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

impl Display for Step {
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

impl Step {
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
            ["suspend", whom] => Step::Suspend(one(whom)?, None),
            ["suspend", whom, pause] => Step::Suspend(one(whom)?, Some(time(pause)?)),
            ["resume", whom] => Step::Resume(one(whom)?),
            ["cut", whom] => Step::Cut(one(whom)?, Ways::Both),
            ["cut", whom, "in"] => Step::Cut(one(whom)?, Ways::In),
            ["cut", whom, "out"] => Step::Cut(one(whom)?, Ways::Out),
            ["heal"] => Step::Heal,
            ["start", "all"] => Step::Start(Whom::All),
            ["start", whom] => Step::Start(one(whom)?),
            ["resign"] => Step::Resign,
            ["transfer", whom] => Step::Transfer(one(whom)?),
            ["wait", pause] => Step::Wait(time(pause)?),
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
    fn every_step_is_written_as_it_is_read() {
        let all = "kill 1\ncrash 2\nstop leader\nsuspend 3\nsuspend other 2s\nresume 3\ncut 4\ncut 4 in\n\
                   cut leader out\nheal\nstart all\nstart 5\nresign\ntransfer 1\nwait 1s 500ms";
        // A time of several words is written with them.
        let read = Script::parse(&all.replace("1s 500ms", "1500ms")).unwrap();
        let steps: Vec<_> = read.steps().map(ToString::to_string).collect();
        assert_eq!(steps.join("\n"), all);
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
