//! The candidate and the leader: leases that it holds at the members, and claims to offices.
//!
//! # Why in this order
//! Changes of these lines have broken promises that only exploration or walks noticed; each is a scenario in
//! `scenarios/`.
//! - *Leases first.* A claim counts a vote only while the lease at its granter lasts, so a renewal, an
//!   acknowledgement and an alarm change the lease, then reset what was asked there ([`Tenure::asked_nothing`]),
//!   and only then pursue the claims: a grant of an older epoch must be gone before votes are counted.
//! - *A renewal's alarm is set before the renewal leaves*, and the lease counts from there.
//! - *Followed before pursued.* [`Tenure::follow`] comes first in [`Tenure::pursue`]: the rank with which a claim
//!   asks depends on whether it has been told of a leader.
//! - *Attempts before requests.* What changes a rank, and what contradicts an earlier answer, is another attempt
//!   *before* anything is asked, so that a late answer is not taken for one to the new request.
//! - *Lost, stopped, released.* A leader that has lost the office releases nothing before its work has ended.
//! - *A term is spent before its claim is removed*, or it would be claimed twice.

use super::{
    Alarm, Msg, Out, Tenure,
    message::{Case, Rank, With, epochs, renewals},
};
use crate::electorate::{Electorate, Members};
use alloc::vec::Vec;
use tenure_model::{Effects, Office, OfficeTenure, Peer, Series, Term};

/// The leases that this process holds at the members.
///
/// The alarm of each renewal is set when it is sent. Those after `rung`, up to `sent`, are pending.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct HeldLeases {
    pub(super) sent: u64,
    pub(super) rung: u64,
    /// The lease at each member, by number; the one of this process itself is not used.
    pub(super) at: Vec<HeldLease>,
}

/// The lease at one member: the renewal that it acknowledged last; 0 if none, or if the member has
/// been told that this epoch is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct HeldLease {
    pub(super) number: u64,
    pub(super) epoch: u64,
    pub(super) able: bool,
    /// The number of renewals that had been sent after that one when its acknowledgement came.
    pub(super) after: u64,
    /// The number of renewals that have been sent since the lease was over.
    pub(super) silent: u32,
    /// Whether votes of this member count by the electorate that this process was told, and not by the one by which it
    /// counts still.
    pub(super) apart: bool,
}

impl HeldLeases {
    pub(super) fn lasts(&self, g: Peer) -> bool {
        self.at[g.0 as usize].number > self.rung
    }
}

/// A claim of this process to an office.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Bid {
    /// The priority with which it stands for the office, if it does.
    pub(super) priority: Option<u32>,
    /// The term of the last campaign.
    pub(super) term: Term,
    /// Whether the last leader has named it.
    named: bool,
    pub(super) phase: BidPhase,
    /// The state of the claim at each member, by number.
    pub(super) at: Vec<AskedVote>,
    /// The term of the leader that has the votes of members, as far as the members that this
    /// process counts on have told.
    pub(super) following: Option<Term>,
    /// The greatest term of a leader that it was told of.
    led: Term,
}

/// The phase of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum BidPhase {
    /// No member holds anything for this process.
    Idle,
    /// It asks for votes.
    Candidate,
    /// It has had a majority, and still has one.
    Leader,
    /// It leads while the application ends its work, at most until the alarm of this renewal.
    Stopping { until: Option<u64>, next: Option<Peer> },
    /// It no longer leads, and the application's work may not have ended.
    Lost,
    /// It wants the members to hold nothing for it, and this peer to lead next.
    Releasing { next: Option<Peer> },
}

/// The state of a claim at one member, as far as this process knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct AskedVote {
    pub(super) answer: VoteAnswer,
    /// The number of times that this process has yielded there, in this term. A grant to an earlier
    /// attempt is not counted.
    pub(super) attempt: u32,
    /// The state of the member's vote, as it was last told.
    pub(super) with: With,
}

/// The last answer of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum VoteAnswer {
    /// None: it is asked again at each heartbeat.
    #[default]
    Open,
    /// The claim waits.
    Waits,
    /// The claim is granted.
    Granted,
    /// The member holds nothing.
    Released,
}

