//! The promises of leadership that survives crashes, and a checker for those that are safety
//! properties.
//!
//! There are five promises about an office. [`OfficeMonitor`] checks the first two, which state what must never happen
//! and need no time: a model checker keeps one in its configurations, a simulator keeps one beside its clock. The other
//! three are about time and reachability, and an engine that has both checks them.
//!
//! # Definitions
//! A process *holds* an office as [`tenure_model`] defines it. A *tenure* is the
//! holding of an office by one incarnation of a process at one term. It *begins* when the writes of
//! the reaction that gained it are on stable storage, since no other process hears of it before. It
//! may lapse and continue, if its process is late and prolongs it when it has caught up; it has
//! ended for good when the process reports that it no longer leads, reports another term, or
//! crashes.

use serde::{Deserialize, Serialize};
use std::fmt;
use tenure_model::{Peer, Term};

/// A promise that an execution must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promise {
    /// At most one process at any time holds an office, or works in it.
    One,
    /// Each tenure has a greater term than all before it.
    EverNewer,
    /// A vacant office is filled within a bound, as long as a process that stands for it can exchange
    /// messages with a majority of the members.
    Soon,
    /// A holder that can exchange messages with a majority of the members keeps the office.
    Stable,
    /// No process is named as the leader that has never been the leader; and what is shown as the value of its
    /// leadership is one that it has set, is not older than what was shown before, and is the newest within a bound.
    Tellable,
}

impl Promise {
    /// All promises, in their order.
    pub const ALL: [Self; 5] =
        [Self::One, Self::EverNewer, Self::Soon, Self::Stable, Self::Tellable];

    /// Returns the name of the promise.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::EverNewer => "ever-newer",
            Self::Soon => "soon",
            Self::Stable => "stable",
            Self::Tellable => "tellable",
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A breach of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Breach {
    /// Two processes hold the office.
    TwoHolders {
        /// The holder.
        holder: (Peer, Term),
        /// The tenure that began meanwhile.
        newcomer: (Peer, Term),
    },
    /// A process still works in the office when the tenure of another begins.
    WorkOverlaps {
        /// The process that still works, and its tenure.
        worker: (Peer, Term),
        /// The tenure that begins.
        newcomer: (Peer, Term),
    },
    /// A tenure has a term that is not greater than those before it.
    OldTerm {
        /// The greatest term until now.
        greatest: Term,
        /// The tenure that begins.
        newcomer: (Peer, Term),
    },
    /// The office was vacant for too long, while a process could have led.
    VacantTooLong {
        /// The duration for which it was vacant while a process could have led, in nanoseconds.
        nanos: u64,
        /// The greatest duration allowed, in nanoseconds.
        bound: u64,
    },
    /// A holder that could exchange messages with a majority lost the office.
    Deposed {
        /// The process that held the office, and the term of its tenure.
        holder: (Peer, Term),
    },
    /// A process names a leader that has never been the leader.
    NeverLed {
        /// The process that names it.
        teller: Peer,
        /// The process that it names, with the term.
        named: (Peer, Term),
    },
    /// A process shows a value that the leader has never set.
    NeverSet {
        /// The process that shows it.
        teller: Peer,
        /// The leader, with the term, and the number of the change.
        named: (Peer, Term),
        /// The number of the change.
        change: u64,
    },
    /// A process shows an older value than it has shown before.
    OlderValue {
        /// The process that shows it.
        teller: Peer,
        /// The term of what it shows, and the number of the change.
        shown: (Term, u64),
        /// The newest that it has shown before.
        newest: (Term, u64),
    },
    /// A process that can exchange messages with the leader does not show its newest value.
    ValueTooLate {
        /// The process.
        teller: Peer,
        /// The time since which it could have shown it, in nanoseconds.
        nanos: u64,
        /// The greatest duration allowed, in nanoseconds.
        bound: u64,
    },
}

impl Breach {
    /// Returns the promise that is broken.
    #[must_use]
    pub const fn promise(&self) -> Promise {
        match self {
            Self::TwoHolders { .. } | Self::WorkOverlaps { .. } => Promise::One,
            Self::OldTerm { .. } => Promise::EverNewer,
            Self::VacantTooLong { .. } => Promise::Soon,
            Self::Deposed { .. } => Promise::Stable,
            Self::NeverLed { .. }
            | Self::NeverSet { .. }
            | Self::OlderValue { .. }
            | Self::ValueTooLate { .. } => Promise::Tellable,
        }
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = |nanos: u64| nanos as f64 / 1e6;
        match *self {
            Self::TwoHolders { holder: (a, s), newcomer: (b, t) } => write!(
                f,
                "{} holds the office at term {} while {} holds it at term {}",
                b.0, t.0, a.0, s.0
            ),
            Self::WorkOverlaps { worker: (a, s), newcomer: (b, t) } => write!(
                f,
                "{} holds the office at term {} while {} still works at term {}",
                b.0, t.0, a.0, s.0
            ),
            Self::OldTerm { greatest, newcomer: (b, t) } => write!(
                f,
                "{} holds the office at term {}, but there has been term {}",
                b.0, t.0, greatest.0
            ),
            Self::VacantTooLong { nanos, bound } => write!(
                f,
                "the office was vacant for {:.3} ms while a participant could have led; the bound is \
                 {:.3} ms",
                millis(nanos),
                millis(bound)
            ),
            Self::Deposed { holder: (a, s) } => write!(
                f,
                "{} lost the office at term {} while it could exchange messages with a majority",
                a.0, s.0
            ),
            Self::NeverLed { teller, named: (b, t) } => {
                write!(
                    f,
                    "{} names {} as the leader at term {}, which it never was",
                    teller.0, b.0, t.0
                )
            }
            Self::NeverSet { teller, named: (b, t), change } => write!(
                f,
                "{} shows as change {change} what {}, the leader at term {}, has never set",
                teller.0, b.0, t.0
            ),
            Self::OlderValue { teller, shown: (s, change), newest: (t, later) } => write!(
                f,
                "{} shows change {change} of term {} after change {later} of term {}",
                teller.0, s.0, t.0
            ),
            Self::ValueTooLate { teller, nanos, bound } => write!(
                f,
                "{} has not shown the leader's newest value for {:.3} ms; the bound is {:.3} ms",
                teller.0,
                millis(nanos),
                millis(bound)
            ),
        }
    }
}

/// The processes that hold an office or work in it, and the greatest term of all its tenures.
///
/// Checks [`Promise::One`] and [`Promise::EverNewer`]. It contains no time, and can be compared and
/// hashed as a part of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OfficeMonitor {
    /// The holders; more than one only if the promise is broken.
    holders: Vec<(Peer, Term)>,
    workers: Vec<(Peer, Term)>,
    greatest: Option<Term>,
    /// The latest tenure, if it has lapsed and may continue.
    lapsed: Option<(Peer, Term)>,
}

