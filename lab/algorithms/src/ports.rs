//! The ports that a process still waits for.

use core::fmt;
use serde::{Deserialize, Serialize};
use suffrage_model::Port;

/// A set of ports from which each is taken once, until one is left.
///
/// Of the set only its size and the sum of its members are kept: when one member is left, the sum
/// is its number. That is 8 bytes for any degree and no allocation, where a bit for each port
/// would take as many bits as the largest star of the network has leaves. Proofs for every number of
/// processes take it for the set itself, and show that no port is taken twice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct WaitedPorts(
    /// The size, in the upper half, and the sum of the members modulo 2^32, which is enough: the last member is smaller
    /// than that.
    u64,
);

impl WaitedPorts {
    const fn new(count: u32, sum: u32) -> Self {
        Self((count as u64) << 32 | sum as u64)
    }

    const fn count(self) -> u32 {
        (self.0 >> 32) as u32
    }

    const fn sum(self) -> u32 {
        self.0 as u32
    }

    /// Creates the set of all ports of a process of this degree.
    pub(crate) const fn all(degree: u32) -> Self {
        let twice = degree as u64 * degree.saturating_sub(1) as u64;
        Self::new(degree, (twice / 2) as u32)
    }

    /// Returns the set without `port`; `None` where that is impossible, because the remainder would
    /// be no set of ports. A port that is taken twice is detected when the last one is taken at the
    /// latest.
    pub(crate) fn without(self, port: Port, degree: u32) -> Option<Self> {
        let (count, sum) = (self.count().checked_sub(1)?, self.sum().wrapping_sub(port.0));
        let possible = match count {
            0 => sum == 0,
            1 => sum < degree,
            _ => true,
        };
        possible.then_some(Self::new(count, sum))
    }

    pub(crate) fn last(self) -> Option<Port> {
        (self.count() == 1).then_some(Port(self.sum()))
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.count() == 0
    }
}

impl fmt::Debug for WaitedPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.count().fmt(f)
    }
}

#[cfg(test)]
mod tests;
