//! Processes in offices: the beginnings and ends of tenures, the work that is done in them, and the
//! leaders that processes name.

use super::SimulatedWorld;
use crate::{
    Nanos,
    plan::TICK,
    queue,
    watch::{ClusterEvent, SimulationWatch},
};
use tenure_model::{Command, Office, OfficeTenure, Peer, Recoverable};

impl<P: Recoverable, W: SimulationWatch<P>> SimulatedWorld<'_, P, W> {
    fn tenure(&self, peer: u32, office: Office) -> Option<OfficeTenure<P::Alarm>> {
        let slot = &self.slots[peer as usize];
        let tenure = slot.process.as_ref()?.tenure(office)?;
        let local = slot.clock.local(self.now);
        let lasts = |alarm| slot.alarms.due(alarm).is_some_and(|due| due > local);
        tenure.until.is_none_or(lasts).then_some(tenure)
    }

    pub(super) fn gains(&self, peer: u32, office: Office) -> bool {
        let slot = &self.slots[peer as usize];
        let tenure = slot.process.as_ref().and_then(|process| process.tenure(office));
        let held = slot.seats.get(&office).and_then(|seat| seat.held);
        tenure.is_some_and(|tenure| held != Some(tenure.term))
    }

    /// Determines the present relation of a process to an office, and announces what has changed.
    pub(super) fn announce(&mut self, peer: u32, office: Office) {
        if office.0 >= self.offices.len() {
            return;
        }
        let tenure = self.tenure(peer, office);
        let slot = &mut self.slots[peer as usize];
        let Some(process) = &slot.process else { return };
        let raw = process.tenure(office);
        // Others may be told of it as soon as the tenure is on stable storage.
        if let Some(own) = raw
            && let Some(value) = process.value(office, own.term)
        {
            self.offices.value_set(self.now, office, (Peer(peer), own.term), value);
        }
        // A process whose own tenure is over does not name itself: an engine looks at the clock.
        let myself = |(leader, _): &(Peer, _)| leader.0 == peer;
        let named = process.leader(office).filter(|named| tenure.is_some() || !myself(named));
        let seat = slot.seats.entry(office).or_default();
        if let Some(term) = seat.held
            && tenure.is_none_or(|tenure| tenure.term != term)
        {
            let still = process.tenure(office).is_some_and(|tenure| tenure.term == term);
            self.end_tenure(peer, office, still);
        }
        if let Some(late) = raw.filter(|_| tenure.is_none()) {
            // Gained by a process that is late, and over: its messages may name it.
            self.offices.led_briefly(self.now, office, (Peer(peer), late.term));
        }
        let slot = &mut self.slots[peer as usize];
        let seat = slot.seats.entry(office).or_default();
        let before = seat.gaining;
        let needed = |term| match before {
            Some((gaining, needed)) if gaining == term => needed,
            _ => slot.written,
        };
        // A tenure is gained when it is on stable storage; no other process hears of it before.
        let gained = tenure.filter(|_| seat.held.is_none());
        seat.gaining = gained
            .map(|tenure| (tenure.term, needed(tenure.term)))
            .filter(|(_, needed)| *needed > slot.released);
        let waits = seat.gaining.is_some();
        if seat.gaining != before
            && let Some(held) = slot.held.back_mut().filter(|_| waits)
        {
            held.changed.push(office);
        }
        let over = |&(term, _): &(_, u64)| tenure.is_none_or(|tenure| tenure.term != term);
        if let Some((term, _)) = before.filter(over) {
            self.offices.led_briefly(self.now, office, (Peer(peer), term));
        }
        if waits {
            return;
        }
        if let Some(tenure) = tenure {
            self.hold(peer, office, tenure);
        }
        let slot = &mut self.slots[peer as usize];
        let able = slot.resumed;
        let seat = slot.seats.entry(office).or_default();
        if seat.named != named {
            let before = std::mem::replace(&mut seat.named, named);
            seat.named_since = self.now;
            self.tell(ClusterEvent::Names(Peer(peer), office, named));
            if let Some(before) = before {
                self.offices.unsaid(self.now, office, before, able);
            }
            if let Some(named) = named {
                self.offices.said(self.now, office, Peer(peer), named);
            }
        }
        self.show(peer, office);
    }

    /// Tells until when each tenure of a process lasts: a reaction may have prolonged it.
    pub(super) fn tell_leases(&mut self, peer: u32) {
        let slot = &self.slots[peer as usize];
        let held = slot.seats.iter().filter(|(_, seat)| seat.held.is_some());
        for office in held.map(|(&office, _)| office).collect::<Vec<_>>() {
            let slot = &self.slots[peer as usize];
            let until = self.tenure(peer, office).and_then(|tenure| tenure.until);
            if let Some(due) = until.and_then(|alarm| slot.alarms.due(alarm)) {
                let until = Nanos(slot.clock.global(due));
                self.watch.lease(Nanos(self.now), Peer(peer), office, until);
            }
        }
    }

    /// Records that the process holds the office, and whether it has just begun to.
    fn hold(&mut self, peer: u32, office: Office, tenure: OfficeTenure<P::Alarm>) {
        let seat = self.slots[peer as usize].seats.entry(office).or_default();
        if seat.held.is_none() {
            seat.held = Some(tenure.term);
            seat.began = self.now;
            // Its votes may be of members that it will not hear again.
            seat.shaken = if self.now - self.shaken < self.plan.owed { self.shaken } else { 0 };
            seat.stopping = tenure.stopping;
            seat.asked = false;
            let idle = seat.working.is_none();
            self.tell(ClusterEvent::Holds(Peer(peer), office, tenure));
            self.end_what_is_over(peer, office);
            let possible = self.reach.soonest();
            self.offices.begins(self.now, office, (Peer(peer), tenure.term), possible);
            if idle {
                self.work(peer, office);
            }
        } else if tenure.stopping && !seat.stopping {
            seat.stopping = true;
            if seat.working.is_some() {
                self.stop_working(peer, office);
            } else if let Some(term) = seat.held {
                // Its work has not begun.
                self.command(peer, Command::Stopped { office, term });
            }
        }
    }

    /// Ends the tenures and the work of other processes in the office that are over at this very
    /// instant, before the queue has come to it.
    fn end_what_is_over(&mut self, newcomer: u32, office: Office) {
        for i in (0..self.offices.holders(office).len()).rev() {
            let holder = self.offices.holders(office)[i].0.0;
            if holder != newcomer && self.tenure(holder, office).is_none() {
                self.end_tenure(holder, office, true);
            }
        }
        for i in (0..self.offices.workers(office).len()).rev() {
            let worker = self.offices.workers(office)[i].0.0;
            let slot = &self.slots[worker as usize];
            let rest_at = slot.seats.get(&office).and_then(|seat| seat.rest_at);
            if rest_at.is_some_and(|at| at <= slot.clock.local(self.now)) {
                self.offices.work_ends(office, Peer(worker));
            }
        }
    }

    /// Ends the tenure of a process; if it `lapses`, the process does not know yet.
    pub(super) fn end_tenure(&mut self, peer: u32, office: Office, lapses: bool) {
        let slot = &mut self.slots[peer as usize];
        let Some(seat) = slot.seats.get_mut(&office) else { return };
        let Some(term) = seat.held.take() else { return };
        let (asked, shaken) = (seat.asked || seat.stopping, seat.shaken);
        let crashed = slot.process.is_none();
        let kind = self.kind_of_fault();
        let holder = (Peer(peer), term);
        self.tell(ClusterEvent::Loses(Peer(peer), office, term));
        self.offices.ends(self.now, office, holder, lapses, kind);
        let since = self.reach.majority_since(peer as usize).max(shaken);
        let steady = self.now.saturating_sub(since);
        if !asked && !crashed && steady > self.plan.steady {
            self.offices.deposed(self.now, office, holder);
        }
        self.stop_working(peer, office);
    }

    /// Begins work, if the process holds the office and the application was not told to stop.
    fn work(&mut self, peer: u32, office: Office) {
        let slot = &mut self.slots[peer as usize];
        let boot = slot.boot;
        let seat = slot.seats.entry(office).or_default();
        let Some(term) = seat.held.filter(|_| !seat.stopping) else { return };
        seat.working = Some(term);
        seat.work_boot = boot;
        seat.rest_at = None;
        self.tell(ClusterEvent::Works(Peer(peer), office, term));
        self.offices.work_begins(self.now, office, Peer(peer), term);
    }

    /// Schedules the end of work: by the bound at the latest, and half of the time exactly then.
    fn stop_working(&mut self, peer: u32, office: Office) {
        let slot = &mut self.slots[peer as usize];
        let Some(seat) = slot.seats.get_mut(&office) else { return };
        if seat.working.is_none() || seat.rest_at.is_some() {
            return;
        }
        slot.coins += 1;
        let most = u64::from(self.plan.setting.stop) * TICK;
        let random = self.key.at(u64::from(peer)).at(slot.coins);
        let takes = if random.bits() & 1 == 0 { most } else { random.at(1).below(most + 1) };
        let rest_at = slot.clock.local(self.now) + takes;
        seat.rest_at = Some(rest_at);
        self.queue.push(slot.clock.global(rest_at), queue::QueuedEvent::Rest(peer, office));
    }

    /// Ends work if it is over.
    pub(super) fn rest(&mut self, peer: u32, office: Office) {
        let slot = &mut self.slots[peer as usize];
        let Some(seat) = slot.seats.get_mut(&office) else { return };
        let Some(rest_at) = seat.rest_at else { return };
        if rest_at > slot.clock.local(self.now) {
            return;
        }
        seat.rest_at = None;
        let same_boot = seat.work_boot == slot.boot;
        let Some(term) = seat.working.take() else { return };
        self.offices.work_ends(office, Peer(peer));
        self.tell(ClusterEvent::Rests(Peer(peer), office, term));
        if same_boot {
            self.command(peer, Command::Stopped { office, term });
        }
        // It may have won the office again in the meantime.
        if self.slots[peer as usize].seats[&office].working.is_none() {
            self.work(peer, office);
        }
    }

    /// Ends the tenure of a suspended process if it is over.
    pub(super) fn lapse(&mut self, peer: u32, office: Office) {
        let slot = &self.slots[peer as usize];
        let held = slot.seats.get(&office).is_some_and(|seat| seat.held.is_some());
        if slot.suspended && held && self.tenure(peer, office).is_none() {
            self.end_tenure(peer, office, true);
        }
    }

    /// Schedules the ends of the tenures of a suspended process.
    pub(super) fn watch_tenures(&mut self, peer: u32) {
        let slot = &self.slots[peer as usize];
        let Some(process) = &slot.process else { return };
        for (&office, _) in slot.seats.iter().filter(|(_, seat)| seat.held.is_some()) {
            let until = process.tenure(office).and_then(|tenure| tenure.until);
            if let Some(due) = until.and_then(|alarm| slot.alarms.due(alarm)) {
                let at = slot.clock.global(due).max(self.now);
                self.queue.push(at, queue::QueuedEvent::Lapse(peer, office));
            }
        }
    }

    /// Reschedules the ends of the work of a process whose clock has changed its rate.
    pub(super) fn watch_work(&mut self, peer: u32) {
        let slot = &self.slots[peer as usize];
        for (&office, seat) in &slot.seats {
            if let Some(rest_at) = seat.rest_at {
                let at = slot.clock.global(rest_at).max(self.now);
                self.queue.push(at, queue::QueuedEvent::Rest(peer, office));
            }
        }
    }

    /// Returns the kind of fault that most probably made an office vacant: the latest that is
    /// active, or was active a short while ago.
    fn kind_of_fault(&self) -> &'static str {
        let (at, kind) = self.last_fault;
        if self.active.is_empty() && self.now - at > self.plan.bound { "none" } else { kind }
    }
}