impl Bid {
    /// Returns the rank with which it asks this member. If another process leads, as members have
    /// told, it wants no votes but theirs, once they are free: the others are for the leader.
    fn rank(&self, asked: AskedVote) -> Rank {
        match (self.phase, self.named) {
            (BidPhase::Candidate, true) => Rank::Named,
            (BidPhase::Candidate, false)
                if self.following.is_some() && asked.with.term().is_none() =>
            {
                Rank::Follower
            }
            (BidPhase::Candidate, false) => Rank::Candidate(self.priority.unwrap_or(0)),
            _ => Rank::Leader,
        }
    }

    const fn ending(&self) -> Option<u64> {
        if let BidPhase::Stopping { until, .. } = self.phase { until } else { None }
    }

    pub(super) fn holds(&self) -> bool {
        !matches!(self.phase, BidPhase::Idle | BidPhase::Releasing { .. })
    }
}

/// Returns the least term of `me` that is greater than `term`, which no other participant has;
/// `None` if the terms are used up.
pub(crate) fn term_after(term: Term, me: Peer) -> Option<Term> {
    let (counter, peer) = (term.0 >> 32, term.0 & u64::from(u32::MAX));
    let counter = if u64::from(me.0) > peer { counter } else { counter + 1 };
    (counter <= u64::from(u32::MAX)).then_some(Term(counter << 32 | u64::from(me.0)))
}

/// The leases that this process holds.
impl Tenure {
    /// Returns the epoch in which this process last had a lease at `g`, unless it has told `g` that it
    /// is over.
    pub(super) fn epoch_at(&self, g: Peer) -> Option<u64> {
        match self.held.at[g.0 as usize] {
            _ if g == self.setting.me => Some(0),
            HeldLease { number: 0, .. } => None,
            HeldLease { epoch, .. } => Some(epoch),
        }
    }

    pub(super) fn counts_on(&self, g: Peer) -> bool {
        g == self.setting.me || self.held.lasts(g)
    }

    /// Returns whether `g` still acknowledges: at most two renewals have been sent since its last
    /// acknowledgement came.
    ///
    /// Each renewal that counts has a pending alarm, so that the differences are the same however
    /// serial numbers are renamed.
    pub(super) fn hears_of(&self, g: Peer) -> bool {
        let lease = self.held.at[g.0 as usize];
        g == self.setting.me
            || self.held.lasts(g) && self.held.sent - lease.number <= lease.after + 2
    }

    pub(super) fn connected(&self) -> bool {
        let able = |g: Peer| match g == self.setting.me {
            true => self.able(),
            false => self.held.lasts(g) && self.held.at[g.0 as usize].able && !self.is_apart(g),
        };
        self.counting.is_quorum(able)
    }

    /// Returns the number of the renewal until whose alarm a tenure lasts that all members have granted;
    /// the greatest number if the vote of this process is enough. No tenure lasts for longer: as long as
    /// this has not grown, no tenure has been prolonged.
    #[must_use]
    pub fn horizon(&self) -> u64 {
        self.lasts_with(|_| true, &self.newest()).unwrap_or(u64::MAX)
    }

    pub(super) fn newest(&self) -> Vec<(u64, Peer)> {
        let last = |g: Peer| (self.held.at[g.0 as usize].number, g);
        let mut renewals: Vec<_> = self.others().map(last).collect();
        renewals.sort_unstable_by(|a, b| b.cmp(a));
        renewals
    }

    /// Sends a renewal to every member. Its alarm counts from here, not from the acknowledgement.
    ///
    /// Where a lease is over whose votes this process does not need, the renewal says so, and they are
    /// free at once: it may reach the member and not hear it.
    pub(super) fn renew(&mut self, out: &mut Out<impl Effects<Self>>) {
        self.held.sent += 1;
        let number = self.held.sent;
        out.effects.set_alarm(Alarm::Renewal(number), self.setting.lease);
        let mut ended = false;
        for g in self.others() {
            let mut lease = self.held.at[g.0 as usize];
            if lease.number > 0 && !self.held.lasts(g) {
                lease.silent += 1;
                if !self.needs(g, lease.silent) {
                    lease = HeldLease { epoch: lease.epoch, ..HeldLease::default() };
                    self.asked_nothing(g);
                    ended = true;
                }
                self.held.at[g.0 as usize] = lease;
            }
            let over = if lease.number == 0 { lease.epoch } else { 0 };
            out.send(g, Msg::Renew { boot: self.boot, number, over });
        }
        if ended {
            self.pursue_all(out);
        }
    }

