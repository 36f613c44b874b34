//! The beginnings and ends of faults.

use super::{InboxEnvelope, NetworkWeather, ParticipantSlot, SimulatedWorld};
use crate::{
    ClusterFault, Nanos, RecordFate, TimedFault, Who,
    clock::REAL,
    disk::DiskCondition,
    network::percent,
    queue,
    reach::ParticipantHealth,
    watch::{ClusterEvent, SimulationWatch},
};
use tenure_model::{Command, Memory, Office, Peer, Recoverable};

impl<P: Recoverable, W: SimulationWatch<P>> SimulatedWorld<'_, P, W> {
    /// Begins a fault (even numbers), or ends or toggles it (odd numbers).
    pub(super) fn act(&mut self, action: u32) {
        let number = action / 2;
        let plan = self.plan;
        let entry = &plan.run.faults.0[number as usize];
        self.offices.look_at_all(self.now, self.reach.soonest());
        self.look_at_values();
        if let ClusterFault::Members { peers } = &entry.fault {
            // The conditions are what they were: no office may be lost because of it.
            self.tell(ClusterEvent::Begins(entry));
            self.last_fault = (self.now, name(entry));
            return self.ask_for(peers);
        }
        if action.is_multiple_of(2) {
            self.tell(ClusterEvent::Begins(entry));
            self.begin(number, entry);
            if let Some(period) = entry.flapping {
                self.queue.push(self.now + period.0, queue::QueuedEvent::Action(action + 1));
            } else if let Some(end) = entry.end().filter(|_| !entry.fault.is_momentary()) {
                self.queue.push(end.0, queue::QueuedEvent::Action(action + 1));
            }
        } else {
            self.turn(number, entry);
        }
        self.conditions_changed();
    }

    /// Ends a fault, or toggles a flapping one.
    fn turn(&mut self, number: u32, entry: &TimedFault) {
        let over = entry.end().is_some_and(|end| end.0 <= self.now);
        if let (Some(period), false) = (entry.flapping, over) {
            if self.cuts.iter().any(|(cut, _)| *cut == number) {
                self.cuts.retain(|(cut, _)| *cut != number);
                self.links_changed();
            } else {
                self.cut(number, entry);
            }
            let end = entry.end().map_or(u64::MAX, |end| end.0);
            let next = end.min(self.now + period.0);
            self.queue.push(next, queue::QueuedEvent::Action(2 * number + 1));
        } else {
            self.tell(ClusterEvent::Ends(entry));
            self.active.retain(|&active| active != number);
            self.last_fault = (self.now, name(entry));
            self.end_of(number, entry);
        }
    }

    fn begin(&mut self, number: u32, entry: &TimedFault) {
        self.last_fault = (self.now, name(entry));
        if !entry.fault.is_momentary() {
            self.active.push(number);
        }
        if entry.fault.cuts() {
            self.cut(number, entry);
            return;
        }
        match &entry.fault {
            ClusterFault::Crash { peer, .. }
            | ClusterFault::FailedDisk { peer }
            | ClusterFault::StuckDisk { peer }
            | ClusterFault::SlowDisk { peer, .. }
            | ClusterFault::Suspend { peer }
            | ClusterFault::Clock { peer, .. }
            | ClusterFault::Resign { peer } => {
                let peer = self.resolve(*peer);
                self.hit[number as usize] = Some(peer);
                self.strike(peer, number, &entry.fault);
            }
            ClusterFault::Backup { peer } => {
                let peer = self.resolve(*peer);
                self.slots[peer as usize].disk.back_up();
            }
            ClusterFault::Transfer { peer, to } => {
                let (peer, to) = (self.resolve(*peer), Peer(self.resolve(*to)));
                self.ask(peer, |office| Command::Transfer { office, to });
            }
            _ => self.weather_changed(),
        }
    }

    /// Begins a fault of one participant.
    fn strike(&mut self, peer: u32, number: u32, fault: &ClusterFault) {
        let slot = &mut self.slots[peer as usize];
        match fault {
            ClusterFault::Crash { .. } => {
                slot.downs += 1;
                self.crash(peer);
            }
            ClusterFault::FailedDisk { .. } => {
                slot.downs += 1;
                slot.disk.suffer(number, DiskCondition::Failed);
            }
            ClusterFault::StuckDisk { .. } => slot.disk.suffer(number, DiskCondition::Stuck),
            ClusterFault::SlowDisk { sync, .. } => {
                slot.disk.suffer(number, DiskCondition::Slow(sync.0));
            }
            ClusterFault::Suspend { .. } => {
                slot.suspensions += 1;
                if slot.process.is_some() && !slot.suspended {
                    slot.suspended = true;
                    self.tell(ClusterEvent::Suspend(Peer(peer)));
                    self.watch_tenures(peer);
                }
            }
            ClusterFault::Clock { ppm, .. } => {
                let rate = (i128::from(REAL) * (1_000_000 + i128::from(*ppm)) / 1_000_000) as u64;
                if rate < REAL || rate > self.plan.fastest() {
                    self.goes_beyond(format!("the clock of {peer} is beyond the bound"));
                }
                self.set_rate(peer, rate);
            }
            ClusterFault::Resign { .. } => {
                slot.stands = false;
                for office in (0..self.offices.len()).map(Office) {
                    let seat = self.slots[peer as usize].seats.entry(office).or_default();
                    seat.asked = true;
                    self.command(peer, Command::Resign { office });
                }
            }
            _ => {}
        }
    }

    /// Ends a fault.
    fn end_of(&mut self, number: u32, entry: &TimedFault) {
        if entry.fault.cuts() {
            self.cuts.retain(|(cut, _)| *cut != number);
            self.links_changed();
            return;
        }
        let Some(peer) = self.hit[number as usize] else {
            self.weather_changed();
            return;
        };
        let slot = &mut self.slots[peer as usize];
        match &entry.fault {
            ClusterFault::Crash { record, .. } => {
                slot.downs -= 1;
                if *record != RecordFate::Kept {
                    slot.seats.values_mut().for_each(|seat| seat.newest = Default::default());
                }
                match record {
                    RecordFate::Kept => {}
                    RecordFate::Lost => {
                        slot.disk.wipe();
                        slot.memory = Memory::Lost;
                        slot.forgetful = self.reach.may_vote(peer as usize);
                        let forgot = |&member: &usize| self.slots[member].forgetful;
                        if self.reach.sets().iter().any(|set| set.iter().all(forgot)) {
                            self.goes_beyond("every member has lost its record".to_owned());
                        }
                    }
                    RecordFate::Restored => {
                        if slot.disk.restore() {
                            self.goes_beyond(format!("{peer} was given an old record"));
                        }
                    }
                }
                self.boot(peer);
            }
            ClusterFault::FailedDisk { .. }
            | ClusterFault::StuckDisk { .. }
            | ClusterFault::SlowDisk { .. } => {
                let takes = self.plan.run.sync.longest().0;
                let (boot, queue) = (slot.boot, &mut self.queue);
                let done_at = |at| queue.push(at, queue::QueuedEvent::Synced(peer, boot));
                slot.disk.repair(number, self.now, takes, done_at);
                if matches!(entry.fault, ClusterFault::FailedDisk { .. }) {
                    slot.downs -= 1;
                    self.boot(peer);
                }
            }
            ClusterFault::Suspend { .. } => {
                slot.suspensions -= 1;
                if slot.suspended && slot.suspensions == 0 {
                    self.resume(peer);
                }
            }
            ClusterFault::Clock { .. } => {
                let rate = slot.own_rate;
                self.set_rate(peer, rate);
            }
            ClusterFault::Resign { .. } => {
                slot.stands = true;
                self.stand(peer);
            }
            _ => {}
        }
    }

    fn goes_beyond(&mut self, what: String) {
        self.beyond.get_or_insert(what);
    }

    /// Asks the process to give up all offices that it holds, with one command for each.
    fn ask(&mut self, peer: u32, command: impl Fn(Office) -> Command) {
        let seats = &mut self.slots[peer as usize].seats;
        let mut offices = Vec::new();
        for (&office, seat) in seats.iter_mut().filter(|(_, seat)| seat.held.is_some()) {
            seat.asked = true;
            offices.push(office);
        }
        for office in offices {
            self.command(peer, command(office));
        }
    }

    /// Crashes the process: it loses its state, its alarms and the messages that have not left.
    pub(super) fn crash(&mut self, peer: u32) {
        let slot = &mut self.slots[peer as usize];
        if slot.process.take().is_none() {
            return;
        }
        self.offices.report.crashes += 1;
        self.watch.event(Nanos(self.now), ClusterEvent::Crash(Peer(peer)));
        slot.alarms.clear();
        slot.inbox.clear();
        slot.suspended = false;
        slot.coins += 1;
        let pending = slot.disk.pending() as u64;
        let kept = self.key.at(u64::from(peer)).at(slot.coins).below(pending + 1);
        slot.disk.crash(kept as usize);
        for mut held in slot.held.drain(..) {
            held.messages.clear();
            held.changed.clear();
            self.spare.push(held);
        }
        slot.released = slot.written;
        let able = slot.resumed;
        let mut offices = Vec::new();
        let is_member = peer < self.plan.setting.members;
        for (&office, seat) in &mut slot.seats {
            // Its writes are lost, and the next incarnation may have the same term.
            if let Some((term, _)) = seat.gaining.take() {
                self.offices.values_lost(office, (Peer(peer), term));
            }
            seat.shown = None;
            if !is_member {
                seat.newest = Default::default();
            }
            offices.push((office, seat.named.take()));
        }
        for (office, named) in offices {
            self.end_tenure(peer, office, false);
            if let Some(named) = named {
                self.offices.unsaid(self.now, office, named, able);
            }
        }
    }

    /// Resumes a suspended process: late alarms first, then what arrived.
    fn resume(&mut self, peer: u32) {
        let slot = &mut self.slots[peer as usize];
        slot.suspended = false;
        slot.resumed = self.now;
        self.tell(ClusterEvent::Resume(Peer(peer)));
        self.ring(peer);
        let offices: Vec<Office> = self.slots[peer as usize].seats.keys().copied().collect();
        for office in offices {
            self.announce(peer, office);
        }
        while let Some(letter) = self.slots[peer as usize].inbox.pop_front() {
            match letter {
                InboxEnvelope::Message(from, msg) => self.receive(from, Peer(peer), msg),
                InboxEnvelope::Command(command) => self.command(peer, command),
                InboxEnvelope::Synced => self.release(peer),
            }
            self.ring(peer);
        }
        self.schedule(peer);
    }

    fn set_rate(&mut self, peer: u32, rate: u64) {
        let slot = &mut self.slots[peer as usize];
        slot.clock.set_rate(self.now, rate);
        slot.wake_at = u64::MAX;
        self.schedule(peer);
        self.watch_work(peer);
        if self.slots[peer as usize].suspended {
            self.watch_tenures(peer);
        }
    }

    pub(super) fn resolve(&self, who: Who) -> u32 {
        let members = self.plan.setting.members;
        let up = |peer: &u32| self.slots[*peer as usize].process.is_some();
        let leader = || {
            let holder = self.offices.holders(Office(0)).first().map(|(holder, _)| holder.0);
            holder.or_else(|| (0..members).find(up)).unwrap_or(0)
        };
        who.resolve(members, leader)
    }

    /// Cuts the links of a fault, with all its participants resolved now.
    fn cut(&mut self, number: u32, entry: &TimedFault) {
        let links = entry.fault.links(self.reach.voters() as u32, |who| self.resolve(who));
        self.cuts.push((number, links));
        self.links_changed();
    }

    fn links_changed(&mut self) {
        let peers = self.slots.len();
        let mut cut = vec![false; peers * peers];
        for (from, to) in self.cuts.iter().flat_map(|(_, links)| links) {
            cut[*from as usize * peers + *to as usize] = from != to;
        }
        self.network.cut(|from, to| cut[from * peers + to]);
    }

    /// Computes the combined effect of the active faults on messages.
    fn weather_changed(&mut self) {
        let mut weather = NetworkWeather::default();
        for &active in &self.active {
            match self.plan.run.faults.0[active as usize].fault {
                ClusterFault::Loss { percent: lost } => {
                    weather.lost = weather.lost.max(percent(lost));
                }
                ClusterFault::Duplicate { percent: twice } => {
                    weather.doubled = weather.doubled.max(percent(twice));
                }
                ClusterFault::Overtake { percent: late, by } => {
                    weather.overtaken = weather.overtaken.max(percent(late));
                    weather.late = weather.late.max(by.0);
                }
                ClusterFault::Delay { by } => weather.slower = weather.slower.max(by.0),
                _ => {}
            }
        }
        self.network.weather = weather;
    }

    /// Notes that the present conditions begin now.
    pub(super) fn conditions_changed(&mut self) {
        self.shaken = self.now;
        let asks = P::MEMBERS_CHANGE && self.now - self.reach.regrouped() < self.plan.settling;
        for seat in self.slots.iter_mut().flat_map(|slot| slot.seats.values_mut()) {
            if asks || self.now - seat.began < self.plan.owed {
                seat.shaken = self.now;
            }
        }
        self.reachability_changed();
    }

    /// Updates the reachability of participants, also when only the members are others.
    pub(super) fn reachability_changed(&mut self) {
        if P::MEMBERS_CHANGE {
            self.regroup();
        }
        let fastest = self.plan.fastest();
        let health: Vec<ParticipantHealth> =
            self.slots.iter().map(|slot| slot.health(fastest)).collect();
        let weather = self.network.weather;
        let calm = weather.lost == 0 && weather.overtaken == 0 && weather.slower == 0;
        let before = std::mem::replace(&mut self.weather_before, weather);
        // Messages sent until now may be late by this time, and hold up later messages.
        self.settled = self.settled.max(self.now + before.slower.max(before.late));
        // A candidate may be the one whose disk is slow.
        let slowest = self.slots.iter().filter_map(|slot| match slot.disk.condition() {
            DiskCondition::Slow(sync) => Some(sync),
            _ => None,
        });
        let syncs = 2 * slowest.max().unwrap_or(0);
        self.offices.bound = self.plan.bound.saturating_add(syncs);
        // Or one whose messages wait for longer than a lease behind its writes, or forever: it is
        // as good as dead once it is chosen, and not before.
        let stuck = self.slots.iter().any(|slot| slot.disk.condition() == DiskCondition::Stuck);
        if stuck || syncs > self.plan.tick_nanos(self.plan.setting.lease) {
            self.offices.bound += self.plan.bound;
        }
        let network = &self.network;
        let joined = |a: usize, b: usize| calm && !network.is_cut(a, b) && !network.is_cut(b, a);
        let (now, learning) = (self.now, self.plan.bound);
        for peer in self.reach.update(now, self.settled, learning, &health, joined) {
            self.slots[peer].forgetful = false;
        }
    }
}

impl<P: Recoverable> ParticipantSlot<P> {
    fn health(&self, fastest: u64) -> ParticipantHealth {
        let rate = self.clock.rate();
        ParticipantHealth {
            sound: self.process.is_some()
                && !self.suspended
                && self.disk.condition() == DiskCondition::Good
                && (REAL..=fastest).contains(&rate),
            forgetful: self.forgetful,
            stands: self.stands,
        }
    }
}

fn name(entry: &TimedFault) -> &'static str {
    if entry.flapping.is_some() { "flapping" } else { entry.fault.name() }
}
