//! Tenure: leadership on leases, captured by a majority's grants.
//!
//! After P. Humblet, "Selecting a leader in a clique in O(N log N) messages", *23rd IEEE Conference
//! on Decision and Control*, 1984, and Y. Afek, E. Gafni, *SIAM Journal on Computing* 20(2), 1991
//! (capture, contest); C. Gray, D. Cheriton, "Leases", *SOSP*, 1989; C. Fetzer, F. Cristian, "A highly
//! available local leader election service", *IEEE TSE* 25(5), 1999 (clocks of bounded rates).
//!
//! # Assumes
//! The crash-recovery model ([`tenure_model`]) with its bound of clock rates. A majority
//! of the members is up, and keeps its records, for an office to be filled. Participants send what
//! they should.
//!
//! # Idea
//! A captured node changes its owner only when that has yielded, so a majority is exclusive; an owner
//! that may be dead yields in advance, by holding what it owns on a lease. Between two participants
//! there is one lease, whatever the number of offices: the holder counts on it for a time from the
//! *sending* of a renewal, the granter owes it for longer from its receipt, and a grant counts only
//! in the epoch of the lease in which it was made. On top of the leases, without any time, a member
//! grants an office to one candidate, at a term greater than all that it has promised on disk;
//! others wait in a queue at the granter, and a lesser candidate yields to a greater one, but a
//! leader never yields. So two candidates cost a round trip, and a leader that died silently costs
//! its lease.
//!
//! # Cost
//! With `n` members, a participant that stands sends `n-1` renewals per heartbeat and gets `n-1`
//! acknowledgements, for any number of offices; one that does not stand sends none. An uncontested
//! election of a member is `n-1` requests, grants and leads each, and a sync per granter; a resignation
//! is `n-1` releases and answers. Each granter tells each waiting claim once that there is a leader,
//! which the claimant acknowledges. Nothing else is sent while an office is held and all have answered.
//!
//! # Deviations
//! From the design of the two layers (leases, offices) as first sketched:
//! - *A running tenure is granted whatever has been promised.* A leader that has lost a member's
//!   grant, since that member restarted, gets it again, although a candidate that failed has made
//!   the member promise a greater term: the leader's term has begun, and no tenure came after it
//!   while it leads. Otherwise every candidate that fails would cost the leader a granter.
//! - *A yield is the next attempt's request.* A candidate that yields asks again at once, and grants
//!   of an earlier attempt do not count; so it can be granted later, in the same term.
//! - *Releases are acknowledged*, grants are repeated until the holder says that it leads, requests
//!   until they wait or are granted: a lost message costs a heartbeat, and nothing is sent at rest.
//! - *One floor for all offices*: a member without a record learns the greatest term of any office
//!   and goes below it in no office. `n` minus a majority plus one others are enough, which for
//!   even `n` are fewer than a majority: two members recover from each other.
//! - *It learns after its quarantine*: until then a grant from before its record was lost can begin a
//!   tenure, also with the vote of a member that promises the term when it has been asked already
//!   (looking for a proof found this).
//! - *Two looks where all records are empty*, which show that all were empty at one instant; and
//!   founders know which records those were, so that the first does not lock the others out. They tell
//!   it to each owner of such a record before it grants, so that each survivor can tell the rest.
//! - *The vote waits for the greatest claim.* A claim whose term is not greater than the promise is
//!   refused, and meanwhile the granter grants no lesser one: otherwise candidates can overtake each
//!   other's terms without end, each by voting for itself (a random walk found this).
//! - *Followers.* A candidate that is told of a leader gives back the votes of all members but
//!   those that told it, and asks the others with the lowest rank, which is never granted, until no
//!   member that it counts on tells of a leader. Otherwise a candidate that failed could keep a
//!   vote that the leader needs when its majority changes: it would lose an office that it could
//!   have kept (simulated faults found this: one run in a thousand).
//! - *A holder says when a lease is over.* It may reach a member that it does not hear. Then its
//!   renewals would keep that member's grants without end, even grants that the holder gave up
//!   while older requests were under way. So a renewal names an epoch whose grants no longer count,
//!   and the member forgets that epoch at once; it does so later if the vote belongs to a leader,
//!   who may miss acknowledgements for a moment, or protects work that may not have ended (one
//!   simulated run in some 50,000 found this, and then exploration with links that are cut one way,
//!   after four steps).
//! - *A tenure does not begin on a vote whose granter is silent*: it would end when that lease does.
//! - *Named by a transfer* is a rank: it beats priorities, and is beaten by a leader.
//! - *Work that stops late*: leases are owed for the stop time longer, and a process that comes up
//!   again waits as long before it renews, since its renewal frees what the old one held.
//!
//! # Invariants
//! Over the states of all processes that are up and not late, each a function of [`INVARIANTS`]:
//! - *exclusive*: at most one process leads an office ([`exclusive`]).
//! - *backed*: the granter of a vote that is counted holds it, or has come up since and is in
//!   quarantine ([`backed`]). Two majorities have a member in common, so *exclusive* follows.
//! - *leased*: a peer that has a grant or waits for one has a lease ([`leased`]).
//! - *own*: a claim has a term of its own peer ([`own`]), so that no two share one.
//! - *ever newer*: when a tenure begins, its majority has promised its term, and no greater one; so
//!   it is greater than those that a majority had promised before. An engine compares terms.
//!
//! All are proved for any number of participants, as long as the last record is not lost, of the relation in
//! [`RELATION`]: that the code is one of its systems is explored (`docs/reference/proved.md`).

