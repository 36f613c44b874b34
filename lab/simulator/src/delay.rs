//! Delays: the arrival tick of each message, and the FIFO order of links.

use crate::{Pace, Schedule, schedule::LONGEST_DELAY};
use rustc_hash::FxHashMap;
use std::{hint::black_box, ops::Range};
use suffrage_networks::random::Key;

/// The arrival ticks of messages under timed schedules.
///
/// Everything random here is counter-based, a function of the seed and of the message, so that no
/// result depends on the order of evaluation.
#[repr(u8)]
pub(crate) enum Delay {
    /// A delay of one tick.
    Unit,
    /// A delay that belongs to the link.
    PerLink { key: Key, most: u64 },
    /// One instant per link and epoch.
    Epochs(Epochs),
    /// A delay for each message, held back so that it does not overtake.
    Drawn { key: Key, law: Law, fifo: Fifo },
}

/// The distribution of a message's delay.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Law {
    Uniform(u64),
    Exponential(f64),
    Pareto(f64),
}

/// The method that keeps a link FIFO when each of its messages draws a delay.
pub(crate) enum Fifo {
    /// None: links are not FIFO, which is a fault.
    Off,
    /// The instant of the last arrival of every link, from the first one on.
    Last { first: u64, last: Vec<u64> },
    /// The arrivals on the links that hold messages now: exact on any network, and the oracle for
    /// the other methods.
    InFlight(FxHashMap<u64, LinkInUse>),
}

/// The messages on a link.
#[derive(Clone, Copy, Default)]
pub(crate) struct LinkInUse {
    last: u64,
    count: u32,
}

/// The method by which a run with drawn delays keeps its links FIFO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FifoMethod {
    /// The cheapest one that the network allows: the last arrival per link where the links are
    /// stored or O(n), epochs for uniform delays on complete networks, and otherwise
    /// [`InFlight`](Self::InFlight).
    #[default]
    Cheapest,
    /// An exact map of the links that hold messages: the oracle that tests the others. Delays are
    /// drawn for each message on every network.
    InFlight,
}

impl Delay {
    pub(crate) fn new(
        schedule: &Schedule,
        method: FifoMethod,
        fifo: bool,
        dense_links: Option<Range<u64>>,
        seed: u64,
    ) -> Self {
        let key = Key::new(seed, "delays");
        let law = match *schedule {
            Schedule::PerLink(most) | Schedule::Rounds(Pace::PerLink(most)) => {
                return Self::PerLink { key, most: u64::from(most) };
            }
            Schedule::Uniform(most) | Schedule::Rounds(Pace::Uniform(most)) => {
                Law::Uniform(u64::from(most))
            }
            Schedule::Exponential(mean) => Law::Exponential(mean),
            Schedule::Pareto(alpha) => Law::Pareto(alpha),
            _ => return Self::Unit,
        };
        // Links that are numbered without gaps have a table.
        let fifo = match (fifo, method, dense_links, law) {
            (false, ..) => Fifo::Off,
            (true, FifoMethod::Cheapest, Some(links), _) => {
                let last = vec![0; (links.end - links.start) as usize];
                Fifo::Last { first: links.start, last }
            }
            (true, FifoMethod::Cheapest, None, Law::Uniform(most)) => {
                return Self::Epochs(Epochs::new(key, most));
            }
            (true, ..) => Fifo::InFlight(FxHashMap::default()),
        };
        Self::Drawn { key, law, fifo }
    }

    pub(crate) fn longest(&self) -> Option<u64> {
        match *self {
            Self::Unit => Some(1),
            Self::PerLink { most, .. }
            | Self::Epochs(Epochs { most, .. })
            | Self::Drawn { law: Law::Uniform(most), .. } => Some(most),
            Self::Drawn { .. } => None,
        }
    }

    /// Returns the tick at which a message arrives that `node` sends over `link` at `now`; `serial`
    /// distinguishes it from all other messages of the node.
    #[inline]
    pub(crate) fn arrival(&mut self, link: u64, node: u64, serial: u32, now: u64) -> u64 {
        match self {
            Self::Unit => now + 1,
            Self::PerLink { key, most } => now + 1 + key.at(link).below(*most),
            Self::Epochs(epochs) => epochs.arrival(link, now),
            Self::Drawn { key, law, fifo } => {
                let key = if node >> 32 == 0 { *key } else { key.at(node >> 32) };
                let drawn = now + law.delay(key.at(node << 32 | u64::from(serial)));
                match fifo {
                    Fifo::Off => drawn,
                    Fifo::Last { first, last } => {
                        let last = &mut last[(link - *first) as usize];
                        *last = drawn.max(*last);
                        *last
                    }
                    Fifo::InFlight(waiting) => enter(waiting, link, drawn),
                }
            }
        }
    }

