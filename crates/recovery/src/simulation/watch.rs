//! What happens in a run, event by event.

use super::{Entry, Nanos};
use crate::promises::Breach;
use suffrage_process::recovery::{Command, Memory, Office, Peer, Recoverable, Tenure, Term};

/// An event of a run.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a, P: Recoverable> {
    /// A fault begins.
    Begins(&'a Entry),
    /// A fault ends.
    Ends(&'a Entry),
    /// A process comes up.
    Start(Peer, Memory),
    /// A process crashes.
    Crash(Peer),
    /// A process stands still.
    Suspend(Peer),
    /// A process goes on.
    Resume(Peer),
    /// A message is sent.
    Send {
        /// By whom,
        from: Peer,
        /// to whom,
        to: Peer,
        /// and what.
        msg: &'a P::Msg,
    },
    /// A message is received.
    Receive {
        /// From whom,
        from: Peer,
        /// by whom,
        to: Peer,
        /// and what.
        msg: &'a P::Msg,
    },
    /// A message is lost: on its way, or because its receiver is down.
    Lose {
        /// From whom,
        from: Peer,
        /// to whom,
        to: Peer,
        /// and what.
        msg: &'a P::Msg,
    },
    /// There is a second copy of a message.
    Duplicate {
        /// From whom,
        from: Peer,
        /// to whom,
        to: Peer,
        /// and what.
        msg: &'a P::Msg,
    },
    /// An alarm rings, this many nanoseconds of its own clock late.
    Ring(Peer, P::Alarm, u64),
    /// An application says something.
    Command(Peer, Command),
    /// The writes of a reaction are on stable storage.
    Synced(Peer),
    /// A tenure begins.
    Holds(Peer, Office, Tenure<P::Alarm>),
    /// A tenure ends.
    Loses(Peer, Office, Term),
    /// Work begins.
    Works(Peer, Office, Term),
    /// Work ends.
    Rests(Peer, Office, Term),
    /// A process says something else about who leads.
    Names(Peer, Office, Option<(Peer, Term)>),
    /// A process says that a message or command is wrong, and why.
    Rejects(Peer, &'static str),
    /// A promise is broken.
    Broken(Office, &'a Breach),
}

/// Sees the events of a run as they happen.
pub trait Watch<P: Recoverable> {
    /// At this instant, this happens.
    fn event(&mut self, at: Nanos, event: Event<'_, P>);
}

/// Looks away.
impl<P: Recoverable> Watch<P> for () {
    #[inline(always)]
    fn event(&mut self, _: Nanos, _: Event<'_, P>) {}
}

impl<P: Recoverable, W: Watch<P>> Watch<P> for &mut W {
    fn event(&mut self, at: Nanos, event: Event<'_, P>) {
        (**self).event(at, event);
    }
}