mod candidate;
mod facts;
mod granter;
mod members;
mod message;

pub(crate) use candidate::term_after;
pub use facts::{PROOF, RELATION, RelationProof};
pub use granter::{FLOOR, HIGHEST, boot_of, promise, record_of};
pub use message::{Case, Msg, Rank, With};

use crate::electorate::{Electorate, Members};
use alloc::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    vec::Vec,
};
use candidate::{AskedVote, Bid, BidPhase, HeldLease, HeldLeases, VoteAnswer};
use core::{
    hash::{Hash, Hasher},
    ops::Deref,
};
use granter::{Claim, Learning, OwedLeases, Vote};
use tenure_model::{
    Command, Effects, Office, OfficeTenure, Peer, Recoverable, Series, Setting, Start, Term,
};

/// The alarms of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Alarm {
    /// The next heartbeat.
    Beat,
    /// The renewal of this number no longer counts from here on.
    Renewal(u64),
    /// The lease of this peer is no longer owed.
    Owed(Peer),
    /// Leases from before the crash are no longer owed.
    Quarantine,
    /// The work in a tenure that was lost has ended.
    Stop(Office),
}

impl Alarm {
    /// Returns whether the proof needs that one alarm, which was set earlier, rings before another:
    /// the renewals of one process, each renewal before the lease that is owed for it, and before
    /// the end of a quarantine. A checker may let all others ring in any order.
    #[must_use]
    pub fn is_ordered((one, earlier): (Peer, Self), (other, later): (Peer, Self)) -> bool {
        match (earlier, later) {
            (Self::Renewal(_), Self::Renewal(_)) => one == other,
            (Self::Renewal(_), Self::Owed(h)) => one == h,
            (Self::Renewal(_) | Self::Stop(_), Self::Quarantine) => true,
            _ => false,
        }
    }
}

/// A process of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tenure {
    setting: Setting,
    /// Whose grants it counts.
    counting: Electorate,
    /// Who has a vote, as far as it knows; another electorate only while members change.
    known: Electorate,
    /// A term that is not smaller than those of leaders who did not need a majority of the members.
    floor: Term,
    boot: u64,
    /// Whether the alarm of the next heartbeat is set, as it is while a member has to be told
    /// something.
    beating: bool,
    held: HeldLeases,
    owed: OwedLeases,
    quarantined: bool,
    learning: Option<Learning>,
    votes: OfficeTable<Vote>,
    bids: OfficeTable<Bid>,
    /// The greatest term of the claims that no longer exist: no term is used twice.
    spent: Term,
}

/// The effects of a reaction; messages of a process to itself arrive at the end of the reaction.
struct Out<'a, E> {
    effects: &'a mut E,
    me: Peer,
    to_me: Vec<Msg>,
}

impl<E: Effects<Tenure>> Out<'_, E> {
    fn send(&mut self, to: Peer, msg: Msg) {
        if to == self.me {
            self.to_me.push(msg);
        } else {
            self.effects.send(to, msg);
        }
    }
}

