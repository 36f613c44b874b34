//! The times at which other participants were last heard.

use crate::clock::Clock;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use tenure_model::{Peer, Setting};

/// When each peer was last heard, in nanoseconds of the participant's clock.
#[derive(Debug)]
pub(crate) struct Hearing {
    clock: Arc<dyn Clock>,
    setting: Setting,
    began: u64,
    peers: RwLock<BTreeMap<Peer, Arc<AtomicU64>>>,
}

/// The maximal number of peers that are remembered.
const MOST: usize = 1 << 16;

impl Hearing {
    pub(crate) fn new(clock: Arc<dyn Clock>, setting: Setting) -> Arc<Self> {
        let began = clock.now();
        Arc::new(Self { clock, setting, began, peers: RwLock::default() })
    }

    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Records that a peer was heard.
    pub(crate) fn hear(&self, peer: Peer, now: u64) {
        if let Some(last) = self.peers.read().unwrap_or_else(PoisonError::into_inner).get(&peer) {
            last.store(now, Ordering::Relaxed);
            return;
        }
        let mut peers = self.peers.write().unwrap_or_else(PoisonError::into_inner);
        if peers.len() >= MOST {
            let members = self.setting.members;
            let oldest = peers
                .iter()
                .filter(|(peer, _)| peer.0 >= members)
                .min_by_key(|(_, last)| last.load(Ordering::Relaxed))
                .map(|(&peer, _)| peer);
            oldest.and_then(|peer| peers.remove(&peer));
        }
        peers.insert(peer, Arc::new(AtomicU64::new(now)));
    }

    pub(crate) fn of(&self, peer: Peer) -> Option<Arc<AtomicU64>> {
        self.peers.read().unwrap_or_else(PoisonError::into_inner).get(&peer).cloned()
    }

    /// Returns the latest instant since which a majority of the members has been heard; this
    /// participant counts if it is a member.
    pub(crate) fn majority(&self) -> u64 {
        let peers = self.peers.read().unwrap_or_else(PoisonError::into_inner);
        let last = |peer| match peers.get(&peer) {
            _ if peer == self.setting.me => self.now(),
            Some(last) => last.load(Ordering::Relaxed),
            None => self.began,
        };
        let mut all: Vec<u64> = self.setting.everyone().map(last).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        all[self.setting.majority() - 1]
    }
}