    /// Returns whether this process still needs a vote of `g`, `silent` renewals after its lease there
    /// ran out: one that protects work which may not have ended, or, for the length of a lease, one that a
    /// leader has, since acknowledgements may have been lost for a moment only.
    fn needs(&self, g: Peer, silent: u32) -> bool {
        let moment = self.setting.lease / self.setting.heartbeat.max(1);
        let needs = |bid: &Bid| match bid.phase {
            BidPhase::Lost => true,
            BidPhase::Leader | BidPhase::Stopping { .. } => silent <= moment,
            BidPhase::Idle | BidPhase::Candidate | BidPhase::Releasing { .. } => false,
        };
        let granted = |bid: &Bid| bid.at[g.0 as usize].answer == VoteAnswer::Granted;
        self.bids.values().any(|bid| granted(bid) && needs(bid))
    }

    pub(super) fn is_past(&self, g: Peer, number: u64, epoch: u64) -> bool {
        let lease = self.held.at[g.0 as usize];
        number <= self.held.rung
            || epoch == lease.epoch && number < lease.number
            || self.is_over(g, epoch)
    }

    pub(super) fn is_over(&self, g: Peer, epoch: u64) -> bool {
        let lease = self.held.at[g.0 as usize];
        epoch < lease.epoch || epoch == lease.epoch && lease.number == 0
    }

    /// Handles the acknowledgement of a renewal.
    pub(super) fn acknowledged(
        &mut self,
        g: Peer,
        (number, epoch, able): (u64, u64, bool),
        out: &mut Out<impl Effects<Self>>,
    ) {
        if number > self.held.sent {
            return out.effects.reject("acknowledges a renewal that was never sent");
        }
        let lease = self.held.at[g.0 as usize];
        if self.is_past(g, number, epoch) {
            return;
        }
        let anew = epoch != lease.epoch;
        let was = (self.held.lasts(g), self.hears_of(g), self.held.at[g.0 as usize].able);
        // An acknowledgement of an older epoch counts for nothing in this one, however new it was.
        let after = self.held.sent - number;
        let apart = !anew && lease.apart;
        self.held.at[g.0 as usize] = HeldLease { number, epoch, able, after, silent: 0, apart };
        if anew {
            self.asked_nothing(g);
        }
        self.trim(out);
        if anew || was != (true, self.hears_of(g), able) {
            self.pursue_all(out);
        }
    }

    /// Cancels the alarms of renewals after which all members have acknowledged others.
    fn trim(&mut self, out: &mut Out<impl Effects<Self>>) {
        let newer = self.others().map(|g| self.held.at[g.0 as usize].number).min();
        let newer = newer.unwrap_or(0);
        if newer <= self.held.rung + 1 {
            return; // As most of the time: no tenure is looked at.
        }
        let newer = newer.min(self.ending().unwrap_or(u64::MAX));
        while self.held.rung + 1 < newer {
            self.held.rung += 1;
            out.effects.cancel_alarm(Alarm::Renewal(self.held.rung));
        }
    }

    /// Handles the alarm of a renewal: members that have acknowledged no later one are no longer
    /// counted on.
    pub(super) fn expired(&mut self, number: u64, out: &mut Out<impl Effects<Self>>) {
        let last = |lease: &HeldLease| lease.number > self.held.rung && lease.number <= number;
        let lost = self.held.at.iter().any(last) || self.ending().is_some_and(|k| k <= number);
        self.held.rung = self.held.rung.max(number);
        if lost {
            self.pursue_all(out);
        }
    }

    /// Visits the serial numbers of the leases that this process holds: those of renewals by their sender,
    /// those of epochs by the granter.
    pub(super) fn serials_of_held(&mut self, visit: &mut impl FnMut(Series, &mut u64)) {
        let me = self.setting.me;
        visit(renewals(me), &mut self.held.sent);
        visit(renewals(me), &mut self.held.rung);
        for (g, lease) in (0..).map(Peer).zip(&mut self.held.at) {
            visit(renewals(me), &mut lease.number);
            visit(epochs(g), &mut lease.epoch);
        }
        for bid in self.bids.values_mut() {
            if let BidPhase::Stopping { until: Some(number), .. } = &mut bid.phase {
                visit(renewals(me), number);
            }
        }
    }
}

