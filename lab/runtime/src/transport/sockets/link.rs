//! One end of a link, over a sequence of connections.
//!
//! Payloads are numbered. A payload is kept until the other end confirms that its process has taken
//! it; over the next connection, payloads are sent again from the number that the other end names.
//! Both ends dial when they have something to send or have lost a connection. If both dial at the
//! same time, the end with the smaller number wins.

use crate::error::ElectionError;
use crate::transport::LinkEvent;
use crate::transport::sockets::connection::{Connection, Dialled, Opened, Transfer, answer, dial};
use crate::transport::sockets::endpoint::{Endpoint, Security, SocketReceipt, TakenCount};
use crate::view::Absence;
use crate::window::Ticket;
use crate::wire::{LinkAnswer, LinkFrame, LinkHello, LinkWelcome, Refusal, greeting, take_frame};
use std::collections::VecDeque;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use suffrage_model::{Id, Port};
use suffrage_net::backoff::Backoff;
use suffrage_net::log_limit::{LogLimit, without_numbers};
use suffrage_networks::wiring::End;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{self, MissedTickBehavior, interval_at, sleep, timeout};
use tracing::{debug, info, warn};

pub(super) enum LinkCommand {
    /// Connect.
    Open,
    Send(Box<[u8]>, Ticket),
    /// The other end has dialled.
    Accept(Opened, Box<LinkHello>),
    /// Leave; `certain` if all have halted.
    Leave {
        certain: bool,
    },
}

pub(super) struct ReliableLink {
    endpoint: Arc<Endpoint>,
    port: Port,
    peer: End,
    commands: UnboundedReceiver<LinkCommand>,
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
    taken: Arc<TakenCount>,
    backoff: Backoff,
    /// When the last connection ended, or the link was created.
    lost: Instant,
    /// The last reason for the peer's absence.
    why: Option<String>,
    /// The limit on log lines about it.
    absences: LogLimit,
}

enum ConnectionEnd {
    Lost(String),
    Replaced(Connection),
    /// The other end has left.
    Left,
    /// This node leaves, and has said so.
    Leaving,
    /// The node is gone.
    Dropped,
}

impl ReliableLink {
    pub(super) fn new(
        endpoint: Arc<Endpoint>,
        port: Port,
        commands: UnboundedReceiver<LinkCommand>,
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
                ConnectionEnd::Lost(why) => {
                    debug!(id = %self.peer_id(), %why, "a connection was lost");
                    if !progress {
                        self.backoff.failed();
                        self.is_missing(format!("it lets this node in, and then: {why}"));
                    }
                }
                ConnectionEnd::Replaced(connection) => next = Some(connection),
                ConnectionEnd::Left => return self.afterwards().await,
                ConnectionEnd::Dropped | ConnectionEnd::Leaving => return,
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
        if self.absences.permit("connected").is_some() {
            info!(id = %self.peer_id(), connection = self.connections, "connected at last");
        }
        self.endpoint.view.change(|view| view.missing.remove(&self.port).is_some());
    }

    /// Records that the peer cannot be reached or used, and logs each new reason once.
    fn is_missing(&mut self, why: String) {
        let kind = without_numbers(&why);
        let is_news = self.why.as_deref().map(without_numbers).as_ref() != Some(&kind);
        let absence = Absence {
            id: self.peer_id(),
            label: self.endpoint.membership.label(self.peer.node).map(str::to_owned),
            address: self.address(),
            why: if is_news { why } else { self.why.take().unwrap_or_default() },
            since: self.lost,
            met: self.connections > 0,
        };
        if is_news && let Some(held_back) = self.absences.permit(&kind) {
            info!(held_back, "waiting for node {absence}");
        }
        self.why = Some(absence.why.clone());
        self.endpoint.view.change(|view| {
            view.missing.insert(self.port, absence.clone()).as_ref() != Some(&absence)
        });
    }
}

/// The number of consecutive crossed attempts after which the peer's claim to be dialling is
/// ignored.
const CROSSED: u32 = 4;

