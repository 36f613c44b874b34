//! One end of a link, over as many connections as it takes.
//!
//! Cargo is numbered. What has been sent is kept until the other end says that its process has
//! taken it, and is sent again, from where the other end says, over the next connection. Both ends
//! dial when they have something to say or have lost a connection. If they dial at once, the end
//! with the smaller number wins.

use super::connection::{Connection, Step};
use super::dial::{Dialled, dial};
use super::{Event, Station, Stream, listener};
use crate::error::ElectionError;
use crate::view::Absence;
use crate::window::Ticket;
use crate::wire::{Answer, Frame, Hello, Refusal, Welcome, greeting, take_frame};
use bytes::BytesMut;
use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use suffrage_process::Port;
use suffrage_topology::random::mix;
use suffrage_topology::wiring::End;
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tracing::{debug, info, warn};

/// What a link is told by its node.
pub(super) enum Command {
    /// Be there.
    Open,
    Send(Box<[u8]>, Ticket),
    /// The other end has dialled.
    Accept(Box<dyn Stream>, BytesMut, Box<Hello>),
    /// All have halted: say goodbye.
    Leave,
}

/// A cargo that the process has not taken yet.
pub(crate) struct Receipt(Arc<Taken>);

#[derive(Default)]
struct Taken {
    count: AtomicU64,
    more: Notify,
}

impl Drop for Receipt {
    fn drop(&mut self) {
        self.0.count.fetch_add(1, Ordering::AcqRel);
        self.0.more.notify_one();
    }
}

pub(super) struct Link {
    station: Arc<Station>,
    port: Port,
    peer: End,
    commands: UnboundedReceiver<Command>,
    /// The incarnation at the other end, once it is known.
    met: Option<u64>,
    /// The number of the last connection.
    connections: u32,
    /// What the other end has not taken.
    sent: VecDeque<(Box<[u8]>, Ticket)>,
    /// How much it has taken: the number of the first in `sent`.
    acknowledged: u64,
    /// How much has come from there, and how much of it the process has taken.
    received: u64,
    taken: Arc<Taken>,
    /// What was last said of the peer's absence.
    why: Option<String>,
}

/// How a connection ends.
enum Ending {
    Lost(String),
    Replaced(Connection),
    /// One of the two has left because all have halted.
    Left,
    /// The node is gone.
    Dropped,
}

/// Frames are put into the buffer until it holds so many bytes.
const BATCH: usize = 1 << 14;

/// After so many attempts in a row that met nobody, someone who was there counts as gone.
const GONE: u32 = 12;

