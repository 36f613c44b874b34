//! The ports that a process still waits for.

use serde::{Deserialize, Serialize};
use suffrage_model::Port;

/// A set of ports from which each is taken once, until one is left.
///
/// Of the set only its size and the sum of its members are kept: when one member is left, the sum
/// is its number. That is 8 bytes for any degree and no allocation, where a bit for each port
/// would take as many bits as the largest star of the network has leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct WaitedPorts {
    count: u32,
    /// The sum of the members modulo 2^32, which is enough: the last member is smaller than that.
    sum: u32,
}

impl WaitedPorts {
    /// Creates the set of all ports of a process of this degree.
    pub(crate) const fn all(degree: u32) -> Self {
        let twice = degree as u64 * degree.saturating_sub(1) as u64;
        Self { count: degree, sum: (twice / 2) as u32 }
    }

    /// Returns the set without `port`; `None` where that is impossible, because the remainder would
    /// be no set of ports. A port that is taken twice is detected when the last one is taken at the
    /// latest.
    pub(crate) fn without(self, port: Port, degree: u32) -> Option<Self> {
        let left = Self { count: self.count.checked_sub(1)?, sum: self.sum.wrapping_sub(port.0) };
        let possible = match left.count {
            0 => left.sum == 0,
            1 => left.sum < degree,
            _ => true,
        };
        possible.then_some(left)
    }

    pub(crate) fn last(self) -> Option<Port> {
        (self.count == 1).then_some(Port(self.sum))
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests;