impl ReliableLink {
    /// Dials and accepts until there is a connection; `None` if none is wanted any more.
    async fn connect(&mut self) -> Option<Connection> {
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
                        None | Some(LinkCommand::Leave { .. }) => return None,
                        Some(LinkCommand::Open) => {}
                        Some(LinkCommand::Send(bytes, ticket)) => self.sent.push_back((bytes, ticket)),
                        Some(LinkCommand::Accept(opened, _))
                            if spoken.load(Ordering::Relaxed) && self.is_first() =>
                        {
                            say(opened, LinkAnswer::Crossed);
                        }
                        Some(LinkCommand::Accept(opened, hello)) => {
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

    fn hello(&self) -> LinkHello {
        let membership = &self.endpoint.membership;
        LinkHello {
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
    fn admit(&mut self, opened: Opened, hello: &LinkHello) -> Option<Connection> {
        if self.has_crashed(hello.incarnation) {
            self.report_crash();
            say(opened, LinkAnswer::Refused(Refusal::Restarted));
            return None;
        }
        if hello.expects.is_some_and(|expected| expected != self.endpoint.incarnation) {
            let by = self.peer_id();
            let _ = self.endpoint.failures.send(ElectionError::Forgotten { by });
            // The peer learns from the incarnation that this is another process.
        }
        if !self.can_resume(hello.received) {
            say(opened, LinkAnswer::Refused(Refusal::Numbers));
            return None;
        }
        self.met = Some(hello.incarnation);
        self.connections = self.connections.max(hello.last).saturating_add(1);
        let mut connection = Connection::new(opened);
        connection.received = hello.received;
        connection.window = hello.window;
        let welcome = LinkWelcome {
            incarnation: self.endpoint.incarnation,
            connection: self.connections,
            received: self.received,
            window: self.endpoint.window(),
        };
        greeting(&mut connection.outgoing, &LinkAnswer::Welcome(welcome));
        Some(connection)
    }

    /// Handles a welcome of the peer. The error is the reason for no connection, `None` for a
    /// crash.
    fn welcomed(
        &mut self,
        opened: Opened,
        welcome: LinkWelcome,
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
        let mut connection = Connection::new(opened);
        connection.dialled = true;
        connection.received = welcome.received;
        connection.window = welcome.window;
        Ok(connection)
    }

    /// Refuses all connections, since the peer has crashed, and the election has failed.
    async fn mourn(&mut self) -> Option<Connection> {
        while let Some(command) = self.commands.recv().await {
            match command {
                LinkCommand::Leave { .. } => return None,
                LinkCommand::Accept(opened, _) => {
                    say(opened, LinkAnswer::Refused(Refusal::Restarted));
                }
                LinkCommand::Open | LinkCommand::Send(..) => {}
            }
        }
        None
    }

    fn has_crashed(&self, incarnation: u64) -> bool {
        self.met.is_some_and(|met| met != incarnation)
    }

    fn can_resume(&self, received: u64) -> bool {
        (self.acknowledged..=self.acknowledged + self.sent.len() as u64).contains(&received)
    }

    fn report_crash(&self) {
        let (id, address) = (self.peer_id(), self.address());
        warn!(%id, %address, "a neighbour has crashed and was restarted");
        let _ = self.endpoint.failures.send(ElectionError::Crashed { id, address });
    }
}

/// Answers a greeting and closes the connection, in a task of its own that ends within a second.
fn say(opened: Opened, word: LinkAnswer) {
    tokio::spawn(timeout(
        Duration::from_secs(1),
        async move { answer(opened.stream, &word).await },
    ));
}

/// The size of the outgoing buffer, in bytes, beyond which no frame is added.
const BATCH: usize = 1 << 14;

impl ReliableLink {
    /// Exchanges frames until the connection ends.
    async fn converse(&mut self, mut connection: Connection) -> ConnectionEnd {
        let timeouts = self.endpoint.timeouts;
        // The first heartbeat is delayed, since thousands of links may connect together.
        let mut beat = interval_at(time::Instant::now() + timeouts.heartbeat, timeouts.heartbeat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Only whole frames count as signs of life, not single bytes.
        let mut heard = time::Instant::now();
        let mut told = 0;
        let security = self.endpoint.security.clone();
        let credentials = connection.credentials;
        // Sent at once, since a peer counts as present only after a frame: it may close the
        // connection right after the greeting.
        connection.put(&LinkFrame::Beat);
        // First the bytes that arrived after the greeting, and the payloads to send again.
        let mut next = connection.received.max(self.acknowledged);
        if let Err(end) = self.read(&mut connection, &mut next) {
            return end;
        }
        loop {
            next = self.fill(&mut connection, next);
            let taken = self.taken.count.load(Ordering::Acquire);
            if taken > told && connection.outgoing.len() < BATCH {
                connection.put(&LinkFrame::Taken(taken));
                told = taken;
            }
            tokio::select! {
                step = connection.step() => match step {
                    Ok(Transfer::Read(0)) => {
                        return ConnectionEnd::Lost("the other end closed it".to_owned());
                    }
                    Ok(Transfer::Read(_)) => match self.read(&mut connection, &mut next) {
                        Ok(0) => {}
                        Ok(_) => heard = time::Instant::now(),
                        Err(end) => return self.close(connection, end).await,
                    },
                    Ok(Transfer::Wrote) => {}
                    Err(error) => return ConnectionEnd::Lost(error.to_string()),
                },
                command = self.commands.recv() => {
                    if let Some(end) = self.obey(command, &mut connection) {
                        return self.close(connection, end).await;
                    }
                }
                () = self.taken.more.notified() => {}
                () = replaced(&security, credentials) => {
                    return ConnectionEnd::Lost("the certificates were replaced".to_owned());
                }
                _ = beat.tick() => {
                    if heard.elapsed() > timeouts.silence {
                        let seconds = timeouts.silence.as_secs_f64();
                        return ConnectionEnd::Lost(format!("silent for {seconds} s"));
                    }
                    if connection.outgoing.is_empty() {
                        connection.put(&LinkFrame::Beat);
                    }
                }
            }
        }
    }

    /// Carries out a command during a connection. Returns how it ends the connection, if it does.
    fn obey(
        &mut self,
        command: Option<LinkCommand>,
        connection: &mut Connection,
    ) -> Option<ConnectionEnd> {
        match command {
            None => return Some(ConnectionEnd::Dropped),
            Some(LinkCommand::Open) => {}
            Some(LinkCommand::Send(bytes, ticket)) => self.sent.push_back((bytes, ticket)),
            Some(LinkCommand::Accept(opened, hello)) => {
                // The peer dialled before it knew of this connection, or has lost it.
                if connection.dialled && hello.last < self.connections {
                    say(opened, LinkAnswer::Crossed);
                } else if let Some(connection) = self.admit(opened, &hello) {
                    return Some(ConnectionEnd::Replaced(connection));
                } else if self.has_crashed(hello.incarnation) {
                    return Some(ConnectionEnd::Lost("the other end was restarted".to_owned()));
                }
            }
            Some(LinkCommand::Leave { certain }) => {
                connection.put(&LinkFrame::Taken(self.taken.count.load(Ordering::Acquire)));
                connection.put(&LinkFrame::Bye { certain });
                return Some(ConnectionEnd::Leaving);
            }
        }
        None
    }

    /// Closes a connection with everything still to be written, if one of the two ends leaves.
    async fn close(&self, connection: Connection, end: ConnectionEnd) -> ConnectionEnd {
        if matches!(end, ConnectionEnd::Left | ConnectionEnd::Leaving) {
            let _ = timeout(self.endpoint.timeouts.linger, connection.close()).await;
        }
        end
    }

    /// Adds payloads from this number on to the buffer, as many as the other end has room for.
    /// Returns the next number.
    fn fill(&self, connection: &mut Connection, mut next: u64) -> u64 {
        let end = self.acknowledged.saturating_add(connection.window.into());
        while next < end && connection.outgoing.len() < BATCH {
            let position = (next - self.acknowledged) as usize;
            let Some((bytes, _)) = self.sent.get(position) else { break };
            connection.put(&LinkFrame::Payload { number: next, bytes });
            next += 1;
        }
        next
    }

    /// Handles all complete frames, and returns their number.
    fn read(
        &mut self,
        connection: &mut Connection,
        next: &mut u64,
    ) -> Result<usize, ConnectionEnd> {
        let lost = |why: String| Err(ConnectionEnd::Lost(why));
        let mut frames = 0;
        loop {
            let frame = match take_frame(&mut connection.incoming, self.endpoint.longest) {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(frames),
                Err(error) => return lost(error.to_string()),
            };
            frames += 1;
            if frames == 1 {
                self.is_there();
            }
            match LinkFrame::from_bytes(&frame) {
                Err(error) => return lost(error.to_string()),
                Ok(LinkFrame::Beat) => {}
                Ok(LinkFrame::Payload { number, bytes }) => {
                    if number != self.received {
                        return lost(format!("payload {number} in place of {}", self.received));
                    }
                    let held = self.received - self.taken.count.load(Ordering::Acquire);
                    if held >= self.endpoint.window().into() {
                        return lost("more payloads than there is room for".to_owned());
                    }
                    if !(self.endpoint.valid)(bytes) {
                        return lost("a payload that is no message of the algorithm".to_owned());
                    }
                    self.received += 1;
                    let receipt = SocketReceipt(self.taken.clone());
                    let arrival =
                        LinkEvent::Arrival { port: self.port, bytes: bytes.into(), receipt };
                    let _ = self.endpoint.inbox.send(arrival);
                }
                Ok(LinkFrame::Taken(taken)) => {
                    if taken > *next {
                        return lost("more was taken than was sent".to_owned());
                    }
                    while self.acknowledged < taken {
                        if let Some((_, ticket)) = self.sent.pop_front() {
                            ticket.taken();
                        }
                        self.acknowledged += 1;
                    }
                }
                Ok(LinkFrame::Bye { certain }) => {
                    let _ = self.endpoint.inbox.send(LinkEvent::Left { port: self.port, certain });
                    return Err(ConnectionEnd::Left);
                }
            }
        }
    }

    /// Discards commands after the peer has left.
    async fn afterwards(mut self) {
        self.sent.drain(..).for_each(|(_, ticket)| ticket.taken());
        while let Some(command) = self.commands.recv().await {
            match command {
                LinkCommand::Leave { .. } => return,
                LinkCommand::Send(_, ticket) => ticket.taken(),
                LinkCommand::Open | LinkCommand::Accept(..) => {}
            }
        }
    }
}

/// Waits until the credentials with which a connection was made have been replaced.
async fn replaced(security: &Security, credentials: u64) {
    let Security::Tls(tls) = security else { return pending().await };
    if tls.replaced().wait_for(|&now| now != credentials).await.is_err() {
        pending::<()>().await;
    }
}
