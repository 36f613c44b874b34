//! The clocks of processes, which run at different rates.

/// The rate of a clock that keeps global time: 2^32. The slowest clock within the bound has it.
pub(crate) const REAL: u64 = 1 << 32;

/// A clock that runs at a constant rate until the rate is changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SimulatedClock {
    /// An instant of global time.
    global: u64,
    /// The reading of the clock at that instant, in nanoseconds.
    local: u64,
    /// The nanoseconds by which it advances in 2^32 nanoseconds of global time.
    rate: u64,
}

impl SimulatedClock {
    pub(crate) const fn new(rate: u64) -> Self {
        Self { global: 0, local: 0, rate }
    }

    pub(crate) const fn rate(&self) -> u64 {
        self.rate
    }

    #[inline]
    pub(crate) fn local(&self, global: u64) -> u64 {
        let passed = u128::from(global - self.global) * u128::from(self.rate);
        self.local + (passed >> 32) as u64
    }

    /// Returns the first instant of this reading, or the instant of the latest change of rate if it is
    /// later.
    #[inline]
    pub(crate) fn global(&self, local: u64) -> u64 {
        let left = local.saturating_sub(self.local);
        let passed = if left < 1 << 32 {
            (left << 32).div_ceil(self.rate)
        } else {
            (u128::from(left) << 32).div_ceil(u128::from(self.rate)) as u64
        };
        self.global + passed
    }

    /// Sets its rate from this instant on.
    pub(crate) fn set_rate(&mut self, now: u64, rate: u64) {
        *self = Self { global: now, local: self.local(now), rate };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_instant_at_which_a_clock_shows_something_is_exact() {
        for rate in [REAL, REAL / 2 + 12_345, REAL + 4_294_967, 3 * REAL + 1] {
            let mut clock = SimulatedClock::new(rate);
            clock.set_rate(1_000, rate);
            for local in (0..20_000_000_000).step_by(123_456_789) {
                let at = clock.global(local);
                assert!(clock.local(at) >= local);
                assert!(at == 1_000 || clock.local(at - 1) < local);
            }
        }
    }

    #[test]
    fn a_change_of_rate_moves_no_hands() {
        let mut clock = SimulatedClock::new(2 * REAL);
        assert_eq!(clock.local(50), 100);
        clock.set_rate(50, REAL);
        assert_eq!([clock.local(50), clock.local(60)], [100, 110]);
        assert_eq!(clock.global(110), 60);
    }
}
