//! The ports that a process still waits for.

use suffrage_model::Port;

/// A set of ports from which each is taken once, until one is left.
///
/// Of the set only its size and the sum of its members are kept: when one member is left, the sum
/// is its number. That is 8 bytes for any degree and no allocation, where a bit for each port
/// would take as many bits as the largest star of the network has leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Ports {
    count: u32,
    /// The sum of the members modulo 2^32, which is enough: the last member is smaller than that.
    sum: u32,
}

impl Ports {
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

    /// Returns the last port, once it is the only one.
    pub(crate) fn last(self) -> Option<Port> {
        (self.count == 1).then_some(Port(self.sum))
    }

    /// Returns whether every port has been taken.
    pub(crate) const fn is_empty(self) -> bool {
        self.count == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_port_is_the_one_that_was_not_taken() {
        for degree in 1..20 {
            for last in 0..degree {
                let mut ports = Ports::all(degree);
                for port in (0..degree).filter(|&port| port != last) {
                    assert_eq!(ports.last(), None);
                    ports = ports.without(Port(port), degree).unwrap();
                }
                assert_eq!(ports.last(), Some(Port(last)));
                assert!(ports.without(Port(last), degree).unwrap().is_empty());
            }
        }
    }

    #[test]
    fn a_sum_may_overflow() {
        let degree = 200_000;
        let mut ports = Ports::all(degree);
        for port in (0..degree).filter(|&port| port != 77) {
            ports = ports.without(Port(port), degree).unwrap();
        }
        assert_eq!(ports.last(), Some(Port(77)));
    }

    #[test]
    fn without_ports_there_is_none_to_take() {
        let ports = Ports::all(0);
        assert!(ports.is_empty() && ports.last().is_none());
        assert_eq!(ports.without(Port(0), 0), None);
    }

    #[test]
    fn a_port_taken_twice_is_found_out() {
        // {0, 1, 2} without 0 and 0 would leave port 3, which a process of degree 3 lacks.
        let once = Ports::all(3).without(Port(0), 3).unwrap();
        assert_eq!(once.without(Port(0), 3), None);
        // Without 1 and 1 it would leave port 1, which is possible; after that, 0 and 2 are not.
        let twice = Ports::all(3).without(Port(1), 3).unwrap().without(Port(1), 3).unwrap();
        assert_eq!(twice.without(Port(0), 3), None);
        assert_eq!(twice.without(Port(2), 3), None);
    }
}
