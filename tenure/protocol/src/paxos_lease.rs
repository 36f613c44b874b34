//! PaxosLease: an acceptor's vote is a lease, so that nothing need be written to disk.
//!
//! M. Trencseni, A. Gazso, H. Reinhardt, "PaxosLease: diskless Paxos for leases", arXiv:1209.4187,
//! 2012.
//!
//! # Assumes
//! Members without stable storage; any member may crash and start again; lossy links; clocks whose
//! rates differ by no more than [`Setting::clocks`]; for each start of a member a number that is
//! greater than at the start before ([`Start::boot`]).
//!
//! # Idea
//! A proposer prepares a ballot at all acceptors; an acceptor promises to accept no smaller one and
//! tells which lease it has accepted, if that has not run out. If a majority has none, or the
//! proposer's own, the proposer sets an alarm of the lease and then proposes itself. An acceptor
//! that accepts sets an alarm, too, and forgets the lease when it rings; a proposer that a majority
//! has accepted owns the lease until its own alarm, which was set before. A member that has started
//! waits until every lease that it may have accepted is over before it takes part.
//!
//! # Cost
//! `4 (n - 1)` messages and two round trips for a lease, and as many for each renewal; no disk sync.
//!
//! # Deviations
//! The paper's timers run at one rate; here an acceptor's alarm outlasts the owner's on any two
//! clocks, also by the time that work takes to stop. A proposer that has met a greater ballot or
//! another's lease tries again after a drawn time, which the paper leaves open. An owner prolongs its
//! lease with a new ballot each heartbeat; its term is the ballot with which it came to own the
//! lease. One office is filled, number 0. An owner that resigns says so, and acceptors free the lease
//! at once, as in the paper's section on releasing.
//!
//! Acceptors that have started again have forgotten their promises, so a later owner may have a
//! smaller ballot: it is of no use as a fencing token. This is not an error of the paper, which
//! does not promise fencing; the simulator and the checker show it.
//!
//! # Invariants
//! - *exclusive*: no two members own the lease at any time; the engines check it of every protocol.

use crate::voters::Voters;
use tenure_model::{
    Command, Effects, Kind, Memory, Message, Office, OfficeTenure, Peer, Recoverable, Setting,
    Start, Term,
};

/// A message of the algorithm. Ballots are [`Term`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Msg {
    /// Promise to accept no ballot smaller than this one.
    Prepare(Term),
    /// Promised; the lease that was accepted and has not run out, if there is one.
    Promise(Term, Option<Lease>),
    /// Accept that I own the lease.
    Propose(Term),
    /// Accepted.
    Accept(Term),
    /// A greater ballot has been promised: this one.
    Reject(Term),
    /// I own the lease that was accepted with this ballot no longer.
    Release(Term),
}
use Msg::{Accept, Prepare, Promise, Propose, Reject, Release};

/// A lease that an acceptor has accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lease {
    /// The member that owns it, if a majority has accepted it.
    pub owner: Peer,
    /// The ballot with which it was proposed.
    pub ballot: Term,
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("prepare").ids(1),
        Kind::election("promise").ids(2).counters(1),
        Kind::election("propose").ids(1),
        Kind::election("accept").ids(1),
        Kind::election("reject").ids(1),
        Kind::announcement("release").ids(1),
    ];
    fn kind(&self) -> usize {
        match self {
            Prepare(_) => 0,
            Promise(..) => 1,
            Propose(_) => 2,
            Accept(_) => 3,
            Reject(_) => 4,
            Release(_) => 5,
        }
    }
}

/// The alarms of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PaxosLeaseAlarm {
    /// Every lease that was accepted before the start has run out.
    Quarantine,
    /// The lease that was accepted runs out.
    Accepted,
    /// Time to prepare a ballot: for the first time, again, or to prolong the lease.
    Try,
    /// The lease that was proposed with this ballot runs out for its owner.
    Owned(Term),
}

/// The state of a proposer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ProposerPhase {
    Idle,
    /// These acceptors have promised, and know of no other owner.
    Preparing(Voters),
    /// These acceptors have accepted.
    Proposing(Voters),
}
use ProposerPhase::{Idle, Preparing, Proposing};

/// The only office that is filled.
const OFFICE: Office = Office(0);

/// A lease that this member owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct OwnedLease {
    /// The ballot with which it came to own the lease.
    term: Term,
    /// The ballot with which it was last prolonged.
    ballot: Term,
}