impl Tenure {
    /// Returns whether this process is a member that cannot grant yet because it has no record, and
    /// too few of the others have told it theirs.
    #[must_use]
    pub fn learning(&self) -> bool {
        self.learning.is_some()
    }

    /// Returns whether this process is a member that came up so recently that it may owe leases of
    /// which it does not know.
    #[must_use]
    pub fn quarantined(&self) -> bool {
        self.quarantined
    }

    /// Returns all tenures of this process, by office, ascending.
    pub fn tenures(&self) -> impl Iterator<Item = (Office, OfficeTenure<Alarm>)> {
        let newest = self.newest();
        let tenure = move |(&office, bid)| Some((office, self.tenure_of(bid, &newest)?));
        self.bids.iter().filter_map(tenure)
    }

    /// Returns the alarm until which this process counts on what `g` has granted to it: its lease there;
    /// `None` if it has none, or if `g` is this process itself or grants nothing.
    #[must_use]
    pub fn counted_until(&self, g: Peer) -> Option<Alarm> {
        let lease = self.held.at.get(g.0 as usize)?;
        (lease.number > self.held.rung).then_some(Alarm::Renewal(lease.number))
    }

    /// Returns the alarm until which this member keeps its grants to `h`, whether it hears `h` or not: the end of the
    /// lease that it owes. `None` if it owes none, or none that it knows of.
    #[must_use]
    pub fn kept_until(&self, h: Peer) -> Option<Alarm> {
        self.owed.to.iter().any(|&(peer, _)| peer == h).then_some(Alarm::Owed(h))
    }

    /// Returns whether `h` claims the office at this member: it has the vote, or waits for it.
    #[must_use]
    pub fn is_claimed_by(&self, h: Peer, office: Office) -> bool {
        let vote = self.votes.get(&office).into_iter();
        vote.flat_map(|vote| vote.grant.iter().chain(&vote.waiting)).any(|claim| claim.peer == h)
    }

    /// Returns the claims at this member that have a vote, or wait for one.
    fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.votes.values().flat_map(|vote| vote.grant.iter().chain(&vote.waiting))
    }

    /// Handles the report of another process on the host of `h` that `h` has crashed, and that the
    /// work of its tenure of this term has ended: has the effect of a [`Msg::Release`] of `h`.
    pub fn ended(&mut self, h: Peer, office: Office, term: Term, effects: &mut impl Effects<Self>) {
        if let Some(epoch) = self.epoch_of(h).filter(|_| h != self.setting.me) {
            self.receive(h, Msg::Release(Case { office, term, epoch }, None), effects);
        }
    }

    /// Has the next heartbeat look at every office, and not only where something may have changed. For
    /// tests: it finds nothing more to repeat.
    #[doc(hidden)]
    pub fn look_everywhere(&mut self) {
        _ = (self.votes.values_mut(), self.bids.values_mut());
    }

    /// Runs a reaction, and then all that it causes in this process.
    fn react<E: Effects<Self>>(
        &mut self,
        effects: &mut E,
        reaction: impl FnOnce(&mut Self, &mut Out<'_, E>),
    ) {
        let mut out = Out { effects, me: self.setting.me, to_me: Vec::new() };
        reaction(self, &mut out);
        let mut next = 0;
        while let Some(&msg) = out.to_me.get(next) {
            next += 1;
            self.deliver(out.me, msg, &mut out);
        }
    }

    /// Renews the leases, and repeats every message that has not been answered.
    fn beat(&mut self, out: &mut Out<impl Effects<Self>>) {
        self.beating = false;
        if !self.bids.is_empty() {
            self.renew(out);
        }
        self.ask_again(out);
        self.learn(out);
        if self.tell_again(out) || !self.bids.is_empty() {
            self.beat_later(out);
        }
    }

    fn beat_later(&mut self, out: &mut Out<impl Effects<Self>>) {
        if !self.beating {
            self.beating = true;
            out.effects.set_alarm(Alarm::Beat, self.setting.heartbeat);
        }
    }

    fn deliver(&mut self, from: Peer, msg: Msg, out: &mut Out<impl Effects<Self>>) {
        let member = |peer: Peer| self.is_asked(peer);
        let granter = if msg.is_to_granter() { self.setting.me } else { from };
        if !member(granter) {
            return out.effects.reject("a client grants nothing");
        }
        // What belongs to another epoch of a lease, or to another boot, means nothing any more.
        let current = match msg {
            Msg::Renew { .. } => true,
            Msg::Learn { .. } => member(from),
            Msg::Request(case, ..) | Msg::Lead(case) | Msg::Release(case, _) => {
                self.epoch_of(from) == Some(case.epoch)
            }
            Msg::Grant(case, ..)
            | Msg::Busy(case, ..)
            | Msg::Refuse(case, _)
            | Msg::Contest(case, _)
            | Msg::Released(case) => self.epoch_at(from) == Some(case.epoch),
            Msg::Ack { boot, .. } | Msg::Promised { boot, .. } | Msg::Blank { boot, .. } => {
                boot == self.boot
            }
        };
        match msg {
            _ if !current => {}
            Msg::Renew { boot, number, over } => self.renewed(from, (boot, number, over), out),
            Msg::Ack { number, epoch, able, .. } => {
                self.acknowledged(from, (number, epoch, able), out);
            }
            Msg::Request(case, ..) if message::candidate_of(case.term) != from => {
                out.effects.reject("it claims a term of another peer");
            }
            Msg::Request(case, rank, attempt, told) => {
                self.request(case, Claim { peer: from, term: case.term, attempt, rank, told }, out);
            }
            Msg::Lead(case) => self.leads(from, case, out),
            Msg::Release(case, next) => self.release(from, case, next, out),
            Msg::Grant(case, attempt, named) => self.granted(from, case, (attempt, named), out),
            Msg::Busy(case, attempt, with) => self.waits(from, case, (attempt, with), out),
            Msg::Refuse(case, promised) => self.refused(from, case, promised, out),
            Msg::Contest(case, attempt) => self.contested(from, case, attempt, out),
            Msg::Released(case) => self.released(from, case, out),
            Msg::Learn { boot, store, look } => self.teach(from, (boot, store, look), out),
            Msg::Promised { highest, founded, .. } => self.taught(from, highest, founded, out),
            Msg::Blank { store, look, .. } => self.blank(from, store, look, out),
        }
    }
}