impl OfficeMonitor {
    /// Returns the holders of the office.
    #[must_use]
    pub fn holders(&self) -> &[(Peer, Term)] {
        &self.holders
    }

    /// Returns the processes that work in the office, each with the tenure in which it began.
    #[must_use]
    pub fn workers(&self) -> &[(Peer, Term)] {
        &self.workers
    }

    /// Returns the greatest term of all tenures until now.
    #[must_use]
    pub const fn greatest(&self) -> Option<Term> {
        self.greatest
    }

    /// Records that a tenure begins, or continues after it had lapsed. Everything that has ended by
    /// now must have been recorded before.
    pub fn begins(&mut self, peer: Peer, term: Term) -> Option<Breach> {
        let newcomer = (peer, term);
        let goes_on = self.lapsed.take() == Some(newcomer);
        let holder = self.holders.iter().find(|&&(other, _)| other != peer).copied();
        let worker = self.workers.iter().find(|&&(other, _)| other != peer).copied();
        let greatest = self.greatest.filter(|&greatest| !goes_on && greatest >= term);
        self.holders.retain(|&(other, _)| other != peer);
        self.holders.push(newcomer);
        self.greatest = self.greatest.max(Some(term));
        let two = holder.map(|holder| Breach::TwoHolders { holder, newcomer });
        two.or(worker.map(|worker| Breach::WorkOverlaps { worker, newcomer }))
            .or(greatest.map(|greatest| Breach::OldTerm { greatest, newcomer }))
    }

    /// Records that the alarm that ends the tenure of this process is due, before the process
    /// reacts to it.
    pub fn lapses(&mut self, peer: Peer) {
        let held = self.holders.iter().find(|&&(holder, _)| holder == peer).copied();
        if held.is_some() && self.greatest == held.map(|(_, term)| term) {
            self.lapsed = held;
        }
        self.holders.retain(|&(holder, _)| holder != peer);
    }

    /// Records that the tenure of this process, if it has one, has ended for good.
    pub fn ends(&mut self, peer: Peer) {
        self.lapsed = self.lapsed.filter(|&(holder, _)| holder != peer);
        self.holders.retain(|&(holder, _)| holder != peer);
    }

    /// Records that the application of this process begins to work in a tenure.
    pub fn work_begins(&mut self, peer: Peer, term: Term) -> Option<Breach> {
        let worker = self.workers.iter().find(|&&(other, _)| other != peer).copied();
        self.work_ends(peer);
        self.workers.push((peer, term));
        worker.map(|worker| Breach::WorkOverlaps { worker, newcomer: (peer, term) })
    }

    /// Records that the application of this process no longer works in the office.
    pub fn work_ends(&mut self, peer: Peer) {
        self.workers.retain(|&(worker, _)| worker != peer);
    }
}

#[cfg(test)]
mod tests;
