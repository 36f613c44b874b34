//! The world: processes, the network between them, and the event loop.

mod faults;
mod members;
mod scene;
mod seats;
mod slot;
mod values;

use super::{
    Nanos, SimulationReport,
    disk::DiskCondition,
    network::{MessagePassage, NetworkWeather, SimulatedNetwork},
    offices::Offices,
    plan::SimulationPlan,
    profile::DelaySampler,
    queue::{self, EventQueue},
    reach::Reachability,
    watch::{ClusterEvent, SimulationWatch},
};
use scene::ReactionScene;
use slot::{HeldEffects, InboxEnvelope, Mail, ParticipantSlot};
use suffrage_numbers::random::Key;
use tenure_model::{Command, Effort, Kind, Memory, Message, Office, Peer, Recoverable, Start};

pub(crate) struct SimulatedWorld<'a, P: Recoverable, W> {
    plan: &'a SimulationPlan,
    now: u64,
    queue: EventQueue,
    slots: Vec<ParticipantSlot<P>>,
    network: SimulatedNetwork,
    sync: DelaySampler,
    mail: Mail<P::Msg>,
    offices: Offices,
    reach: Reachability,
    /// The active faults of the script, oldest first, as numbers of entries.
    active: Vec<u32>,
    /// The participant that each entry has hit, by number of entry.
    hit: Vec<Option<u32>>,
    /// The links that each active fault has cut, by number of entry.
    cuts: Vec<(u32, Vec<(u32, u32)>)>,
    /// The instant from which messages are no longer late because of a fault that is over.
    settled: u64,
    /// The last change of conditions.
    shaken: u64,
    weather_before: NetworkWeather,
    last_fault: (u64, &'static str),
    /// The first event after which no promise holds.
    beyond: Option<String>,
    key: Key,
    outbox: Vec<(Peer, P::Msg)>,
    changed: Vec<Office>,
    spare: Vec<HeldEffects<P::Msg>>,
    watch: W,
}

impl<'a, P: Recoverable, W: SimulationWatch<P>> SimulatedWorld<'a, P, W> {
    pub(crate) fn new(plan: &'a SimulationPlan, watch: W) -> Self {
        let key = Key::new(plan.run.seed, "recovery");
        let mut queue = EventQueue::default();
        let slots: Vec<ParticipantSlot<P>> = (0..plan.peers())
            .map(|peer| {
                let start =
                    key.at(1).at(u64::from(peer)).below(plan.tick_nanos(plan.setting.heartbeat));
                queue.push(start, queue::QueuedEvent::Start(peer));
                ParticipantSlot::new(plan, peer, key.at(2).at(u64::from(peer)))
            })
            .collect();
        for (i, entry) in plan.run.faults.0.iter().enumerate() {
            queue.push(entry.at.0, queue::QueuedEvent::Action(2 * i as u32));
        }
        let peers = slots.len();
        let entries = plan.run.faults.0.len();
        let delays = DelaySampler::new(&plan.run.profile);
        let report = SimulationReport {
            seed: plan.run.seed,
            script: plan.run.faults.clone(),
            messages: P::Msg::KINDS.iter().map(|kind| (kind.name, 0)).collect(),
            offices: plan.run.offices.into(),
            ..SimulationReport::default()
        };
        Self {
            now: 0,
            queue,
            slots,
            network: SimulatedNetwork::new(peers, delays, key.at(3)),
            sync: DelaySampler::new(&plan.run.sync),
            mail: Mail { places: Vec::new(), free: Vec::new() },
            offices: Offices::new(plan.bound, report),
            reach: Reachability::new(peers, plan.setting.members as usize, P::MEMBERS_CHANGE),
            active: Vec::new(),
            hit: vec![None; entries],
            cuts: Vec::new(),
            settled: 0,
            shaken: 0,
            weather_before: NetworkWeather::default(),
            last_fault: (0, "start"),
            beyond: None,
            key: key.at(4),
            outbox: Vec::new(),
            changed: Vec::new(),
            spare: Vec::new(),
            plan,
            watch,
        }
    }