/// Its claims.
impl Tenure {
    /// Stands for an office, or changes the priority with which it does.
    pub(super) fn stand(
        &mut self,
        office: Office,
        priority: u32,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let at = alloc::vec![AskedVote::default(); self.held.at.len()];
        let idle = Bid {
            priority: None,
            term: self.spent,
            named: false,
            phase: BidPhase::Idle,
            at,
            following: None,
            led: Term(0),
        };
        self.bids.entry(office).or_insert(idle).priority = Some(priority);
        if !self.beating {
            self.beat(out);
        }
        self.ask_all(office, out); // A candidate has another rank now.
        self.pursue(office, out);
    }

    /// Starts a new attempt at the members that have not granted, and asks those that it counts on,
    /// since its rank has changed. An answer that it waits there with the old rank is for an
    /// earlier attempt.
    pub(super) fn ask_all(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) {
        for g in self.everyone() {
            let Some(bid) = self.bids.get_mut(&office) else { return };
            let asked = &mut bid.at[g.0 as usize];
            if asked.answer != VoteAnswer::Granted {
                (asked.answer, asked.attempt) = (VoteAnswer::Open, asked.attempt + 1);
            }
            self.ask(office, g, out);
        }
    }

    /// Asks one member for its vote, if it has not granted it.
    pub(super) fn ask(&self, office: Office, g: Peer, out: &mut Out<impl Effects<Self>>) {
        let Some(bid) = self.bids.get(&office) else { return };
        let asked = bid.at[g.0 as usize];
        if !matches!(bid.phase, BidPhase::Idle | BidPhase::Lost | BidPhase::Releasing { .. })
            && asked.answer != VoteAnswer::Granted
            && self.counts_on(g)
            && let Some(epoch) = self.epoch_at(g)
        {
            let case = Case { office, term: bid.term, epoch };
            let told = if asked.answer == VoteAnswer::Waits { asked.with } else { With::Unknown };
            out.send(g, Msg::Request(case, bid.rank(asked), asked.attempt, told));
        }
    }

    /// Repeats, at a heartbeat, every request and release that has not been answered.
    pub(super) fn ask_again(&mut self, out: &mut Out<impl Effects<Self>>) {
        let open = |asked: &AskedVote| asked.answer == VoteAnswer::Open;
        let unsettled = |_, bid: &Bid| bid.ending().is_some() || bid.at.iter().any(open);
        for office in self.bids.unsettled(unsettled) {
            let bid = &self.bids[&office];
            for g in self.everyone().filter(|g| open(&bid.at[g.0 as usize])) {
                match bid.phase {
                    BidPhase::Releasing { next } => {
                        self.send_release(office, bid.term, g, next, out);
                    }
                    _ => self.ask(office, g, out),
                }
            }
        }
    }

    fn backed(&self, bid: &Bid, counts: impl Fn(Peer) -> bool) -> bool {
        self.is_backed_by(self.counting, bid, |g| counts(g) && !self.is_apart(g))
    }

    /// Returns whether votes that are counted make a quorum of this electorate.
    pub(super) fn is_backed_by(
        &self,
        electorate: Electorate,
        bid: &Bid,
        counts: impl Fn(Peer) -> bool,
    ) -> bool {
        let granted = |g: Peer| bid.at[g.0 as usize].answer == VoteAnswer::Granted;
        electorate.is_quorum(|g| granted(g) && counts(g))
    }

    /// Returns the renewal whose alarm ends a majority of counted votes, unless there are newer
    /// ones by then; `None` if the vote of this process is enough. `newest` is [`Self::newest`].
    fn lasts_until(&self, bid: &Bid, newest: &[(u64, Peer)]) -> Option<u64> {
        self.lasts_with(|g| bid.at[g.0 as usize].answer == VoteAnswer::Granted, newest)
    }

    fn lasts_with(&self, granted: impl Fn(Peer) -> bool, newest: &[(u64, Peer)]) -> Option<u64> {
        let me = self.setting.me;
        let lasts = |half: Members| {
            let others = half.majority() - usize::from(half.contains(me) && granted(me));
            let counts = |g: Peer| half.contains(g) && granted(g) && !self.is_apart(g);
            let mut renewals = newest.iter().filter(|&&(_, g)| counts(g));
            others.checked_sub(1).map(|last| renewals.nth(last).map_or(0, |&(number, _)| number))
        };
        self.counting.halves().filter_map(lasts).min()
    }

