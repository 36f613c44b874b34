//! The members, as a process knows them, and how they change under it.

use super::{
    AskedVote, Bid, BidPhase, HeldLease, HeldLeases, OfficeTable, Out, OwedLeases, Tenure,
    VoteAnswer, granter::HeardRecord,
};
use crate::electorate::Electorate;
use alloc::{vec, vec::Vec};
use tenure_model::{Effects, Memory, Peer, Setting, Start, Term};

impl Tenure {
    /// Starts the process among these members, with or without this process: in place of those below
    /// [`Setting::members`]. It leads at greater terms than this one.
    pub fn start_among(
        (known, floor): (Electorate, Term),
        setting: Setting,
        start: Start,
        effects: &mut impl Effects<Self>,
    ) -> Self {
        let at = vec![HeldLease::default(); known.end() as usize];
        let mut tenure = Self {
            setting,
            counting: known,
            known,
            floor,
            boot: start.boot,
            beating: false,
            held: HeldLeases { sent: 0, rung: 0, at },
            owed: OwedLeases { epochs: start.boot << 22, to: Vec::new() },
            quarantined: false,
            learning: None,
            votes: OfficeTable::new(),
            bids: OfficeTable::new(),
            spent: Term(0),
        };
        tenure.react(effects, |tenure, out| {
            if known.contains(setting.me) || out.effects.read(super::FLOOR).is_some() {
                tenure.recover(start, out); // A member that was removed may owe leases, too.
            }
            if start.memory != Memory::New && setting.stop > 0 {
                // The work of the process that crashed may not have ended.
                tenure.beating = true;
                out.effects.set_alarm(super::Alarm::Beat, setting.stop);
            }
        });
        tenure
    }

    /// Returns those whose grants this process counts or, for a change of members, will count: ascending.
    pub(super) fn everyone(&self) -> impl Iterator<Item = Peer> + use<> {
        let (counting, known) = (self.counting, self.known);
        let end = counting.end().max(known.end());
        (0..end).map(Peer).filter(move |&peer| counting.contains(peer) || known.contains(peer))
    }

    /// Returns them without this process.
    pub(super) fn others(&self) -> impl Iterator<Item = Peer> + use<> {
        let me = self.setting.me;
        self.everyone().filter(move |&peer| peer != me)
    }

    /// Returns whether this process asks that one for its vote.
    #[must_use]
    pub fn is_asked(&self, peer: Peer) -> bool {
        self.counting.contains(peer) || self.known.contains(peer)
    }

    /// Returns whether this process has a vote, as far as it knows.
    #[must_use]
    pub fn is_member(&self) -> bool {
        self.known.contains(self.setting.me)
    }

    /// Returns whether `h` has a lease here that began with this boot of it.
    #[must_use]
    pub fn owes(&self, h: Peer, boot: u64) -> bool {
        self.owed.to.iter().any(|&(peer, debt)| peer == h && debt.boot == boot)
    }

    /// Returns the peers to which it owes a lease, ascending.
    pub fn debtors(&self) -> impl Iterator<Item = Peer> {
        self.owed.to.iter().map(|&(peer, _)| peer)
    }

    /// Returns whether it counts on what `g` has granted, as it does on its own vote.
    #[must_use]
    pub fn is_counted_on(&self, g: Peer) -> bool {
        self.is_asked(g) && self.counts_on(g)
    }

    /// Says whether the votes of `g` in the lease that this renewal and epoch are of count by the electorate that this
    /// process was [told](Self::change_members) alone, and not by the one by which it counts still.
    pub fn set_apart(&mut self, g: Peer, (number, epoch): (u64, u64), apart: bool) {
        if let Some(lease) = self.held.at.get_mut(g.0 as usize)
            && (lease.number, lease.epoch) == (number, epoch)
        {
            lease.apart = apart;
        }
    }

    pub(super) fn is_apart(&self, g: Peer) -> bool {
        self.held.at.get(g.0 as usize).is_some_and(|lease| lease.apart)
    }