    /// Processes events until the end of the run. `go_on` is called from time to time.
    pub(crate) fn run(&mut self, mut go_on: impl FnMut(Nanos) -> bool) -> bool {
        while let Some((at, event)) = self.queue.pop(self.plan.run.length.0) {
            self.now = at;
            self.offices.report.events += 1;
            match event {
                queue::QueuedEvent::Arrive(place) => self.arrive(place),
                queue::QueuedEvent::Wake(peer) => self.wake(peer),
                queue::QueuedEvent::Synced(peer, boot) => self.synced(peer, boot),
                queue::QueuedEvent::Rest(peer, office) => self.rest(peer, office),
                queue::QueuedEvent::Lapse(peer, office) => self.lapse(peer, office),
                queue::QueuedEvent::Start(peer) => {
                    self.slots[peer as usize].downs -= 1;
                    self.boot(peer);
                    self.conditions_changed();
                }
                queue::QueuedEvent::Action(action) => self.act(action),
            }
            if self.offices.found.is_some() && self.judge() {
                break;
            }
            if self.offices.report.events & 0xFFFF == 0 && !go_on(Nanos(at)) {
                return false;
            }
        }
        self.end();
        true
    }

    /// Handles the breach that was found, if any. Returns whether it ends the run.
    fn judge(&mut self) -> bool {
        let Some(mut found) = self.offices.found.take() else { return false };
        self.tell(ClusterEvent::Broken(Office(found.office), &found.breach));
        let promise = found.breach.promise();
        if self.offices.report.broken(promise).is_none() {
            found.beyond.clone_from(&self.beyond);
            self.offices.report.violations.push(found);
        }
        self.plan.stop_at.is_some_and(|stop_at| stop_at == promise)
    }

    /// Tells the observer of an event that happens now.
    fn tell(&mut self, event: ClusterEvent<'_, P>) {
        self.watch.event(Nanos(self.now), event);
    }

    fn end(&mut self) {
        if self.plan.stop_at.is_none() || self.offices.report.violations.is_empty() {
            self.now = self.plan.run.length.0;
        }
        self.offices.look_at_all(self.now, self.reach.soonest());
        self.look_at_values();
        self.judge();
        for slot in 0..self.slots.len() {
            let able = self.slots[slot].resumed;
            for (&office, seat) in &self.slots[slot].seats {
                if let Some(named) = seat.named {
                    self.offices.unsaid(self.now, office, named, able);
                }
            }
        }
        self.offices.close(self.now);
    }

    pub(crate) fn into_report(self) -> SimulationReport {
        let sent = self.offices.report.messages.iter().zip(P::Msg::KINDS);
        let size = |kind: &Kind| u64::from(kind.bits(P::Msg::KINDS.len(), 64, 32)).div_ceil(8);
        SimulationReport {
            length: Nanos(self.now),
            bytes: sent.map(|((_, count), kind)| size(kind) * count).sum(),
            syncs: self.slots.iter().map(|slot| slot.disk.syncs).sum(),
            ..self.offices.report
        }
    }

    fn arrive(&mut self, place: u32) {
        let (from, to, msg) = self.mail.take(place);
        let Some(msg) = msg else { return };
        let slot = &mut self.slots[to.0 as usize];
        if slot.process.is_none() {
            self.watch.event(Nanos(self.now), ClusterEvent::Lose(from, to, &msg));
        } else if slot.suspended {
            slot.inbox.push_back(InboxEnvelope::Message(from, msg));
        } else {
            self.receive(from, to, msg);
        }
    }

    #[inline]
    fn receive(&mut self, from: Peer, to: Peer, msg: P::Msg) {
        self.watch.event(Nanos(self.now), ClusterEvent::Receive(from, to, &msg));
        self.react(to.0, None, |process, scene| process.receive(from, msg, scene));
        self.schedule(to.0);
    }

    fn command(&mut self, peer: u32, command: Command) {
        let slot = &mut self.slots[peer as usize];
        if slot.process.is_none() {
            return;
        }
        if slot.suspended {
            slot.inbox.push_back(InboxEnvelope::Command(command));
            return;
        }
        // The command was given while the process was suspended, and the application learns first
        // that the tenure is over.
        let process = slot.process.as_ref();
        if let Command::Transfer { office, .. } = command
            && process.is_none_or(|process| process.tenure(office).is_none())
        {
            return;
        }
        self.watch.event(Nanos(self.now), ClusterEvent::Command(Peer(peer), command));
        self.react(peer, None, |process, scene| process.command(command, scene));
        self.schedule(peer);
    }

