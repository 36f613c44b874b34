//! The steps of a demonstration.

use std::fmt::{self, Display};
use std::time::Duration;
use tenure_scenarios::{self as scenarios, InvalidScenario, Nanos, Scenario, Who};

pub(crate) use tenure_scenarios::CutWays as Ways;

/// The number of members.
pub(crate) const HOSTS: usize = 5;

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
            Self::Other => f.write_str("follower-1"),
            Self::All => f.write_str("all"),
            Self::Number(number) => write!(f, "{}", number + 1),
        }
    }
}

impl Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |time: &Duration| Nanos::from(*time);
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
    times: Option<usize>,
}

impl Script {
    /// Parses a script. Errors name the line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let scenario: Scenario =
            text.parse().map_err(|error: InvalidScenario| error.to_string())?;
        let mut script = Self { steps: Vec::new(), times: None };
        for line in scenario.0 {
            script.add(line.step).map_err(|error| format!("line {}: {error}", line.number))?;
        }
        if script.steps.is_empty() { Err("the script has no step".to_owned()) } else { Ok(script) }
    }

    fn add(&mut self, step: scenarios::Step) -> Result<(), String> {
        use scenarios::{ClusterFault as Fault, RecordFate};
        if self.times.is_some() {
            return Err("`repeat` stands once, as the last step".to_owned());
        }
        let shown = step.to_string();
        let none = || {
            format!(
                "`{shown}`: there are kill, crash, stop, suspend, resume, cut, heal, start, \
                               resign, transfer, wait, and repeat in a demonstration"
            )
        };
        self.steps.push(match step {
            scenarios::Step::Repeat(times) => {
                self.times = Some(times as usize);
                return Ok(());
            }
            scenarios::Step::Kill(who) => Step::Kill(one(who)?),
            scenarios::Step::Stop(who) => Step::Stop(one(who)?),
            scenarios::Step::Resume(who) => Step::Resume(one(who)?),
            scenarios::Step::Heal => Step::Heal,
            scenarios::Step::Start(None) => Step::Start(Whom::All),
            scenarios::Step::Start(Some(who)) => Step::Start(one(who)?),
            scenarios::Step::Wait(time) => Step::Wait(time.into()),
            scenarios::Step::Fault { at: None, lasts, flapping: None, fault } => match fault {
                Fault::Suspend { peer } => Step::Suspend(one(peer)?, lasts.map(Duration::from)),
                _ if lasts.is_some() => return Err(none()),
                Fault::Crash { peer, record: RecordFate::Kept } => Step::Crash(one(peer)?),
                Fault::CutOff { peer, ways } => Step::Cut(one(peer)?, ways),
                Fault::Resign { peer: Who::Leader } => Step::Resign,
                Fault::Transfer { peer: Who::Leader, to } => Step::Transfer(one(to)?),
                _ => return Err(none()),
            },
            _ => return Err(none()),
        });
        Ok(())
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        (0..self.times.unwrap_or(1)).flat_map(|_| &self.steps)
    }
}

fn one(who: Who) -> Result<Whom, String> {
    match who {
        Who::Leader => Ok(Whom::Leader),
        Who::Follower(1) => Ok(Whom::Other),
        Who::Peer(number) if (1..=HOSTS).contains(&(number as usize)) => {
            Ok(Whom::Number(number as usize - 1))
        }
        who => Err(format!("`{who}`: write 1 to {HOSTS}, `leader` or `follower-1`")),
    }
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
        let all = "kill 1\ncrash 2\nstop leader\nsuspend 3\nsuspend follower-1 2s\nresume 3\ncut 4\ncut 4 in\n\
                   cut leader out\nheal\nstart all\nstart 5\nresign\ntransfer 1\nwait 1500ms";
        let read = Script::parse(all).unwrap();
        let steps: Vec<_> = read.steps().map(ToString::to_string).collect();
        assert_eq!(steps.join("\n"), all);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let wrong = |text: &str| Script::parse(text).unwrap_err();
        assert!(
            wrong("heal\nexplode").starts_with("line 2: `explode` is no step; there are protocol")
        );
        assert!(wrong("kill 6").starts_with("line 1: `6`: write 1 to 5"));
        assert!(wrong("wait long").contains("write 250ms"));
        assert!(wrong("beat 1").starts_with("line 1: `"), "{}", wrong("beat 1"));
        assert!(wrong("heal\nrepeat 2\nheal").starts_with("line 3: `repeat` stands once"));
        assert!(wrong("heal; repeat 0").contains("from 1 to 100000"));
        assert_eq!(wrong("# nothing"), "the script has no step");
    }
}
