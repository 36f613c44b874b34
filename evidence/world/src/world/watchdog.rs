//! The watchdog of the service manager, as `WatchdogSec=` has it: a program that does not say for so long that it works
//! is killed, and started again.

use super::awaited::poll_by;
use super::program::{Program, WATCHDOG};
use super::{ServiceWorld, Victim};
use crate::clock::{MILLI, SECOND};
use crate::queue::{HostNumber, HostTask, WorldEvent};
use std::time::Duration;
use tenure_cli::testing::{WatchdogInput, WatchdogOutput};
use tenure_node::Participant;

impl ServiceWorld {
    /// The main loop of a program tells the service manager that it works, if that is due and its member answers.
    pub(crate) fn beat(&mut self, host: HostNumber, program: &mut Program) {
        let now = self.monotonic(host);
        let elapsed = Duration::from_nanos(now - program.start);
        let mut input = Some(WatchdogInput::Due);
        if let Some(answers) = &mut program.answers {
            input = poll_by(answers, &program.waker).map(WatchdogInput::Answered);
            program.answers = input.is_none().then(|| program.answers.take()).flatten();
        }
        while let Some(output) = input.take().and_then(|it| program.watchdog.step(elapsed, it)) {
            if output == WatchdogOutput::Tell {
                program.told_manager_at = now;
                continue;
            }
            let member = Participant::clone(&program.member);
            let answers =
                program.answers.insert(Box::pin(async move { member.status().await.is_ok() }));
            input = poll_by(answers, &program.waker).map(WatchdogInput::Answered);
        }
    }

    /// The service manager looks whether a program has said that it works, and kills it if it has not for too long.
    pub(crate) fn look_at_watchdog(&mut self, host: HostNumber, start: u64) {
        let program = self.hosts[host].program.as_ref();
        let told = program.filter(|program| program.number == start && program.ending.is_none());
        let Some(told) = told.map(|program| program.told_manager_at) else { return };
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