    pub(super) fn ending(&self) -> Option<u64> {
        self.bids.noted().filter_map(Bid::ending).min()
    }

    pub(super) fn tenure_of(
        &self,
        bid: &Bid,
        newest: &[(u64, Peer)],
    ) -> Option<OfficeTenure<Alarm>> {
        let lasts = self.lasts_until(bid, newest);
        let (until, stopping) = match bid.phase {
            BidPhase::Leader => (lasts, false),
            BidPhase::Stopping { until, .. } => (lasts.min(until).or(lasts).or(until), true),
            _ => return None,
        };
        Some(OfficeTenure { term: bid.term, until: until.map(Alarm::Renewal), stopping })
    }

    /// Advances a claim as far as the knowledge of this process allows.
    pub(super) fn pursue(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) {
        self.follow(office, out);
        let Some(bid) = self.bids.get(&office) else { return };
        let backed = self.backed(bid, |g| self.counts_on(g));
        // A tenure does not begin with the vote of a silent member: it would end with that lease.
        let wins = self.backed(bid, |g| self.hears_of(g));
        let (connected, stands) = (self.connected(), bid.priority.is_some());
        match bid.phase {
            BidPhase::Candidate if !stands || !connected => self.let_go(office, None, out),
            BidPhase::Candidate if wins => self.win(office, out),
            BidPhase::Leader if !backed => self.lose(office, out),
            BidPhase::Stopping { until, .. }
                if !backed || until.is_some_and(|number| number <= self.held.rung) =>
            {
                self.lose(office, out);
            }
            BidPhase::Releasing { .. } => {
                let left = |&g: &Peer| bid.at[g.0 as usize].answer != VoteAnswer::Released;
                let left: Vec<Peer> = self.everyone().filter(left).collect();
                if left.is_empty() {
                    self.set_phase(office, BidPhase::Idle, out);
                    self.pursue(office, out);
                } else if stands && connected && !left.iter().any(|&g| self.counts_on(g)) {
                    self.campaign(office, Term(0), out); // Replaces what those still hold.
                }
            }
            BidPhase::Idle if !stands => {
                self.spent = self.spent.max(bid.term);
                self.bids.remove(&office);
            }
            BidPhase::Idle if connected => self.campaign(office, Term(0), out),
            _ => {}
        }
    }

    /// Pursues every claim.
    pub(super) fn pursue_all(&mut self, out: &mut Out<impl Effects<Self>>) {
        for office in self.bids.keys().copied().collect::<Vec<_>>() {
            self.pursue(office, out);
        }
    }

    fn set_phase(&mut self, office: Office, phase: BidPhase, out: &mut Out<impl Effects<Self>>) {
        if let Some(bid) = self.bids.get_mut(&office) {
            bid.phase = phase;
            out.effects.changed(office);
        }
    }

    /// Claims the office again, with a term greater than `promised` and all that it knows of.
    pub(super) fn campaign(
        &mut self,
        office: Office,
        promised: Term,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let promised = promised.max(out.promised(office)).max(self.floor);
        let Some(bid) = self.bids.get_mut(&office) else { return };
        let Some(term) = term_after(promised.max(bid.term), self.setting.me) else {
            return out.effects.reject("the terms of the office are used up");
        };
        bid.term = term;
        for asked in &mut bid.at {
            *asked = AskedVote { with: asked.with, ..AskedVote::default() };
        }
        self.set_phase(office, BidPhase::Candidate, out);
        for g in self.everyone() {
            self.ask(office, g, out);
        }
    }

    fn win(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) {
        self.set_phase(office, BidPhase::Leader, out);
        for g in self.everyone() {
            let Some(bid) = self.bids.get_mut(&office) else { return };
            let (asked, term) = (&mut bid.at[g.0 as usize], bid.term);
            match asked.answer {
                VoteAnswer::Granted => {
                    if let Some(epoch) = self.epoch_at(g) {
                        out.send(g, Msg::Lead(Case { office, term, epoch }));
                    }
                }
                VoteAnswer::Waits => {
                    asked.answer = VoteAnswer::Open;
                    self.ask(office, g, out); // With a leader's rank.
                }
                // Its answer is under way, or it is asked at the next heartbeat.
                VoteAnswer::Open | VoteAnswer::Released => {}
            }
        }
    }

