//! The granter: leases that it owes, a vote for one candidate of an office at a time with a queue of those that
//! wait, and recovery without a record, in which it learns from the others what it may have promised.

use super::{
    Alarm, Msg, Out, Tenure,
    message::{Case, Rank, With, epochs},
};
use alloc::{vec, vec::Vec};
use tenure_model::{Cell, Effects, Memory, Office, Peer, Series, Start, Term};

/// The leases that this process owes, and the epochs that it has given out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct OwedLeases {
    /// The last epoch, over all peers. It begins with the boot, so that none occurs twice: a boot
    /// leaves room for 4 million, and where it is a time in milliseconds, for as many in each.
    pub(super) epochs: u64,
    /// The peers to which a lease is owed, ascending.
    pub(super) to: Vec<(Peer, OwedLease)>,
}

/// Returns the boot of the process that has given out an epoch.
#[must_use]
pub const fn boot_of(epoch: u64) -> u64 {
    epoch >> 22
}

/// A lease that is owed: the boot of the peer, and the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OwedLease {
    pub(super) boot: u64,
    pub(super) epoch: u64,
}

impl OwedLeases {
    fn find(&self, h: Peer) -> Result<usize, usize> {
        self.to.binary_search_by_key(&h, |&(peer, _)| peer)
    }
}

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
        Term(read(promise(office)).max(read(FLOOR)))
    }
}

/// The cell that is present if this member knows its promises: a term that it has promised in every
/// office. An engine may write a greater one.
pub const FLOOR: Cell = Cell { table: 0, key: 0 };
/// The cell of the greatest term promised in any office.
pub const HIGHEST: Cell = Cell { table: 0, key: 1 };
/// The cell of the time for which this member, or a process of it before, may owe what it has granted, in
/// ticks: the setting may be another one at the next start.
pub(super) const OWED: Cell = Cell { table: 0, key: 3 };

/// Returns the cell of the term promised in an office.
#[must_use]
pub const fn promise(office: Office) -> Cell {
    Cell { table: 1, key: office.0 }
}

/// Returns the cell of the number of a member's record: the boot at which it was empty. The cells of other members
/// are written only if all records, this one too, were empty at one instant: they have the numbers of those.
#[must_use]
pub const fn record_of(member: Peer) -> Cell {
    Cell { table: 2, key: member.0 as u64 }
}

/// Writes a cell, if it has another value.
pub(super) fn note(cell: Cell, value: u64, out: &mut Out<impl Effects<Tenure>>) {
    if out.effects.read(cell) != Some(value) {
        out.effects.write(cell, value);
    }
}

/// Records a promise in stable storage.
pub(super) fn write_promise(office: Office, term: Term, out: &mut Out<impl Effects<Tenure>>) {
    out.effects.write(promise(office), term.0);
    if out.effects.read(HIGHEST).unwrap_or(0) < term.0 {
        out.effects.write(HIGHEST, term.0);
    }
}

/// The state of learning in a member without a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Learning {
    store: u64,
    /// The number of the current look at the others, incremented when another record is found
    /// empty: earlier answers do not show that all were empty at once.
    pub(super) look: u32,
    /// The last answer of each member, by number.
    pub(super) heard: Vec<HeardRecord>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum HeardRecord {
    Nothing,
    Promised(Term),
    Blank { store: u64, look: u32 },
}

/// The leases that it owes.
impl Tenure {
    /// Returns the epoch in which `h` has a lease here, if it has one. A member always counts on
    /// itself, in epoch 0.
    pub(super) fn epoch_of(&self, h: Peer) -> Option<u64> {
        match self.owed.find(h) {
            _ if h == self.setting.me => Some(0),
            Ok(i) => Some(self.owed.to[i].1.epoch),
            Err(_) => None,
        }
    }

    /// Handles a renewal: this member owes a lease for longer than `h` can count on it.
    pub(super) fn renewed(
        &mut self,
        h: Peer,
        (boot, number, over): (u64, u64, u64),
        out: &mut Out<impl Effects<Self>>,
    ) {
        match self.owed.find(h).map(|i| self.owed.to[i].1) {
            Ok(debt) if boot < debt.boot => return,
            // No process counts on it any more.
            Ok(debt) if boot > debt.boot || over == debt.epoch => self.lapse(h, out),
            _ => {}
        }
        let i = self.owed.find(h).unwrap_or_else(|i| {
            self.owed.epochs += 1;
            self.owed.to.insert(i, (h, OwedLease { boot, epoch: self.owed.epochs }));
            i
        });
        let epoch = self.owed.to[i].1.epoch;
        out.effects.set_alarm(Alarm::Owed(h), self.owed_for());
        out.send(h, Msg::Ack { boot, number, epoch, able: self.able() });
    }

    /// Ends the lease of `h` here, and all that was granted to it.
    pub(super) fn lapse(&mut self, h: Peer, out: &mut Out<impl Effects<Self>>) {
        if let Ok(i) = self.owed.find(h) {
            self.owed.to.remove(i);
            self.forget(h, out);
        }
    }

    pub(super) fn owed_for(&self) -> u32 {
        self.setting.clocks.outlasting(self.setting.lease.saturating_add(self.setting.stop))
    }

    /// Visits the serial numbers of the leases that this process owes: epochs of its own.
    pub(super) fn serials_of_owed(&mut self, visit: &mut impl FnMut(Series, &mut u64)) {
        let epochs = epochs(self.setting.me);
        visit(epochs, &mut self.owed.epochs);
        for (_, debt) in &mut self.owed.to {
            visit(epochs, &mut debt.epoch);
        }
    }
}

