//! The crash-recovery model: processes that survive their own crash, lossy links, clocks with rates.
//!
//! The algorithms of the textbooks are `Process`es of `suffrage-model`: none fails, and an election
//! ends. A [`Recoverable`] holds [`Office`]s for a time: it may crash and start again, messages are
//! lost, and leadership has a [`Term`] and can be lost. It is also a state machine. It acts on the
//! world only through its [`Effects`], which the engine passes to each reaction; it reads no clock,
//! does no I/O and draws no randomness of its own.
//!
//! # The model
//! - **Participants.** [`Peer`]s are numbered. Those below [`Setting::members`] are the *members*,
//!   which have a vote; the others are *clients*, which come and go. Any two can exchange
//!   messages. A *witness* is a member that never gets the command to stand.
//! - **Links** lose, duplicate, delay and reorder messages, without bound, but do not forge them.
//! - **Reactions** are atomic. An engine calls [`start`](Recoverable::start) once and then
//!   [`receive`](Recoverable::receive), [`ring`](Recoverable::ring) and
//!   [`command`](Recoverable::command), one at a time. The processes of two [`boot`](Start::boot)s
//!   of one participant never run at the same time.
//! - **Stable storage** is a table of [`Cell`]s. The writes of a reaction take effect together,
//!   *before any message leaves that it sends after its first write*. A message that it sends
//!   before that waits only for the writes of earlier reactions, on which it may depend: a reaction
//!   without writes waits for no disk of its own.
//! - **A crash** loses the state, the alarms, and the messages that have not left. It may come
//!   within a reaction; the effects of the reaction until then remain. The cells survive as they
//!   were last synced: with all or none of a reaction's writes, and with all if a message has left
//!   that was sent after the first of them. [`Memory`] tells a starting process on what it may
//!   rely.
//! - **Clocks** run at different rates, unsynchronized. The fastest is at most [`Setting::clocks`]
//!   times as fast as the slowest. Durations are ticks of the process's own clock, and an alarm is
//!   *due* when its duration has passed on it.
//! - **Alarms** of one process ring in the order in which they are due, and those due at the same
//!   tick in the order in which they were set. A process that is late, because it was suspended or
//!   its program was busy, handles every alarm that is due before anything else. The reaction to an
//!   alarm counts as if it took place when the alarm was due, however late it is handled: durations
//!   that it sets begin there, and may be over already. (So heartbeats do not drift, and a process
//!   that was suspended for long has many to catch up with; an engine may let it crash instead.)
//! - **Leadership.** A process *holds* an office at an instant if it is up,
//!   [`tenure`](Recoverable::tenure) is `Some`, and the alarm that this names in
//!   [`until`](OfficeTenure::until) is not due yet. So leadership ends on time even if the process is
//!   suspended. The remaining validity is always the remaining time of one alarm: an engine reads
//!   the clock, the process does not.
//! - **Work** is the activity of the application in an office. It begins no sooner than the tenure,
//!   and ends no later than [`Setting::stop`] ticks after the tenure ended: the engine ensures
//!   this. The application gives the command [`Command::Stopped`] when it has ended.
//!
//! Engines differ in the choice of events: a simulator draws them, a checker explores all, a
//! runtime handles them as they come. A checker only compares durations. Take the pending alarms of
//! all processes in the order in which they were set: one of duration `d` may ring unless an
//! earlier one has a duration `e` with `e * ratio < d` ([`Ratio`]; within one process, `e <= d`),
//! since that one is due before. This covers every real timing. A suspended process needs no rule:
//! since late reactions count as if they took place when they were due, it cannot be distinguished
//! from one whose messages are slow.
//!
//! # Finite states
//! A state contains no instant of time. Two kinds of numbers grow without bound. The values of
//! terms matter, and a checker bounds them. [Serial numbers](Series) are compared only with each
//! other, so they can be renamed: [`Recoverable::serials`] and its two companions show a checker
//! where they are.
//!
//! # Sources
//! M. Aguilera, W. Chen, S. Toueg, "Failure detection and consensus in the crash-recovery model",
//! *Distributed Computing* 13(2), 2000 (stable storage, recovery). F. Cristian, C. Fetzer, "The timed
//! asynchronous distributed system model", *IEEE Transactions on Parallel and Distributed Systems*
//! 10(6), 1999 (clocks of bounded rates, processes that are late).
//!
//! # Example
//! One member leads whenever it is up, each time at a new term; the others listen.
//!
//! ```
//! use tenure_model::*;
//!
//! #[derive(Clone, Debug, PartialEq, Eq, Hash)]
//! struct Monarch { setting: Setting, reigns: Option<Term>, heard: Option<Term> }
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
//! struct Reigns(Term);
//!
//! impl Message for Reigns {
//!     const KINDS: &'static [Kind] = &[Kind::announcement("reigns").ids(1)];
//!     fn kind(&self) -> usize { 0 }
//! }
//!
//! #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
//! enum Alarm { Beat, Silence }
//!
//! const REIGNS: Cell = Cell { table: 0, key: 0 };
//! const CROWN: Office = Office(0);
//!
//! impl Recoverable for Monarch {
//!     type Msg = Reigns;
//!     type Alarm = Alarm;
//!
//!     fn start(setting: Setting, _: Start, effects: &mut impl Effects<Self>) -> Self {
//!         let mut monarch = Self { setting, reigns: None, heard: None };
//!         if setting.me == Peer(0) {
//!             let reign = effects.read(REIGNS).unwrap_or(0) + 1;
//!             effects.write(REIGNS, reign); // Before another process hears of it.
//!             monarch.reigns = Some(Term(reign));
//!             effects.changed(CROWN);
//!             monarch.ring(Alarm::Beat, effects);
//!         }
//!         monarch
//!     }
//!
//!     fn receive(&mut self, from: Peer, Reigns(term): Reigns, effects: &mut impl Effects<Self>) {
//!         if from != Peer(0) {
//!             effects.reject("only one may reign");
//!         } else if self.heard <= Some(term) {
//!             self.heard = Some(term);
//!             effects.set_alarm(Alarm::Silence, self.setting.lease);
//!             effects.changed(CROWN);
//!         }
//!     }
//!
//!     fn ring(&mut self, alarm: Alarm, effects: &mut impl Effects<Self>) {
//!         match (alarm, self.reigns) {
//!             (Alarm::Beat, Some(term)) => {
//!                 effects.set_alarm(Alarm::Beat, self.setting.heartbeat);
//!                 for member in self.setting.others() {
//!                     effects.send(member, Reigns(term));
//!                 }
//!             }
//!             (Alarm::Beat, None) => {}
//!             (Alarm::Silence, _) => {
//!                 self.heard = None;
//!                 effects.changed(CROWN);
//!             }
//!         }
//!     }
//!
//!     fn command(&mut self, _: Command, effects: &mut impl Effects<Self>) {
//!         effects.reject("the crown is not given away");
//!     }
//!
//!     fn tenure(&self, _: Office) -> Option<OfficeTenure<Alarm>> {
//!         self.reigns.map(|term| OfficeTenure { term, until: None, stopping: false })
//!     }
//!
//!     fn leader(&self, _: Office) -> Option<(Peer, Term)> {
//!         self.heard.or(self.reigns).map(|term| (Peer(0), term))
//!     }
//! }
//! ```

