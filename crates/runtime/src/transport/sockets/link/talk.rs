//! What the two ends of a connection say.

use super::super::Event;
use super::super::connection::{Connection, Step};
use super::meet::say;
use super::{Command, Ending, Link, Receipt};
use crate::wire::{Answer, Frame, take_frame};
use std::sync::atomic::Ordering;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

/// Frames are put into the buffer until it holds so many bytes.
const BATCH: usize = 1 << 14;

impl Link {
    /// Talks until the connection ends.
    pub(super) async fn converse(&mut self, mut connection: Connection) -> Ending {
        let patience = self.station.patience;
        // The first beat is not due at once: thousands of links may come up together.
        let mut beat = interval_at(Instant::now() + patience.heartbeat, patience.heartbeat);
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
    pub(super) async fn afterwards(mut self) {
        self.sent.clear();
        while let Some(command) = self.commands.recv().await {
            if matches!(command, Command::Leave) {
                return;
            }
        }
    }
}