/// Its votes.
impl Tenure {
    /// Returns whether this member may grant: it has forgotten neither what it owes nor what it has
    /// promised.
    #[must_use]
    pub fn able(&self) -> bool {
        self.is_member() && !self.quarantined && self.learning.is_none()
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
                write_promise(office, claim.term, out); // Before the grant leaves.
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

/// What it learns when it comes up.
impl Tenure {
    /// Determines what a member that comes up may grant, and when.
    pub(super) fn recover(&mut self, start: Start, out: &mut Out<impl Effects<Self>>) {
        let owed = self.owed_for();
        if start.memory == Memory::New {
            note(OWED, owed.into(), out);
            out.effects.write(record_of(self.setting.me), start.boot);
            return out.effects.write(FLOOR, 0);
        }
        self.quarantined = true;
        // What the processes before owe, they owe by their own setting. A record that does not tell it may
        // be of any.
        let untold = if out.effects.read(FLOOR).is_some() { u32::MAX } else { 0 };
        let before = out.effects.read(OWED).map_or(untold, |it| it.try_into().unwrap_or(u32::MAX));
        let longest = owed.max(before);
        note(OWED, longest.into(), out);
        out.effects.set_alarm(Alarm::Quarantine, longest);
        if out.effects.read(FLOOR).is_none() {
            let mine = record_of(self.setting.me);
            let store = out.effects.read(mine).unwrap_or(start.boot);
            note(mine, store, out);
            let heard = vec![HeardRecord::Nothing; self.known.end() as usize];
            self.learning = Some(Learning { store, look: 0, heard });
            self.learnt(out);
        }
    }

    /// Asks the others what they have promised: at each heartbeat, and with each new look.
    ///
    /// It does not ask in quarantine. Until then a grant from before its record was lost can begin a tenure, whose
    /// term another member may promise only after it has answered.
    pub(super) fn learn(&mut self, out: &mut Out<impl Effects<Self>>) {
        if let Some(Learning { store, look, .. }) = self.learning
            && !self.quarantined
        {
            for g in self.others() {
                out.send(g, Msg::Learn { boot: self.boot, store, look });
            }
            self.beat_later(out);
        }
    }

    /// Answers a member without a record. If its record was empty when all were, it is told the numbers of all
    /// others, one in each answer.
    pub(super) fn teach(
        &self,
        h: Peer,
        (boot, store, look): (u64, u64, u32),
        out: &mut Out<impl Effects<Self>>,
    ) {
        if let Some(learning) = &self.learning {
            return out.send(h, Msg::Blank { boot, store: learning.store, look });
        }
        let read = |cell| out.effects.read(cell);
        let highest = Term(read(HIGHEST).max(read(FLOOR)).unwrap_or(0));
        let others = self.known.iter().filter(|&g| g != h);
        let answers: Vec<_> = if read(record_of(h)) == Some(store) {
            others.map(|g| Some((g, read(record_of(g))?))).collect()
        } else {
            vec![None]
        };
        for founded in answers {
            out.send(h, Msg::Promised { boot, highest, founded });
        }
    }

    /// Handles the answer of a member that knows its promises.
    pub(super) fn taught(
        &mut self,
        g: Peer,
        highest: Term,
        founded: Option<(Peer, u64)>,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let Some(learning) = &mut self.learning else { return };
        learning.heard[g.0 as usize] = HeardRecord::Promised(highest);
        if let Some((member, store)) = founded {
            if member == self.setting.me || !self.known.contains(member) {
                return out.effects.reject("it tells of no other member");
            }
            note(record_of(member), store, out);
        }
        self.learnt(out);
    }

    /// Handles the answer of a member that does not know its promises either.
    pub(super) fn blank(
        &mut self,
        g: Peer,
        store: u64,
        look: u32,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let Some(learning) = &mut self.learning else { return };
        match &mut learning.heard[g.0 as usize] {
            HeardRecord::Blank { store: same, look: last } if *same == store => {
                *last = look.max(*last);
            }
            heard => {
                *heard = HeardRecord::Blank { store, look: 0 };
                learning.look += 1;
                self.learn(out);
            }
        }
        self.learnt(out);
    }

    /// Ends the learning if enough is known. Whatever this member may have promised for a tenure,
    /// every other member of that tenure's majority has promised, too; and at least one of these is
    /// among any `n - majority + 1` other members.
    ///
    /// A member whose record was empty when all were has promised nothing since. It knows that with the number of
    /// any other's record, but waits for the numbers of all: the others may have no one else to tell them.
    fn learnt(&mut self, out: &mut Out<impl Effects<Self>>) {
        let Some(learning) = &self.learning else { return };
        let empty = |g: Peer| match learning.heard[g.0 as usize] {
            HeardRecord::Blank { store, look } if look == learning.look => Some((g, store)),
            _ => None,
        };
        let all_empty: Option<Vec<_>> = self.others().map(empty).collect();
        for (g, store) in all_empty.into_iter().flatten() {
            note(record_of(g), store, out);
        }
        let answered = |g: Peer| matches!(learning.heard[g.0 as usize], HeardRecord::Promised(_));
        let known = |g| out.effects.read(record_of(g)).is_some();
        if !self.known.meets_quorums_of(self.setting.me, answered) && !self.others().all(known) {
            return;
        }
        let highest = learning.heard.iter().filter_map(|heard| match *heard {
            HeardRecord::Promised(highest) => Some(highest),
            HeardRecord::Nothing | HeardRecord::Blank { .. } => None,
        });
        let floor = highest.max().unwrap_or_default();
        out.effects.write(FLOOR, floor.0);
        self.learning = None;
        self.settle_all(out);
        self.pursue_all(out);
    }
}
