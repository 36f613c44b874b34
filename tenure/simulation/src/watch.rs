//! The events of a run, and their observers.

use super::{Nanos, TimedFault};
use crate::promises::Breach;
use std::collections::BTreeMap;
use tenure_model::{Cell, Command, Memory, Office, OfficeTenure, Peer, Recoverable, Term};

/// An event of a run.
#[derive(Debug)]
pub enum ClusterEvent<'a, P: Recoverable> {
    /// A fault begins.
    Begins(&'a TimedFault),
    /// A fault ends.
    Ends(&'a TimedFault),
    /// A process comes up.
    Start(Peer, Memory),
    /// A process crashes.
    Crash(Peer),
    /// A process is suspended.
    Suspend(Peer),
    /// A process resumes.
    Resume(Peer),
    /// A message is sent by the first to the second.
    Send(Peer, Peer, &'a P::Msg),
    /// A message of the first is received by the second.
    Receive(Peer, Peer, &'a P::Msg),
    /// A message of the first to the second is lost: on its way, or because its receiver is down.
    Lose(Peer, Peer, &'a P::Msg),
    /// A message of the first to the second is duplicated.
    Duplicate(Peer, Peer, &'a P::Msg),
    /// An alarm rings, late by this number of nanoseconds of the process's clock.
    Ring(Peer, P::Alarm, u64),
    /// An application sends a command.
    Command(Peer, Command),
    /// The writes of a reaction are on stable storage.
    Synced(Peer),
    /// A tenure begins.
    Holds(Peer, Office, OfficeTenure<P::Alarm>),
    /// A tenure ends.
    Loses(Peer, Office, Term),
    /// Work begins.
    Works(Peer, Office, Term),
    /// Work ends.
    Rests(Peer, Office, Term),
    /// A process names another leader, or none.
    Names(Peer, Office, Option<(Peer, Term)>),
    /// A process shows another value of a leadership, or none: the term, and the number of the change.
    Shows(Peer, Office, Option<(Term, u64)>),
    /// A process rejects a message or command, for this reason.
    Rejects(Peer, &'static str),
    /// A promise is broken.
    Broken(Office, &'a Breach),
}

// Derived, these would ask for protocols that can be copied.
impl<P: Recoverable> Clone for ClusterEvent<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Recoverable> Copy for ClusterEvent<'_, P> {}

/// An observer of the events of a run.
pub trait SimulationWatch<P: Recoverable> {
    /// Receives an event, at the instant at which it happens.
    fn event(&mut self, at: Nanos, event: ClusterEvent<'_, P>);

    /// Returns whether it wants to be told of [leases](Self::lease), which takes time. The default is no.
    #[inline(always)]
    fn wants_leases(&self) -> bool {
        false
    }

    /// Is told after each reaction of a process that holds an office, at `at`: by the clock of the process,
    /// its tenure lasts until the instant `until`, unless it is prolonged.
    fn lease(&mut self, at: Nanos, peer: Peer, office: Office, until: Nanos) {
        let _ = (at, peer, office, until);
    }

    /// Is shown a process, if it is up, and its record, after what happened to it at `at`: in executions of an
    /// explorer. Simulations show neither.
    fn state(&mut self, at: Nanos, peer: Peer, process: Option<&P>, record: &BTreeMap<Cell, u64>) {
        let _ = (at, peer, process, record);
    }
}

/// Ignores every event.
impl<P: Recoverable> SimulationWatch<P> for () {
    #[inline(always)]
    fn event(&mut self, _: Nanos, _: ClusterEvent<'_, P>) {}
}

impl<P: Recoverable, W: SimulationWatch<P>> SimulationWatch<P> for &mut W {
    fn event(&mut self, at: Nanos, event: ClusterEvent<'_, P>) {
        (**self).event(at, event);
    }

    #[inline(always)]
    fn wants_leases(&self) -> bool {
        (**self).wants_leases()
    }

    fn lease(&mut self, at: Nanos, peer: Peer, office: Office, until: Nanos) {
        (**self).lease(at, peer, office, until);
    }

    fn state(&mut self, at: Nanos, peer: Peer, process: Option<&P>, record: &BTreeMap<Cell, u64>) {
        (**self).state(at, peer, process, record);
    }
}

/// Passes each event to all, in their order.
impl<P: Recoverable> SimulationWatch<P> for Vec<&mut dyn SimulationWatch<P>> {
    fn event(&mut self, at: Nanos, event: ClusterEvent<'_, P>) {
        self.iter_mut().for_each(|watch| watch.event(at, event));
    }

    fn wants_leases(&self) -> bool {
        self.iter().any(|watch| watch.wants_leases())
    }

    fn lease(&mut self, at: Nanos, peer: Peer, office: Office, until: Nanos) {
        self.iter_mut().for_each(|watch| watch.lease(at, peer, office, until));
    }
}
