//! What holds of a process and of a message, in the words of the relation that the proofs are about.

use super::{BidPhase, Msg, Tenure, VoteAnswer, granter::HeardRecord, message::Rank};
use tenure_model::{Office, Peer};

/// The actions of the reactions, in any number of participants, and their invariants: in the language of
/// `evidence/proofs`.
pub const RELATION: &str = include_str!("relation.txt");

/// What `cargo xtask prove tenure --record` has last proved of [`RELATION`].
pub const PROOF: RelationProof = RelationProof {
    conditions: 562,
    date: "2026-11-29",
    source: "e20791c38c16b093e0533a967b86c6d2a8ab8014d3dcf87d56132816a53571b3",
};

/// The record of a proof that a relation keeps its invariants.
#[derive(Debug)]
pub struct RelationProof {
    /// The number of conditions that were refuted.
    pub conditions: usize,
    /// The day.
    pub date: &'static str,
    /// The SHA-256 of the relation.
    pub source: &'static str,
}

/// Takes the name of a symbol, its arguments and, if it is a function, its value.
type Say<'a> = &'a mut dyn FnMut(&'static str, &[u64]);

impl Tenure {
    /// Visits the facts of this process about leases and an office, in the words of [`RELATION`]. Its alarms and its
    /// cells are the engine's.
    #[doc(hidden)]
    pub fn facts(&self, office: Office, say: Say<'_>) {
        let me = u64::from(self.setting.me.0);
        say("sent", &[me, self.held.sent]);
        say("rung", &[me, self.held.rung]);
        for (g, lease) in (0..).zip(&self.held.at) {
            say("number", &[me, g, lease.number]);
            say("epoch", &[me, g, lease.epoch]);
        }
        say("epochs", &[me, self.owed.epochs]);
        for &(Peer(h), debt) in &self.owed.to {
            say("owes", &[me, h.into()]);
            say("current", &[me, h.into(), debt.epoch]);
            say("debtor", &[me, h.into(), debt.boot]);
        }
        if self.quarantined {
            say("quarantined", &[me]);
        }
        self.facts_of_learning(me, say);
        self.facts_of_claim(office, me, say);
        let Some(vote) = self.votes.get(&office) else { return };
        for (name, claims) in [("vote", vote.grant.as_slice()), ("waiting", &vote.waiting)] {
            for claim in claims {
                let (h, term) = (claim.peer.0.into(), claim.term.0);
                say(name, &[me, h, term, claim.attempt.into()]);
                if claim.rank == Rank::Leader {
                    say("firm", &[me, h, term]);
                }
            }
        }
    }

    fn facts_of_learning(&self, me: u64, say: Say<'_>) {
        let Some(learning) = &self.learning else { return };
        say("learning", &[me]);
        say("look", &[me, learning.look.into()]);
        for (r, heard) in (0..).zip(&learning.heard) {
            match *heard {
                HeardRecord::Nothing => {}
                HeardRecord::Promised(highest) => {
                    say("heard", &[me, r]);
                    say("told", &[me, r, highest.0]);
                }
                HeardRecord::Blank { store, look } => {
                    say("seen", &[me, r, store]);
                    say("seen-in", &[me, r, look.into()]);
                }
            }
        }
    }

    fn facts_of_claim(&self, office: Office, me: u64, say: Say<'_>) {
        let Some(bid) = self.bids.get(&office) else {
            return say("term", &[me, self.spent.0]);
        };
        say("term", &[me, bid.term.0]);
        let phase = match bid.phase {
            BidPhase::Idle | BidPhase::Releasing { .. } => None,
            BidPhase::Candidate => Some("candidate"),
            BidPhase::Leader | BidPhase::Stopping { .. } => Some("leader"),
            BidPhase::Lost => Some("lost"),
        };
        if let Some(phase) = phase {
            say(phase, &[me]);
        }
        for (g, asked) in (0..).zip(&bid.at) {
            say("attempt", &[me, g, asked.attempt.into()]);
            if asked.answer == VoteAnswer::Granted {
                say("granted", &[me, g]);
            }
        }
    }
}

impl Msg {
    /// Visits what a message says of leases and of an office, in the words of [`RELATION`].
    #[doc(hidden)]
    pub fn facts(&self, (from, to): (Peer, Peer), office: Office, say: Say<'_>) {
        let [from, to] = [from, to].map(|peer| u64::from(peer.0));
        if self.office().is_some_and(|of| of != office) {
            return;
        }
        match *self {
            Self::Renew { boot, number, over } => say("Renew", &[from, to, boot, number, over]),
            Self::Ack { boot, number, epoch, .. } => say("Ack", &[from, to, boot, number, epoch]),
            Self::Request(case, rank, attempt, _) => {
                say("Request", &[from, to, case.term.0, case.epoch, attempt.into()]);
                if rank == Rank::Leader {
                    say("Lead", &[from, to, case.term.0, case.epoch]);
                }
            }
            Self::Lead(case) => say("Lead", &[from, to, case.term.0, case.epoch]),
            Self::Release(case, _) => say("Release", &[from, to, case.term.0, case.epoch]),
            Self::Grant(case, attempt, _) => {
                say("Grant", &[from, to, case.term.0, case.epoch, attempt.into()]);
            }
            Self::Learn { boot, store, look } => {
                say("Learn", &[from, to, boot, store, look.into()]);
            }
            Self::Blank { boot, store, look } => {
                say("Blank", &[from, to, boot, store, look.into()]);
            }
            Self::Promised { boot, highest, founded } => {
                say("Promised", &[from, to, boot, highest.0]);
                if let Some((Peer(member), store)) = founded {
                    say("Founded", &[from, to, boot, member.into(), store]);
                }
            }
            Self::Busy(..) | Self::Refuse(..) | Self::Contest(..) | Self::Released(_) => {}
        }
    }
}
