//! The vocabulary of engines: ends of links, stages of a process, actions of an execution.

use crate::Port;

/// One end of a link: a port of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct End {
    /// The number of the process, in `0..n`.
    pub node: u32,
    /// Its port, in `0..degree`.
    pub port: Port,
}

/// The stage of a process's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Stage {
    /// It has neither woken nor received a message.
    #[default]
    Asleep,
    /// It takes part in the election.
    Running,
    /// It has [halted](crate::Process::halted); messages that reach it are discarded.
    Halted,
    /// It has been stopped by a fault.
    Crashed,
}

/// One action of an execution: something that happens to a process or to a message.
///
/// A sequence of actions, together with the numbers that [`Net::choose`](crate::Net::choose) gave,
/// determines an execution. The checker finds such sequences, and the simulator replays them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A process wakes spontaneously.
    Wake(u32),
    /// The alarm of a process rings.
    Alarm(u32),
    /// A process crashes. One that has crashed does not crash again.
    Crash(u32),
    /// A message is delivered.
    Deliver {
        /// The receiving end of the link.
        to: End,
        /// The number of messages that it overtakes on its link: 0 where links are FIFO.
        overtakes: u32,
    },
    /// The first message on a link is lost.
    Lose {
        /// The receiving end of the link.
        to: End,
    },
    /// The first message on a link is duplicated: the copy follows it immediately, even if the link
    /// is full.
    Duplicate {
        /// The receiving end of the link.
        to: End,
    },
}

impl Action {
    /// Returns whether the action is impossible where links are reliable and FIFO and no process
    /// fails.
    #[must_use]
    pub const fn is_fault(self) -> bool {
        match self {
            Self::Wake(_) | Self::Alarm(_) => false,
            Self::Deliver { overtakes, .. } => overtakes > 0,
            Self::Crash(_) | Self::Lose { .. } | Self::Duplicate { .. } => true,
        }
    }
}
