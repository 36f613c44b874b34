//! Pauses between attempts: exponential back-off with jitter.

use std::time::Duration;
use suffrage_numbers::random::mix;

/// The pauses after failed attempts: twice as long each time, up to a maximum, and each drawn from
/// the upper half of that, so that hosts that fail together do not try again together.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    /// Of the jitter, if there is any.
    seed: Option<u64>,
    failures: u32,
}

impl Backoff {
    /// Creates a back-off from `first` to `longest`. Hosts with different seeds draw different
    /// pauses.
    pub fn new(first: Duration, longest: Duration, seed: u64) -> Self {
        Self { first, longest, seed: Some(seed), failures: 0 }
    }

    /// Creates a back-off without jitter, for what only this host tries again.
    pub fn exact(first: Duration, longest: Duration) -> Self {
        Self { first, longest, seed: None, failures: 0 }
    }

    /// Records a failure and returns how long to wait before the next attempt.
    pub fn failed(&mut self) -> Duration {
        self.failures = self.failures.saturating_add(1);
        self.pause()
    }

    /// Returns how long to wait before the next attempt: zero if none has failed.
    pub fn pause(&self) -> Duration {
        if self.failures == 0 {
            return Duration::ZERO;
        }
        let doubled = self.first.saturating_mul(1 << (self.failures - 1).min(20));
        let pause = doubled.min(self.longest);
        let Some(seed) = self.seed else { return pause };
        let coin = mix(seed ^ u64::from(self.failures)) >> 40;
        pause.mul_f64(0.5 + coin as f64 / (1_u64 << 25) as f64)
    }

    /// Starts again from the first pause. To be called on progress only: a connection that is
    /// accepted and dropped at once is no progress.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// Returns how many attempts have failed since the last progress.
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

#[cfg(test)]
mod tests;
