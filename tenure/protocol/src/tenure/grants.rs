//! The granter: a vote for one candidate of an office at a time, and a queue of those that wait.

use super::{
    Cell, Msg, Out, Tenure, learning,
    message::{Case, Rank, With},
};
use alloc::vec::Vec;
use tenure_model::{Effects, Office, Peer, Term};

/// The vote of this member in an office, and the claims that wait for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Vote {
    pub(super) grant: Option<Claim>,
    /// The claims that wait, by peer, one each; none of them has the grant, and all have a lease.
    pub(super) waiting: Vec<Claim>,
}

/// A claim to an office.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Claim {
    pub(super) peer: Peer,
    pub(super) term: Term,
    /// The number of times that the peer has yielded in this term.
    pub(super) attempt: u32,
    pub(super) rank: Rank,
    /// The state of this vote, as the peer was last told.
    pub(super) told: With,
}

impl Claim {
    /// Returns whether it may be granted by a member that has promised this term. A leader's claim
    /// may: its term has begun already, and no tenure came after it.
    fn fresh(&self, promised: Term) -> bool {
        self.rank == Rank::Leader || self.term > promised
    }

    fn stale(&self, promised: Term) -> bool {
        self.rank != Rank::Follower && !self.fresh(promised)
    }
}

impl Vote {
    /// Returns the index of the greatest claim that waits; a claim of `first` comes before all
    /// others.
    fn greatest(&self, first: Option<Peer>) -> Option<usize> {
        (0..self.waiting.len()).max_by_key(|&i| {
            let claim = &self.waiting[i];
            (Some(claim.peer) == first, claim.rank, claim.peer)
        })
    }

    fn contested(&self) -> Option<Claim> {
        let grant = self.grant.filter(|grant| grant.rank != Rank::Leader)?;
        let greatest = self.waiting[self.greatest(None)?];
        ((greatest.rank, greatest.peer) > (grant.rank, grant.peer)).then_some(grant)
    }

    pub(super) fn with(&self) -> With {
        let leader = self.grant.filter(|grant| grant.rank == Rank::Leader);
        leader.map_or(With::Nobody, |grant| With::Leader(grant.term))
    }

    fn unsettled(&self, promised: Term) -> bool {
        let with = self.with();
        self.grant.is_some_and(|grant| grant.rank != Rank::Leader)
            || self.waiting.iter().any(|claim| claim.told != with || claim.stale(promised))
    }
}

impl<E: Effects<Tenure>> Out<'_, E> {
    pub(super) fn promised(&self, office: Office) -> Term {
        let read = |cell: Cell| self.effects.read(cell).unwrap_or(0);
        Term(read(learning::promise(office)).max(read(learning::FLOOR)))
    }
}

impl Tenure {
    /// Returns whether this member may grant: it has forgotten neither what it owes nor what it has
    /// promised.
    pub(super) fn able(&self) -> bool {
        self.setting.is_member() && !self.quarantined && self.learning.is_none()
    }

    pub(super) fn case_of(&self, office: Office, claim: &Claim) -> Option<Case> {
        let epoch = self.epoch_of(claim.peer)?;
        Some(Case { office, term: claim.term, epoch })
    }

    /// Handles a claim to the office: grants it, lets it wait or refuses it, and tells the
    /// claimant.
    pub(super) fn request(&mut self, case: Case, claim: Claim, out: &mut Out<impl Effects<Self>>) {
        let vote = self.votes.entry(case.office).or_default();
        let age = |claim: &Claim| (claim.term, claim.attempt);
        if let Some(grant) = vote.grant.as_mut().filter(|grant| grant.peer == claim.peer) {
            if age(&claim) < age(grant) {
                return;
            }
            if age(&claim) == age(grant) {
                grant.rank = grant.rank.max(claim.rank);
                out.effects.changed(case.office);
                let named = grant.rank == Rank::Named;
                out.send(claim.peer, Msg::Grant(case, claim.attempt, named));
                return self.settle(case.office, None, out);
            }
            vote.grant = None; // It has yielded, or has given up the term.
            out.effects.changed(case.office);
        }
        match vote.waiting.binary_search_by_key(&claim.peer, |waiting| waiting.peer) {
            Ok(i) if age(&claim) < age(&vote.waiting[i]) => return,
            Ok(i) if age(&claim) == age(&vote.waiting[i]) => {
                vote.waiting[i].rank = vote.waiting[i].rank.max(claim.rank);
                vote.waiting[i].told = claim.told;
            }
            // It asks until it is told.
            Ok(i) => vote.waiting[i] = Claim { told: vote.with(), ..claim },
            Err(i) => vote.waiting.insert(i, Claim { told: vote.with(), ..claim }),
        }
        self.settle(case.office, None, out);
        let promised = out.promised(case.office);
        let Some(vote) = self.votes.get(&case.office) else { return };
        let (asked, with) = (claim.told, vote.with());
        if let Some(claim) = vote.waiting.iter().find(|waiting| waiting.peer == claim.peer) {
            if claim.stale(promised) {
                out.send(claim.peer, Msg::Refuse(case, promised));
            } else if asked != with {
                out.send(claim.peer, Msg::Busy(case, claim.attempt, with));
            }
        }
    }