impl Recoverable for Tenure {
    type Msg = Msg;
    type Alarm = Alarm;

    fn start(setting: Setting, start: Start, effects: &mut impl Effects<Self>) -> Self {
        let members = Electorate::all(Members::Below(setting.members));
        Self::start_among((members, Term(0)), setting, start, effects)
    }

    fn receive(&mut self, from: Peer, msg: Msg, effects: &mut impl Effects<Self>) {
        if from == self.setting.me {
            return effects.reject("it comes from this process itself");
        }
        self.react(effects, |tenure, out| tenure.deliver(from, msg, out));
    }

    fn ring(&mut self, alarm: Alarm, effects: &mut impl Effects<Self>) {
        self.react(effects, |tenure, out| match alarm {
            Alarm::Beat => tenure.beat(out),
            Alarm::Renewal(number) => tenure.expired(number, out),
            Alarm::Owed(h) => tenure.lapse(h, out),
            Alarm::Quarantine => {
                tenure.quarantined = false;
                tenure.settle_all(out);
                tenure.pursue_all(out);
                granter::note(granter::OWED, tenure.owed_for().into(), out);
                tenure.learn(out);
            }
            Alarm::Stop(office) => {
                if let Some(term) = tenure.bids.get(&office).map(|bid| bid.term) {
                    tenure.stopped(office, term, out);
                }
            }
        });
    }

    fn command(&mut self, command: Command, effects: &mut impl Effects<Self>) {
        self.react(effects, |tenure, out| match command {
            Command::Stand { office, priority } => tenure.stand(office, priority, out),
            Command::Resign { office } => {
                if let Some(bid) = tenure.bids.get_mut(&office) {
                    bid.priority = None;
                    tenure.leave(office, None, out);
                }
            }
            Command::Transfer { office, to } => match tenure.bids.get_mut(&office) {
                Some(Bid { phase: BidPhase::Stopping { next, .. }, .. }) => *next = Some(to),
                Some(bid) if bid.phase == BidPhase::Leader => tenure.leave(office, Some(to), out),
                _ => out.effects.reject("it does not lead the office"),
            },
            Command::Stopped { office, term } => tenure.stopped(office, term, out),
            Command::Reconfigure { .. } => out.effects.reject("its members do not change"),
        });
    }

