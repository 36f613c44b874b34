//! The medium that keeps the queue of every link, for adversaries, bounded links and replay.

use crate::{
    medium::{Between, Dispatch, InFlight, MarkedDepth, Medium, ReplayMismatch, Turn},
    scheduler::{LinkEntry, LinkScheduler, Pick},
    timers::Timers,
};
use rustc_hash::FxHashMap;
use slab::Slab;
use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    ops::Range,
};
use suffrage_algorithms::InTransit;
use suffrage_model::{Action, Stage};
use suffrage_networks::{
    random::Key,
    wiring::{End, Wiring},
};

/// The messages of every link that holds any, in order: memory is in proportion to the messages in
/// flight.
pub(crate) struct LinkQueues<'a, M> {
    links: PlacedLinks<'a>,
    messages: Slab<M>,
    /// The message that a recorded fault has struck.
    struck: Option<InFlight<M>>,
    /// A buffer for a message that is lent.
    lent: Vec<InFlight<M>>,
}

/// The place of a message in a table.
type Place = u32;

/// The links, with the places of messages instead of these: so this is compiled once, and not for every type of
/// message.
struct PlacedLinks<'a> {
    now: u64,
    wiring: &'a Wiring,
    timers: Timers,
    slots: Vec<QueuedLink>,
    /// The slots whose link has become empty, for reuse by the next link.
    free: Vec<u32>,
    /// The index in `slots` of each link that holds a message.
    index: FxHashMap<u64, u32>,
    order: LinkScheduler,
    /// The number of messages that a link holds.
    capacity: usize,
    /// The key that chooses which message of a link arrives; `None` with FIFO links.
    overtaking: Option<Key>,
    delivered: u64,
    /// The number of messages that the last one that arrived overtook.
    overtaken: u32,
    /// The message that has been chosen to arrive: its link and its position there. It is removed
    /// when it arrives and not before, since its sender may crash at the same tick, and a crashed
    /// process does not use the room.
    next: Option<(u32, usize)>,
    /// The message that a recorded fault has struck: its link, and itself.
    struck: Option<(u32, InFlight<Place>)>,
    /// The processes that wait for room on a link, by number.
    blocked: BTreeMap<u32, Blocked>,
    under_way: u64,
    /// The greatest number under way at the end of a tick, in rounds.
    peak: Option<u64>,
}

struct QueuedLink {
    link: u64,
    from: u32,
    to: End,
    queue: VecDeque<QueuedMessage>,
}

struct QueuedMessage {
    depth: MarkedDepth,
    /// A number that no other message of its sender has.
    serial: u32,
    place: Place,
}

/// A process that has sent into a full link: it receives nothing until all its messages have
/// entered their links.
struct Blocked {
    /// The messages that it has sent since, in order.
    outbox: VecDeque<Dispatch<Place>>,
    /// The links whose message has arrived and waits for this process, each with the serial number
    /// of that message if one was drawn.
    parked: Vec<(u32, Option<u32>)>,
}

/// The message of a link that arrives.
#[derive(Clone, Copy)]
enum Which {
    /// The first, or without FIFO the one that was drawn, if one was.
    Next(Option<u32>),
    /// The one that overtakes this number of messages.
    Recorded(u32),
}

impl<'a> PlacedLinks<'a> {
    fn new(
        wiring: &'a Wiring,
        timers: Timers,
        order: LinkScheduler,
        capacity: Option<u32>,
        overtaking: Option<Key>,
    ) -> Self {
        let peak = order.is_in_rounds().then_some(0);
        Self {
            now: 0,
            wiring,
            timers,
            slots: Vec::new(),
            free: Vec::new(),
            index: FxHashMap::default(),
            order,
            capacity: capacity.map_or(usize::MAX, |capacity| capacity as usize),
            overtaking,
            delivered: 0,
            overtaken: 0,
            next: None,
            struck: None,
            blocked: BTreeMap::new(),
            under_way: 0,
            peak,
        }
    }

