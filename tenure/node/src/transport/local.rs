//! Links within one program, with simulated faults.

use super::{Envelope, MessageSink, ParticipantTransport};
use crate::status::PeerStatus;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};
use suffrage_numbers::random::Key;
use tenure_model::Peer;

/// The faults of the links.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkFaults {
    /// The probability that a message is lost.
    pub loss: f64,
    /// The probability that a message arrives twice.
    pub duplication: f64,
    /// The range of delays, drawn uniformly, so that messages overtake each other.
    pub delay: Range<Duration>,
}

impl Default for LinkFaults {
    fn default() -> Self {
        Self { loss: 0.0, duplication: 0.0, delay: Duration::ZERO..Duration::ZERO }
    }
}

/// A network within one program: for tests, and for participants in one process. Clones refer to
/// the same network.
#[derive(Clone)]
pub struct LocalNetwork(Arc<LocalHub>);

struct LocalHub {
    state: Mutex<LocalNetworkState>,
    wake: Condvar,
}

struct LocalNetworkState {
    sinks: BTreeMap<Peer, (MessageSink, String, u64)>,
    joined: u64,
    weather: LinkFaults,
    cuts: BTreeSet<(Peer, Peer)>,
    key: Key,
    coins: u64,
    under_way: BinaryHeap<Reverse<UnderWay>>,
}

/// A message in transit: its time of arrival, a random tie-breaker, sender, receiver and contents.
type UnderWay = (Instant, u64, Peer, Peer, Vec<u8>);

impl std::fmt::Debug for LocalNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LocalNetwork")
    }
}

impl LocalNetwork {
    /// Creates a network without faults. The seed determines the draws of later faults.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let state = LocalNetworkState {
            sinks: BTreeMap::new(),
            joined: 0,
            weather: LinkFaults::default(),
            cuts: BTreeSet::new(),
            key: Key::new(seed, "local network"),
            coins: 0,
            under_way: BinaryHeap::new(),
        };
        let hub = Arc::new(LocalHub { state: Mutex::new(state), wake: Condvar::new() });
        let weak = Arc::downgrade(&hub);
        let named = thread::Builder::new().name("tenure-local".into());
        if let Err(error) = named.spawn(move || carry(&weak)) {
            tracing::error!(%error, "no thread for the local network: it delays nothing");
        }
        Self(hub)
    }

    fn lock(&self) -> MutexGuard<'_, LocalNetworkState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the faults of messages that are sent from now on.
    pub fn set_weather(&self, weather: LinkFaults) {
        self.lock().weather = weather;
    }

    /// Cuts the link from one peer to another, in this direction only. Messages in transit are
    /// lost.
    pub fn cut(&self, from: Peer, to: Peer) {
        self.lock().cuts.insert((from, to));
    }

    /// Cuts a peer off from all others, in both directions.
    pub fn isolate(&self, peer: Peer) {
        let mut state = self.lock();
        let others: Vec<Peer> =
            state.sinks.keys().copied().filter(|&other| other != peer).collect();
        for other in others {
            state.cuts.insert((peer, other));
            state.cuts.insert((other, peer));
        }
    }

    /// Restores all links.
    pub fn heal(&self) {
        self.lock().cuts.clear();
    }

    /// Adds a participant, in place of an earlier one of the same number.
    #[must_use]
    pub fn join(&self, peer: Peer, name: &str, sink: MessageSink) -> Arc<dyn ParticipantTransport> {
        let mut state = self.lock();
        state.joined += 1;
        let visit = state.joined;
        state.sinks.insert(peer, (sink, name.to_owned(), visit));
        Arc::new(LocalTransport { network: self.clone(), me: peer, visit })
    }
}

impl LocalNetworkState {
    fn coin(&mut self) -> u64 {
        self.coins += 1;
        self.key.at(self.coins).bits() >> 11
    }

    fn happens(&mut self, probability: f64) -> bool {
        (self.coin() as f64) < probability * (1_u64 << 53) as f64
    }

    fn delay(&mut self) -> Duration {
        let Range { start, end } = self.weather.delay.clone();
        let span = end.saturating_sub(start).as_nanos() as u64;
        let coin = (u128::from(self.coin()) * u128::from(span)) >> 53;
        start + Duration::from_nanos(coin as u64)
    }

    fn deliver(&self, from: Peer, to: Peer, bytes: &[u8]) {
        if !self.cuts.contains(&(from, to))
            && let Some((sink, ..)) = self.sinks.get(&to)
        {
            sink.deliver(from, bytes);
        }
    }
}

/// Delivers delayed messages, until the network is dropped.
fn carry(hub: &Weak<LocalHub>) {
    while let Some(hub) = hub.upgrade() {
        let mut state = hub.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        while state.under_way.peek().is_some_and(|Reverse((at, ..))| *at <= now) {
            let Some(Reverse((_, _, from, to, bytes))) = state.under_way.pop() else { break };
            state.deliver(from, to, &bytes);
        }
        let next =
            state.under_way.peek().map(|Reverse((at, ..))| at.saturating_duration_since(now));
        // Checks periodically whether the network was dropped.
        let wait = next.unwrap_or(Duration::from_millis(100)).min(Duration::from_millis(100));
        drop(hub.wake.wait_timeout(state, wait));
    }
}

/// One participant's end of the network.
struct LocalTransport {
    network: LocalNetwork,
    me: Peer,
    visit: u64,
}

impl ParticipantTransport for LocalTransport {
    fn send(&self, to: Peer, envelope: Envelope) {
        let mut state = self.network.lock();
        if state.sinks.get(&self.me).is_none_or(|sink| sink.2 != self.visit) {
            return;
        }
        let weather = state.weather.clone();
        let copies = 1 + u64::from(state.happens(weather.duplication));
        for _ in 0..copies {
            if state.happens(weather.loss) || state.cuts.contains(&(self.me, to)) {
                continue;
            }
            let delay = state.delay();
            if delay.is_zero() {
                state.deliver(self.me, to, &envelope.bytes);
            } else {
                let (at, number) = (Instant::now() + delay, state.coin());
                state.under_way.push(Reverse((at, number, self.me, to, envelope.bytes.clone())));
                self.network.0.wake.notify_one();
            }
        }
    }

    fn links(&self) -> Vec<PeerStatus> {
        let state = self.network.lock();
        let link = |(&peer, (_, name, _)): (&Peer, &(MessageSink, String, u64))| PeerStatus {
            name: name.clone(),
            number: peer.0,
            connected: !state.cuts.contains(&(self.me, peer)),
            ..PeerStatus::default()
        };
        state.sinks.iter().filter(|(peer, _)| **peer != self.me).map(link).collect()
    }

    fn name(&self, peer: Peer) -> Option<String> {
        self.network.lock().sinks.get(&peer).map(|(_, name, _)| name.clone())
    }

    fn peer(&self, name: &str) -> Option<Peer> {
        let state = self.network.lock();
        state.sinks.iter().find(|(_, sink)| sink.1 == name).map(|(&peer, _)| peer)
    }

    fn close(&self) {
        let mut state = self.network.lock();
        if state.sinks.get(&self.me).is_some_and(|sink| sink.2 == self.visit) {
            state.sinks.remove(&self.me);
        }
    }
}