    fn wake(&mut self, peer: u32) {
        let slot = &mut self.slots[peer as usize];
        if slot.wake_at != self.now {
            return;
        }
        slot.wake_at = u64::MAX;
        if !slot.suspended {
            self.ring(peer);
            self.schedule(peer);
        }
    }

    /// Rings every alarm that is due.
    fn ring(&mut self, peer: u32) {
        loop {
            let slot = &mut self.slots[peer as usize];
            let local = slot.clock.local(self.now);
            let Some((due, alarm)) = slot.alarms.pop(local) else { return };
            self.watch.event(Nanos(self.now), ClusterEvent::Ring(Peer(peer), alarm, local - due));
            self.react(peer, Some(due), |process, scene| process.ring(alarm, scene));
        }
    }

    /// Puts the next alarm of the process into the queue.
    #[inline]
    fn schedule(&mut self, peer: u32) {
        let slot = &mut self.slots[peer as usize];
        let Some(due) = slot.alarms.next_due() else { return };
        let at = slot.clock.global(due).max(self.now);
        if at < slot.wake_at {
            slot.wake_at = at;
            self.queue.push(at, queue::QueuedEvent::Wake(peer));
        }
    }

    /// Starts the process.
    fn boot(&mut self, peer: u32) {
        let slot = &mut self.slots[peer as usize];
        if slot.downs > 0 || slot.process.is_some() {
            return;
        }
        slot.boot += 1;
        slot.resumed = self.now;
        slot.suspended = slot.suspensions > 0;
        let (setting, start) =
            (slot.setting, Start { boot: u64::from(slot.boot), memory: slot.memory });
        self.watch.event(Nanos(self.now), ClusterEvent::Start(Peer(peer), slot.memory));
        slot.memory = Memory::Kept;
        self.carry_out(peer, None, |process, scene| {
            *process = Some(P::start(setting, start, scene));
        });
        self.schedule(peer);
        if self.slots[peer as usize].stands {
            self.stand(peer);
        }
    }

    fn stand(&mut self, peer: u32) {
        for office in (0..self.offices.len()).map(Office) {
            self.command(peer, Command::Stand { office, priority: 0 });
        }
    }

