//! Whether the disk of a member that leads still works.
//!
//! Renewals write nothing, so a leader whose disk hangs could hold its office forever. Therefore a leading
//! member that has written nothing for a while writes its record again. When a write takes too long, no
//! message of the protocol leaves until the write has ended: the leases run out, and another participant can
//! win the office.

/// After how long without a write the record of a leader is written again, in nanoseconds.
const AGAIN: u64 = 5_000_000_000;
/// From this time on, in nanoseconds, a write shows that the disk hangs. It is longer than any write on a
/// disk that is only slow, since it costs the leadership.
const HANGS: u64 = 5_000_000_000;

/// The last sign of life of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pulse {
    /// A write began at this instant, and has not ended.
    Writing(u64),
    /// The last write ended at this instant.
    Idle(u64),
}

impl Pulse {
    pub(super) const fn hangs(self, now: u64) -> bool {
        matches!(self, Self::Writing(since) if now.saturating_sub(since) >= HANGS)
    }

    pub(super) const fn is_due(self, now: u64, leads: bool) -> bool {
        matches!(self, Self::Idle(since) if leads && now.saturating_sub(since) >= AGAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leader_looks_at_a_disk_that_has_rested_and_nobody_else_does() {
        let rests = Pulse::Idle(7);
        assert!(rests.is_due(7 + AGAIN, true));
        assert!(!rests.is_due(6 + AGAIN, true) && !rests.is_due(7 + AGAIN, false));
        assert!(!rests.hangs(u64::MAX));
    }

    #[test]
    fn a_write_that_takes_long_is_one_that_hangs_and_a_slow_one_is_not() {
        let writes = Pulse::Writing(7);
        assert!(writes.hangs(7 + HANGS) && !writes.hangs(6 + HANGS));
        assert!(!writes.hangs(0), "a clock is read again");
        assert!(!writes.is_due(u64::MAX, true), "one write at a time");
    }
}
