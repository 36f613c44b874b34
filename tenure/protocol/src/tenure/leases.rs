//! The leases between participants: a grant counts as long as its lease lasts.

use super::{
    Alarm, Msg, Out, Tenure,
    bids::{Answer, Bid, Phase},
    message::{epochs, renewals},
};
use alloc::vec::Vec;
use tenure_model::{Effects, Peer, Series};

/// The leases that this process holds at the members.
///
/// The alarm of each renewal is set when it is sent. Those after `rung`, up to `sent`, are pending.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Held {
    pub(super) sent: u64,
    pub(super) rung: u64,
    /// The lease at each member, by number; the one of this process itself is not used.
    pub(super) at: Vec<Lease>,
}

/// The lease at one member: the renewal that it acknowledged last; 0 if none, or if the member has
/// been told that this epoch is over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Lease {
    pub(super) number: u64,
    pub(super) epoch: u64,
    pub(super) able: bool,
    /// The number of renewals that had been sent after that one when its acknowledgement came.
    pub(super) after: u64,
    /// The number of renewals that have been sent since the lease was over.
    pub(super) silent: u32,
}

/// The leases that this process owes, and the epochs that it has given out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owed {
    /// The last epoch, over all peers. It begins with the boot, so that none occurs twice: a boot
    /// leaves room for 4 million, and where it is a time in milliseconds, for as many in each.
    pub(super) epochs: u64,
    /// The peers to which a lease is owed, ascending.
    pub(super) to: Vec<(Peer, Debt)>,
}

/// Returns the boot of the process that has given out an epoch.
#[must_use]
pub const fn boot_of(epoch: u64) -> u64 {
    epoch >> 22
}

/// A lease that is owed: the boot of the peer, and the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Debt {
    boot: u64,
    epoch: u64,
}

impl Held {
    pub(super) fn lasts(&self, g: Peer) -> bool {
        self.at[g.0 as usize].number > self.rung
    }
}

impl Owed {
    fn find(&self, h: Peer) -> Result<usize, usize> {
        self.to.binary_search_by_key(&h, |&(peer, _)| peer)
    }
}

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

    /// Returns the epoch in which this process last had a lease at `g`, unless it has told `g` that it
    /// is over.
    pub(super) fn epoch_at(&self, g: Peer) -> Option<u64> {
        match self.held.at[g.0 as usize] {
            _ if g == self.setting.me => Some(0),
            Lease { number: 0, .. } => None,
            Lease { epoch, .. } => Some(epoch),
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
        let able = |&g: &Peer| match g == self.setting.me {
            true => self.able(),
            false => self.held.lasts(g) && self.held.at[g.0 as usize].able,
        };
        self.setting.everyone().filter(able).count() >= self.setting.majority()
    }

    /// Returns the number of the renewal until whose alarm a tenure lasts that all members have granted;
    /// the greatest number if the vote of this process is enough. No tenure lasts for longer: as long as
    /// this has not grown, no tenure has been prolonged.
    #[must_use]
    pub fn horizon(&self) -> u64 {
        let others = self.setting.majority() - usize::from(self.setting.is_member());
        let renewal = |last| self.newest().get(last).map_or(0, |&(number, _)| number);
        others.checked_sub(1).map_or(u64::MAX, renewal)
    }

    pub(super) fn newest(&self) -> Vec<(u64, Peer)> {
        let last = |g: Peer| (self.held.at[g.0 as usize].number, g);
        let mut renewals: Vec<_> = self.setting.others().map(last).collect();
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
        for g in self.setting.others() {
            let mut lease = self.held.at[g.0 as usize];
            if lease.number > 0 && !self.held.lasts(g) {
                lease.silent += 1;
                if !self.needs(g, lease.silent) {
                    lease = Lease { epoch: lease.epoch, ..Lease::default() };
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
            Phase::Lost => true,
            Phase::Leader | Phase::Stopping { .. } => silent <= moment,
            Phase::Idle | Phase::Candidate | Phase::Releasing { .. } => false,
        };
        let granted = |bid: &Bid| bid.at[g.0 as usize].answer == Answer::Granted;
        self.bids.values().any(|bid| granted(bid) && needs(bid))
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
            self.owed.to.insert(i, (h, Debt { boot, epoch: self.owed.epochs }));
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
        self.held.at[g.0 as usize] = Lease { number, epoch, able, after, silent: 0 };
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
        let newer = self.setting.others().map(|g| self.held.at[g.0 as usize].number).min();
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
        let last = |lease: &Lease| lease.number > self.held.rung && lease.number <= number;
        let lost = self.held.at.iter().any(last) || self.ending().is_some_and(|k| k <= number);
        self.held.rung = self.held.rung.max(number);
        if lost {
            self.pursue_all(out);
        }
    }

    /// Visits the serial numbers: those of renewals by their sender, those of epochs by the
    /// granter.
    pub(super) fn serials_of_leases(&mut self, visit: &mut impl FnMut(Series, &mut u64)) {
        let me = self.setting.me;
        visit(renewals(me), &mut self.held.sent);
        visit(renewals(me), &mut self.held.rung);
        for (g, lease) in (0..).map(Peer).zip(&mut self.held.at) {
            visit(renewals(me), &mut lease.number);
            visit(epochs(g), &mut lease.epoch);
        }
        visit(epochs(me), &mut self.owed.epochs);
        for (_, debt) in &mut self.owed.to {
            visit(epochs(me), &mut debt.epoch);
        }
    }
}