/// A member: acceptor and proposer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PaxosLease {
    setting: Setting,
    boot: u64,
    /// Acceptor: whether it does not take part yet.
    quarantined: bool,
    promised: Term,
    accepted: Option<Lease>,
    /// Proposer: whether it was told to stand.
    stands: bool,
    phase: ProposerPhase,
    ballot: Term,
    /// The greatest ballot that it has seen.
    greatest: Term,
    owned: Option<OwnedLease>,
    leaving: bool,
}

impl PaxosLease {
    /// Returns the time for which an acceptor keeps a lease: longer than its owner counts on it and
    /// works.
    const fn kept(&self) -> u32 {
        let Setting { lease, stop, clocks, .. } = self.setting;
        clocks.outlasting(lease.saturating_add(stop))
    }

    /// Returns a ballot greater than all seen, which no other member and no other start ever uses.
    ///
    /// The number of the start makes the upper part, so that a ballot of a former start is smaller;
    /// the remainder by the number of members is the proposer's.
    fn next_ballot(&self) -> Term {
        let members = u64::from(self.setting.members);
        let rounds = (self.greatest.0 / members + 1).max(self.boot << 16);
        Term(rounds * members + u64::from(self.setting.me.0))
    }

    fn prepare(&mut self, effects: &mut impl Effects<Self>) {
        self.ballot = self.next_ballot();
        self.greatest = self.ballot;
        self.phase = Preparing(Voters::default());
        for member in self.setting.everyone() {
            self.tell(member, Prepare(self.ballot), effects);
        }
        self.retry_later(effects);
    }

    /// Sends a message, or handles it at once if it is for this member itself.
    fn tell(&mut self, to: Peer, msg: Msg, effects: &mut impl Effects<Self>) {
        if to == self.setting.me {
            self.receive(to, msg, effects);
        } else {
            effects.send(to, msg);
        }
    }

    fn retry_later(&mut self, effects: &mut impl Effects<Self>) {
        let wait = match self.owned {
            Some(_) => self.setting.heartbeat,
            None => self.setting.heartbeat + effects.choose(self.setting.heartbeat),
        };
        effects.set_alarm(PaxosLeaseAlarm::Try, wait);
    }

    /// Takes the lease, which a majority has accepted.
    fn own(&mut self, effects: &mut impl Effects<Self>) {
        self.phase = Idle;
        let term = match self.owned {
            Some(owned) => {
                effects.cancel_alarm(PaxosLeaseAlarm::Owned(owned.ballot));
                owned.term
            }
            None => {
                effects.changed(OFFICE);
                self.ballot
            }
        };
        self.owned = Some(OwnedLease { term, ballot: self.ballot });
    }

    fn lose(&mut self, effects: &mut impl Effects<Self>) {
        self.owned = None;
        self.leaving = false;
        effects.changed(OFFICE);
    }

    /// Ends the attempt, since another's ballot or lease is in the way; it is tried again later.
    fn give_up(&mut self, effects: &mut impl Effects<Self>) {
        if let Proposing(_) = self.phase {
            effects.cancel_alarm(PaxosLeaseAlarm::Owned(self.ballot));
        }
        self.phase = Idle;
    }

    fn forget(&mut self, effects: &mut impl Effects<Self>) {
        self.accepted = None;
        effects.cancel_alarm(PaxosLeaseAlarm::Accepted);
        effects.changed(OFFICE);
    }
}

impl Recoverable for PaxosLease {
    type Msg = Msg;
    type Alarm = PaxosLeaseAlarm;

    fn start(setting: Setting, start: Start, effects: &mut impl Effects<Self>) -> Self {
        let member = Self {
            setting,
            boot: start.boot,
            quarantined: start.memory != Memory::New,
            promised: Term(0),
            accepted: None,
            stands: false,
            phase: Idle,
            ballot: Term(0),
            greatest: Term(0),
            owned: None,
            leaving: false,
        };
        if member.quarantined {
            effects.set_alarm(PaxosLeaseAlarm::Quarantine, member.kept());
        }
        member
    }

