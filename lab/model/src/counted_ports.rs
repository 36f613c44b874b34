//! Sets of ports of which only the number is kept.

use crate::Port;
use core::fmt;

/// A set of ports, such as those whose messages a process still waits for: only how many there are is kept.
///
/// It takes 4 bytes, however many ports there are. It does not remember which they are, and so a port may be taken out
/// only once: the caller knows, for example because each neighbour sends it one message. Proofs for every number of
/// processes take it for the set itself, and show that no port is taken out twice.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CountedPorts(u32);

impl CountedPorts {
    /// Returns the set of all ports of a process that has so many.
    #[must_use]
    #[inline]
    pub const fn all(degree: u32) -> Self {
        Self(degree)
    }

    /// Takes a port out of the set. It must be in it; of an empty set nothing is taken.
    #[inline]
    pub const fn remove(&mut self, _port: Port) {
        self.0 = self.0.saturating_sub(1);
    }

    /// Returns the number of ports in the set.
    #[must_use]
    #[inline]
    pub const fn len(&self) -> u32 {
        self.0
    }

    /// Returns whether no port is in the set.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for CountedPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_that_are_taken_out_once_each_leave_as_many_as_of_a_set() {
        let (mut counted, mut set) = (CountedPorts::all(70), crate::PortSet::all(70));
        for port in (0..70).rev().map(Port) {
            assert_eq!((counted.len(), counted.is_empty()), (set.len(), set.is_empty()));
            counted.remove(port);
            set.remove(port);
        }
        assert!(counted.is_empty() && set.is_empty());
    }

    #[test]
    fn it_does_not_remember_which_ports_are_left() {
        let mut counted = CountedPorts::all(3);
        (0..2).for_each(|_| counted.remove(Port(1)));
        assert_eq!(counted.len(), 1);
        (0..2).for_each(|_| counted.remove(Port(1)));
        assert!(counted.is_empty());
    }
}
