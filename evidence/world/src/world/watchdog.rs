//! The watchdog of the service manager, as `WatchdogSec=` has it: a program that does not say for so long that it works
//! is killed, and started again.

use super::awaited::{Awaited, poll_by};
use super::program::WATCHDOG;
use super::{ServiceWorld, Victim};
use crate::clock::{MILLI, SECOND};
use crate::queue::{HostNumber, HostTask, WorldEvent};
use std::task::Waker;
use std::time::Duration;
use tenure_cli::testing::{WatchdogInput, WatchdogOutput, WatchdogState};
use tenure_node::Participant;

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

    /// The service manager looks whether a program has said that it works, and kills it if it has not for too long.
    pub(crate) fn look_at_watchdog(&mut self, host: HostNumber, start: u64) {
        let ends = self.hosts[host].program.as_ref().is_some_and(|it| it.ending.is_some());
        let lead = self.hosts[host].lead.as_ref();
        let lead = lead.filter(|lead| lead.number == start && !ends);
        let Some(told) = lead.map(|lead| lead.watched.told_at) else { return };
        let silent = self.monotonic(host) - told;
        if silent < WATCHDOG {
            let looks = WorldEvent::Watchdog(host, start);
            return self.queue.push(self.now + WATCHDOG - silent + MILLI, looks);
        }
        if self.judge.guarded_for(host, self.now) > WATCHDOG / 2 + SECOND {
            self.broken(&format!(
                "the service manager kills the program of host {host}, which is well"
            ));
        }
        self.say(host, || {
            "the service manager kills the program, which has not told that it works".to_owned()
        });
        self.kill(host, Victim::Program);
    }

    /// Returns whether the program, its main loop, or the loop of its member stands still.
    pub(crate) fn stands_still(&self, number: HostNumber) -> bool {
        let host = &self.hosts[number];
        let runs = host.program.as_ref().is_some_and(|program| program.ending.is_none());
        let works = host.can_run(HostTask::Engine) && host.can_run(HostTask::Loop);
        runs && host.asleep.is_none() && !works
    }
}
