//! The scheduler, which chooses the link that delivers next.

use crate::{delay::Delay, replay::Recording};
use std::{
    cmp::Reverse,
    collections::{BTreeSet, BinaryHeap},
    sync::Arc,
};
use suffrage_topology::random::Generator;

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
pub(crate) enum Scheduler {
    /// At the ticks that a delay gives, each message at its own. An entry is a message: its tick, a
    /// count for ties, its link, and its serial number among its sender's messages.
    Timed { delay: Delay, heap: BinaryHeap<Reverse<(u64, u64, u32, u32)>>, count: u64 },
    /// At random, among the links that hold a message.
    Random { ready: Vec<u32>, place: Vec<Option<u32>>, generator: Generator },
    /// In the order in which the links began to hold messages.
    Age { newest: bool, ready: BTreeSet<(u64, u32)>, since: Vec<u64>, count: u64 },
    /// In the recorded order.
    Replay { recording: Arc<Recording>, position: usize },
}

impl Scheduler {
    pub(crate) fn timed(delay: Delay) -> Self {
        Self::Timed { delay, heap: BinaryHeap::new(), count: 0 }
    }

    pub(crate) fn random(seed: u64) -> Self {
        let generator = Generator::new(seed, "schedule");
        Self::Random { ready: Vec::new(), place: Vec::new(), generator }
    }

    pub(crate) const fn age(newest: bool) -> Self {
        Self::Age { newest, ready: BTreeSet::new(), since: Vec::new(), count: 0 }
    }

    pub(crate) const fn replay(recording: Arc<Recording>) -> Self {
        Self::Replay { recording, position: 0 }
    }

    /// Chooses the next event, at `now` or after it.
    pub(crate) fn pick(&mut self, now: u64, due: Option<u64>) -> Pick {
        let link = match self {
            Self::Replay { .. } => return Pick::Recorded,
            Self::Timed { heap, .. } => match heap.peek() {
                // Timers that are due come before arrivals at the same tick.
                Some(&Reverse((tick, _, slot, serial))) if due.is_none_or(|due| due > tick) => {
                    heap.pop();
                    return Pick::Link { slot, tick, drawn: Some(serial) };
                }
                _ => None,
            },
            // Untimed: a tick is an event, and a timer is due as soon as its tick has come.
            _ if due.is_some_and(|due| due <= now) => None,
            Self::Random { ready, generator, .. } => {
                (!ready.is_empty()).then(|| ready[generator.below(ready.len() as u64) as usize])
            }
            Self::Age { newest, ready, .. } => {
                if *newest { ready.last() } else { ready.first() }.map(|&(_, slot)| slot)
            }
        };
        match (link, due) {
            (Some(slot), _) => Pick::Link { slot, tick: now + 1, drawn: None },
            (None, Some(tick)) => Pick::Due(tick.max(now)),
            (None, None) => Pick::Nothing,
        }
    }

    /// Records that a message has entered a link, as its `first` if it was empty.
    pub(crate) fn entered(
        &mut self,
        slot: u32,
        first: bool,
        link: u64,
        node: u32,
        serial: u32,
        now: u64,
    ) {
        match self {
            Self::Timed { delay, heap, count } => {
                heap.push(Reverse((delay.arrival(link, node, serial, now), *count, slot, serial)));
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
            Self::Timed { .. } | Self::Replay { .. } => {}
        }
    }

    /// Restores a withdrawn link, which can deliver again.
    pub(crate) fn returned(&mut self, slot: u32, drawn: Option<u32>, now: u64) {
        if let (Self::Timed { heap, count, .. }, Some(serial)) = (&mut *self, drawn) {
            heap.push(Reverse((now, *count, slot, serial)));
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
            Self::Timed { .. } | Self::Replay { .. } => {}
        }
    }
}
