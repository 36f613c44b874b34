//! Who leads, as far as a participant knows, and how old that is.

use crate::hearing::Hearing;
use futures_core::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use suffrage_process::recovery::Peer;
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;

/// Who leads an office, or that nobody does, as far as one participant knows.
#[derive(Clone, Debug)]
pub struct Standing {
    office: Arc<str>,
    leader: Option<Leader>,
    term: Option<u64>,
    heard: Heard,
}

/// A leader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leader {
    /// Its name; its number where that is not known.
    pub name: String,
    /// Its number.
    pub peer: Peer,
}

/// How old it is.
#[derive(Clone, Debug)]
pub(crate) enum Heard {
    /// From this participant itself.
    Here,
    /// As old as the last message of one peer.
    From(Arc<AtomicU64>, Arc<Hearing>),
    /// As old as the last messages of a majority.
    Majority(Arc<Hearing>),
    /// From others, as of an instant.
    At(u64, Arc<Hearing>),
}

impl Standing {
    pub(crate) fn new(
        office: Arc<str>,
        leader: Option<Leader>,
        term: Option<u64>,
        heard: Heard,
    ) -> Self {
        Self { office, leader, term, heard }
    }

    /// Whether it says the same, but for how old that is.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        (&self.leader, self.term) == (&other.leader, other.term)
    }

    /// The name of the office.
    #[must_use]
    pub fn office(&self) -> &str {
        &self.office
    }

    /// Who leads; `None` if nobody is known to.
    #[must_use]
    pub const fn leader(&self) -> Option<&Leader> {
        self.leader.as_ref()
    }

    /// The term of the leader; of the last leader that is known where there is none.
    #[must_use]
    pub const fn term(&self) -> Option<u64> {
        self.term
    }

    /// How old this is, by the clock, which is read at each call: for how long the leader has not
    /// been heard, or, where there is none, a majority of the members.
    #[must_use]
    pub fn staleness(&self) -> Duration {
        let (hearing, heard) = match &self.heard {
            Heard::Here => return Duration::ZERO,
            Heard::From(last, hearing) => (hearing, last.load(Ordering::Relaxed)),
            Heard::Majority(hearing) => (hearing, hearing.majority()),
            Heard::At(at, hearing) => (hearing, *at),
        };
        Duration::from_nanos(hearing.now().saturating_sub(heard))
    }
}

/// A stream of the standings of one office: the present one first, and then each change, of which
/// those that were not looked at in time are skipped. It ends with its participant.
#[derive(Debug)]
pub struct Watch {
    stream: WatchStream<Standing>,
}

impl Watch {
    pub(crate) fn new(standings: watch::Receiver<Standing>) -> Self {
        Self { stream: WatchStream::new(standings) }
    }

    /// Waits for the next standing; `None` when the participant has ended. Cancellation-safe.
    pub async fn next(&mut self) -> Option<Standing> {
        std::future::poll_fn(|context| Pin::new(&mut self.stream).poll_next(context)).await
    }
}

impl Stream for Watch {
    type Item = Standing;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.stream).poll_next(context)
    }
}
