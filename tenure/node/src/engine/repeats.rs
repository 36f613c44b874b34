//! How often a loop repeats what has not been answered.
//!
//! The protocol repeats every unanswered message at each heartbeat, which is right where messages are lost,
//! and wrong where the answers are only late: a machine that is too slow for a contest of a thousand offices
//! would have a thousand messages more to handle at each heartbeat, and the contest would not end. So a
//! loop that is behind repeats less and less often; to the protocol, those messages are lost. Renewals and
//! acknowledgements of leases, which are few, always leave.

/// The maximal number of heartbeats from one that repeats to the next.
const MOST: u32 = 32;

/// The distance between heartbeats that repeat.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// The number of heartbeats to leave out after one that repeats.
    gap: u32,
    /// The number of heartbeats that are still left out.
    left: u32,
    /// Whether messages waited in the inbox after the last ones were taken.
    behind: bool,
}

impl Repeats {
    /// Notes whether messages still wait.
    pub(super) fn read(&mut self, behind: bool) {
        self.behind = behind;
    }

    /// Handles a heartbeat; `late` says that it comes late. Returns whether it repeats messages. Each one
    /// that comes late or finds messages that have not been read doubles the distance; each other one halves
    /// it.
    pub(super) fn beat(&mut self, late: bool) -> bool {
        self.gap =
            if late || self.behind { (2 * self.gap + 1).min(MOST - 1) } else { self.gap / 2 };
        self.left = self.left.min(self.gap);
        match self.left.checked_sub(1) {
            // What waits may be the answer.
            _ if self.behind => false,
            Some(left) => {
                self.left = left;
                false
            }
            None => {
                self.left = self.gap;
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_keeps_up_repeats_at_each_heartbeat() {
        let mut repeats = Repeats::default();
        assert!((0..100).all(|_| repeats.beat(false)));
    }

    #[test]
    fn a_loop_that_is_late_repeats_less_and_less_often() {
        let mut repeats = Repeats::default();
        let at: Vec<usize> = (0..200).filter(|_| repeats.beat(true)).collect();
        let gaps: Vec<usize> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.is_sorted(), "{gaps:?}");
        assert_eq!(gaps.last(), Some(&32));
        // And soon as often as before, once it keeps up.
        let again = (0..).take_while(|_| !repeats.beat(false)).count();
        assert!(again <= 6, "{again}");
        assert!((0..100).filter(|_| repeats.beat(false)).count() >= 94);
    }

    #[test]
    fn a_loop_that_has_not_read_its_messages_repeats_nothing() {
        let mut repeats = Repeats::default();
        repeats.read(true);
        assert!((0..100).all(|_| !repeats.beat(false)));
        repeats.read(false);
        assert!((0..6).any(|_| repeats.beat(false)));
    }
}