#![no_std]

extern crate alloc;

mod alarms;
mod effort;

pub use alarms::Alarms;
pub use effort::Effort;
#[cfg(feature = "serde")]
pub use suffrage_message::Wire;
pub use suffrage_message::{Kind, Message, Phase};

use core::{fmt::Debug, hash::Hash};

/// A participant, by number: below [`Setting::members`] it is a member, from there on a client.
///
/// The numbers of clients need not be consecutive, but no two participants have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Peer(pub u32);

/// An office that a process can hold, by number: a hash of its name, for example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Office(pub u64);

/// The number of a tenure: greater than the number of every earlier tenure of the office. It is the
/// fencing token, which a resource compares to the greatest that it has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Term(pub u64);

/// The leadership of a process in an office.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OfficeTenure<A> {
    /// Its term.
    pub term: Term,
    /// The alarm with which it ends, unless it is prolonged before: then this names a later one.
    /// `None` if no alarm ends it.
    pub until: Option<A>,
    /// Whether the application is to end its work and to give the command [`Command::Stopped`]. The
    /// tenure lasts until it does, or until [`until`](Self::until).
    pub stopping: bool,
}

/// A place in stable storage, which holds a number or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cell {
    /// The kind of number that it holds; the protocol's choice.
    pub table: u32,
    /// The subject of the number: for example an office or a peer.
    pub key: u64,
}

