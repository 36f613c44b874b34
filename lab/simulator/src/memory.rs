//! Estimates of the memory that elections take, before anything is allocated.

use crate::{medium::InFlight, node::SimulatedProcess};
use std::mem::size_of;
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, Claimed};
use suffrage_model::{Diameter, Facts, Id, Knowledge, Multiplicity, Net, Place, Port, Size};

/// An estimate of the least memory that an election of an algorithm takes, without its network.
///
/// ```
/// use suffrage_algorithms::Algorithm;
/// use suffrage_simulator::Footprint;
///
/// // Everyone sends to everyone at once.
/// let all_to_all = Algorithm::named("all-to-all").ok_or("no such algorithm")?;
/// let footprint = Footprint::of(all_to_all, 100_000, 99_999, false);
/// assert_eq!(footprint.first_messages, 99_999);
/// assert!(footprint.bytes(100_000, 100_000) > 100 << 30);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The size of a process in bytes, with its identity and the simulator's own data about it.
    /// Allocations of the process count only for the list of its ports, if it has one.
    pub process: u64,
    /// The size of a message in flight, in bytes.
    pub message: u64,
    /// The number of messages that an initiator sends when it wakes.
    pub first_messages: u64,
}

impl Footprint {
    /// Returns the footprint of an election among `nodes` processes of `degree` ports each.
    ///
    /// With `queues`, the queue of every link is kept, as untimed schedules, bounded links and
    /// links that are not FIFO need it. Takes constant time and memory.
    #[must_use]
    pub fn of(algorithm: &Algorithm, nodes: u32, degree: u32, queues: bool) -> Self {
        algorithm.visit(FootprintProbe { nodes, degree, queues })
    }

    /// Returns the least number of bytes that an election takes in which `initiators` processes
    /// wake at once; saturates.
    #[must_use]
    pub fn bytes(&self, nodes: u64, initiators: u64) -> u64 {
        let processes = nodes.saturating_mul(self.process);
        processes.saturating_add(self.in_flight(initiators).saturating_mul(self.message))
    }

    /// Returns the number of messages in flight after `initiators` processes have woken at once;
    /// saturates.
    #[must_use]
    pub const fn in_flight(&self, initiators: u64) -> u64 {
        initiators.saturating_mul(self.first_messages)
    }
}

struct FootprintProbe {
    nodes: u32,
    degree: u32,
    queues: bool,
}

/// The number of ports of the process that is probed: a process of any degree sends through that
/// many of them, or through all.
const PORTS: u32 = 64;

/// The bytes of a link's queue without its messages: the entry of a table, the queue, which has room for at least
/// four of them, and its place in the schedule.
const QUEUE: u64 = 176;

impl AlgorithmVisitor for FootprintProbe {
    type Output = Footprint;

    fn visit<P: Claimed>(self) -> Footprint {
        let facts = Facts {
            id: Id::new(1),
            size: Size(self.nodes),
            place: Place(0),
            diameter: Diameter(1),
            multiplicity: Multiplicity::ONE,
        };
        let ports = self.degree.min(PORTS);
        let mut process = P::new(P::Knows::of(&facts), ports);
        let mut sends = Sends { ports, count: 0 };
        process.wake(&mut sends);
        let through_all = ports > 1 && sends.count >= u64::from(ports);
        let message = size_of::<InFlight<P::Msg>>() as u64;
        Footprint {
            process: (size_of::<SimulatedProcess<P>>() + size_of::<Id>()) as u64
                + P::PER_PORT as u64 * u64::from(self.degree),
            message: if self.queues { message + QUEUE } else { message },
            first_messages: if through_all { self.degree.into() } else { sends.count },
        }
    }
}

/// A net that counts the messages sent.
struct Sends {
    ports: u32,
    count: u64,
}

impl<M: Copy> Net<M> for Sends {
    fn degree(&self) -> u32 {
        self.ports
    }
    fn send(&mut self, _: Port, _: M) {
        self.count += 1;
    }
    fn choose(&mut self, _: u32) -> u32 {
        0
    }
    fn set_alarm(&mut self, _: u32) {}
    fn reject(&mut self, _: &'static str) {}
}

#[cfg(test)]
mod tests;
