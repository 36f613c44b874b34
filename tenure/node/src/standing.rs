//! The leader of an office as far as a participant knows, and the age of that information.

use crate::hearing::Hearing;
use futures_core::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tenure_model::Peer;
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;

/// The leader of an office, if there is one, as far as a participant knows.
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
    /// The name, or the number if the name is not known.
    pub name: String,
    /// The number.
    pub peer: Peer,
}

/// The source of the information, which determines its age.
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

    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        (&self.leader, self.term) == (&other.leader, other.term)
    }

    /// Returns the name of the office.
    #[must_use]
    pub fn office(&self) -> &str {
        &self.office
    }

    /// Returns the leader; `None` if none is known.
    #[must_use]
    pub const fn leader(&self) -> Option<&Leader> {
        self.leader.as_ref()
    }

    /// Returns the term of the leader, or of the last known leader if there is none.
    #[must_use]
    pub const fn term(&self) -> Option<u64> {
        self.term
    }

    /// Returns how old this is, by the clock, which is read at each call: the time since the leader
    /// was heard or, if there is none, a majority of the members.
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

/// A stream of the standings of one office: the present one first, then each change. Changes that
/// are not read in time are skipped. It ends with its participant.
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
