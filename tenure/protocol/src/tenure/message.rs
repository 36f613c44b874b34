//! The messages of both layers.

use tenure_model::{Kind, Message, Office, Peer, Series, Term};

/// The subject of a message about an office.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Case {
    /// The office.
    pub office: Office,
    /// The candidate's term.
    pub term: Term,
    /// The epoch of the candidate's lease at the granter. In any other epoch the message means
    /// nothing.
    pub epoch: u64,
}

/// The rank of a claim: a granter prefers the greater one, and between equals the greater identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Rank {
    /// It knows of a leader. It waits, and does not want this vote before that leader is gone.
    Follower,
    /// A candidate of this priority.
    Candidate(u32),
    /// The candidate that the last leader named.
    Named,
    /// It leads.
    Leader,
}

/// The known state of a member's vote: whether it is with a leader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum With {
    /// Nothing is known.
    #[default]
    Unknown,
    /// It is not with a leader.
    Nobody,
    /// It is with the leader of this term.
    Leader(Term),
}

impl With {
    pub(super) const fn term(self) -> Option<Term> {
        match self {
            Self::Leader(term) => Some(term),
            Self::Unknown | Self::Nobody => None,
        }
    }
}

/// A message of the protocol: `h` is the process that renews and claims, `g` the member that
/// grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Msg {
    /// h to g: I am alive.
    Renew {
        /// The boot of h. A greater one says that all processes of smaller boots are dead.
        boot: u64,
        /// The number of the renewal.
        number: u64,
        /// The epoch of a lease of h at g that is over: h counts on nothing that was granted in it,
        /// and never will. 0 if there is none.
        over: u64,
    },
    /// g to h: until the alarm of this renewal you can count on what I granted in this epoch.
    Ack {
        /// The boot of h.
        boot: u64,
        /// The number of the renewal.
        number: u64,
        /// The epoch of the lease of h at g.
        epoch: u64,
        /// Whether g can grant: it is neither in quarantine nor learning.
        able: bool,
    },
    /// h to g: I claim the office; with a greater attempt, I also yield what you granted before.
    /// The last field repeats what you have told me of your vote.
    Request(Case, Rank, u32, With),
    /// h to g: I lead.
    Lead(Case),
    /// h to g: I have given up this term; this peer shall lead next.
    Release(Case, Option<Peer>),
    /// g to h: you have my vote for this attempt; and whether the last leader named you.
    Grant(Case, u32, bool),
    /// g to h: this attempt waits, and this is the state of my vote.
    Busy(Case, u32, With),
    /// g to h: I have promised this term, which is not smaller than yours.
    Refuse(Case, Term),
    /// g to h: a greater claim than yours, with this attempt, waits; yield.
    Contest(Case, u32),
    /// g to h: I hold nothing of this term for you any more.
    Released(Case),
    /// To a member, from one without a record: what have you promised?
    Learn {
        /// The boot of the asker.
        boot: u64,
        /// The number of the asker's empty record.
        store: u64,
        /// The number of this look at the others.
        look: u32,
    },
    /// The answer of a member with a record.
    Promised {
        /// The boot of the asker.
        boot: u64,
        /// The greatest term that it has promised, in any office.
        highest: Term,
        /// If the asker's record was empty when all were: another member, and the number of its record
        /// then. There is an answer for each.
        founded: Option<(Peer, u64)>,
    },
    /// The answer of a member without a record.
    Blank {
        /// The boot of the asker.
        boot: u64,
        /// The number of the empty record.
        store: u64,
        /// The number of the look that it answers.
        look: u32,
    },
}

impl Msg {
    /// Creates the message that a guard sends to all members on behalf of a process that it has
    /// seen dead, with all its work: the offices that the process held are free at once. `boot` is
    /// the process's boot number.
    #[must_use]
    pub const fn obituary(boot: u64) -> Self {
        Self::Renew { boot: boot + 1, number: 0, over: 0 }
    }

    /// Returns the office that it is about; `None` for messages about leases and records.
    #[must_use]
    pub const fn office(&self) -> Option<Office> {
        match self {
            Self::Request(case, ..)
            | Self::Lead(case)
            | Self::Release(case, _)
            | Self::Grant(case, ..)
            | Self::Busy(case, ..)
            | Self::Refuse(case, _)
            | Self::Contest(case, _)
            | Self::Released(case) => Some(case.office),
            Self::Renew { .. }
            | Self::Ack { .. }
            | Self::Learn { .. }
            | Self::Promised { .. }
            | Self::Blank { .. } => None,
        }
    }

    pub(crate) const fn is_to_granter(&self) -> bool {
        matches!(
            self,
            Self::Renew { .. }
                | Self::Request(..)
                | Self::Lead(_)
                | Self::Release(..)
                | Self::Learn { .. }
        )
    }

    /// Visits the serial numbers: the renewals of h, the epochs of g.
    pub(super) fn serials(
        &mut self,
        from: Peer,
        to: Peer,
        visit: &mut impl FnMut(Series, &mut u64),
    ) {
        match self {
            Self::Renew { number, over, .. } => {
                visit(renewals(from), number);
                visit(epochs(to), over);
            }
            Self::Ack { number, epoch, .. } => {
                visit(renewals(to), number);
                visit(epochs(from), epoch);
            }
            Self::Request(case, ..) | Self::Lead(case) | Self::Release(case, _) => {
                visit(epochs(to), &mut case.epoch);
            }
            Self::Grant(case, ..)
            | Self::Busy(case, ..)
            | Self::Refuse(case, _)
            | Self::Contest(case, _)
            | Self::Released(case) => visit(epochs(from), &mut case.epoch),
            Self::Learn { .. } | Self::Promised { .. } | Self::Blank { .. } => {}
        }
    }
}

pub(super) const fn candidate_of(term: Term) -> Peer {
    Peer(term.0 as u32)
}

pub(super) const fn renewals(of: Peer) -> Series {
    Series { of, name: 0 }
}

pub(super) const fn epochs(of: Peer) -> Series {
    Series { of, name: 1 }
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[
        Kind::election("renew").ids(3),
        Kind::election("ack").ids(3),
        Kind::election("request").ids(4).counters(2),
        Kind::announcement("lead").ids(3),
        Kind::election("release").ids(3).counters(1),
        Kind::election("grant").ids(3).counters(1),
        Kind::election("busy").ids(4).counters(1),
        Kind::election("refuse").ids(4),
        Kind::election("contest").ids(3).counters(1),
        Kind::election("released").ids(3),
        Kind::election("learn").ids(2).counters(1),
        Kind::election("promised").ids(3).counters(1),
        Kind::election("blank").ids(2).counters(1),
    ];
    fn kind(&self) -> usize {
        match self {
            Self::Renew { .. } => 0,
            Self::Ack { .. } => 1,
            Self::Request(..) => 2,
            Self::Lead(_) => 3,
            Self::Release(..) => 4,
            Self::Grant(..) => 5,
            Self::Busy(..) => 6,
            Self::Refuse(..) => 7,
            Self::Contest(..) => 8,
            Self::Released(_) => 9,
            Self::Learn { .. } => 10,
            Self::Promised { .. } => 11,
            Self::Blank { .. } => 12,
        }
    }
}
