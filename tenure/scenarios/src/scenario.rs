//! A scenario: the steps of a text, and the part for a simulation.

use crate::{ClusterFault, FaultScript, Nanos, Step, TimedFault, Who};
use std::{fmt, str::FromStr};
use tenure_model::Ratio;

/// An error in the text of a scenario, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidScenario(pub(crate) String);

/// A step, and the line where it is written, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioLine {
    /// The number of the line.
    pub number: usize,
    /// The step.
    pub step: Step,
}

impl ScenarioLine {
    pub(crate) fn wrong(&self, why: impl fmt::Display) -> InvalidScenario {
        InvalidScenario(format!("line {}: {why}", self.number))
    }

    /// Reads the steps of a line: one, several with `;` between them, or none. A `#` begins a comment.
    pub(crate) fn read(number: usize, line: &str) -> Result<Vec<Self>, InvalidScenario> {
        let line = line.split_once('#').map_or(line, |(line, _)| line);
        let steps = line.split(';').map(str::trim).filter(|text| !text.is_empty());
        let step = |text: &str| match text.parse() {
            Ok(step) => Ok(Self { number, step }),
            Err(why) => Err(InvalidScenario(format!("line {number}: {why}"))),
        };
        steps.map(step).collect()
    }
}

/// The steps of a text, in their order.
///
/// A line has a step, or several with `;` between them; `#` begins a comment. The text between a line `----` and the
/// next empty line is the output of an earlier [run](crate::transcript()), and is skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario(pub Vec<ScenarioLine>);

/// The cluster that a scenario describes, if it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of `Step`, which say what they are")]
pub struct ScenarioCluster {
    pub protocol: Option<String>,
    pub members: Option<u32>,
    pub clients: Option<u32>,
    pub heartbeat: Option<Nanos>,
    pub lease: Option<Nanos>,
    pub stopping: Option<Nanos>,
    pub clocks: Option<Ratio>,
}

impl FromStr for Scenario {
    type Err = InvalidScenario;

    fn from_str(text: &str) -> Result<Self, InvalidScenario> {
        let (mut lines, mut output) = (Vec::new(), false);
        for (i, line) in text.lines().enumerate() {
            output = (output || line.trim() == "----") && !line.trim().is_empty();
            if !output {
                lines.extend(ScenarioLine::read(i + 1, line)?);
            }
        }
        Ok(Self(lines))
    }
}

impl Scenario {
    /// Returns what the scenario says of its cluster.
    #[must_use]
    pub fn cluster(&self) -> ScenarioCluster {
        let mut cluster = ScenarioCluster::default();
        for line in &self.0 {
            match &line.step {
                Step::Protocol(name) => cluster.protocol = Some(name.clone()),
                Step::Members(count) => cluster.members = Some(*count),
                Step::Clients(count) => cluster.clients = Some(*count),
                Step::Heartbeat(time) => cluster.heartbeat = Some(*time),
                Step::Lease(time) => cluster.lease = Some(*time),
                Step::Stopping(time) => cluster.stopping = Some(*time),
                Step::Clocks(ratio) => cluster.clocks = Some(*ratio),
                _ => {}
            }
        }
        cluster
    }

    /// Returns whether an operator asks for other members.
    #[must_use]
    pub fn changes_members(&self) -> bool {
        let changes = |line: &ScenarioLine| match &line.step {
            Step::Fault { fault, .. } => matches!(fault, ClusterFault::Members { .. }),
            _ => false,
        };
        self.0.iter().any(changes)
    }

    /// Returns the faults of the scenario, each with its instant: one that a later step ends lasts until
    /// then. In a simulation all stand from the start, messages arrive by themselves and the promises are
    /// checked throughout, so steps that say so, and expectations, are passed over.
    ///
    /// # Errors
    /// If a step handles single messages or alarms, or ends what has not begun.
    pub fn faults(&self) -> Result<FaultScript, InvalidScenario> {
        let mut now = Nanos(0);
        let mut faults: Vec<TimedFault> = Vec::new();
        for line in &self.0 {
            let meant: &dyn Fn(&ClusterFault) -> bool = match &line.step {
                Step::Wait(time) => {
                    now = Nanos(now.0 + time.0);
                    continue;
                }
                Step::Fault { at, lasts, flapping, fault } => {
                    let (at, lasts, flapping) = (at.unwrap_or(now), *lasts, *flapping);
                    faults.push(TimedFault { at, lasts, flapping, fault: fault.clone() });
                    continue;
                }
                Step::Members(count) if now > Nanos(0) => {
                    return Err(line.wrong(format!(
                        "the cluster runs already; `members only {count}` changes its members"
                    )));
                }
                Step::Start(whom) => &|fault| match fault {
                    ClusterFault::Crash { peer, .. } => whom.is_none_or(|whom| whom == *peer),
                    _ => false,
                },
                Step::Resume(peer) => &|fault| *fault == ClusterFault::Suspend { peer: *peer },
                Step::Heal => &ClusterFault::cuts,
                Step::Stand { peer, .. } => &|fault| *fault == ClusterFault::Resign { peer: *peer },
                Step::Kill(_)
                | Step::Stop(_)
                | Step::Ring { .. }
                | Step::Messages(..)
                | Step::Founding
                | Step::Repeat(_) => {
                    return Err(line.wrong(
                        "a simulation has no such step: its messages, alarms \
                         and programs go by themselves",
                    ));
                }
                _ => continue,
            };
            if !end(&mut faults, now, meant) && !matches!(line.step, Step::Stand { .. }) {
                return Err(line.wrong("there is nothing that it could end"));
            }
        }
        faults.sort_by_key(|fault| fault.at);
        Ok(FaultScript(faults))
    }
}

