//! From two ends that want a connection to a connection, or to the knowledge that there is none.

use super::super::connection::Connection;
use super::super::dial::{Dialled, dial};
use super::super::{Event, Stream, listener};
use super::{Command, Link};
use crate::error::ElectionError;
use crate::view::Absence;
use crate::wire::{Answer, Hello, Refusal, Welcome, greeting};
use bytes::BytesMut;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use suffrage_topology::random::mix;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

/// After so many attempts in a row that met nobody, someone who was there counts as gone.
const GONE: u32 = 12;

impl Link {
    /// Dials and listens until there is a connection; `None` if none is wanted any more.
    pub(super) async fn connect(&mut self) -> Option<Connection> {
        let patience = self.station.patience;
        // The end with the larger number lets the other one begin.
        let mut pause = match self.connections {
            0 => Duration::ZERO,
            _ if self.is_first() => Duration::from_millis(1),
            _ => patience.first_pause * 2,
        };
        let (mut attempt, mut nobody) = (0_u32, 0_u32);
        loop {
            let (station, hello) = (self.station.clone(), self.hello());
            let spoken = AtomicBool::new(false);
            let before = sleep(pause);
            let mut dialling = pin!(async {
                before.await;
                dial(&station, &hello, &spoken).await
            });
            let dialled = loop {
                tokio::select! {
                    biased;
                    command = self.commands.recv() => match command {
                        None | Some(Command::Leave) => return None,
                        Some(Command::Open) => {}
                        Some(Command::Send(bytes, ticket)) => self.sent.push_back((bytes, ticket)),
                        Some(Command::Accept(stream, _, _))
                            if spoken.load(Ordering::Relaxed) && self.is_first() =>
                        {
                            say(stream, Answer::Crossed);
                        }
                        Some(Command::Accept(stream, rest, hello)) => {
                            match self.admit(stream, rest, &hello) {
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
            nobody = if matches!(dialled, Dialled::Nobody(_)) { nobody + 1 } else { 0 };
            match dialled {
                Dialled::Up(stream, rest, welcome) => match self.welcomed(stream, rest, welcome) {
                    Ok(connection) => return Some(connection),
                    Err(None) => return self.mourn().await,
                    Err(Some(why)) => self.is_missing(why),
                },
                // It is about to dial itself.
                Dialled::Crossed => {}
                Dialled::Refused(Refusal::Restarted) => {
                    let by = self.peer_id();
                    let _ = self.station.failures.send(ElectionError::Forgotten { by });
                    return self.mourn().await;
                }
                Dialled::Refused(why) => self.is_missing(format!("it refuses this node: {why}")),
                Dialled::Nobody(why) => {
                    self.is_missing(why);
                    if nobody.is_multiple_of(GONE) && self.connections > 0 {
                        let _ = self.station.inbox.send(Event::Gone(self.port));
                    }
                }
                Dialled::Failed(why) => self.is_missing(why),
            }
            attempt += 1;
            pause = self.pause(attempt);
        }
    }

    /// From half of it to all of it, so that nodes that were started together do not dial
    /// together; and twice as long each time.
    fn pause(&self, attempt: u32) -> Duration {
        let patience = &self.station.patience;
        let doubled = patience.first_pause.saturating_mul(1 << attempt.min(20).saturating_sub(1));
        let whole = doubled.min(patience.longest_pause);
        let place = u64::from(self.port.0) << 32 | u64::from(attempt);
        let coin = mix(self.station.incarnation ^ place) >> 40;
        whole.mul_f64(0.5 + coin as f64 / (1_u64 << 25) as f64)
    }

    fn hello(&self) -> Hello {
        let cluster = &self.station.cluster;
        Hello {
            cluster: cluster.name().to_owned(),
            algorithm: self.station.algorithm.clone(),
            digest: cluster.digest(),
            from: (self.station.node, self.port.0),
            to: (self.peer.node, self.peer.port.0),
            incarnation: self.station.incarnation,
            expects: self.met,
            last: self.connections,
            received: self.received,
            window: self.station.window(),
        }
    }

    /// The other end has dialled: makes a connection of it, or refuses it.
    pub(super) fn admit(
        &mut self,
        stream: Box<dyn Stream>,
        rest: BytesMut,
        hello: &Hello,
    ) -> Option<Connection> {
        if self.has_crashed(hello.incarnation) {
            self.report_crash();
            say(stream, Answer::Refused(Refusal::Restarted));
            return None;
        }
        if hello.expects.is_some_and(|expected| expected != self.station.incarnation) {
            let by = self.peer_id();
            let _ = self.station.failures.send(ElectionError::Forgotten { by });
            // It learns from the incarnation that this is not who it has known.
        }
        if !self.can_resume(hello.received) {
            say(stream, Answer::Refused(Refusal::Numbers));
            return None;
        }
        self.met = Some(hello.incarnation);
        self.connections = self.connections.max(hello.last).saturating_add(1);
        let mut connection = Connection::new(stream, rest);
        connection.received = hello.received;
        connection.window = hello.window;
        let welcome = Welcome {
            incarnation: self.station.incarnation,
            connection: self.connections,
            received: self.received,
            window: self.station.window(),
        };
        greeting(&mut connection.outgoing, &Answer::Welcome(welcome));
        Some(connection)
    }

    /// The other end has answered. Where that is no connection, says why, or `None` for a crash.
    fn welcomed(
        &mut self,
        stream: Box<dyn Stream>,
        rest: BytesMut,
        welcome: Welcome,
    ) -> Result<Connection, Option<String>> {
        if self.has_crashed(welcome.incarnation) {
            self.report_crash();
            return Err(None);
        }
        if !self.can_resume(welcome.received) {
            return Err(Some(Refusal::Numbers.to_string()));
        }
        self.met = Some(welcome.incarnation);
        self.connections = welcome.connection;
        let mut connection = Connection::new(stream, rest);
        connection.dialled = true;
        connection.received = welcome.received;
        connection.window = welcome.window;
        Ok(connection)
    }

    /// The link is dead, and the election with it: whoever dials is told so.
    pub(super) async fn mourn(&mut self) -> Option<Connection> {
        while let Some(command) = self.commands.recv().await {
            match command {
                Command::Leave => return None,
                Command::Accept(stream, _, _) => say(stream, Answer::Refused(Refusal::Restarted)),
                Command::Open | Command::Send(..) => {}
            }
        }
        None
    }

    /// Whether another incarnation was behind this link before.
    pub(super) fn has_crashed(&self, incarnation: u64) -> bool {
        self.met.is_some_and(|met| met != incarnation)
    }

    fn can_resume(&self, received: u64) -> bool {
        (self.acknowledged..=self.acknowledged + self.sent.len() as u64).contains(&received)
    }

    pub(super) fn report_crash(&self) {
        let (id, address) = (self.peer_id(), self.address());
        warn!(%id, %address, "a neighbour has crashed and was restarted");
        let _ = self.station.failures.send(ElectionError::Crashed { id, address });
    }

    fn is_missing(&mut self, why: String) {
        if self.why.as_ref() == Some(&why) {
            return;
        }
        let absence = Absence { id: self.peer_id(), address: self.address(), why: why.clone() };
        info!("waiting for node {absence}");
        self.why = Some(why);
        self.station.view.change(|view| {
            view.missing.insert(self.peer.node, absence);
            true
        });
    }
}

/// Says a last word to one who has dialled, in its own time.
pub(super) fn say(stream: Box<dyn Stream>, word: Answer) {
    tokio::spawn(timeout(
        Duration::from_secs(1),
        async move { listener::answer(stream, &word).await },
    ));
}
