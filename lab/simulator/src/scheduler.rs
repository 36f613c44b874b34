//! The scheduler, which chooses the link that delivers next.

use crate::{
    Adversary,
    delay::Delay,
    replay::Recording,
    timers::{NEVER, Timers},
};
use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
    sync::Arc,
};
use suffrage_networks::{random::Generator, wiring::End};

/// The next event.
pub(crate) enum Pick {
    /// A link delivers, at this tick; on a timed one, the message that arrives then is the one
    /// `drawn`.
    Link {
        slot: u32,
        tick: u64,
        drawn: Option<u32>,
    },
    /// A timer is due, at this tick.
    Due(u64),
    /// The next step of the recording.
    Recorded,
    Nothing,
}

/// The order in which links deliver. Links are identified by their slots.
pub(crate) enum LinkScheduler {
    /// At the ticks that a delay gives, each message at its own. Within a tick, messages arrive in
    /// the order of sending, or in `rounds` in the order of receiver and port.
    Timed { delay: Delay, rounds: bool, heap: BinaryHeap<Reverse<Arrival>>, count: u64 },
    /// At random, among the links that hold a message.
    Random { ready: Vec<u32>, place: Vec<Option<u32>>, generator: Generator },
    /// In the order in which the links began to hold messages.
    Age { newest: bool, ready: BTreeSet<(u64, u32)>, since: Vec<u64>, count: u64 },
    /// In the recorded order, and after it in another one, if it goes on.
    Replay { recording: Arc<Recording>, position: usize, then: Option<Box<Self>> },
}

/// A message that enters a link.
pub(crate) struct LinkEntry {
    pub link: u64,
    pub from: u32,
    pub to: End,
    /// The serial number of the message among those of its sender.
    pub serial: u32,
}

/// The arrival of a message, in the order in which arrivals happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Arrival {
    tick: u64,
    /// The receiving end, where it comes before the order of sending.
    to: Option<End>,
    count: u64,
    slot: u32,
    /// The serial number of the message among those of its sender.
    serial: u32,
}

impl LinkScheduler {
    pub(crate) fn timed(delay: Delay, rounds: bool) -> Self {
        Self::Timed { delay, rounds, heap: BinaryHeap::new(), count: 0 }
    }

    pub(crate) fn random(seed: u64) -> Self {
        let generator = Generator::new(seed, "schedule");
        Self::Random { ready: Vec::new(), place: Vec::new(), generator }
    }

    pub(crate) const fn age(newest: bool) -> Self {
        Self::Age { newest, ready: BTreeSet::new(), since: Vec::new(), count: 0 }
    }

    pub(crate) fn replay(recording: Arc<Recording>) -> Self {
        let then = recording.continuation().map(|adversary| {
            Box::new(match adversary {
                Adversary::Random(seed) => Self::random(seed),
                Adversary::Newest => Self::age(true),
                Adversary::Oldest => Self::age(false),
            })
        });
        Self::Replay { recording, position: 0, then }
    }

    pub(crate) fn replays(&self) -> bool {
        match self {
            Self::Replay { recording, position, then } => {
                then.is_none() || *position < recording.steps().len()
            }
            _ => false,
        }
    }

    pub(crate) const fn is_in_rounds(&self) -> bool {
        matches!(self, Self::Timed { rounds: true, .. })
    }

    /// Chooses the next event, at `now` or after it.
    pub(crate) fn pick(&mut self, now: u64, timers: &Timers) -> Pick {
        if self.replays() {
            return Pick::Recorded;
        }
        let due = timers.next_tick();
        let link = match self {
            Self::Replay { then: Some(then), .. } => return then.pick(now, timers),
            Self::Replay { then: None, .. } => return Pick::Recorded,
            Self::Timed { heap, .. } => match heap.peek() {
                Some(&Reverse(Arrival { tick, slot, serial, .. })) if !timers.precede(tick) => {
                    heap.pop();
                    return Pick::Link { slot, tick, drawn: Some(serial) };
                }
                _ => None,
            },
            // Untimed: a tick is an event, and a timer is due as soon as its tick has come.
            _ if due <= now => None,
            Self::Random { ready, generator, .. } => {
                (!ready.is_empty()).then(|| ready[generator.below(ready.len() as u64) as usize])
            }
            Self::Age { newest, ready, .. } => {
                if *newest { ready.last() } else { ready.first() }.map(|&(_, slot)| slot)
            }
        };
        match (link, due) {
            (Some(slot), _) => Pick::Link { slot, tick: now + 1, drawn: None },
            (None, NEVER) => Pick::Nothing,
            (None, tick) => Pick::Due(tick.max(now)),
        }
    }

    /// Records that a message has entered a link, as its `first` if it was empty.
    pub(crate) fn entered(&mut self, slot: u32, first: bool, entry: LinkEntry, now: u64) {
        let LinkEntry { link, from, to, serial } = entry;
        match self {
            Self::Timed { delay, rounds, heap, count } => {
                let (tick, to) =
                    (delay.arrival(link, from.into(), serial, now), rounds.then_some(to));
                heap.push(Reverse(Arrival { tick, to, count: *count, slot, serial }));
                *count += 1;
            }
            Self::Age { since, count, .. } if first => {
                if since.len() <= slot as usize {
                    since.resize(slot as usize + 1, 0);
                }
                since[slot as usize] = *count;
                *count += 1;
                self.ready(slot);
            }
            Self::Random { .. } if first => self.ready(slot),
            Self::Replay { then: Some(then), .. } => {
                then.entered(slot, first, LinkEntry { link, from, to, serial }, now);
            }
            _ => {}
        }
    }

    /// Records that a message has left a link, as its `last` if it is now empty.
    pub(crate) fn left(&mut self, slot: u32, last: bool, link: u64) {
        if let Self::Timed { delay, .. } = self {
            delay.arrived(link);
        } else if last {
            self.withdrawn(slot);
        }
    }

    /// Withdraws a link that cannot deliver for now. A timed one has just been picked, which
    /// removed its entry.
    pub(crate) fn withdrawn(&mut self, slot: u32) {
        match self {
            Self::Random { ready, place, .. } => {
                if let Some(at) = place[slot as usize].take() {
                    ready.swap_remove(at as usize);
                    if let Some(&moved) = ready.get(at as usize) {
                        place[moved as usize] = Some(at);
                    }
                }
            }
            Self::Age { ready, since, .. } => {
                ready.remove(&(since[slot as usize], slot));
            }
            Self::Replay { then: Some(then), .. } => then.withdrawn(slot),
            Self::Timed { .. } | Self::Replay { .. } => {}
        }
    }

    /// Restores a withdrawn link, which can deliver again.
    pub(crate) fn returned(&mut self, slot: u32, to: End, drawn: Option<u32>, now: u64) {
        if let (Self::Timed { rounds, heap, count, .. }, Some(serial)) = (&mut *self, drawn) {
            let to = rounds.then_some(to);
            heap.push(Reverse(Arrival { tick: now, to, count: *count, slot, serial }));
            *count += 1;
        } else {
            self.ready(slot);
        }
    }

    fn ready(&mut self, slot: u32) {
        match self {
            Self::Random { ready, place, .. } => {
                if place.len() <= slot as usize {
                    place.resize(slot as usize + 1, None);
                }
                place[slot as usize] = Some(ready.len() as u32);
                ready.push(slot);
            }
            Self::Age { ready, since, .. } => {
                ready.insert((since[slot as usize], slot));
            }
            Self::Replay { then: Some(then), .. } => then.ready(slot),
            Self::Timed { .. } | Self::Replay { .. } => {}
        }
    }
}