    fn tenure(&self, office: Office) -> Option<OfficeTenure<Alarm>> {
        self.bids.get(&office).and_then(|bid| self.tenure_of(bid, &self.newest()))
    }

    fn leader(&self, office: Office) -> Option<(Peer, Term)> {
        let me = self.setting.me;
        if let Some(tenure) = self.tenure(office) {
            return Some((me, tenure.term));
        }
        let voted = self.votes.get(&office).and_then(|vote| vote.with().term());
        let told = self.bids.get(&office).and_then(|bid| bid.following);
        let term = voted.max(told)?;
        let leader = message::candidate_of(term);
        (leader != me).then_some((leader, term))
    }

    fn greatest_claim(&self) -> Term {
        self.bids.values().map(|bid| bid.term).max().unwrap_or_default()
    }

    fn ignores(&self, from: Peer, msg: &Msg) -> bool {
        match *msg {
            // An epoch that is over does not come again, nor does an earlier boot. There are epochs
            // that this process has not heard of yet.
            Msg::Request(case, ..) | Msg::Lead(case) | Msg::Release(case, _) => {
                self.epoch_of(from) != Some(case.epoch)
            }
            Msg::Grant(case, ..)
            | Msg::Busy(case, ..)
            | Msg::Refuse(case, _)
            | Msg::Contest(case, _)
            | Msg::Released(case) => self.is_over(from, case.epoch),
            Msg::Ack { boot, number, epoch, .. } => {
                boot < self.boot || self.is_past(from, number, epoch)
            }
            Msg::Promised { boot, .. } | Msg::Blank { boot, .. } => {
                boot < self.boot || self.learning.is_none()
            }
            Msg::Renew { .. } | Msg::Learn { .. } => false,
        }
    }

    fn serials(&mut self, visit: &mut impl FnMut(Series, &mut u64)) {
        self.serials_of_held(visit);
        self.serials_of_owed(visit);
    }

    fn serials_of_message(
        from: Peer,
        to: Peer,
        msg: &mut Msg,
        visit: &mut impl FnMut(Series, &mut u64),
    ) {
        msg.serials(from, to, visit);
    }

    fn serials_of_alarm(at: Peer, alarm: &mut Alarm, visit: &mut impl FnMut(Series, &mut u64)) {
        if let Alarm::Renewal(number) = alarm {
            visit(message::renewals(at), number);
        }
    }
}

/// Entries by office. An office is noted whenever its entry can be changed, until a heartbeat finds that the
/// entry is settled: so a heartbeat at rest looks at no entry, however many there are.
///
/// Which offices are noted is no part of the state. An entry is noted while it is unsettled, and who asks
/// for those that are noted looks at each; so nothing depends on what else is noted.
#[derive(Clone, Debug)]
pub(super) struct OfficeTable<T> {
    entries: BTreeMap<Office, T>,
    noted: BTreeSet<Office>,
}

impl<T> OfficeTable<T> {
    pub(super) const fn new() -> Self {
        Self { entries: BTreeMap::new(), noted: BTreeSet::new() }
    }

    pub(super) fn entry(&mut self, office: Office) -> Entry<'_, Office, T> {
        self.noted.insert(office);
        self.entries.entry(office)
    }

    pub(super) fn get_mut(&mut self, office: &Office) -> Option<&mut T> {
        let entry = self.entries.get_mut(office)?;
        self.noted.insert(*office);
        Some(entry)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.noted.extend(self.entries.keys());
        self.entries.values_mut()
    }

    pub(super) fn remove(&mut self, office: &Office) {
        self.noted.remove(office);
        self.entries.remove(office);
    }

    /// Returns the offices, ascending, whose entries are unsettled; the others are noted no longer. A table
    /// is always asked by the same rule.
    pub(super) fn unsettled(&mut self, unsettled: impl Fn(Office, &T) -> bool) -> Vec<Office> {
        let entries = &self.entries;
        self.noted.retain(|office| entries.get(office).is_some_and(|it| unsettled(*office, it)));
        self.noted.iter().copied().collect()
    }

    pub(super) fn noted(&self) -> impl Iterator<Item = &T> {
        self.noted.iter().filter_map(|office| self.entries.get(office))
    }
}