    /// Ends the tenure. The members' grants protect the office until the work has ended.
    fn lose(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) {
        self.set_phase(office, BidPhase::Lost, out);
        match self.setting.stop {
            0 => self.let_go(office, None, out),
            stop => out.effects.set_alarm(Alarm::Stop(office), stop),
        }
    }

    /// Handles the end of the application's work in a term, by its command or because its time is
    /// over.
    pub(super) fn stopped(
        &mut self,
        office: Office,
        term: Term,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let Some(bid) = self.bids.get(&office).filter(|bid| bid.term == term) else { return };
        match bid.phase {
            BidPhase::Stopping { next, .. } => self.let_go(office, next, out),
            BidPhase::Lost => {
                out.effects.cancel_alarm(Alarm::Stop(office));
                self.let_go(office, None, out);
            }
            BidPhase::Leader => {
                out.effects.reject("the tenure goes on: resign or transfer it first");
            }
            _ => {}
        }
    }

    /// Leaves the office as soon as the work has ended, for `next` if that one stands for it.
    pub(super) fn leave(
        &mut self,
        office: Office,
        next: Option<Peer>,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let Some(bid) = self.bids.get(&office) else { return };
        if bid.phase == BidPhase::Leader {
            let until = self.lasts_until(bid, &self.newest());
            self.set_phase(office, BidPhase::Stopping { until, next }, out);
        }
        self.pursue(office, out);
    }

    /// Asks every member to hold nothing for this process any more.
    fn let_go(&mut self, office: Office, next: Option<Peer>, out: &mut Out<impl Effects<Self>>) {
        self.set_phase(office, BidPhase::Releasing { next }, out);
        let Some(bid) = self.bids.get_mut(&office) else { return };
        bid.named = false;
        let term = bid.term;
        for g in self.everyone() {
            let known = self.epoch_at(g).is_some();
            let Some(bid) = self.bids.get_mut(&office) else { return };
            let answer = if known { VoteAnswer::Open } else { VoteAnswer::Released };
            bid.at[g.0 as usize] = AskedVote { answer, ..AskedVote::default() };
            self.send_release(office, term, g, next, out);
        }
        self.pursue(office, out);
    }

    fn send_release(
        &self,
        office: Office,
        term: Term,
        g: Peer,
        next: Option<Peer>,
        out: &mut Out<impl Effects<Self>>,
    ) {
        if let Some(epoch) = self.epoch_at(g) {
            out.send(g, Msg::Release(Case { office, term, epoch }, next));
        }
    }

    /// Resets the claims at `g`, which holds nothing for this process in a new epoch.
    pub(super) fn asked_nothing(&mut self, g: Peer) {
        for bid in self.bids.values_mut() {
            let answer = if bid.holds() { VoteAnswer::Open } else { VoteAnswer::Released };
            bid.at[g.0 as usize] = AskedVote { answer, ..AskedVote::default() };
        }
    }

    /// Handles a grant of `g` to an attempt of the claim.
    pub(super) fn granted(
        &mut self,
        g: Peer,
        case: Case,
        (attempt, named): (u32, bool),
        out: &mut Out<impl Effects<Self>>,
    ) {
        let bid = self.bids.get_mut(&case.office);
        let Some(bid) = bid.filter(|bid| bid.term == case.term && bid.holds()) else {
            return out.send(g, Msg::Release(case, None));
        };
        let asked = &mut bid.at[g.0 as usize];
        if asked.attempt != attempt {
            return; // It has been yielded, and asked for again.
        }
        let known = asked.answer == VoteAnswer::Granted || asked.with.term().is_some();
        (asked.answer, asked.with) = (VoteAnswer::Granted, With::Nobody);
        if bid.phase != BidPhase::Candidate {
            return out.send(g, Msg::Lead(case));
        }
        // The last leader names it to the other members as well: to ask them with this rank would be
        // another attempt, for which their grants do not count.
        bid.named |= named;
        if !known && !bid.named && bid.following.is_some() {
            self.give_back(case.office, g, out);
        }
        self.pursue(case.office, out);
    }

