//! When the service manager is told that this process works: what decides, without a clock or a socket.

use std::time::Duration;

/// All times are from one instant on.
#[derive(Debug)]
pub struct WatchdogState {
    interval: Duration,
    next: Duration,
    /// Whether a participant's loop has to answer before each notification.
    asks: bool,
    /// Whether it has not answered yet.
    waits: bool,
}

/// What has happened.
#[derive(Debug)]
pub enum WatchdogInput {
    /// [`WatchdogState::due`] has come.
    Due,
    /// The participant's loop has answered; or it has ended.
    Answered(bool),
}

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub enum WatchdogOutput {
    /// Ask the participant's loop.
    Ask,
    /// Tell the service manager.
    Tell,
}

impl WatchdogState {
    /// Tells the service manager at this interval; if it `asks`, only while a participant's loop answers.
    #[must_use]
    pub const fn new(interval: Duration, asks: bool) -> Self {
        Self { interval, next: interval, asks, waits: false }
    }

    /// Has the participant's loop asked before each notification from now on.
    pub(crate) const fn ask(&mut self) {
        self.asks = true;
    }

    /// Returns when something is due next, if nothing happens before.
    #[must_use]
    pub fn due(&self) -> Option<Duration> {
        (!self.waits).then_some(self.next)
    }

    /// Handles what has happened after this time.
    pub fn step(&mut self, elapsed: Duration, input: WatchdogInput) -> Option<WatchdogOutput> {
        match input {
            WatchdogInput::Due if self.waits || elapsed < self.next => return None,
            WatchdogInput::Due if self.asks => {
                self.waits = true;
                return Some(WatchdogOutput::Ask);
            }
            // The participant has ended, and does not come back.
            WatchdogInput::Answered(false) => return None,
            WatchdogInput::Due | WatchdogInput::Answered(true) => {}
        }
        (self.waits, self.next) = (false, elapsed + self.interval);
        Some(WatchdogOutput::Tell)
    }
}

#[cfg(test)]
mod tests;
