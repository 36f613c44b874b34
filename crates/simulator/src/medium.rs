//! The medium between the processes: it takes messages and decides what happens next.

use std::ops::Range;
use suffrage_algorithms::InTransit;
use suffrage_process::{Port, Stage};
use suffrage_topology::wiring::End;

/// A message on its way, with what accounting needs of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parcel<M> {
    /// Where it is going.
    pub to: End,
    pub depth: Depth,
    pub msg: M,
}

/// The causal depth of a message, the length of the longest chain of messages that ends with it, and
/// its mark for the count of [`Rounds`](suffrage_algorithms::Rounds). The mark is the highest bit, so
/// that a message takes no more room for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Depth(u32);

impl Depth {
    const MARK: u32 = 1 << 31;

    #[inline(always)]
    pub(crate) const fn new(depth: u32, mark: bool) -> Self {
        Self(depth | if mark { Self::MARK } else { 0 })
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

/// A message that is handed over to be sent.
pub(crate) struct Dispatch<M> {
    pub from: End,
    /// A number that no other message of its process has.
    pub serial: u32,
    pub parcel: Parcel<M>,
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
    /// [`Medium::struck`] is on its link a second time.
    Duplicate,
    /// Time has passed: messages may arrive now.
    Onward,
}

/// A recorded schedule does not fit what it is replayed on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the recorded schedule does not fit this election: {0}")]
pub struct Misfit(pub(crate) String);

/// The clock, the links and the schedule. One of two kinds: [`Timed`](crate::timed::Timed), the
/// fast one for delays and unbounded links, and [`Links`](crate::links::Links), which keeps every
/// link's queue and can therefore do all the rest.
pub(crate) trait Medium<M> {
    /// The present, in ticks.
    fn now(&self) -> u64;

    fn send(&mut self, dispatch: Dispatch<M>);

    fn set_alarm(&mut self, node: u32, ticks: u32);

    /// Lends messages that arrive at the present instant, in order, from this position of the
    /// vector on. They are lent by the chunk, so that a message costs no question of its own.
    fn lend(&mut self) -> Option<(Vec<Parcel<M>>, usize)>;

    /// Takes back what was lent, of which these have been delivered.
    fn give_back(&mut self, parcels: Vec<Parcel<M>>, delivered: Range<usize>);

    /// These messages are about to be delivered: time to read what their receivers' own messages
    /// will need.
    fn fetch(&self, _soon: &[Parcel<M>]) {}

    /// Goes on to the next instant at which messages arrive, if that is what comes next and there
    /// is nothing to decide: a short cut past [`turn`](Self::turn).
    fn advance(&mut self) -> bool {
        false
    }

    /// When none arrives: what happens instead. `None` when nothing ever will.
    fn turn(&mut self) -> Result<Option<Turn>, Misfit>;

    /// How many messages, sent before it on the same link, the last one that arrived overtook.
    fn overtaken(&self) -> u32 {
        0
    }

    /// The message that a recorded fault has struck.
    fn struck(&mut self) -> Option<Parcel<M>> {
        None
    }

    /// What is wrong with the recorded step that has just been taken.
    fn misfit(&self, what: &str) -> Misfit {
        Misfit(what.into())
    }

    /// Whether it follows a recording.
    fn replays(&self) -> bool {
        false
    }

    /// How many steps lead from here back to here, as a recording says.
    fn steps_around(&self) -> Option<u64> {
        None
    }

    /// What lies between the processes now, where a recording is followed.
    fn between(&self) -> Option<Between<M>> {
        None
    }

    /// Every message under way, those of one link in the order of sending, where it knows.
    fn under_way(&self) -> Vec<InTransit<M>> {
        Vec::new()
    }

    /// Whether something could have happened where [`turn`](Self::turn) has said that nothing
    /// will: a recording may end before the election does.
    fn breaks_off(&self, _stage: &dyn Fn(u32) -> Stage) -> bool {
        false
    }

    /// A process has crashed: what it has not yet put on its links is gone. Says how much that is.
    fn crash(&mut self, node: u32) -> u64;

    /// The processes that wait for room on a link.
    fn blocked(&self) -> u64;
}

/// The state of the medium: everything between the processes.
pub(crate) struct Between<M> {
    /// The links that hold messages, in an order of their own, and what they hold.
    pub links: Vec<(u64, Vec<M>)>,
    /// Whether the messages of a link arrive in their order.
    pub fifo: bool,
    /// The processes that wait for room on a link, each with the messages that it waits to send.
    pub waiting: Vec<(u32, Vec<(Port, M)>)>,
    /// The processes that have set an alarm.
    pub alarms: Vec<u32>,
}

impl<M: Eq> PartialEq for Between<M> {
    fn eq(&self, other: &Self) -> bool {
        let links = self.links.len() == other.links.len()
            && self.links.iter().zip(&other.links).all(|((link, now), (same, then))| {
                link == same && if self.fifo { now == then } else { are_alike(now, then) }
            });
        links && self.waiting == other.waiting && self.alarms == other.alarms
    }
}

/// Whether both hold the same messages, in any order.
fn are_alike<M: Eq>(now: &[M], then: &[M]) -> bool {
    let count = |all: &[M], one: &M| all.iter().filter(|other| *other == one).count();
    now.len() == then.len() && now.iter().all(|one| count(now, one) == count(then, one))
}
