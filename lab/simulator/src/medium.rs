//! The medium between the processes: it takes messages and determines the next event.

use std::ops::Range;
use suffrage_algorithms::InTransit;
use suffrage_model::{Action, Port, Stage};
use suffrage_networks::wiring::End;

/// A message under way, with the data that accounting needs.
///
/// It is packed, since there may be hundreds of millions: with a message of 64-bit numbers it takes
/// four bytes less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed(4))]
pub(crate) struct InFlight<M> {
    /// The receiver and its port.
    pub to: End,
    pub depth: MarkedDepth,
    pub msg: M,
}

/// The causal depth of a message, the length of the longest chain of messages that ends with it,
/// and its mark for the count of [`Rounds`](suffrage_algorithms::Rounds). The mark is the highest
/// bit, so that a message takes no more room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkedDepth(u32);

impl MarkedDepth {
    const MARK: u32 = 1 << 31;

    #[inline(always)]
    pub(crate) const fn new(depth: u32, mark: bool) -> Self {
        Self(depth | if mark { Self::MARK } else { 0 })
    }

    #[inline(always)]
    pub(crate) const fn to_bits(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    #[inline(always)]
    pub(crate) const fn get(self) -> u32 {
        self.0 & !Self::MARK
    }

    #[inline(always)]
    pub(crate) const fn mark(self) -> bool {
        self.0 & Self::MARK != 0
    }
}

pub(crate) struct Dispatch<M> {
    pub from: End,
    /// A number that no other message of its process has.
    pub serial: u32,
    pub message: InFlight<M>,
}

/// An event that is not the arrival of a message.
#[derive(Clone, Copy)]
pub(crate) enum Turn {
    Wake(u32),
    Alarm(u32),
    /// A recorded crash.
    Crash(u32),
    /// [`Medium::struck`] is lost.
    Lose,
    /// [`Medium::struck`] is duplicated on its link.
    Duplicate,
    /// Time has passed: messages may arrive now.
    Onward,
}

/// An error: a recorded schedule does not fit the election in which it is replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the recorded schedule does not fit this election: {0}")]
pub struct ReplayMismatch(pub(crate) String);

/// The clock, the links and the schedule. There are three kinds: [`Timed`](crate::timed::Timed) and
/// [`InRounds`](crate::rounds::InRounds), the fast ones for delays and unbounded links, and
/// [`LinkQueues`](crate::links::LinkQueues), which keeps every link's queue and can therefore do all the rest.
///
/// The engine calls it through a table of functions: compiled with each of the three, it would take three times as long
/// to build.
pub(crate) trait Medium<M> {
    fn now(&self) -> u64;

    fn send(&mut self, dispatch: Dispatch<M>);

    fn set_alarm(&mut self, node: u32, ticks: u32);

    /// Lends messages that arrive at the present tick, in order, in a range of the vector. They are lent
    /// in chunks, to avoid a call per message.
    fn lend(&mut self) -> Option<(Vec<InFlight<M>>, Range<usize>)>;

    /// Takes back lent messages. Those in `delivered` have been delivered.
    fn give_back(&mut self, messages: Vec<InFlight<M>>, delivered: Range<usize>);

    /// Prefetches what the receivers' own messages will need, as these messages are about to be
    /// delivered.
    fn fetch(&self, _soon: &[InFlight<M>]) {}

    /// Moves to the next tick at which messages arrive, if nothing else comes before and there is
    /// nothing to decide: a shortcut past [`turn`](Self::turn).
    fn advance(&mut self) -> bool {
        false
    }

    fn turn(&mut self) -> Result<Option<Turn>, ReplayMismatch>;

    /// Returns the number of messages, sent before it on the same link, that the last one that
    /// arrived overtook.
    fn overtaken(&self) -> u32 {
        0
    }

    fn struck(&mut self) -> Option<InFlight<M>> {
        None
    }

    fn misfit(&self, what: &str) -> ReplayMismatch {
        ReplayMismatch(what.into())
    }

    fn replays(&self) -> bool {
        false
    }

    fn steps_around(&self) -> Option<u64> {
        None
    }

    fn between(&self) -> Option<Between<M>> {
        None
    }

    fn under_way(&self) -> Vec<InTransit<M>> {
        Vec::new()
    }

    /// Returns the events that would have been possible after [`turn`](Self::turn) has returned
    /// `None`, without faults: a recording may end before the election does.
    fn possible(&self, _stage: &dyn Fn(u32) -> Stage) -> Vec<Action> {
        Vec::new()
    }

    /// Crashes a process: its messages that are not yet on their links are lost. Returns their
    /// number.
    fn crash(&mut self, _node: u32) -> u64 {
        0
    }

    fn blocked(&self) -> u64 {
        0
    }

    /// Returns the greatest number of messages under way at the end of a tick, if that is what
    /// counts as the peak.
    fn peak_in_flight(&self) -> Option<u64> {
        None
    }
}

/// The state of the medium: everything between the processes.
pub(crate) struct Between<M> {
    /// The links that hold messages, in arbitrary order, with their numbers of messages.
    pub links: Vec<(u64, usize)>,
    /// Whether the messages of a link arrive in the order of sending.
    pub fifo: bool,
    /// The processes that wait for room on a link, each once for every message that it waits to send, with the port
    /// of that.
    pub waiting: Vec<(u32, Port)>,
    /// The processes that have set an alarm.
    pub alarms: Vec<u32>,
    /// The messages of the links, and then those of the processes that wait.
    pub messages: Vec<M>,
}

impl<M: Eq> PartialEq for Between<M> {
    fn eq(&self, other: &Self) -> bool {
        if (&self.links, &self.waiting, &self.alarms)
            != (&other.links, &other.waiting, &other.alarms)
        {
            return false;
        }
        let mut first = 0;
        for &(_, held) in &self.links {
            let link = first..first + held;
            let (now, then) = (&self.messages[link.clone()], &other.messages[link.clone()]);
            if !if self.fifo { now == then } else { are_alike(now, then) } {
                return false;
            }
            first = link.end;
        }
        self.messages[first..] == other.messages[first..]
    }
}

/// Whether both have the same messages, which are as many, in any order.
fn are_alike<M: Eq>(now: &[M], then: &[M]) -> bool {
    for one in now {
        let mut more = 0_isize;
        for (here, there) in now.iter().zip(then) {
            more += isize::from(here == one) - isize::from(there == one);
        }
        if more != 0 {
            return false;
        }
    }
    true
}
