//! One end of a link, over a sequence of connections.
//!
//! Payloads are numbered. A payload is kept until the other end confirms that its process has taken
//! it; over the next connection, payloads are sent again from the number that the other end names.
//! Both ends dial when they have something to send or have lost a connection. If both dial at the
//! same time, the end with the smaller number wins.

mod meet;
mod talk;

use super::Endpoint;
use super::connection::{Connection, Opened};
use crate::view::Absence;
use crate::window::Ticket;
use crate::wire::Hello;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use suffrage_model::{Id, Port};
use suffrage_net::backoff::Backoff;
use suffrage_net::log_limit::LogLimit;
use suffrage_networks::wiring::End;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tracing::{debug, info};

/// A command to a link.
pub(super) enum Command {
    /// Connect.
    Open,
    Send(Box<[u8]>, Ticket),
    /// The other end has dialled.
    Accept(Opened, Box<Hello>),
    /// Leave; `certain` if all have halted.
    Leave {
        certain: bool,
    },
}

/// The receipt for a payload that the process has not taken yet.
pub(crate) struct Receipt(Arc<Taken>);

#[derive(Default)]
struct Taken {
    count: AtomicU64,
    more: Notify,
}

impl crate::transport::Receipt for Receipt {
    fn taken(self) {
        self.0.count.fetch_add(1, Ordering::AcqRel);
        self.0.more.notify_one();
    }
}

pub(super) struct Link {
    endpoint: Arc<Endpoint>,
    port: Port,
    peer: End,
    commands: UnboundedReceiver<Command>,
    /// The incarnation of the other end, once it is known.
    met: Option<u64>,
    /// The number of the last connection.
    connections: u32,
    /// The payloads that the other end has not taken.
    sent: VecDeque<(Box<[u8]>, Ticket)>,
    /// The number of payloads that it has taken, which is the number of the first in `sent`.
    acknowledged: u64,
    /// The number of payloads that were received.
    received: u64,
    /// The number of those that the process has taken.
    taken: Arc<Taken>,
    backoff: Backoff,
    /// When the last connection ended, or the link was created.
    lost: Instant,
    /// The last reason for the peer's absence.
    why: Option<String>,
    /// The limit on log lines about it.
    absences: LogLimit,
}

/// The end of a connection.
enum Ending {
    Lost(String),
    Replaced(Connection),
    /// One of the two has left.
    Left,
    /// The node is gone.
    Dropped,
}

impl Link {
    pub(super) fn new(
        endpoint: Arc<Endpoint>,
        port: Port,
        commands: UnboundedReceiver<Command>,
    ) -> Self {
        let peer = endpoint.peer(port);
        let timeouts = &endpoint.timeouts;
        let seed = endpoint.incarnation ^ u64::from(port.0) << 32;
        let backoff = Backoff::new(timeouts.first_pause, timeouts.longest_pause, seed);
        Self {
            endpoint,
            port,
            peer,
            commands,
            met: None,
            connections: 0,
            sent: VecDeque::new(),
            acknowledged: 0,
            received: 0,
            taken: Arc::default(),
            backoff,
            lost: Instant::now(),
            why: None,
            absences: LogLimit::default(),
        }
    }

    /// Keeps the link until its node or the other end leaves.
    pub(super) async fn run(mut self) {
        let mut next = None;
        loop {
            let connection = match next.take() {
                Some(connection) => connection,
                None => match self.connect().await {
                    Some(connection) => connection,
                    None => return,
                },
            };
            debug!(id = %self.peer_id(), connection = self.connections, "connected");
            self.count(1);
            let (before, up) = ((self.acknowledged, self.received), Instant::now());
            let end = self.converse(connection).await;
            self.count(-1);
            self.lost = Instant::now();
            // A connection without progress counts as a failed attempt: a peer that welcomes this
            // node and then closes must not be dialled in a loop.
            let progress = (self.acknowledged, self.received) != before
                || up.elapsed() >= self.endpoint.timeouts.longest_pause;
            if progress {
                self.backoff.reset();
            }
            match end {
                Ending::Lost(why) => {
                    debug!(id = %self.peer_id(), %why, "a connection was lost");
                    if !progress {
                        self.backoff.failed();
                        self.is_missing(format!("it lets this node in, and then: {why}"));
                    }
                }
                Ending::Replaced(connection) => next = Some(connection),
                Ending::Left => return self.afterwards().await,
                Ending::Dropped => return,
            }
        }
    }

    fn is_first(&self) -> bool {
        End { node: self.endpoint.node, port: self.port } < self.peer
    }

    fn peer_id(&self) -> Id {
        self.endpoint.membership.ids()[self.peer.node as usize]
    }

    fn address(&self) -> String {
        self.endpoint.address(self.peer.node).to_owned()
    }

    /// Counts connections in the view.
    fn count(&self, change: isize) {
        self.endpoint.view.change(|view| {
            view.connected = view.connected.saturating_add_signed(change);
            true
        });
    }

    /// Records that the peer is present: it has sent a frame since the greeting.
    fn is_there(&mut self) {
        if self.why.take().is_none() {
            return;
        }
        if self.absences.permit().is_some() {
            info!(id = %self.peer_id(), connection = self.connections, "connected at last");
        }
        self.endpoint.view.change(|view| view.missing.remove(&self.port).is_some());
    }

    /// Records that the peer cannot be reached or used, and logs each new reason once.
    fn is_missing(&mut self, why: String) {
        let is_news = !self.why.as_ref().is_some_and(|old| is_same_reason(old, &why));
        let absence = Absence {
            id: self.peer_id(),
            label: self.endpoint.membership.label(self.peer.node).map(str::to_owned),
            address: self.address(),
            why: if is_news { why } else { self.why.take().unwrap_or_default() },
            since: self.lost,
            met: self.connections > 0,
        };
        if is_news && let Some(held_back) = self.absences.permit() {
            info!(held_back, "waiting for node {absence}");
        }
        self.why = Some(absence.why.clone());
        self.endpoint.view.change(|view| {
            view.missing.insert(self.port, absence.clone()).as_ref() != Some(&absence)
        });
    }
}

fn is_same_reason(one: &str, other: &str) -> bool {
    let words = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    words(one) == words(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_with_the_time_in_it_is_the_same_one_later() {
        let at = |seconds| format!("invalid peer certificate: verification time {seconds} (UNIX)");
        assert!(is_same_reason(&at(1_700_000_000), &at(1_700_000_001)));
        assert!(!is_same_reason("no process listens there", "no answer in time"));
    }
}
