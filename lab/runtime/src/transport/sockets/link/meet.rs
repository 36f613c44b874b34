//! Connects a link, by dialling and by being dialled.

use super::super::connection::{Connection, Opened};
use super::super::dial::{Dialled, dial};
use super::super::listener;
use super::{Command, Link};
use crate::error::ElectionError;
use crate::wire::{Answer, Hello, Refusal, Welcome, greeting};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tracing::warn;

/// The number of consecutive crossed attempts after which the peer's claim to be dialling is
/// ignored.
const CROSSED: u32 = 4;

impl Link {
    /// Dials and accepts until there is a connection; `None` if none is wanted any more.
    pub(super) async fn connect(&mut self) -> Option<Connection> {
        let timeouts = self.endpoint.timeouts;
        // The end with the larger number lets the other one begin.
        let mut pause = match self.connections {
            _ if self.backoff.failures() > 0 => self.backoff.pause(),
            0 => Duration::ZERO,
            _ if self.is_first() => Duration::from_millis(1),
            _ => timeouts.first_pause.saturating_mul(2),
        };
        let mut crossed = 0;
        loop {
            let (endpoint, hello) = (self.endpoint.clone(), self.hello());
            let spoken = AtomicBool::new(false);
            let before = sleep(pause);
            let mut dialling = pin!(async {
                before.await;
                dial(&endpoint, &hello, &spoken).await
            });
            let dialled = loop {
                tokio::select! {
                    biased;
                    command = self.commands.recv() => match command {
                        None | Some(Command::Leave { .. }) => return None,
                        Some(Command::Open) => {}
                        Some(Command::Send(bytes, ticket)) => self.sent.push_back((bytes, ticket)),
                        Some(Command::Accept(opened, _))
                            if spoken.load(Ordering::Relaxed) && self.is_first() =>
                        {
                            say(opened, Answer::Crossed);
                        }
                        Some(Command::Accept(opened, hello)) => {
                            match self.admit(opened, &hello) {
                                Some(connection) => return Some(connection),
                                None if self.has_crashed(hello.incarnation) => {
                                    return self.mourn().await;
                                }
                                None => {}
                            }
                        }
                    },
                    dialled = &mut dialling => break dialled,
                }
            };
            crossed = if matches!(dialled, Dialled::Crossed) { crossed + 1 } else { 0 };
            match dialled {
                Dialled::Up(opened, welcome) => match self.welcomed(opened, welcome) {
                    Ok(connection) => return Some(connection),
                    Err(None) => return self.mourn().await,
                    Err(Some(why)) => self.is_missing(why),
                },
                // The peer is dialling, or claims to be.
                Dialled::Crossed if crossed < CROSSED => {}
                Dialled::Crossed => self.is_missing("it says that it dials itself".to_owned()),
                Dialled::Refused(Refusal::Restarted) => {
                    let by = self.peer_id();
                    let _ = self.endpoint.failures.send(ElectionError::Forgotten { by });
                    return self.mourn().await;
                }
                Dialled::Refused(why) => self.is_missing(format!("it refuses this node: {why}")),
                Dialled::Failed(why) => self.is_missing(why),
            }
            pause = self.backoff.failed();
        }
    }

    fn hello(&self) -> Hello {
        let membership = &self.endpoint.membership;
        Hello {
            cluster: membership.name().to_owned(),
            algorithm: self.endpoint.algorithm.clone(),
            digest: membership.digest(),
            from: (self.endpoint.node, self.port.0),
            to: (self.peer.node, self.peer.port.0),
            incarnation: self.endpoint.incarnation,
            expects: self.met,
            last: self.connections,
            received: self.received,
            window: self.endpoint.window(),
        }
    }

    /// Admits or refuses a connection that the peer has dialled.
    pub(super) fn admit(&mut self, opened: Opened, hello: &Hello) -> Option<Connection> {
        if self.has_crashed(hello.incarnation) {
            self.report_crash();
            say(opened, Answer::Refused(Refusal::Restarted));
            return None;
        }
        if hello.expects.is_some_and(|expected| expected != self.endpoint.incarnation) {
            let by = self.peer_id();
            let _ = self.endpoint.failures.send(ElectionError::Forgotten { by });
            // The peer learns from the incarnation that this is another process.
        }
        if !self.can_resume(hello.received) {
            say(opened, Answer::Refused(Refusal::Numbers));
            return None;
        }
        self.met = Some(hello.incarnation);
        self.connections = self.connections.max(hello.last).saturating_add(1);
        let mut connection = Connection::new(opened);
        connection.received = hello.received;
        connection.window = hello.window;
        let welcome = Welcome {
            incarnation: self.endpoint.incarnation,
            connection: self.connections,
            received: self.received,
            window: self.endpoint.window(),
        };
        greeting(&mut connection.outgoing, &Answer::Welcome(welcome));
        Some(connection)
    }

    /// Handles a welcome of the peer. The error is the reason for no connection, `None` for a
    /// crash.
    fn welcomed(&mut self, opened: Opened, welcome: Welcome) -> Result<Connection, Option<String>> {
        if self.has_crashed(welcome.incarnation) {
            self.report_crash();
            return Err(None);
        }
        if !self.can_resume(welcome.received) {
            return Err(Some(Refusal::Numbers.to_string()));
        }
        self.met = Some(welcome.incarnation);
        self.connections = welcome.connection;
        let mut connection = Connection::new(opened);
        connection.dialled = true;
        connection.received = welcome.received;
        connection.window = welcome.window;
        Ok(connection)
    }

    /// Refuses all connections, since the peer has crashed, and the election has failed.
    pub(super) async fn mourn(&mut self) -> Option<Connection> {
        while let Some(command) = self.commands.recv().await {
            match command {
                Command::Leave { .. } => return None,
                Command::Accept(opened, _) => say(opened, Answer::Refused(Refusal::Restarted)),
                Command::Open | Command::Send(..) => {}
            }
        }
        None
    }

    pub(super) fn has_crashed(&self, incarnation: u64) -> bool {
        self.met.is_some_and(|met| met != incarnation)
    }

    fn can_resume(&self, received: u64) -> bool {
        (self.acknowledged..=self.acknowledged + self.sent.len() as u64).contains(&received)
    }

    pub(super) fn report_crash(&self) {
        let (id, address) = (self.peer_id(), self.address());
        warn!(%id, %address, "a neighbour has crashed and was restarted");
        let _ = self.endpoint.failures.send(ElectionError::Crashed { id, address });
    }
}

/// Answers a greeting and closes the connection, in a task of its own that ends within a second.
pub(super) fn say(opened: Opened, word: Answer) {
    tokio::spawn(timeout(Duration::from_secs(1), async move {
        listener::answer(opened.stream, &word).await
    }));
}
