//! What lies between the processes: it takes what is sent and says what happens next.

use suffrage_topology::wiring::End;

/// A message on its way, with what accounting needs of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parcel<M> {
    /// Where it is going.
    pub to: End,
    /// Its causal depth: the length of the longest chain of messages that ends with it.
    pub depth: u32,
    pub msg: M,
}

/// A message that is handed over to be sent.
pub(crate) struct Dispatch<M> {
    pub from: End,
    /// The number of the one-way link that it takes.
    pub link: u64,
    /// How many messages its process sent before it.
    pub nth: u32,
    pub parcel: Parcel<M>,
}

/// Something that happens to a process.
pub(crate) enum Step<M> {
    Wake(u32),
    Alarm(u32),
    /// The parcel arrives, ahead of so many that were sent before it on the same link.
    Deliver(Parcel<M>, u32),
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

    /// What happens next; `None` when nothing ever will.
    fn next(&mut self) -> Result<Option<Step<M>>, Misfit>;

    /// A process has crashed: what it has not yet put on its links is gone. Says how much that is.
    fn crash(&mut self, node: u32) -> u64;

    /// The processes that wait for room on a link.
    fn blocked(&self) -> u64;
}
