//! Back-pressure: limits and counts the messages in transit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The capacity of one link in one direction.
#[derive(Clone)]
pub(crate) struct LinkRoom(Arc<Semaphore>);

impl LinkRoom {
    pub(crate) fn of(messages: u32) -> Self {
        Self(Arc::new(Semaphore::new(messages as usize)))
    }

    pub(crate) async fn enter(&self, under_way: &Arc<UnderWay>) -> Ticket {
        let place = self.0.clone().acquire_owned().await.ok();
        under_way.more();
        Ticket { _place: place, under_way: under_way.clone() }
    }
}

/// The place of a message on a link. Dropping it makes room, but the message counts as in transit
/// until it is [taken](Ticket::taken): a task that panics loses its messages, which then have not
/// arrived.
pub(crate) struct Ticket {
    _place: Option<OwnedSemaphorePermit>,
    under_way: Arc<UnderWay>,
}

impl Ticket {
    /// Records that the receiver has taken the message.
    pub(crate) fn taken(self) {
        self.under_way.less();
    }
}

/// The messages that a node has sent and that are not known to have been taken.
#[derive(Default)]
pub(crate) struct UnderWay {
    messages: AtomicUsize,
    none: Notify,
    all: Option<Arc<Traffic>>,
}

impl UnderWay {
    /// Creates a count that also adds to the messages in transit of the whole cluster.
    pub(crate) fn within(all: Option<Arc<Traffic>>) -> Arc<Self> {
        Arc::new(Self { all, ..Self::default() })
    }

    fn more(&self) {
        self.messages.fetch_add(1, Ordering::AcqRel);
        if let Some(all) = &self.all {
            let now = all.now.fetch_add(1, Ordering::Relaxed) + 1;
            all.peak.fetch_max(now, Ordering::Relaxed);
        }
    }

    fn less(&self) {
        if let Some(all) = &self.all {
            all.now.fetch_sub(1, Ordering::Relaxed);
        }
        if self.messages.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.none.notify_waiters();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.load(Ordering::Acquire) == 0
    }

    pub(crate) async fn none(&self) {
        loop {
            let mut empty = std::pin::pin!(self.none.notified());
            empty.as_mut().enable();
            if self.is_empty() {
                return;
            }
            empty.await;
        }
    }
}

/// The messages in transit between all nodes of one program.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    now: AtomicU64,
    peak: AtomicU64,
}

impl Traffic {
    pub(crate) fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests;
