//! The watchdog of the service manager, as `WatchdogSec=` has it: a program that does not say for so long that it works
//! is killed, and started again.

use super::awaited::{Awaited, poll_by};
use super::{ServiceWorld, Victim};
use crate::clock::{MILLI, SECOND};
use crate::queue::{HostNumber, HostTask, ServiceUnit, WorldEvent};
use std::task::Waker;
use std::time::Duration;
use tenure_cli::testing::{WatchdogInput, WatchdogOutput, WatchdogState};
use tenure_node::Participant;

/// How long the service manager waits for a word of a process, as examples/systemd have it.
pub(crate) const WATCHDOG: u64 = 10_000 * MILLI;

/// A process that tells the service manager that it works.
pub(crate) struct WatchedProcess {
    /// When it began, by the clock that stops while the host is suspended, as the next one.
    pub(crate) began: u64,
    told_at: u64,
    state: WatchdogState,
    /// The member in it, whose loop has to answer, if there is one.
    member: Option<Participant>,
    answers: Option<Awaited<bool>>,
}

impl WatchedProcess {
    pub(crate) fn new(began: u64, member: Option<Participant>) -> Self {
        let state = WatchdogState::new(Duration::from_nanos(WATCHDOG / 2), member.is_some());
        Self { began, told_at: began, state, member, answers: None }
    }

    /// Returns the time since it began.
    pub(crate) const fn elapsed(&self, now: u64) -> Duration {
        Duration::from_nanos(now - self.began)
    }

    /// Returns whether it waits for the answer of its member.
    pub(crate) const fn awaits(&self) -> bool {
        self.answers.is_some()
    }

    /// Returns when it has to do something next.
    pub(crate) fn due(&self) -> Option<u64> {
        self.state.due().map(|due| self.began + due.as_nanos() as u64)
    }
}

impl ServiceWorld {
    /// The main loop of a process tells the service manager that it works, if that is due and its member answers.
    pub(crate) fn beat(&self, host: HostNumber, watched: &mut WatchedProcess, waker: &Waker) {
        let now = self.monotonic(host);
        let elapsed = watched.elapsed(now);
        let mut input = Some(WatchdogInput::Due);
        if let Some(answers) = &mut watched.answers {
            input = poll_by(answers, waker).map(WatchdogInput::Answered);
            watched.answers = input.is_none().then(|| watched.answers.take()).flatten();
        }
        while let Some(output) = input.take().and_then(|it| watched.state.step(elapsed, it)) {
            match (output, watched.member.clone()) {
                (WatchdogOutput::Ask, Some(member)) => {
                    let asks = Box::pin(async move { member.status().await.is_ok() });
                    let answers = watched.answers.insert(asks);
                    input = poll_by(answers, waker).map(WatchdogInput::Answered);
                }
                _ => watched.told_at = now,
            }
        }
    }

    /// The service manager looks whether a process has said that it works, and kills it if it has not for too long.
    pub(crate) fn look_at_watchdog(&mut self, host: HostNumber, unit: ServiceUnit, start: u64) {
        let watched = self.watched(host, unit).filter(|(number, _)| *number == start);
        let Some(told) = watched.map(|(_, watched)| watched.told_at) else { return };
        let silent = self.monotonic(host) - told;
        if silent < WATCHDOG {
            let looks = WorldEvent::Watchdog(host, unit, start);
            return self.queue.push(self.now + WATCHDOG - silent + MILLI, looks);
        }
        let (victim, what) = match unit {
            ServiceUnit::Lead => (Victim::Program, "program"),
            ServiceUnit::Serve => (Victim::Server, "member"),
        };
        if self.judge.well_for(host, unit, self.now) > WATCHDOG / 2 + SECOND {
            self.broken(&format!(
                "the service manager kills the {what} of host {host}, which is well"
            ));
        }
        self.say(host, || {
            format!("the service manager kills the {what}, which has not told that it works")
        });
        self.kill(host, victim);
    }

    /// Returns the number of the start of a process that is not asked to end, with what the service manager knows of it.
    fn watched(&self, number: HostNumber, unit: ServiceUnit) -> Option<(u64, &WatchedProcess)> {
        let host = &self.hosts[number];
        let program = host.program.as_ref().filter(|it| it.ending.is_none());
        match unit {
            ServiceUnit::Serve => program.and_then(|it| Some((it.number, it.watched.as_ref()?))),
            ServiceUnit::Lead if !host.served && program.is_none() => None,
            ServiceUnit::Lead => host.lead.as_ref().map(|it| (it.number, &it.watched)),
        }
    }

    /// Returns whether a process runs, and whether it, its main loop, or the loop of its member stands still.
    pub(crate) fn stands_still(&self, number: HostNumber, unit: ServiceUnit) -> (bool, bool) {
        let host = &self.hosts[number];
        let runs = self.watched(number, unit).is_some() && host.asleep.is_none();
        let works = match unit {
            ServiceUnit::Serve => host.can_run(HostTask::Engine),
            ServiceUnit::Lead if host.served => host.can_run(HostTask::Loop),
            ServiceUnit::Lead => host.can_run(HostTask::Engine) && host.can_run(HostTask::Loop),
        };
        (runs, runs && !works)
    }
}