    /// Puts a message on its link, or returns it if the link is full.
    fn enter(&mut self, dispatch: Dispatch<Place>) -> Result<(), Dispatch<Place>> {
        let Dispatch { from, serial, message } = dispatch;
        let link = self.wiring.link(from.node, from.port);
        let slot = *self.index.entry(link).or_insert_with(|| {
            let (from, to) = (from.node, message.to);
            if let Some(slot) = self.free.pop() {
                let queue = mem::take(&mut self.slots[slot as usize].queue);
                self.slots[slot as usize] = QueuedLink { link, from, to, queue };
                return slot;
            }
            self.slots.push(QueuedLink { link, from, to, queue: VecDeque::new() });
            self.slots.len() as u32 - 1
        });
        let queue = &mut self.slots[slot as usize].queue;
        if queue.len() >= self.capacity {
            return Err(dispatch);
        }
        queue.push_back(QueuedMessage { depth: message.depth, serial, place: message.msg });
        let first = queue.len() == 1;
        let entry = LinkEntry { link, from: from.node, to: message.to, serial };
        self.order.entered(slot, first, entry, self.now);
        Ok(())
    }

    /// Chooses the message of a link that arrives, by its position. Returns `None` if there is no
    /// such message, or if its receiver waits for room itself: then the link waits too.
    fn choose(&mut self, slot: u32, which: Which) -> Option<usize> {
        let QueuedLink { to, queue, .. } = &self.slots[slot as usize];
        if let Some(blocked) = self.blocked.get_mut(&to.node) {
            let drawn = if let Which::Next(drawn) = which { drawn } else { None };
            blocked.parked.push((slot, drawn));
            self.order.withdrawn(slot);
            return None;
        }
        let position = match (which, self.overtaking) {
            (Which::Recorded(overtakes), _) => overtakes as usize,
            (Which::Next(_), None) => 0,
            (Which::Next(Some(drawn)), Some(_)) => {
                queue.iter().position(|held| held.serial == drawn)?
            }
            (Which::Next(None), Some(key)) => {
                key.at(self.delivered).below(queue.len() as u64) as usize
            }
        };
        (position < queue.len()).then_some(position)
    }

    /// Removes a message from its link, which makes room there.
    fn take(&mut self, slot: u32, position: usize) -> Option<InFlight<Place>> {
        let QueuedLink { link, from, to, queue } = &mut self.slots[slot as usize];
        let (link, from, to) = (*link, *from, *to);
        let QueuedMessage { depth, place, .. } = queue.remove(position)?;
        self.delivered += 1;
        self.under_way -= 1;
        self.overtaken = position as u32;
        let empty = queue.is_empty();
        self.order.left(slot, empty, link);
        if empty {
            self.index.remove(&link);
            self.free.push(slot);
        }
        self.make_room(from);
        Some(InFlight { to, depth, msg: place })
    }

    /// Sends the waiting messages of `sender`, since one of its links has room again.
    fn make_room(&mut self, sender: u32) {
        let Some(mut blocked) = self.blocked.remove(&sender) else { return };
        while let Some(dispatch) = blocked.outbox.pop_front() {
            if let Err(dispatch) = self.enter(dispatch) {
                blocked.outbox.push_front(dispatch);
                self.blocked.insert(sender, blocked);
                return;
            }
        }
        self.unpark(blocked);
    }

    /// Lets the links that waited for a process deliver again.
    fn unpark(&mut self, blocked: Blocked) {
        for (slot, drawn) in blocked.parked {
            let to = self.slots[slot as usize].to;
            self.order.returned(slot, to, drawn, self.now);
        }
    }

    fn go_to(&mut self, tick: u64) {
        if let Some(peak) = &mut self.peak
            && tick > self.now
        {
            *peak = self.under_way.max(*peak);
        }
        self.now = tick;
    }