/// The greatest ratio of the rates of two clocks, `fastest / slowest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ratio {
    /// The number of ticks of the fastest clock in the time of `slowest` ticks of the slowest one.
    pub fastest: u32,
    /// The number of ticks of the slowest clock in the same time. Not 0, and at most `fastest`.
    pub slowest: u32,
}

impl Ratio {
    /// The ratio of clocks of one rate.
    pub const ONE: Self = Self { fastest: 1, slowest: 1 };

    /// Returns the shortest duration that, set on one clock no sooner than `ticks` on another, is
    /// due later than they are: the least integer greater than `ticks * fastest / slowest`,
    /// saturating.
    ///
    /// # Panics
    /// If `slowest` is 0.
    #[must_use]
    pub const fn outlasting(self, ticks: u32) -> u32 {
        let stretched = ticks as u64 * self.fastest as u64 / self.slowest as u64;
        if stretched >= u32::MAX as u64 { u32::MAX } else { stretched as u32 + 1 }
    }
}

/// The knowledge of a process before it starts. It does not survive a restart: an engine passes it
/// again, and may have changed it, except for the number of members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setting {
    /// The number of this participant.
    pub me: Peer,
    /// The number of members, at least 1: the same for all.
    pub members: u32,
    /// The interval at which it shows that it is alive, in ticks of its own clock.
    pub heartbeat: u32,
    /// The duration of silence after which it counts as dead, in ticks: several heartbeats and a
    /// round trip.
    pub lease: u32,
    /// The time for which the application may continue to work after its tenure ended, in ticks: 0
    /// if work ends with the tenure. The same for all.
    pub stop: u32,
    /// The bound of the ratio of clock rates on which it relies: the same for all.
    pub clocks: Ratio,
}

impl Setting {
    /// Returns the size of the smallest majority of the members.
    #[must_use]
    pub const fn majority(&self) -> usize {
        self.members as usize / 2 + 1
    }

    /// Returns whether this process is a member.
    #[must_use]
    pub const fn is_member(&self) -> bool {
        self.me.0 < self.members
    }

    /// Returns the members, ascending.
    pub fn everyone(&self) -> impl Iterator<Item = Peer> + use<> {
        (0..self.members).map(Peer)
    }

    /// Returns the members but this process, ascending.
    pub fn others(&self) -> impl Iterator<Item = Peer> + use<> {
        let me = self.me;
        self.everyone().filter(move |&peer| peer != me)
    }
}

/// The circumstances of a process's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Start {
    /// The number of the start, greater than at every earlier start of this participant, whether
    /// its records were lost or not. At most 2^42 - 1.
    ///
    /// A simulator and a checker count. A runtime stores it with the cells, and takes at least the
    /// time of day, in milliseconds, so that it also grows if the cells are lost: no process is
    /// killed, robbed of its records and started again within a millisecond.
    pub boot: u64,
    /// The state of the cells.
    pub memory: Memory,
}

/// The state of stable storage, as a process that starts may assume it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// This process has never run before, and its operator vouches for that. The cells are empty.
    New,
    /// The cells are as last synced. They are empty if it has never written any.
    Kept,
    /// It may have run before, and what it wrote is lost, or it never wrote anything. The cells are
    /// empty. A runtime that finds its disk empty gives this value.
    Lost,
}