impl Link {
    pub(super) fn new(
        station: Arc<Station>,
        port: Port,
        commands: UnboundedReceiver<Command>,
    ) -> Self {
        let peer = station.peer(port);
        Self {
            station,
            port,
            peer,
            commands,
            met: None,
            connections: 0,
            sent: VecDeque::new(),
            acknowledged: 0,
            received: 0,
            taken: Arc::default(),
            why: None,
        }
    }

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
            self.is_up();
            let end = self.converse(connection).await;
            self.station.view.change(|view| {
                view.connected -= 1;
                true
            });
            match end {
                Ending::Lost(why) => debug!(node = self.peer.node, %why, "a connection was lost"),
                Ending::Replaced(connection) => next = Some(connection),
                Ending::Left => return self.afterwards().await,
                Ending::Dropped => return,
            }
        }
    }

    /// Dials and listens until there is a connection; `None` if none is wanted any more.
    async fn connect(&mut self) -> Option<Connection> {
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
                        let _ = self.station.inbox.send(Event::Left(self.port));
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
    fn admit(
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

    /// Talks until the connection ends.
    async fn converse(&mut self, mut connection: Connection) -> Ending {
        let patience = self.station.patience;
        let mut beat = interval(patience.heartbeat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut heard = Instant::now();
        let mut told = 0;
        // What came with the greeting, and what has to be sent again.
        let mut next = connection.received.max(self.acknowledged);
        if let Err(end) = self.read(&mut connection, &mut next) {
            return end;
        }
        loop {
            next = self.fill(&mut connection, next);
            let taken = self.taken.count.load(Ordering::Acquire);
            if taken > told && connection.outgoing.len() < BATCH {
                connection.put(&Frame::Taken(taken));
                told = taken;
            }
            tokio::select! {
                step = connection.step() => match step {
                    Ok(Step::Read(0)) => return Ending::Lost("the other end closed it".to_owned()),
                    Ok(Step::Read(_)) => {
                        heard = Instant::now();
                        if let Err(end) = self.read(&mut connection, &mut next) {
                            if matches!(end, Ending::Left) {
                                let _ = timeout(patience.linger, connection.close()).await;
                            }
                            return end;
                        }
                    }
                    Ok(Step::Wrote) => {}
                    Err(error) => return Ending::Lost(error.to_string()),
                },
                command = self.commands.recv() => match command {
                    None => return Ending::Dropped,
                    Some(Command::Open) => {}
                    Some(Command::Send(bytes, ticket)) => self.sent.push_back((bytes, ticket)),
                    Some(Command::Accept(stream, rest, hello)) => {
                        // It has dialled before it knew of this connection, or has lost it.
                        if connection.dialled && hello.last < self.connections {
                            say(stream, Answer::Crossed);
                        } else if let Some(connection) = self.admit(stream, rest, &hello) {
                            return Ending::Replaced(connection);
                        } else if self.has_crashed(hello.incarnation) {
                            return Ending::Lost("the other end was restarted".to_owned());
                        }
                    }
                    Some(Command::Leave) => {
                        let taken = self.taken.count.load(Ordering::Acquire);
                        connection.put(&Frame::Taken(taken));
                        connection.put(&Frame::Bye);
                        let _ = timeout(patience.linger, connection.close()).await;
                        return Ending::Dropped;
                    }
                },
                () = self.taken.more.notified() => {}
                _ = beat.tick() => {
                    if heard.elapsed() > patience.silence {
                        let seconds = patience.silence.as_secs_f64();
                        return Ending::Lost(format!("silent for {seconds} s"));
                    }
                    if connection.outgoing.is_empty() {
                        connection.put(&Frame::Beat);
                    }
                }
            }
        }
    }

    /// Puts cargo from this number on into the buffer, as much as the other end holds. Says with
    /// which number to go on.
    fn fill(&self, connection: &mut Connection, mut next: u64) -> u64 {
        let end = self.acknowledged.saturating_add(connection.window.into());
        while next < end && connection.outgoing.len() < BATCH {
            let position = (next - self.acknowledged) as usize;
            let Some((bytes, _)) = self.sent.get(position) else { break };
            connection.put(&Frame::Cargo { number: next, bytes });
            next += 1;
        }
        next
    }

    /// Reads all frames that are there.
    fn read(&mut self, connection: &mut Connection, next: &mut u64) -> Result<(), Ending> {
        let lost = |why: String| Err(Ending::Lost(why));
        loop {
            let frame = match take_frame(&mut connection.incoming, self.station.longest) {
                Ok(Some(frame)) => frame,
                Ok(None) => return Ok(()),
                Err(error) => return lost(error.to_string()),
            };
            match Frame::from_bytes(&frame) {
                Err(error) => return lost(error.to_string()),
                Ok(Frame::Beat) => {}
                Ok(Frame::Cargo { number, bytes }) => {
                    if number != self.received {
                        return lost(format!("cargo {number} in place of {}", self.received));
                    }
                    let held = self.received - self.taken.count.load(Ordering::Acquire);
                    if held >= self.station.window().into() {
                        return lost("more cargo than there is room for".to_owned());
                    }
                    if !(self.station.valid)(bytes) {
                        return lost("cargo that is no message of the algorithm".to_owned());
                    }
                    self.received += 1;
                    let receipt = Receipt(self.taken.clone());
                    let arrival = Event::Arrival { port: self.port, bytes: bytes.into(), receipt };
                    let _ = self.station.inbox.send(arrival);
                }
                Ok(Frame::Taken(taken)) => {
                    if taken > *next {
                        return lost("more was taken than was sent".to_owned());
                    }
                    while self.acknowledged < taken {
                        self.sent.pop_front();
                        self.acknowledged += 1;
                    }
                }
                Ok(Frame::Bye) => {
                    let _ = self.station.inbox.send(Event::Left(self.port));
                    return Err(Ending::Left);
                }
            }
        }
    }

    /// The other end has left: it wants to hear nothing more.
    async fn afterwards(mut self) {
        self.sent.clear();
        while let Some(command) = self.commands.recv().await {
            if matches!(command, Command::Leave) {
                return;
            }
        }
    }

    /// The link is dead, and the election with it: whoever dials is told so.
    async fn mourn(&mut self) -> Option<Connection> {
        while let Some(command) = self.commands.recv().await {
            match command {
                Command::Leave => return None,
                Command::Accept(stream, _, _) => say(stream, Answer::Refused(Refusal::Restarted)),
                Command::Open | Command::Send(..) => {}
            }
        }
        None
    }

    /// Whether this end is the one with the smaller number.
    fn is_first(&self) -> bool {
        End { node: self.station.node, port: self.port } < self.peer
    }

    fn has_crashed(&self, incarnation: u64) -> bool {
        self.met.is_some_and(|met| met != incarnation)
    }

    fn can_resume(&self, received: u64) -> bool {
        (self.acknowledged..=self.acknowledged + self.sent.len() as u64).contains(&received)
    }

    fn peer_id(&self) -> suffrage_process::Id {
        self.station.cluster.ids()[self.peer.node as usize]
    }

    fn address(&self) -> String {
        self.station.address(self.peer.node).to_owned()
    }

    fn report_crash(&self) {
        let (id, address) = (self.peer_id(), self.address());
        warn!(%id, %address, "a neighbour has crashed and was restarted");
        let _ = self.station.failures.send(ElectionError::Crashed { id, address });
    }

    fn is_up(&mut self) {
        let (id, connection) = (self.peer_id(), self.connections);
        match self.why.take() {
            Some(_) => info!(%id, connection, "connected at last"),
            None => debug!(%id, connection, "connected"),
        }
        self.station.view.change(|view| {
            view.connected += 1;
            view.missing.remove(&self.peer.node);
            true
        });
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
fn say(stream: Box<dyn Stream>, word: Answer) {
    tokio::spawn(timeout(
        Duration::from_secs(1),
        async move { listener::answer(stream, &word).await },
    ));
}