    fn replayed(&mut self) -> Result<Option<Turn>, ReplayMismatch> {
        let LinkScheduler::Replay { recording, position, .. } = &mut self.order else {
            return Ok(None);
        };
        let Some((tick, step)) = recording.steps().get(*position).copied() else {
            return Ok(None);
        };
        *position += 1;
        self.now = tick;
        self.retrace(step).map(Some).map_err(|what| self.misfit(&what))
    }

    /// Takes a recorded step, or returns the reason why it is not possible.
    fn retrace(&mut self, step: Action) -> Result<Turn, String> {
        let nodes = self.wiring.nodes();
        match step {
            Action::Wake(node) | Action::Alarm(node) | Action::Crash(node) if node >= nodes => {
                Err(format!("names a process that does not exist: there are only {nodes}"))
            }
            Action::Wake(node) => Ok(Turn::Wake(node)),
            Action::Crash(node) => Ok(Turn::Crash(node)),
            Action::Alarm(node) if self.timers.take_alarm(node) => Ok(Turn::Alarm(node)),
            Action::Alarm(node) => Err(format!("is an alarm that process {node} has not set")),
            Action::Deliver { to, overtakes } => {
                let none = || said("delivers", to, "and there is no such message");
                let slot = self.slot_into(to).ok_or_else(none)?;
                if self.blocked.contains_key(&to.node) {
                    return Err(said("delivers", to, "and that process waits for room itself"));
                }
                let position = self.choose(slot, Which::Recorded(overtakes)).ok_or_else(none)?;
                self.next = Some((slot, position));
                Ok(Turn::Onward)
            }
            Action::Lose { to } => {
                let none = || said("loses a message", to, "and none is there");
                let slot = self.slot_into(to).ok_or_else(none)?;
                self.struck = Some((slot, self.take(slot, 0).ok_or_else(none)?));
                Ok(Turn::Lose)
            }
            Action::Duplicate { to } => {
                let none = || said("doubles a message", to, "and none is there");
                let slot = self.slot_into(to).ok_or_else(none)?;
                let &QueuedMessage { depth, place, .. } =
                    self.slots[slot as usize].queue.front().ok_or_else(none)?;
                self.struck = Some((slot, InFlight { to, depth, msg: place }));
                Ok(Turn::Duplicate)
            }
        }
    }

    /// Returns the index in `slots` of the link into an end, if the end exists and the link holds a
    /// message.
    fn slot_into(&self, to: End) -> Option<u32> {
        let known = to.node < self.wiring.nodes() && to.port.0 < self.wiring.degree(to.node);
        let from = known.then(|| self.wiring.across(to.node, to.port))?;
        self.index.get(&self.wiring.link(from.node, from.port)).copied()
    }

    /// Returns whether a link can deliver a message, and that has an effect: of one to a crashed
    /// process the only one is that its sender may have room.
    fn may_arrive(&self, slot: &QueuedLink, stage: &dyn Fn(u32) -> Stage) -> bool {
        !slot.queue.is_empty()
            && !self.blocked.contains_key(&slot.to.node)
            && (stage(slot.to.node) != Stage::Crashed || self.blocked.contains_key(&slot.from))
    }

    /// Puts a second one, at this place, before the first message of a link.
    fn double(&mut self, slot: u32, place: Place) {
        let queue = &mut self.slots[slot as usize].queue;
        if let Some(&QueuedMessage { depth, serial, .. }) = queue.front() {
            queue.push_front(QueuedMessage { depth, serial, place });
            self.under_way += 1;
        }
    }

    fn send(&mut self, dispatch: Dispatch<Place>) {
        self.under_way += 1;
        let sender = dispatch.from.node;
        if let Some(blocked) = self.blocked.get_mut(&sender) {
            blocked.outbox.push_back(dispatch);
        } else if let Err(dispatch) = self.enter(dispatch) {
            let blocked = Blocked { outbox: VecDeque::from([dispatch]), parked: Vec::new() };
            self.blocked.insert(sender, blocked);
        }
    }

    fn set_alarm(&mut self, node: u32, ticks: u32) {
        let least = u32::from(!self.order.is_in_rounds());
        self.timers.set_alarm(node, self.now + u64::from(ticks.max(least)));
    }