/// A command of the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Command {
    /// Stand for the office, now and after every loss of it, until told to resign.
    Stand {
        /// The office.
        office: Office,
        /// The priority: among candidates for a vacant office, the greatest comes first. Standing
        /// again changes it.
        priority: u32,
    },
    /// Stop standing for the office; if leading, end the work, then give up the office.
    Resign {
        /// The office.
        office: Office,
    },
    /// If leading, end the work, then give up the office, to this peer if it stands for it.
    /// Continue to stand for it.
    Transfer {
        /// The office.
        office: Office,
        /// The participant that is to lead next.
        to: Peer,
    },
    /// The work that was begun in this tenure has ended. To be given at the end of every tenure,
    /// also of one that was lost.
    Stopped {
        /// The office.
        office: Office,
        /// The term of the tenure.
        term: Term,
    },
    /// Let these be the members in place of those that have a vote now, or let this roster be the one in force. A protocol
    /// whose members never change rejects it.
    Reconfigure {
        /// A bit for each member, by its number.
        members: u64,
        /// The digest of what says which host has which number, of which the protocol knows nothing else; `None` for
        /// the present one.
        roster: Option<u64>,
    },
}

/// A series of serial numbers. Only numbers of the same series are compared to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Series {
    /// The process that gives out the numbers.
    pub of: Peer,
    /// The name of the series among those of the process: the protocol's choice.
    pub name: u8,
}

/// A process that survives its own crash: one participant of a protocol, as long as it is up.
///
/// A value is the whole volatile state of the process. Together with its cells, its alarms and the
/// event to which it reacts, it determines everything that the process does next; engines compare
/// and hash it, so every variable belongs in it and nothing else does.
pub trait Recoverable: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// Whether its members may change: whether it obeys [`Command::Reconfigure`].
    const MEMBERS_CHANGE: bool = false;

    /// The type of messages between peers. In the accounts of [`Kind`]s, a term, an
    /// epoch or a serial number counts as an identity, and a peer as a counter.
    type Msg: Message;
    /// The names of its alarms.
    type Alarm: Copy + Debug + Ord + Hash + Send + Sync + 'static;

    /// Starts the process, for the first time or again. The state of the cells is as `start` says.
    fn start(setting: Setting, start: Start, effects: &mut impl Effects<Self>) -> Self;

    /// Reacts to a message that has arrived.
    ///
    /// Whatever it is and whenever it comes, this must not panic but [reject](Effects::reject) it.
    /// A message that is late, duplicated or overtaken is no error and is ignored in silence.
    fn receive(&mut self, from: Peer, msg: Self::Msg, effects: &mut impl Effects<Self>);

    /// Reacts to an alarm, which is no longer set.
    fn ring(&mut self, alarm: Self::Alarm, effects: &mut impl Effects<Self>);

    /// Reacts to a command of the application. A command that is impossible is
    /// [rejected](Effects::reject).
    fn command(&mut self, command: Command, effects: &mut impl Effects<Self>);

    /// Returns the tenure of this process in the office, if it leads. If this becomes `Some`,
    /// `None`, another term or [`stopping`](OfficeTenure::stopping), the reaction calls
    /// [`Effects::changed`]; [`until`](OfficeTenure::until) changes without a call.
    fn tenure(&self, office: Office) -> Option<OfficeTenure<Self::Alarm>>;

    /// Returns the leader and its term, to the knowledge of this process; `None` if it knows of
    /// none. Changes are reported by [`Effects::changed`].
    fn leader(&self, office: Office) -> Option<(Peer, Term)>;

    /// Returns the value of the leadership of the office in this term, to the knowledge of this process: the number of
    /// its change, 0 if the leader has set none yet, and a digest of it; `None` if it is not known here, as in all
    /// protocols without values. Changes are reported by [`Effects::changed`].
    fn value(&self, _office: Office, _term: Term) -> Option<(u64, u64)> {
        None
    }

    /// Returns the members to the knowledge of this process, if they may change and each has a bit: a number, which
    /// grows with each change, and two sets. It takes a majority of each; they are the same unless members change.
    fn members(&self) -> Option<(u64, [u64; 2])> {
        None
    }

    /// Returns the greatest term at which this process has claimed an office since it came up. A
    /// checker bounds it: a protocol whose candidates fail again and again has no greatest term.
    fn greatest_claim(&self) -> Term {
        Term(0)
    }

    /// Returns whether this message means nothing to this process, now and after whatever may
    /// happen to it, a restart included. A checker forgets such a message. `false` is always
    /// correct.
    fn ignores(&self, _from: Peer, _msg: &Self::Msg) -> bool {
        false
    }

    /// Visits every serial number of this state. A visit may replace it.
    ///
    /// If all numbers of one series, in all states, messages and alarms, are replaced by others in
    /// the same order, 0 by 0, then everything goes on as before. So a checker makes two
    /// configurations equal that differ in nothing else, by numbering each series from 1. A protocol
    /// keeps to it if it only compares serial numbers and makes new ones by adding 1 to the greatest.
    fn serials(&mut self, _visit: &mut impl FnMut(Series, &mut u64)) {}

    /// Visits every serial number of a message between these peers.
    fn serials_of_message(
        _from: Peer,
        _to: Peer,
        _msg: &mut Self::Msg,
        _visit: &mut impl FnMut(Series, &mut u64),
    ) {
    }

    /// Visits every serial number in the name of an alarm of this peer.
    fn serials_of_alarm(
        _at: Peer,
        _alarm: &mut Self::Alarm,
        _visit: &mut impl FnMut(Series, &mut u64),
    ) {
    }
}

