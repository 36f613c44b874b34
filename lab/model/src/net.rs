//! The net of a process: its ports, and all operations on them.

/// A local port number, in `0..degree`. A process never sees a neighbour, only a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Port(pub u32);

impl Port {
    /// The port that leads forward on an oriented ring.
    pub const NEXT: Self = Self(0);
    /// The port that leads back on an oriented ring.
    pub const PREVIOUS: Self = Self(1);
}

/// The effects of a process: all operations that are available to it during one reaction.
pub trait Net<M: Copy> {
    /// Returns the number of ports of this process.
    fn degree(&self) -> u32;

    /// Returns whether this process has no ports: it is the only one.
    fn is_alone(&self) -> bool {
        self.degree() == 0
    }

    /// Sends `msg` through port `to`. Messages through one port arrive in the order of sending,
    /// whatever the other ports do.
    ///
    /// # Panics
    /// If `to` is not below [`degree`](Self::degree): an error of the algorithm, not of its input.
    fn send(&mut self, to: Port, msg: M);

    /// Returns a number in `0..=max`: a seeded coin in the simulator, a branch in the checker.
    fn choose(&mut self, max: u32) -> u32;

    /// Sets an alarm: calls [`Process::alarm`](crate::Process::alarm) after `ticks`, in place of
    /// any alarm already set. A tick is the unit of the engine's clock: the delay of one
    /// synchronous message in the simulator. Engines without a clock may let the alarm ring at any
    /// time. In [rounds](crate::Timing::Rounds) the alarm of 0 ticks rings in the present tick, after
    /// its messages; elsewhere 0 is taken as 1.
    fn set_alarm(&mut self, ticks: u32);

    /// Reports a message that cannot arrive where links are reliable and FIFO, with the reason
    /// `why`.
    ///
    /// Engines record it as a violation: in a faultless network it is an error of the algorithm,
    /// elsewhere it is the fault showing itself. The process stays as it is; it must not panic,
    /// because on a real network the message may be an attacker's.
    fn reject(&mut self, why: &'static str);

    /// Sends `msg` through every port, in ascending order.
    fn send_all(&mut self, msg: M) {
        for port in 0..self.degree() {
            self.send(Port(port), msg);
        }
    }

    /// Sends `msg` through every port but `than`, in ascending order.
    fn send_others(&mut self, than: Port, msg: M) {
        for port in (0..self.degree()).map(Port) {
            if port != than {
                self.send(port, msg);
            }
        }
    }
}
