//! Exchanges frames over one connection of a link.

use super::super::connection::{Connection, Step};
use super::super::{Event, Security};
use super::meet::say;
use super::{Command, Ending, Link, Receipt};
use crate::wire::{Answer, Frame, take_frame};
use std::future::pending;
use std::sync::atomic::Ordering;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

/// The size of the outgoing buffer, in bytes, beyond which no frame is added.
const BATCH: usize = 1 << 14;

impl Link {
    /// Exchanges frames until the connection ends.
    pub(super) async fn converse(&mut self, mut connection: Connection) -> Ending {
        let timeouts = self.endpoint.timeouts;
        // The first heartbeat is delayed, since thousands of links may connect together.
        let mut beat = interval_at(Instant::now() + timeouts.heartbeat, timeouts.heartbeat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // Only whole frames count as signs of life, not single bytes.
        let mut heard = Instant::now();
        let mut told = 0;
        let security = self.endpoint.security.clone();
        let credentials = connection.credentials;
        // Sent at once, since a peer counts as present only after a frame: it may close the
        // connection right after the greeting.
        connection.put(&Frame::Beat);
        // First the bytes that arrived after the greeting, and the payloads to send again.
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
                    Ok(Step::Read(_)) => match self.read(&mut connection, &mut next) {
                        Ok(0) => {}
                        Ok(_) => heard = Instant::now(),
                        Err(end) => {
                            if matches!(end, Ending::Left) {
                                let _ = timeout(timeouts.linger, connection.close()).await;
                            }
                            return end;
                        }
                    },
                    Ok(Step::Wrote) => {}
                    Err(error) => return Ending::Lost(error.to_string()),
                },
                command = self.commands.recv() => match command {
                    None => return Ending::Dropped,
                    Some(Command::Open) => {}
                    Some(Command::Send(bytes, ticket)) => self.sent.push_back((bytes, ticket)),
                    Some(Command::Accept(opened, hello)) => {
                        // The peer dialled before it knew of this connection, or has lost it.
                        if connection.dialled && hello.last < self.connections {
                            say(opened, Answer::Crossed);
                        } else if let Some(connection) = self.admit(opened, &hello) {
                            return Ending::Replaced(connection);
                        } else if self.has_crashed(hello.incarnation) {
                            return Ending::Lost("the other end was restarted".to_owned());
                        }
                    }
                    Some(Command::Leave { certain }) => {
                        let taken = self.taken.count.load(Ordering::Acquire);
                        connection.put(&Frame::Taken(taken));
                        connection.put(&Frame::Bye { certain });
                        let _ = timeout(timeouts.linger, connection.close()).await;
                        return Ending::Dropped;
                    }
                },
                () = self.taken.more.notified() => {}
                () = replaced(&security, credentials) => {
                    return Ending::Lost("the certificates were replaced".to_owned());
                }
                _ = beat.tick() => {
                    if heard.elapsed() > timeouts.silence {
                        let seconds = timeouts.silence.as_secs_f64();
                        return Ending::Lost(format!("silent for {seconds} s"));
                    }
                    if connection.outgoing.is_empty() {
                        connection.put(&Frame::Beat);
                    }
                }
            }
        }
    }

    /// Adds payloads from this number on to the buffer, as many as the other end has room for.
    /// Returns the next number.
    fn fill(&self, connection: &mut Connection, mut next: u64) -> u64 {
        let end = self.acknowledged.saturating_add(connection.window.into());
        while next < end && connection.outgoing.len() < BATCH {
            let position = (next - self.acknowledged) as usize;
            let Some((bytes, _)) = self.sent.get(position) else { break };
            connection.put(&Frame::Payload { number: next, bytes });
            next += 1;
        }
        next
    }

    /// Handles all complete frames, and returns their number.
    fn read(&mut self, connection: &mut Connection, next: &mut u64) -> Result<usize, Ending> {
        let lost = |why: String| Err(Ending::Lost(why));
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
            match Frame::from_bytes(&frame) {
                Err(error) => return lost(error.to_string()),
                Ok(Frame::Beat) => {}
                Ok(Frame::Payload { number, bytes }) => {
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
                    let receipt = Receipt(self.taken.clone());
                    let arrival = Event::Arrival { port: self.port, bytes: bytes.into(), receipt };
                    let _ = self.endpoint.inbox.send(arrival);
                }
                Ok(Frame::Taken(taken)) => {
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
                Ok(Frame::Bye { certain }) => {
                    let _ = self.endpoint.inbox.send(Event::Left { port: self.port, certain });
                    return Err(Ending::Left);
                }
            }
        }
    }

    /// Discards commands after the peer has left.
    pub(super) async fn afterwards(mut self) {
        self.sent.drain(..).for_each(|(_, ticket)| ticket.taken());
        while let Some(command) = self.commands.recv().await {
            match command {
                Command::Leave { .. } => return,
                Command::Send(_, ticket) => ticket.taken(),
                Command::Open | Command::Accept(..) => {}
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