    fn receive(&mut self, from: Peer, msg: Msg, effects: &mut impl Effects<Self>) {
        if from.0 >= self.setting.members {
            return effects.reject("only members take part");
        }
        match msg {
            Prepare(_) | Propose(_) if self.quarantined => {}
            Prepare(ballot) | Propose(ballot) if ballot < self.promised => {
                self.tell(from, Reject(self.promised), effects);
            }
            Prepare(ballot) => {
                self.promised = ballot;
                self.tell(from, Promise(ballot, self.accepted), effects);
            }
            Propose(ballot) => {
                self.promised = ballot;
                self.accepted = Some(Lease { owner: from, ballot });
                effects.set_alarm(PaxosLeaseAlarm::Accepted, self.kept());
                effects.changed(OFFICE);
                self.tell(from, Accept(ballot), effects);
            }
            Promise(ballot, lease) => {
                let Preparing(voters) = &mut self.phase else { return };
                if ballot != self.ballot {
                    return;
                }
                let me = self.setting.me;
                // A lease of its own that it does not own is one of a former start: it runs out.
                if lease.is_some_and(|lease| lease.owner != me || self.owned.is_none()) {
                    return;
                }
                voters.insert(from);
                if voters.len() >= self.setting.majority() {
                    self.phase = Proposing(Voters::default());
                    effects.set_alarm(PaxosLeaseAlarm::Owned(ballot), self.setting.lease);
                    for member in self.setting.everyone() {
                        self.tell(member, Propose(ballot), effects);
                    }
                }
            }
            Accept(ballot) => {
                let Proposing(voters) = &mut self.phase else { return };
                if ballot != self.ballot {
                    return;
                }
                voters.insert(from);
                if voters.len() >= self.setting.majority() {
                    self.own(effects);
                }
            }
            Reject(ballot) => {
                if ballot > self.greatest {
                    self.greatest = ballot;
                    self.give_up(effects);
                }
            }
            Release(ballot) => {
                if self.accepted == Some(Lease { owner: from, ballot }) {
                    self.forget(effects);
                    if self.stands && self.owned.is_none() {
                        self.retry_later(effects);
                    }
                }
            }
        }
    }

    fn ring(&mut self, alarm: PaxosLeaseAlarm, effects: &mut impl Effects<Self>) {
        match alarm {
            PaxosLeaseAlarm::Quarantine => self.quarantined = false,
            PaxosLeaseAlarm::Accepted => {
                self.accepted = None;
                effects.changed(OFFICE);
            }
            PaxosLeaseAlarm::Try if self.stands && !self.leaving => self.prepare(effects),
            PaxosLeaseAlarm::Try => {}
            PaxosLeaseAlarm::Owned(ballot) => {
                if self.phase != Idle && ballot == self.ballot {
                    self.phase = Idle; // Too late to be accepted.
                }
                if self.owned.is_some_and(|owned| owned.ballot == ballot) {
                    self.lose(effects);
                }
            }
        }
    }

    fn command(&mut self, command: Command, effects: &mut impl Effects<Self>) {
        match command {
            Command::Stand { office: OFFICE, .. } if self.setting.is_member() => {
                if !self.stands {
                    self.stands = true;
                    self.retry_later(effects);
                }
            }
            Command::Resign { office: OFFICE } => {
                self.stands = false;
                if self.owned.is_some() {
                    self.leaving = true;
                    effects.changed(OFFICE);
                } else {
                    self.give_up(effects);
                }
            }
            Command::Stopped { office: OFFICE, term } => {
                if let Some(owned) = self.owned
                    && self.leaving
                    && owned.term == term
                {
                    effects.cancel_alarm(PaxosLeaseAlarm::Owned(owned.ballot));
                    self.give_up(effects);
                    self.lose(effects);
                    for member in self.setting.everyone() {
                        self.tell(member, Release(owned.ballot), effects);
                    }
                }
            }
            Command::Transfer { office: OFFICE, .. } => {
                effects.reject("PaxosLease knows no transfer");
            }
            _ => effects.reject("PaxosLease fills one office, number 0, with members"),
        }
    }

    fn tenure(&self, office: Office) -> Option<OfficeTenure<PaxosLeaseAlarm>> {
        self.owned.filter(|_| office == OFFICE).map(|owned| OfficeTenure {
            term: owned.term,
            until: Some(PaxosLeaseAlarm::Owned(owned.ballot)),
            stopping: self.leaving,
        })
    }

    fn leader(&self, office: Office) -> Option<(Peer, Term)> {
        let own = self.tenure(office).map(|tenure| (self.setting.me, tenure.term));
        let accepted = self.accepted.filter(|_| office == OFFICE);
        own.or_else(|| accepted.map(|lease| (lease.owner, lease.ballot)))
    }
}