/// The operations that are available to a [`Recoverable`] process during one reaction.
pub trait Effects<P: Recoverable> {
    /// Sends `msg` to another participant. It may be lost, duplicated, and overtaken.
    fn send(&mut self, to: Peer, msg: P::Msg);

    /// Sets `alarm` to ring after `ticks` of the process's own clock, in place of the one of that
    /// name if it is set. The ticks count from this reaction; in the reaction to an alarm, from the
    /// instant at which that alarm was due.
    fn set_alarm(&mut self, alarm: P::Alarm, ticks: u32);

    /// Cancels `alarm`. If it is not set, nothing happens.
    fn cancel_alarm(&mut self, alarm: P::Alarm);

    /// Returns the content of the cell, with everything that this reaction has written.
    fn read(&self, cell: Cell) -> Option<u64>;

    /// Writes a number into the cell. All writes of a reaction are on stable storage before any
    /// message leaves that it sends from here on. Messages that it has sent before its first write
    /// may leave earlier, and the process may crash in between.
    fn write(&mut self, cell: Cell, number: u64);

    /// Returns a number in `0..=max`: a seeded coin in the simulator, a branch in the checker.
    fn choose(&mut self, max: u32) -> u32;

    /// Reports that [`tenure`](Recoverable::tenure) or [`leader`](Recoverable::leader) of the
    /// office may have changed: an engine asks for them when the reaction is over.
    fn changed(&mut self, office: Office);

    /// Reports a message or a command that no correct participant sends, with the reason `why`. The
    /// process stays as it is.
    fn reject(&mut self, why: &'static str);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_outlasts_is_due_later_on_the_fastest_clock_too() {
        let ratio = Ratio { fastest: 1001, slowest: 1000 };
        for ticks in [0, 1, 250, 999, 1000, 1_000_000] {
            let longer = u64::from(ratio.outlasting(ticks));
            // In units of 1 / (fastest * slowest): the slow clock needs ticks * fastest for `ticks`.
            assert!(longer * 1000 > u64::from(ticks) * 1001);
            assert!(longer == 0 || (longer - 1) * 1000 <= u64::from(ticks) * 1001);
        }
        assert_eq!(Ratio::ONE.outlasting(250), 251);
        assert_eq!(ratio.outlasting(u32::MAX), u32::MAX);
    }

    #[test]
    fn a_majority_is_more_than_half() {
        let majority = |members| {
            let setting = Setting {
                me: Peer(0),
                members,
                heartbeat: 1,
                lease: 2,
                stop: 0,
                clocks: Ratio::ONE,
            };
            setting.majority()
        };
        assert_eq!([1, 2, 3, 4, 5].map(majority), [1, 2, 2, 3, 3]);
    }
}