    /// Asks other members from now on, by the electorate that it was told, and votes if it is one of them. It goes on to
    /// count by the earlier one until it can [count by this one](Self::count_by_known). It leads at no term from now on
    /// that is not greater than `floor`, but one at which it leads already.
    pub fn change_members(
        &mut self,
        known: Electorate,
        floor: Term,
        memory: Memory,
        effects: &mut impl Effects<Self>,
    ) {
        self.react(effects, |tenure, out| {
            let joins = !tenure.is_member() && known.contains(tenure.setting.me);
            (tenure.known, tenure.floor) = (known, floor);
            tenure.make_room();
            if joins && !tenure.has_record(out) {
                // A record that is kept, and says nothing, is one of a process that was no member.
                let memory = if memory == Memory::Lost { Memory::Lost } else { Memory::New };
                let start = Start { boot: tenure.boot, memory };
                tenure.recover(start, out);
            }
            if let Some(learning) = &mut tenure.learning {
                learning.heard.fill(HeardRecord::Nothing); // Others answer for other members.
                tenure.learn(out);
            }
            let old = |bid: &Bid| bid.phase == BidPhase::Candidate && bid.term <= floor;
            let olds = tenure.bids.iter().filter(|(_, bid)| old(bid)).map(|(&office, _)| office);
            for office in olds.collect::<Vec<_>>() {
                tenure.campaign(office, floor, out); // Votes for it were asked of others, too.
            }
            tenure.changed_members(out);
        });
    }

    /// Forgets the votes of those that it asks no longer. What they granted counts for nothing if they come back.
    fn changed_members(&mut self, out: &mut Out<'_, impl Effects<Self>>) {
        let me = self.setting.me;
        for g in (0..self.held.at.len() as u32).map(Peer) {
            if self.is_asked(g) {
                continue;
            }
            let lease = &mut self.held.at[g.0 as usize];
            *lease = HeldLease { epoch: lease.epoch, ..HeldLease::default() };
            self.asked_nothing(g);
            if g == me {
                self.forget(me, out);
            }
        }
        self.pursue_all(out);
    }

    /// Counts by the electorate that it was told, if no office that it leads is lost by that, and none that it leaves is
    /// led for longer. As where a tenure begins, the vote of a silent member does not count. Returns whether it does.
    pub fn count_by_known(&mut self, effects: &mut impl Effects<Self>) -> bool {
        let known = self.known;
        let ready = self.bids.values().all(|bid| match bid.phase {
            BidPhase::Leader | BidPhase::Stopping { until: None, .. } => {
                self.is_backed_by(known, bid, |g| self.hears_of(g))
            }
            BidPhase::Stopping { until: Some(_), .. } => false,
            _ => true,
        });
        if ready {
            self.held.at.iter_mut().for_each(|lease| lease.apart = false);
        }
        if ready && self.counting != known {
            self.counting = known;
            self.react(effects, Self::changed_members);
        }
        ready
    }

    /// Returns whether it stands for an office, or has not given up one yet: then it renews its leases at each heartbeat.
    #[must_use]
    pub fn stands(&self) -> bool {
        !self.bids.is_empty()
    }

    /// Renews the leases at once.
    pub fn renew_leases(&mut self, effects: &mut impl Effects<Self>) {
        self.react(effects, Self::renew);
    }

    /// Makes room for what was asked of those that it asks now.
    fn make_room(&mut self) {
        let end = self.counting.end().max(self.known.end()) as usize;
        if end > self.held.at.len() {
            self.held.at.resize(end, HeldLease::default());
        }
        for bid in self.bids.values_mut() {
            let answer = if bid.holds() { VoteAnswer::Open } else { VoteAnswer::Released };
            let room = end.max(bid.at.len());
            bid.at.resize(room, AskedVote { answer, ..AskedVote::default() });
        }
        if let Some(learning) = &mut self.learning {
            let room = end.max(learning.heard.len());
            learning.heard.resize(room, HeardRecord::Nothing);
        }
    }

    fn has_record(&self, out: &Out<'_, impl Effects<Self>>) -> bool {
        self.learning.is_some() || out.effects.read(super::FLOOR).is_some()
    }
}
