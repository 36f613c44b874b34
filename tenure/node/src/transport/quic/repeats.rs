//! Repeats datagrams on paths that lose some, since none is retransmitted: a leader whose heartbeats
//! are lost several times in a row would lose its leases.

use quinn::Connection;
use std::time::{Duration, Instant};

/// The interval at which the loss is measured.
const SAMPLE: Duration = Duration::from_millis(500);
/// The smallest number of packets that a sample needs.
const ENOUGH: u64 = 8;
/// The pause before each copy. It is sent on its own: copies in one packet would be lost together.
pub(super) const PAUSE: Duration = Duration::from_millis(4);

/// The number of copies of each datagram, from the loss of the path.
pub(super) struct Repeats {
    sampled: Instant,
    /// Packets sent and lost until then.
    sent: u64,
    lost: u64,
    /// The loss in millionths, averaged over several samples.
    loss: u64,
}

impl Repeats {
    pub(super) fn new() -> Self {
        Self { sampled: Instant::now(), sent: 0, lost: 0, loss: 0 }
    }

    pub(super) fn next(&mut self, connection: &Connection) -> u32 {
        if self.sampled.elapsed() >= SAMPLE {
            let path = connection.stats().path;
            self.sample(path.sent_packets, path.lost_packets);
        }
        copies(self.loss)
    }

    fn sample(&mut self, sent: u64, lost: u64) {
        self.sampled = Instant::now();
        let packets = sent.saturating_sub(self.sent);
        if packets < ENOUGH {
            return;
        }
        let now = lost.saturating_sub(self.lost).min(packets) * 1_000_000 / packets;
        // Rises at once, and falls slowly.
        self.loss = now.max((self.loss * 7 + now) / 8);
        (self.sent, self.lost) = (sent, lost);
    }
}

const fn copies(loss: u64) -> u32 {
    match loss {
        0..10_000 => 0,
        10_000..80_000 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_are_repeated_on_lossy_paths_only() {
        let mut repeats = Repeats::new();
        repeats.sample(100, 0);
        assert_eq!(copies(repeats.loss), 0);
        repeats.sample(200, 5);
        assert_eq!(copies(repeats.loss), 1);
        repeats.sample(300, 25);
        assert_eq!(copies(repeats.loss), 2);
        // A sample without a loss may be luck.
        repeats.sample(400, 25);
        assert_eq!(copies(repeats.loss), 2);
        for more in 5..50 {
            repeats.sample(more * 100, 25);
        }
        assert_eq!(copies(repeats.loss), 0);
        // Too few packets say nothing.
        repeats.sample(4_903, 28);
        assert_eq!(copies(repeats.loss), 0);
    }
}
