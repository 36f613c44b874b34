//! The ports that a process has used, one after the other.

use crate::{Count, Net, Port};
use core::fmt;

/// The first ports of a process, up to some number.
///
/// They can be asked whether a port is one of them, which port comes next, whether there is none, and whether a majority
/// of the processes lies behind them. Proofs for every number of processes know nothing else about them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FirstPorts(u32);

impl FirstPorts {
    /// No ports.
    pub const NONE: Self = Self(0);

    /// Returns how many these are.
    #[must_use]
    #[inline]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns how many these are, for comparisons with other processes.
    #[must_use]
    #[inline]
    pub const fn count(self) -> Count {
        Count::new(self.0)
    }

    /// Returns whether a port is one of these.
    #[must_use]
    #[inline]
    pub const fn contains(self, port: Port) -> bool {
        port.0 < self.0
    }

    /// Returns the port that comes next. The process may not have it.
    #[must_use]
    #[inline]
    pub const fn next(self) -> Port {
        Port(self.0)
    }

    /// Returns these with the next port.
    #[must_use]
    #[inline]
    pub const fn and_next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns whether the process has no other ports.
    #[must_use]
    #[inline]
    pub fn are_all<M: Copy>(self, net: &impl Net<M>) -> bool {
        self.0 >= net.degree()
    }

    /// Returns whether the processes to which these lead, and this one, are more than half of a complete network.
    #[must_use]
    #[inline]
    pub fn are_majority<M: Copy>(self, net: &impl Net<M>) -> bool {
        let size = net.degree() + 1;
        self.0 + 1 > size / 2
    }
}

impl fmt::Debug for FirstPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