    /// Returns the message that arrives, if one has been chosen.
    fn arrive(&mut self) -> Option<InFlight<Place>> {
        let (slot, position) = self.next.take()?;
        self.take(slot, position)
    }

    fn turn(&mut self) -> Result<Option<Turn>, ReplayMismatch> {
        loop {
            match self.order.pick(self.now, &self.timers) {
                Pick::Recorded => return self.replayed(),
                Pick::Nothing => return Ok(None),
                Pick::Due(tick) => {
                    self.go_to(tick);
                    if let Some(due) = self.timers.pop(tick) {
                        return Ok(Some(due.into()));
                    }
                }
                Pick::Link { slot, tick, drawn } => {
                    if let Some(position) = self.choose(slot, Which::Next(drawn)) {
                        self.next = Some((slot, position));
                        self.go_to(tick);
                        return Ok(Some(Turn::Onward));
                    }
                }
            }
        }
    }

    fn misfit(&self, what: &str) -> ReplayMismatch {
        match &self.order {
            LinkScheduler::Replay { position, .. } => {
                ReplayMismatch(format!("its step {position} {what}"))
            }
            _ => ReplayMismatch(what.into()),
        }
    }

    fn steps_around(&self) -> Option<u64> {
        let LinkScheduler::Replay { recording, position, .. } = &self.order else { return None };
        let steps = recording.steps().len().checked_sub(*position).filter(|&steps| steps > 0)?;
        (recording.around() == Some(*position)).then_some(steps as u64)
    }

    /// Returns everything between the processes. Slots keep their order.
    fn between(&self) -> Between<Place> {
        let (mut links, mut waiting, mut messages) = (Vec::new(), Vec::new(), Vec::new());
        for slot in self.slots.iter().filter(|slot| !slot.queue.is_empty()) {
            links.push((slot.link, slot.queue.len()));
            messages.extend(slot.queue.iter().map(|held| held.place));
        }
        for (&node, blocked) in &self.blocked {
            for Dispatch { from, message, .. } in &blocked.outbox {
                waiting.push((node, from.port));
                messages.push(message.msg);
            }
        }
        let alarms = self.timers.alarmed().collect();
        Between { links, fifo: self.overtaking.is_none(), waiting, alarms, messages }
    }

    /// Returns the senders' ends, the receivers' and the places of all messages under way.
    fn under_way(&self) -> Vec<(End, End, Place)> {
        let mut all = Vec::new();
        for QueuedLink { to, queue, .. } in &self.slots {
            let from = self.wiring.across(to.node, to.port);
            all.extend(queue.iter().map(|held| (from, *to, held.place)));
        }
        for blocked in self.blocked.values() {
            all.extend(blocked.outbox.iter().map(|it| (it.from, it.message.to, it.message.msg)));
        }
        all
    }

    fn possible(&self, stage: &dyn Fn(u32) -> Stage) -> Vec<Action> {
        let asleep = self.timers.to_wake().filter(|&node| stage(node) == Stage::Asleep);
        let alarmed = self.timers.alarmed().filter(|&node| stage(node) == Stage::Running);
        let mut arrivals: Vec<_> =
            self.slots.iter().filter(|slot| self.may_arrive(slot, stage)).map(|it| it.to).collect();
        arrivals.sort_unstable();
        let deliver = |to| Action::Deliver { to, overtakes: 0 };
        let timers = asleep.map(Action::Wake).chain(alarmed.map(Action::Alarm));
        timers.chain(arrivals.into_iter().map(deliver)).collect()
    }

    /// Crashes a process: what it has not put on a link is lost, and returned.
    fn crash(&mut self, node: u32) -> Vec<Place> {
        let Some(mut blocked) = self.blocked.remove(&node) else { return Vec::new() };
        let lost: Vec<Place> =
            blocked.outbox.drain(..).map(|dispatch| dispatch.message.msg).collect();
        self.under_way -= lost.len() as u64;
        self.unpark(blocked);
        lost
    }
}

