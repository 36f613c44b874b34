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
pub(super) struct DatagramCopies {
    sampled: Instant,
    /// Packets sent and lost until then.
    sent: u64,
    lost: u64,
    /// The loss in millionths, averaged over several samples.
    loss: u64,
}

impl DatagramCopies {
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
mod tests;
