//! The timeouts of a node.

use std::time::Duration;

/// The timeouts of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The time for a connection, its TLS handshake and its greetings together, on either side: 5
    /// s.
    pub greeting: Duration,
    /// The time between two heartbeats on an idle connection: 2 s.
    pub heartbeat: Duration,
    /// The silence after which a connection is closed and dialled again: 8 s.
    pub silence: Duration,
    /// The pause before the second attempt to connect: 10 ms. Later ones are twice as long each
    /// time.
    pub first_pause: Duration,
    /// The longest pause between two attempts to connect: 1 s.
    pub longest_pause: Duration,
    /// The time without an event after which idle neighbours are probed: 3 s.
    pub stall: Duration,
    /// The time at the end for neighbours to confirm that they know of it: 5 s.
    pub linger: Duration,
    /// How long the parent in the spanning tree, which knows that this node has halted, can be
    /// unreachable before this node leaves without knowing whether all have halted: 40 s.
    pub gone: Duration,
    /// The same for a parent that may not know it: 120 s. A node that leaves then may be missed by
    /// others, if the parent was alive and could not be reached.
    pub abandon: Duration,
    /// The interval at which the certificate files are checked for changes: 5 s.
    pub refresh: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(5),
            heartbeat: Duration::from_secs(2),
            silence: Duration::from_secs(8),
            first_pause: Duration::from_millis(10),
            longest_pause: Duration::from_secs(1),
            stall: Duration::from_secs(3),
            linger: Duration::from_secs(5),
            gone: Duration::from_secs(40),
            abandon: Duration::from_secs(120),
            refresh: Duration::from_secs(5),
        }
    }
}

/// An error: timeouts cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeoutsError {
    /// A timeout is zero.
    #[error("it must be more than 0")]
    Zero(&'static str),
    /// It is longer than [`Timeouts::LONGEST`].
    #[error("it must be at most {} seconds", Timeouts::LONGEST.as_secs())]
    TooLong(&'static str),
    /// A timeout must be shorter than another one.
    #[error("it must be shorter than `{than}`")]
    Order {
        /// The timeout that is too long.
        name: &'static str,
        /// The other one.
        than: &'static str,
    },
}

impl TimeoutsError {
    /// Returns the name of the timeout that must be changed.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Zero(name) | Self::TooLong(name) | Self::Order { name, .. } => name,
        }
    }
}

impl Timeouts {
    /// The names of all timeouts.
    pub const NAMES: [&'static str; 10] = [
        "greeting",
        "heartbeat",
        "silence",
        "first_pause",
        "longest_pause",
        "stall",
        "linger",
        "gone",
        "abandon",
        "refresh",
    ];

    /// The longest timeout, some 32 years: an instant that much later can still be represented.
    pub const LONGEST: Duration = Duration::from_secs(1_000_000_000);

    /// Returns the timeout of this name, to be changed.
    pub fn named(&mut self, name: &str) -> Option<&mut Duration> {
        Some(match name {
            "greeting" => &mut self.greeting,
            "heartbeat" => &mut self.heartbeat,
            "silence" => &mut self.silence,
            "first_pause" => &mut self.first_pause,
            "longest_pause" => &mut self.longest_pause,
            "stall" => &mut self.stall,
            "linger" => &mut self.linger,
            "gone" => &mut self.gone,
            "abandon" => &mut self.abandon,
            "refresh" => &mut self.refresh,
            _ => return None,
        })
    }

    /// Checks the timeouts, and returns them.
    ///
    /// # Errors
    /// If one of them is zero or longer than [`LONGEST`](Self::LONGEST), or two of them contradict
    /// each other.
    pub fn check(mut self) -> Result<(), TimeoutsError> {
        for name in Self::NAMES {
            match self.named(name) {
                Some(time) if time.is_zero() => return Err(TimeoutsError::Zero(name)),
                Some(time) if *time > Self::LONGEST => return Err(TimeoutsError::TooLong(name)),
                _ => {}
            }
        }
        let order = |fits, name, than| {
            if fits { Ok(()) } else { Err(TimeoutsError::Order { name, than }) }
        };
        order(self.heartbeat < self.silence, "heartbeat", "silence")?;
        order(self.first_pause <= self.longest_pause, "first_pause", "longest_pause")?;
        order(self.gone <= self.abandon, "gone", "abandon")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_timeout_of_its_own() {
        let mut timeouts = Timeouts::default();
        for (seconds, name) in (100..).zip(Timeouts::NAMES) {
            *timeouts.named(name).unwrap() = Duration::from_secs(seconds);
        }
        for (seconds, name) in (100..).zip(Timeouts::NAMES) {
            assert_eq!(*timeouts.named(name).unwrap(), Duration::from_secs(seconds), "{name}");
        }
        assert_eq!(timeouts.named("patience"), None);
    }

    #[test]
    fn contradictions_are_refused_by_name() {
        assert_eq!(Timeouts::default().check(), Ok(()));
        for name in Timeouts::NAMES {
            let mut timeouts = Timeouts::default();
            *timeouts.named(name).unwrap() = Duration::ZERO;
            assert_eq!(timeouts.check(), Err(TimeoutsError::Zero(name)));
            *timeouts.named(name).unwrap() = Timeouts::LONGEST + Duration::from_nanos(1);
            assert_eq!(timeouts.check(), Err(TimeoutsError::TooLong(name)));
        }
        let second = Duration::from_secs(1);
        let silent = Timeouts { silence: second, heartbeat: second, ..Timeouts::default() };
        let wrong = TimeoutsError::Order { name: "heartbeat", than: "silence" };
        assert_eq!(silent.check(), Err(wrong));
        let gone = Timeouts { abandon: second, ..Timeouts::default() };
        assert_eq!(gone.check().unwrap_err().name(), "gone");
    }
}