/// Describes a step on a message of the link into an end, and why it is not possible.
fn said(does: &str, to: End, why: &str) -> String {
    format!("{does} to process {} through its port {}, {why}", to.node, to.port.0)
}

impl<'a, M: Copy> LinkQueues<'a, M> {
    pub(crate) fn new(
        wiring: &'a Wiring,
        timers: Timers,
        order: LinkScheduler,
        capacity: Option<u32>,
        overtaking: Option<Key>,
    ) -> Self {
        let links = PlacedLinks::new(wiring, timers, order, capacity, overtaking);
        Self { links, messages: Slab::new(), struck: None, lent: Vec::new() }
    }

    fn read(&self, InFlight { to, depth, msg: place }: InFlight<Place>) -> InFlight<M> {
        InFlight { to, depth, msg: self.messages[place as usize] }
    }
}

impl<M: Copy> Medium<M> for LinkQueues<'_, M> {
    fn now(&self) -> u64 {
        self.links.now
    }

    fn send(&mut self, Dispatch { from, serial, message }: Dispatch<M>) {
        let InFlight { to, depth, msg } = message;
        let message = InFlight { to, depth, msg: self.messages.insert(msg) as Place };
        self.links.send(Dispatch { from, serial, message });
    }

    fn set_alarm(&mut self, node: u32, ticks: u32) {
        self.links.set_alarm(node, ticks);
    }

    fn lend(&mut self) -> Option<(Vec<InFlight<M>>, Range<usize>)> {
        let message = self.links.arrive()?;
        let mut lent = mem::take(&mut self.lent);
        lent.push(self.read(message));
        self.messages.remove(message.msg as usize);
        Some((lent, 0..1))
    }

    fn give_back(&mut self, mut messages: Vec<InFlight<M>>, _: Range<usize>) {
        messages.clear();
        self.lent = messages;
    }

    fn turn(&mut self) -> Result<Option<Turn>, ReplayMismatch> {
        let turn = self.links.turn()?;
        if let Some((slot, message)) = self.links.struck.take() {
            let struck = self.read(message);
            self.struck = Some(struck);
            if matches!(turn, Some(Turn::Duplicate)) {
                self.links.double(slot, self.messages.insert(struck.msg) as Place);
            } else {
                self.messages.remove(message.msg as usize);
            }
        }
        Ok(turn)
    }

    fn overtaken(&self) -> u32 {
        self.links.overtaken
    }

    fn struck(&mut self) -> Option<InFlight<M>> {
        self.struck.take()
    }

    fn misfit(&self, what: &str) -> ReplayMismatch {
        self.links.misfit(what)
    }

    fn replays(&self) -> bool {
        self.links.order.replays()
    }

    fn steps_around(&self) -> Option<u64> {
        self.links.steps_around()
    }

    fn between(&self) -> Option<Between<M>> {
        let Between { links, fifo, waiting, alarms, messages: places } = self.links.between();
        let mut messages = Vec::with_capacity(places.len());
        for place in places {
            messages.push(self.messages[place as usize]);
        }
        Some(Between { links, fifo, waiting, alarms, messages })
    }

    fn under_way(&self) -> Vec<InTransit<M>> {
        let mut all = Vec::new();
        for (from, to, place) in self.links.under_way() {
            all.push(InTransit { from, to, msg: self.messages[place as usize], number: None });
        }
        all
    }

    fn possible(&self, stage: &dyn Fn(u32) -> Stage) -> Vec<Action> {
        self.links.possible(stage)
    }

    fn crash(&mut self, node: u32) -> u64 {
        let lost = self.links.crash(node);
        for &place in &lost {
            self.messages.remove(place as usize);
        }
        lost.len() as u64
    }

    fn blocked(&self) -> u64 {
        self.links.blocked.len() as u64
    }

    fn peak_in_flight(&self) -> Option<u64> {
        self.links.peak
    }
}