    pub(crate) fn last_arrivals(&self, now: u64) -> Vec<(u64, u64)> {
        let Self::Drawn { fifo: Fifo::Last { first, last }, .. } = self else { return Vec::new() };
        let all = (*first..).zip(last.iter().copied());
        all.filter(|&(_, tick)| tick > now).collect()
    }

    /// Takes up what [`last_arrivals`](Self::last_arrivals) has returned, of the links that it has.
    pub(crate) fn take_up(&mut self, arrivals: impl IntoIterator<Item = (u64, u64)>) {
        let Self::Drawn { fifo: Fifo::Last { first, last }, .. } = self else { return };
        for (link, tick) in arrivals {
            let place = link.checked_sub(*first).and_then(|at| last.get_mut(at as usize));
            if let Some(place) = place {
                *place = tick;
            }
        }
    }

    #[inline]
    pub(crate) fn fetch(&self, links: impl Iterator<Item = u64>) {
        if let Self::Drawn { fifo: Fifo::Last { first, last }, .. } = self {
            black_box(links.fold(0, |all, link| all | last[(link - first) as usize]));
        }
    }

    pub(crate) const fn follows_arrivals(&self) -> bool {
        matches!(self, Self::Drawn { fifo: Fifo::InFlight(_), .. })
    }

    pub(crate) fn arrived(&mut self, link: u64) {
        if let Self::Drawn { fifo: Fifo::InFlight(waiting), .. } = self {
            leave(waiting, link);
        }
    }
}

/// Enters a message into a link, to arrive at `drawn` or when the one before it does.
pub(crate) fn enter(links: &mut FxHashMap<u64, LinkInUse>, link: u64, drawn: u64) -> u64 {
    let waiting = links.entry(link).or_default();
    waiting.last = drawn.max(waiting.last);
    waiting.count += 1;
    waiting.last
}

pub(crate) fn leave(links: &mut FxHashMap<u64, LinkInUse>, link: u64) {
    if let Some(waiting) = links.get_mut(&link) {
        waiting.count -= 1;
        if waiting.count == 0 {
            links.remove(&link);
        }
    }
}

/// Stateless FIFO: a link delivers at one random tick of each epoch, and a message takes the first
/// such tick after it was sent. A message sent later never arrives earlier.
///
/// Epochs are alternately `⌊(D+1)/2⌋` and `⌈(D+1)/2⌉` ticks long, so that two in succession span
/// `D + 1` and every delay is in `1..=D`.
pub(crate) struct Epochs {
    key: Key,
    most: u64,
}

impl Epochs {
    pub(crate) const fn new(key: Key, most: u64) -> Self {
        Self { key, most }
    }

    #[inline]
    pub(crate) fn arrival(&self, link: u64, now: u64) -> u64 {
        let link = self.key.at(link);
        let instant = |epoch: u64| {
            let start = epoch * (self.most + 1) / 2;
            let end = (epoch + 1) * (self.most + 1) / 2;
            start + link.at(epoch).below(end - start)
        };
        let epoch = (2 * now + 1) / (self.most + 1);
        let this = instant(epoch);
        if this > now { this } else { instant(epoch + 1) }
    }
}

impl Law {
    #[inline]
    fn delay(self, key: Key) -> u64 {
        match self {
            Self::Uniform(most) => 1 + key.below(most),
            Self::Exponential(mean) => whole(-mean * libm::log(unit(key))),
            Self::Pareto(alpha) => whole(libm::pow(unit(key), -1.0 / alpha)),
        }
    }
}

fn unit(key: Key) -> f64 {
    ((key.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

/// Rounds up to a whole number of ticks, before anything is ordered by them. The logarithm and the
/// power are those of `libm`, in Rust, because the platforms' own differ in the last bit.
fn whole(ticks: f64) -> u64 {
    (libm::ceil(ticks) as u64).clamp(1, LONGEST_DELAY)
}

#[cfg(test)]
mod tests;