    /// Carries out one reaction, as of an instant of the process's clock, or now.
    #[inline]
    fn react(
        &mut self,
        peer: u32,
        as_of: Option<u64>,
        reaction: impl FnOnce(&mut P, &mut ReactionScene<'_, P>),
    ) {
        self.carry_out(peer, as_of, |process, scene| {
            if let Some(process) = process {
                reaction(process, scene);
            }
        });
    }

    #[inline]
    fn carry_out(
        &mut self,
        peer: u32,
        as_of: Option<u64>,
        reaction: impl FnOnce(&mut Option<P>, &mut ReactionScene<'_, P>),
    ) {
        let slot = &mut self.slots[peer as usize];
        let mut scene = ReactionScene {
            now: as_of.unwrap_or_else(|| slot.clock.local(self.now)),
            alarms: &mut slot.alarms,
            disk: &mut slot.disk,
            outbox: &mut self.outbox,
            sent_before: 0,
            changed: &mut self.changed,
            coins: &mut slot.coins,
            key: self.key.at(u64::from(peer)),
            rejected: None,
            effort: Effort::default(),
        };
        reaction(&mut slot.process, &mut scene);
        let over = (scene.sent_before, scene.rejected);
        self.settle(peer, over);
        if P::MEMBERS_CHANGE {
            self.note_members(peer);
        }
    }

    /// Ends a reaction: its writes go to the disk, and its messages leave now or after the sync.
    /// Messages that were sent before its first write do not wait for it, unless it gains a tenure:
    /// no other process hears of one before it is on stable storage.
    #[inline]
    fn settle(&mut self, peer: u32, (sent_before, rejected): (usize, Option<&'static str>)) {
        if let Some(why) = rejected {
            self.offices.report.rejected += 1;
            self.offices.report.first_rejection.get_or_insert((peer, why));
            self.watch.event(Nanos(self.now), ClusterEvent::Rejects(Peer(peer), why));
        }
        if self.slots[peer as usize].disk.has_written() {
            let mut changed = self.changed.iter();
            if sent_before > 0 && !changed.any(|&office| self.gains(peer, office)) {
                let after = self.outbox.split_off(sent_before);
                self.leave(peer);
                self.outbox = after;
            }
            let slot = &mut self.slots[peer as usize];
            if slot.disk.condition() == DiskCondition::Failed {
                self.outbox.clear();
                self.changed.clear();
                slot.disk.sync(self.now, 0);
                // Not until now does the fault strike: it may be the process that is to lead.
                self.offices.look_at_all(self.now, self.reach.soonest());
                self.crash(peer);
                self.conditions_changed();
                return;
            }
            slot.coins += 1;
            let takes = self.sync.draw(0, 0, self.key.at(u64::from(peer)).at(slot.coins));
            let done = slot.disk.sync(self.now, takes);
            if done != u64::MAX {
                self.queue.push(done, queue::QueuedEvent::Synced(peer, slot.boot));
            }
            let empty = || HeldEffects { messages: Vec::new(), changed: Vec::new() };
            let mut held = self.spare.pop().unwrap_or_else(empty);
            std::mem::swap(&mut held.messages, &mut self.outbox);
            held.changed.clone_from(&self.changed);
            slot.written += 1;
            slot.held.push_back(held);
        } else {
            self.leave(peer);
        }
        if !self.changed.is_empty() {
            let mut changed = std::mem::take(&mut self.changed);
            for office in changed.drain(..) {
                self.announce(peer, office);
            }
            self.changed = changed;
        }
        if self.watch.wants_leases() {
            self.tell_leases(peer);
        }
    }

    /// Sends the messages of the outbox after the writes of earlier reactions, on which they may
    /// depend.
    #[inline]
    fn leave(&mut self, peer: u32) {
        if let Some(held) = self.slots[peer as usize].held.back_mut() {
            held.messages.append(&mut self.outbox);
        } else if !self.outbox.is_empty() {
            let mut outbox = std::mem::take(&mut self.outbox);
            self.send(peer, &mut outbox);
            self.outbox = outbox;
        }
    }

    fn send(&mut self, peer: u32, messages: &mut Vec<(Peer, P::Msg)>) {
        let (from, now) = (Peer(peer), Nanos(self.now));
        for (to, msg) in messages.drain(..) {
            self.offices.report.messages[msg.kind()].1 += 1;
            self.watch.event(now, ClusterEvent::Send(from, to, &msg));
            if to.0 as usize >= self.slots.len() {
                continue;
            }
            let mut enter = |at| {
                let place = self.mail.put(from, to, msg);
                self.queue.push(at, queue::QueuedEvent::Arrive(place));
            };
            match self.network.send(peer, to.0, self.now) {
                MessagePassage::Once(at) => enter(at),
                MessagePassage::Twice(first, second) => {
                    enter(first);
                    enter(second);
                    self.watch.event(now, ClusterEvent::Duplicate(from, to, &msg));
                }
                MessagePassage::Lost => {
                    self.watch.event(now, ClusterEvent::Lose(from, to, &msg));
                }
            }
        }
    }

    /// Completes the sync of the oldest pending writes of a process.
    fn synced(&mut self, peer: u32, boot: u32) {
        let slot = &mut self.slots[peer as usize];
        if slot.boot != boot || slot.process.is_none() || !slot.disk.synced(self.now) {
            return;
        }
        if slot.suspended {
            slot.inbox.push_back(InboxEnvelope::Synced);
        } else {
            self.release(peer);
        }
    }

    /// Releases the messages that waited for the oldest writes.
    fn release(&mut self, peer: u32) {
        let slot = &mut self.slots[peer as usize];
        let Some(mut held) = slot.held.pop_front() else { return };
        slot.released += 1;
        self.watch.event(Nanos(self.now), ClusterEvent::Synced(Peer(peer)));
        self.send(peer, &mut held.messages);
        for office in held.changed.drain(..) {
            self.announce(peer, office);
        }
        self.spare.push(held);
    }
}
