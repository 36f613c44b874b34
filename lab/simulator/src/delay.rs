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
    InFlight(FxHashMap<u64, Waiting>),
}

/// The messages on a link.
#[derive(Clone, Copy, Default)]
pub(crate) struct Waiting {
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
        // The links that are numbered without gaps, of which there is a table.
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

    /// Returns the longest delay, if the schedule gives one.
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

    /// Returns the last arrivals that are after `now`, by link: all that is to be known of the past.
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

    /// Prefetches the state of these links.
    #[inline]
    pub(crate) fn fetch(&self, links: impl Iterator<Item = u64>) {
        if let Self::Drawn { fifo: Fifo::Last { first, last }, .. } = self {
            black_box(links.fold(0, |all, link| all | last[(link - first) as usize]));
        }
    }

    /// Returns whether every arrival must be reported to [`arrived`](Self::arrived).
    pub(crate) const fn follows_arrivals(&self) -> bool {
        matches!(self, Self::Drawn { fifo: Fifo::InFlight(_), .. })
    }

    /// Records that a message has arrived over `link`.
    pub(crate) fn arrived(&mut self, link: u64) {
        if let Self::Drawn { fifo: Fifo::InFlight(waiting), .. } = self {
            leave(waiting, link);
        }
    }
}

/// Enters a message into a link, to arrive at `drawn` or when the one before it does.
pub(crate) fn enter(links: &mut FxHashMap<u64, Waiting>, link: u64, drawn: u64) -> u64 {
    let waiting = links.entry(link).or_default();
    waiting.last = drawn.max(waiting.last);
    waiting.count += 1;
    waiting.last
}

/// Removes a message from a link.
pub(crate) fn leave(links: &mut FxHashMap<u64, Waiting>, link: u64) {
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

/// Returns a number in `(0, 1]`, a multiple of 2^-53: exact in an `f64`.
fn unit(key: Key) -> f64 {
    ((key.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

/// Rounds up to a whole number of ticks, before anything is ordered by them. The logarithm and the
/// power are those of `libm`, in Rust, because the platforms' own differ in the last bit.
fn whole(ticks: f64) -> u64 {
    (libm::ceil(ticks) as u64).clamp(1, LONGEST_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epochs(most: u64) -> Epochs {
        Epochs { key: Key::new(3, "delays"), most }
    }

    #[test]
    fn what_is_sent_later_on_a_link_never_arrives_earlier() {
        for most in 1..=12 {
            for link in 0..50 {
                let arrivals: Vec<u64> =
                    (0..200).map(|now| epochs(most).arrival(link, now)).collect();
                assert!(arrivals.is_sorted(), "uniform:{most}, link {link}");
            }
        }
    }

    #[test]
    fn the_delays_of_epochs_are_all_from_1_to_d() {
        for most in 1..=12 {
            let mut seen = vec![false; most as usize + 1];
            for link in 0..2000 {
                for now in 0..40 {
                    seen[(epochs(most).arrival(link, now) - now) as usize] = true;
                }
            }
            assert!(!seen[0] && seen[1..].iter().all(|&s| s), "uniform:{most}: {seen:?}");
        }
    }

    #[test]
    fn exponential_and_pareto_delays_have_the_mean_that_they_should() {
        let mean = |law: Law| {
            let key = Key::new(1, "test");
            (0..100_000).map(|i| law.delay(key.at(i))).sum::<u64>() as f64 / 1e5
        };
        // Rounded up: half a tick more. Standard errors are 0.03 and 0.006.
        assert!((mean(Law::Exponential(10.0)) - 10.5).abs() < 0.2);
        // The ceiling of a variable above 1 has the mean 1 + P(X > 1) + P(X > 2) + ...
        let ceiling: f64 = 1.0 + (1..2000).map(|k| f64::from(k).powi(-3)).sum::<f64>();
        assert!((mean(Law::Pareto(3.0)) - ceiling).abs() < 0.1);
    }

    #[test]
    fn a_map_of_links_in_flight_is_empty_when_all_has_arrived() {
        let mut links = FxHashMap::default();
        assert_eq!(enter(&mut links, 7, 10), 10);
        assert_eq!(enter(&mut links, 7, 4), 10);
        assert_eq!(enter(&mut links, 8, 4), 4);
        leave(&mut links, 7);
        leave(&mut links, 8);
        leave(&mut links, 7);
        assert!(links.is_empty());
    }
}