impl<T> Deref for OfficeTable<T> {
    type Target = BTreeMap<Office, T>;

    fn deref(&self) -> &Self::Target {
        &self.entries
    }
}

impl<T: PartialEq> PartialEq for OfficeTable<T> {
    fn eq(&self, other: &Self) -> bool {
        self.entries == other.entries
    }
}

impl<T: Eq> Eq for OfficeTable<T> {}

impl<T: Hash> Hash for OfficeTable<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.entries.hash(state);
    }
}

/// A check of all states, with its name. It returns a description of the violation.
pub type Invariant = (&'static str, fn(&[&Tenure]) -> Result<(), &'static str>);

/// The invariants, by name.
pub const INVARIANTS: &[Invariant] =
    &[("exclusive", exclusive), ("backed", backed), ("leased", leased), ("own", own)];

/// Checks that no two processes lead one office.
///
/// # Errors
/// If two do.
pub fn exclusive(up: &[&Tenure]) -> Result<(), &'static str> {
    let leads = |office: &Office, process: &Tenure| process.tenure(*office).is_some();
    for (i, first) in up.iter().enumerate() {
        for office in first.bids.keys().filter(|office| leads(office, first)) {
            if up[i + 1..].iter().any(|second| leads(office, second)) {
                return Err("two processes lead one office");
            }
        }
    }
    Ok(())
}

/// Checks that a vote that is counted is held: the granter, if it is up, has granted the office to
/// the term that counts it, or it has come up since and grants nothing yet.
///
/// # Errors
/// If a counted vote is not held.
pub fn backed(up: &[&Tenure]) -> Result<(), &'static str> {
    for h in up {
        for (office, bid) in h.bids.iter().filter(|(_, bid)| bid.phase != BidPhase::Idle) {
            for g in up.iter().filter(|g| h.is_asked(g.setting.me) && g.is_member()) {
                let me = g.setting.me;
                if bid.at[me.0 as usize].answer != VoteAnswer::Granted || !h.counts_on(me) {
                    continue;
                }
                if h.epoch_at(me) != g.epoch_of(h.setting.me) {
                    if g.quarantined {
                        continue;
                    }
                    return Err("a vote is counted after its lease was over");
                }
                let grant = g.votes.get(office).and_then(|vote| vote.grant);
                if grant.map(|grant| (grant.peer, grant.term)) != Some((h.setting.me, bid.term)) {
                    return Err("a vote is counted that is no longer granted");
                }
            }
        }
    }
    Ok(())
}

/// Checks that a peer that has a grant, or waits for one, has a lease.
///
/// # Errors
/// If a claim outlives its lease.
pub fn leased(up: &[&Tenure]) -> Result<(), &'static str> {
    for g in up {
        if g.claims().any(|claim| g.epoch_of(claim.peer).is_none()) {
            return Err("a claim has outlived its lease");
        }
    }
    Ok(())
}

/// Checks that a term belongs to the peer that claims it.
///
/// # Errors
/// If a claim has a term of another peer.
pub fn own(up: &[&Tenure]) -> Result<(), &'static str> {
    for g in up {
        if g.claims().any(|claim| message::candidate_of(claim.term) != claim.peer) {
            return Err("a claim has the term of another peer");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_changed_is_looked_at_until_it_is_settled() {
        let offices = |numbers: &[u64]| numbers.iter().copied().map(Office).collect::<Vec<_>>();
        let unsettled = |_, &entry: &bool| entry;
        let mut table = OfficeTable::new();
        for office in 0..1000 {
            table.entry(Office(office)).or_insert(false);
        }
        assert_eq!(table.unsettled(unsettled), []);
        assert_eq!(table.unsettled(|_, _| panic!("it looks where nothing has changed")), []);
        for office in offices(&[7, 3, 5]) {
            *table.get_mut(&office).unwrap() = true;
        }
        assert_eq!(table.noted().filter(|entry| **entry).count(), 3);
        assert_eq!(table.unsettled(unsettled), offices(&[3, 5, 7]));
        assert_eq!(table.noted().count(), 3);
        table.remove(&Office(5));
        assert_eq!(table.unsettled(unsettled), offices(&[3, 7]));
        table.values_mut().for_each(|entry| *entry = !*entry);
        assert_eq!(table.unsettled(unsettled).len(), 997);
    }
}
