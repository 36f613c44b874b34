//! How long a node waits, and how much it holds.

use std::time::Duration;

/// How long a node waits for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a connection, its TLS handshake and its greetings together, on either side.
    pub greeting: Duration,
    /// Between two signs of life on a connection that has nothing to say.
    pub heartbeat: Duration,
    /// For a sign of life, before a connection is given up and made anew.
    pub silence: Duration,
    /// Before the second attempt to connect; from then on twice as long each time.
    pub first_pause: Duration,
    /// The longest pause between two attempts to connect.
    pub longest_pause: Duration,
    /// Without any news, before neighbours are looked after that nothing was to be said to.
    pub stall: Duration,
    /// At the end, for those who may not have heard that all is over.
    pub linger: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            greeting: Duration::from_secs(5),
            heartbeat: Duration::from_secs(2),
            silence: Duration::from_secs(8),
            first_pause: Duration::from_millis(10),
            longest_pause: Duration::from_secs(1),
            stall: Duration::from_secs(3),
            linger: Duration::from_secs(2),
        }
    }
}

/// How much a node holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Messages on a link, one way, that the receiving process has not taken. A process that sends
    /// one more waits for room, in order, before it receives anything.
    ///
    /// `None` for the number of nodes and 2, and at least 1024. No algorithm of the catalogue ever
    /// has more than `k + 2` messages on a link for `k` initiators, so with this window none ever
    /// waits, and none can deadlock by waiting.
    pub window: Option<u32>,
    /// Connections that have not introduced themselves yet. When there are more, the oldest is
    /// dropped. `None` for 64 and twice the number of neighbours.
    pub strangers: Option<usize>,
}

impl Limits {
    pub(crate) fn window_for(&self, nodes: u32) -> u32 {
        self.window.unwrap_or_else(|| nodes.saturating_add(2).max(1024)).max(1)
    }

    pub(crate) fn strangers_for(&self, degree: u32) -> usize {
        self.strangers.unwrap_or(64 + 2 * degree as usize).max(1)
    }
}