    /// Grants the office, if it is free, to the greatest claim, or to `first` if that one waits;
    /// otherwise asks a lesser candidate to yield. A greatest claim that is not fresh has been
    /// refused, and the vote is kept for its next term: if a lesser one were granted, terms could
    /// overtake each other without end.
    fn settle(&mut self, office: Office, first: Option<Peer>, out: &mut Out<impl Effects<Self>>) {
        let (able, promised) = (self.able(), out.promised(office));
        let Some(vote) = self.votes.get_mut(&office) else { return };
        if able
            && vote.grant.is_none()
            && let Some(i) = vote.greatest(first)
            && (vote.waiting[i].rank != Rank::Follower || Some(vote.waiting[i].peer) == first)
            && vote.waiting[i].fresh(promised)
        {
            let mut claim = vote.waiting.remove(i);
            if Some(claim.peer) == first {
                claim.rank = claim.rank.max(Rank::Named);
            }
            vote.grant = Some(claim);
            if claim.term > promised {
                learning::write_promise(office, claim.term, out); // Before the grant leaves.
            }
            self.tell(office, out);
            out.effects.changed(office);
        } else if let Some(grant) = vote.contested() {
            let case = self.case_of(office, &grant);
            if let Some(case) = case {
                out.send(grant.peer, Msg::Contest(case, grant.attempt));
            }
        }
        let promised = out.promised(office);
        let Some(vote) = self.votes.get(&office) else { return };
        if vote.grant.is_none() && vote.waiting.is_empty() {
            self.votes.remove(&office);
        } else if vote.unsettled(promised) {
            self.beat_later(out);
        }
    }

    /// Tells the holder of the grant that it has it, or that it must yield; refuses the claims
    /// whose terms can no longer be granted, and tells the others that wait of the leader, or that
    /// there is none. Returns whether any of it must be repeated.
    pub(super) fn tell(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) -> bool {
        let promised = out.promised(office);
        let Some(vote) = self.votes.get_mut(&office) else { return false };
        let with = vote.with();
        for claim in vote.waiting.iter_mut().filter(|claim| claim.told != with) {
            claim.told = With::Unknown; // An older answer may reach it after its acknowledgement.
        }
        let Some(vote) = self.votes.get(&office) else { return false };
        if let Some(grant) = vote.grant
            && let Some(case) = self.case_of(office, &grant)
        {
            if vote.contested().is_some() {
                out.send(grant.peer, Msg::Contest(case, grant.attempt));
            } else {
                let named = grant.rank == Rank::Named;
                out.send(grant.peer, Msg::Grant(case, grant.attempt, named));
            }
        }
        for claim in &vote.waiting {
            match self.case_of(office, claim) {
                Some(case) if claim.stale(promised) => {
                    out.send(claim.peer, Msg::Refuse(case, promised));
                }
                Some(case) if claim.told != with => {
                    out.send(claim.peer, Msg::Busy(case, claim.attempt, with));
                }
                _ => {}
            }
        }
        vote.unsettled(promised)
    }

    /// Repeats, at a heartbeat, every message that has not been answered. Returns whether there was
    /// any.
    pub(super) fn tell_again(&mut self, out: &mut Out<impl Effects<Self>>) -> bool {
        let offices = self.votes.unsettled(|office, vote| vote.unsettled(out.promised(office)));
        offices.into_iter().fold(false, |again, office| self.tell(office, out) | again)
    }

    /// Records that the holder of the grant leads.
    pub(super) fn leads(&mut self, h: Peer, case: Case, out: &mut Out<impl Effects<Self>>) {
        let grant = self.votes.get_mut(&case.office).and_then(|vote| vote.grant.as_mut());
        if let Some(grant) = grant.filter(|grant| (grant.peer, grant.term) == (h, case.term)) {
            grant.rank = Rank::Leader;
            out.effects.changed(case.office);
            self.beat_later(out); // Those that wait are told.
        }
    }

    /// Removes the claims of `h` up to a term, which `h` has given up, and prefers `next` for the
    /// next grant.
    pub(super) fn release(
        &mut self,
        h: Peer,
        case: Case,
        next: Option<Peer>,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let over = |claim: &Claim| claim.peer == h && claim.term <= case.term;
        if let Some(vote) = self.votes.get_mut(&case.office) {
            vote.waiting.retain(|claim| !over(claim));
            if vote.grant.is_some_and(|grant| over(&grant)) {
                vote.grant = None;
                out.effects.changed(case.office);
            }
            self.settle(case.office, next, out);
        }
        out.send(h, Msg::Released(case));
    }

    /// Removes the grants and the waiting claims of `h`, whose lease is over.
    pub(super) fn forget(&mut self, h: Peer, out: &mut Out<impl Effects<Self>>) {
        let theirs = |claim: &Claim| claim.peer == h;
        let has_theirs = |vote: &Vote| vote.grant.iter().chain(&vote.waiting).any(theirs);
        let offices = self.votes.iter().filter(|(_, vote)| has_theirs(vote));
        let offices: Vec<Office> = offices.map(|(&office, _)| office).collect();
        for office in &offices {
            let Some(vote) = self.votes.get_mut(office) else { continue };
            vote.waiting.retain(|claim| !theirs(claim));
            if vote.grant.is_some_and(|grant| theirs(&grant)) {
                vote.grant = None;
                out.effects.changed(*office);
            }
        }
        for office in offices {
            self.settle(office, None, out);
        }
    }

    /// Grants what is free in every office, now that this member can grant.
    pub(super) fn settle_all(&mut self, out: &mut Out<impl Effects<Self>>) {
        for office in self.votes.keys().copied().collect::<Vec<_>>() {
            self.settle(office, None, out);
        }
    }
}
