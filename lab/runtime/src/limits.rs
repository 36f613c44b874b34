//! Limits on the memory of a node.

/// Limits on what a node holds in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The number of messages on a link, in one direction, that the receiving process has not
    /// taken. A process that sends one more waits for room, in order, before it receives anything.
    ///
    /// `None` for `n + 2`, but at least 1024. No algorithm of the catalogue ever has more than `k +
    /// 2` messages on a link for `k` initiators, so with this window none ever waits, and none can
    /// deadlock by waiting.
    pub window: Option<u32>,
    /// The number of unauthenticated connections. When there are more, an old one makes room.
    /// `None` for 64 plus twice the number of neighbours.
    pub unauthenticated: Option<usize>,
}

impl Limits {
    pub(crate) fn window_for(&self, nodes: u32) -> u32 {
        self.window.unwrap_or_else(|| nodes.saturating_add(2).max(1024)).max(1)
    }

    pub(crate) fn unauthenticated_for(&self, degree: u32) -> usize {
        self.unauthenticated.unwrap_or(64 + 2 * degree as usize).max(1)
    }
}