    /// Records that the claim waits at `g`, unless `g` has granted it meanwhile.
    pub(super) fn waits(
        &mut self,
        g: Peer,
        case: Case,
        (attempt, with): (u32, With),
        out: &mut Out<impl Effects<Self>>,
    ) {
        let bid = self.bids.get_mut(&case.office).filter(|bid| bid.term == case.term);
        // A leader asks on: at a member that knows it to lead it does not wait for long.
        let Some(bid) = bid.filter(|bid| bid.phase == BidPhase::Candidate) else { return };
        let asked = &mut bid.at[g.0 as usize];
        if asked.attempt != attempt || asked.answer == VoteAnswer::Granted {
            return;
        }
        let waited = core::mem::replace(&mut asked.answer, VoteAnswer::Waits) == VoteAnswer::Waits;
        if core::mem::replace(&mut asked.with, with) != with && waited {
            // Answers overtake each other: another attempt tells which of the two holds.
            (asked.answer, asked.attempt) = (VoteAnswer::Open, attempt + 1);
        }
        let led = with.term().unwrap_or_default();
        let another = led > bid.led;
        bid.led = bid.led.max(led);
        bid.named &= !another;
        let asked_all = self.follow(case.office, out);
        if !asked_all && (waited || led != Term(0)) {
            self.ask(case.office, g, out); // It says it until it hears that this process knows.
        }
        if another {
            for g in self.everyone() {
                self.give_back(case.office, g, out);
            }
        }
    }

    /// Handles a refusal: `g` has promised a term that is not smaller, so a candidate takes a
    /// greater one.
    pub(super) fn refused(
        &mut self,
        g: Peer,
        case: Case,
        promised: Term,
        out: &mut Out<impl Effects<Self>>,
    ) {
        match self.bids.get(&case.office).filter(|bid| bid.holds() && bid.term >= case.term) {
            Some(bid) if bid.term == case.term && bid.phase == BidPhase::Candidate => {
                self.campaign(case.office, promised, out);
            }
            Some(_) => {} // Another request is under way.
            None => out.send(g, Msg::Release(case, None)),
        }
    }

    /// Handles a greater claim that waits at `g`: a candidate yields, a leader does not.
    pub(super) fn contested(
        &mut self,
        g: Peer,
        case: Case,
        attempt: u32,
        out: &mut Out<impl Effects<Self>>,
    ) {
        let bid = self.bids.get_mut(&case.office);
        let Some(bid) = bid.filter(|bid| bid.term == case.term && bid.holds()) else {
            return out.send(g, Msg::Release(case, None));
        };
        if bid.phase != BidPhase::Candidate {
            return out.send(g, Msg::Lead(case));
        }
        let asked = &mut bid.at[g.0 as usize];
        if asked.attempt == attempt {
            *asked = AskedVote { attempt: attempt + 1, ..AskedVote::default() };
        }
        self.ask(case.office, g, out);
    }

    /// Records that `g` no longer holds anything of this term.
    pub(super) fn released(&mut self, g: Peer, case: Case, out: &mut Out<impl Effects<Self>>) {
        if let Some(bid) = self.bids.get_mut(&case.office).filter(|bid| bid.term == case.term)
            && matches!(bid.phase, BidPhase::Releasing { .. })
        {
            bid.at[g.0 as usize].answer = VoteAnswer::Released;
            self.pursue(case.office, out);
        }
    }

    /// Determines which process leads, from what the members that this process counts on have told.
    /// If none tells of a leader any more, asks again for the votes that were left to the leader,
    /// and returns `true`.
    pub(super) fn follow(&mut self, office: Office, out: &mut Out<impl Effects<Self>>) -> bool {
        let Some(bid) = self.bids.get(&office) else { return false };
        let candidate = bid.phase == BidPhase::Candidate;
        let told = self.everyone().filter(|&g| candidate && self.counts_on(g));
        let leader = told.filter_map(|g| bid.at[g.0 as usize].with.term()).max();
        let was = bid.following;
        if leader != was
            && let Some(bid) = self.bids.get_mut(&office)
        {
            bid.following = leader;
            out.effects.changed(office);
            if candidate && leader.is_none() {
                self.ask_all(office, out);
                return true;
            }
        }
        false
    }

    /// Yields the vote of `g` to the leader that others have told of.
    pub(super) fn give_back(&mut self, office: Office, g: Peer, out: &mut Out<impl Effects<Self>>) {
        let Some(bid) = self.bids.get_mut(&office) else { return };
        let asked = &mut bid.at[g.0 as usize];
        if asked.answer == VoteAnswer::Granted {
            *asked = AskedVote { attempt: asked.attempt + 1, ..AskedVote::default() };
            self.ask(office, g, out);
        }
    }
}