/// Ends at this instant the faults for which it is meant. Returns whether there are any.
fn end(faults: &mut [TimedFault], now: Nanos, meant: impl Fn(&ClusterFault) -> bool) -> bool {
    let open = |fault: &&mut TimedFault| fault.lasts.is_none() && meant(&fault.fault);
    let mut any = false;
    for fault in faults.iter_mut().filter(open) {
        fault.lasts = Some(Nanos(now.0.saturating_sub(fault.at.0)));
        any = true;
    }
    any
}

impl FromStr for FaultScript {
    type Err = InvalidScenario;

    /// Reads the faults of a scenario; those with an instant may stand in any order.
    fn from_str(text: &str) -> Result<Self, InvalidScenario> {
        text.parse::<Scenario>()?.faults()
    }
}

impl Who {
    /// Returns the number of the participant, where `leader` leads or would be taken for the leader.
    #[must_use]
    pub fn resolve(self, members: u32, leader: impl FnOnce() -> u32) -> u32 {
        match self {
            Self::Peer(peer) => peer,
            Self::Leader => leader(),
            Self::Follower(k) => {
                let leader = leader();
                let mut others = (0..members).filter(|&peer| peer != leader);
                others.nth((k as usize).saturating_sub(1)).unwrap_or(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read_as_they_are_written() {
        let text = "\
at 1s crash 0
at 1500ms for 1s crash leader lost
at 2s for 3s flapping 100ms split 0 1 | follower-2
at 2s bridge 2 | 0 1 | 3 4
at 2s one-way 0 1 > 2
at 2s chain 0 1 2
at 3s cut leader-follower-1
at 3s for 1s cut 3
at 3s cut 3 in
at 3s cut follower-1 out
at 4s for 1s clock 1 -200ppm
at 4s for 1s star follower-1
at 4s star 1 but 0 2
at 4s for 1s loss 20%
at 4s duplicate 5%
at 4s overtake 10% 100ms
at 4s delay 100ms
at 5s backup 1
at 5s crash 1 restored
at 5s slow-disk 1 300ms
at 5s stuck-disk 1
at 5s failed-disk 1
at 5s suspend 1
at 5s resign 1
at 5s transfer leader to follower-1
at 6s members 0 follower-1 3
at 7s members only 2
";
        assert_eq!(text.parse::<FaultScript>().unwrap().to_string(), text);
    }

    #[test]
    fn later_steps_end_faults_and_time_passes() {
        let text = "protocol tenure; members 3\n----\nok\n\nstand 0\nwait 1s\ncrash 2 # the vote\nadvance 500ms\n\
                    start all; cut 0-1\nwait 1s; heal\nexpect leader 0\nat 1ms for 2s delay 5ms\nsuspend 1 3s";
        let scenario: Scenario = text.parse().unwrap();
        assert_eq!(scenario.cluster().members, Some(3));
        assert_eq!(
            scenario.faults().unwrap().to_string(),
            "at 1ms for 2s delay 5ms\nat 1s for 500ms crash 2\nat 1500ms for 1s cut 0-1\n\
             at 2500ms for 3s suspend 1\n"
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let error = |text: &str| text.parse::<FaultScript>().unwrap_err().to_string();
        assert!(
            error("# fine\nat 1s").starts_with("line 2: `at 1s` is no step; there are protocol")
        );
        assert!(
            error("at 1s start all").contains("`start all` is none; `for` says when a fault ends")
        );
        assert!(error("crash boss").contains("`boss` is no participant; write its number"));
        assert!(error("at 1 crash 0").contains("no duration"));
        assert!(error("loss 5").contains("write 20%"));
        assert!(
            error("at 1s members 2")
                .contains("line 1: `members 2` is their number: write `members only 2`")
        );
        assert!(error("wait 1s; members 2").contains("line 1: the cluster runs already"));
        assert!(error("heal").contains("line 1: there is nothing that it could end"));
        assert!(error("crash 1\nbeat 0").contains("line 2: a simulation has no such step"));
    }

    #[test]
    fn what_does_not_fit_the_cluster_is_refused() {
        let check = |line: &str| line.parse::<FaultScript>().unwrap().0[0].check(5, 3).unwrap_err();
        assert!(check("crash 5").contains("no participant 5"));
        assert!(check("crash follower-3").contains("no follower-3"));
        assert!(check("flapping 1s loss 3%").contains("flapping"));
        assert!(check("loss 101%").contains("more than all"));
        assert!(check("members 0 5").contains("no participant 5"));
        let many = "members 0 64".parse::<FaultScript>().unwrap().0.remove(0);
        assert!(many.check(65, 3).unwrap_err().contains("numbers up to 63"));
        assert!(many.check(65, 65).unwrap_err().contains("65 members are too many"));
    }
}
