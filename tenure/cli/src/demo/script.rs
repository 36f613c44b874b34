//! The steps of a demonstration.

use std::fmt::{self, Display};
use std::time::Duration;
use tenure_scenarios::{self as scenarios, InvalidScenario, Nanos, Scenario, Who};

pub(crate) use tenure_scenarios::CutWays as Ways;

pub(crate) const HOSTS: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whom {
    Leader,
    Other,
    All,
    /// The host with this index, from 0.
    Number(usize),
}

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
            Self::Other => f.write_str("follower-1"),
            Self::All => f.write_str("all"),
            Self::Number(number) => write!(f, "{}", number + 1),
        }
    }
}

impl Display for DemoStep {
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
    times: Option<usize>,
}

impl DemoScript {
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
            scenarios::Step::Kill(who) => DemoStep::Kill(one(who)?),
            scenarios::Step::Stop(who) => DemoStep::Stop(one(who)?),
            scenarios::Step::Resume(who) => DemoStep::Resume(one(who)?),
            scenarios::Step::Heal => DemoStep::Heal,
            scenarios::Step::Start(None) => DemoStep::Start(Whom::All),
            scenarios::Step::Start(Some(who)) => DemoStep::Start(one(who)?),
            scenarios::Step::Wait(time) => DemoStep::Wait(time.into()),
            scenarios::Step::Fault { at: None, lasts, flapping: None, fault } => match fault {
                Fault::Suspend { peer } => DemoStep::Suspend(one(peer)?, lasts.map(Duration::from)),
                _ if lasts.is_some() => return Err(none()),
                Fault::Crash { peer, record: RecordFate::Kept } => DemoStep::Crash(one(peer)?),
                Fault::CutOff { peer, ways } => DemoStep::Cut(one(peer)?, ways),
                Fault::Resign { peer: Who::Leader } => DemoStep::Resign,
                Fault::Transfer { peer: Who::Leader, to } => DemoStep::Transfer(one(to)?),
                _ => return Err(none()),
            },
            _ => return Err(none()),
        });
        Ok(())
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = &DemoStep> {
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
mod tests;
