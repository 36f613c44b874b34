//! The network: whether a message arrives, in how many copies, and when.

use super::profile::DelaySampler;
use suffrage_numbers::random::Key;

/// The effects of faults on every message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NetworkWeather {
    /// The number of messages in a million that are lost.
    pub(crate) lost: u64,
    /// The number in a million that are duplicated.
    pub(crate) doubled: u64,
    /// The number in a million that are late, and may be overtaken.
    pub(crate) overtaken: u64,
    /// The greatest delay of a message that is late.
    pub(crate) late: u64,
    /// The time by which every message takes longer.
    pub(crate) slower: u64,
}

/// Links between all participants. Without faults each is FIFO, as a connection is.
pub(crate) struct SimulatedNetwork {
    peers: usize,
    delays: DelaySampler,
    /// For each link, the arrival of the latest message that may not be overtaken.
    latest: Vec<u64>,
    /// For each link, whether it is cut.
    cut: Vec<bool>,
    pub(crate) weather: NetworkWeather,
    key: Key,
    /// The number of messages that each participant has sent, so that the actions of one do not
    /// change the delays of another.
    sent: Vec<u64>,
}

/// The instants at which the copies of a message arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessagePassage {
    /// The message is lost.
    Lost,
    Once(u64),
    Twice(u64, u64),
}

impl SimulatedNetwork {
    pub(crate) fn new(peers: usize, delays: DelaySampler, key: Key) -> Self {
        Self {
            peers,
            delays,
            latest: vec![0; peers * peers],
            cut: vec![false; peers * peers],
            weather: NetworkWeather::default(),
            key,
            sent: vec![0; peers],
        }
    }

    pub(crate) fn is_cut(&self, from: usize, to: usize) -> bool {
        self.cut[from * self.peers + to]
    }

    /// Cuts exactly the links for which `is_cut` holds.
    pub(crate) fn cut(&mut self, mut is_cut: impl FnMut(usize, usize) -> bool) {
        for from in 0..self.peers {
            for to in 0..self.peers {
                self.cut[from * self.peers + to] = is_cut(from, to);
            }
        }
    }

    #[inline]
    pub(crate) fn send(&mut self, from: u32, to: u32, now: u64) -> MessagePassage {
        let link = from as usize * self.peers + to as usize;
        let sent = &mut self.sent[from as usize];
        *sent += 1;
        let random = self.key.at(u64::from(from)).at(*sent);
        if self.cut[link] {
            return MessagePassage::Lost;
        }
        let drawn = now + self.delays.draw(from, to, random);
        let weather = self.weather;
        if weather == NetworkWeather::default() {
            let latest = &mut self.latest[link];
            *latest = drawn.max(*latest);
            return MessagePassage::Once(*latest);
        }
        if random.at(1).below(1_000_000) < weather.lost {
            return MessagePassage::Lost;
        }
        let drawn = drawn + weather.slower;
        let arrival = if random.at(2).below(1_000_000) < weather.overtaken {
            drawn + random.at(3).below(weather.late + 1)
        } else {
            let latest = &mut self.latest[link];
            *latest = drawn.max(*latest);
            *latest
        };
        if random.at(4).below(1_000_000) < weather.doubled {
            let again = self.delays.draw(from, to, random.at(5));
            return MessagePassage::Twice(arrival, arrival + again);
        }
        MessagePassage::Once(arrival)
    }
}

/// Converts a percentage to parts of a million.
pub(crate) const fn percent(percent: u32) -> u64 {
    percent as u64 * 10_000
}

#[cfg(test)]
mod tests;
