//! Extinction over a token on a ring: a token goes around, unless it meets a smaller wave.
//!
//! G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
//! sections 6.2.1 (the ring algorithm) and 7.3 (extinction).
//!
//! # Assumes
//! An oriented ring with FIFO links; a process knows its identity.
//!
//! # Idea
//! A token that goes once around a ring is a wave: every process passes it on, and the process that
//! started it decides when it comes home. Extinction lets each initiator send such a token with its
//! identity. A process passes on a token that is smaller than all that it has seen, its own included,
//! and swallows the others. Only the token of the smallest initiator comes home, and makes it the leader.
//!
//! # Cost
//! A wave takes `n` messages, so `k` initiators send at most `k n`; exactly `n` with one. The
//! announcement takes `n`. By the time at which the token of the smallest initiator has been on its way
//! for `n` units it has come home.
//!
//! # Deviations
//! The lecture notes state extinction for any wave and print it for Echo alone. A process that has not
//! started and is reached by a token passes on smaller ones only, where Chang and Roberts's passes on
//! all: a larger token that follows a smaller one ends at the next process, and not at the next
//! candidate.
//!
//! # Invariants
//! - *shrinking*: the identity of the wave in which a process takes part only becomes smaller, and so do
//!   those of the messages that it has sent through a port.
//! - *all-in*: when a process leads, all take part in its wave.
//! - *swept*: when a process leads, no message of another wave is left on any link.

use crate::Parameters;
use crate::wave::{Token, Wave};
use suffrage_process::{Net, NetworkClass, Port};

/// A process of the ring algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RingToken {
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    /// The token has not come.
    Waits,
    /// It has started the token, which is to come home.
    Started,
    /// It has passed the token on, or has it home.
    Done,
}

impl Wave for RingToken {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    const FORMULA: &'static str = "k n";
    type Msg = Token;

    fn messages(of: &Parameters) -> u64 {
        of.nodes
    }

    fn new(_degree: u32) -> Self {
        Self { state: State::Waits }
    }

    fn start(&mut self, net: &mut impl Net<Token>) -> bool {
        self.state = State::Started;
        net.send(Port::NEXT, Token);
        false
    }

    fn receive(&mut self, _: Port, _: Token, net: &mut impl Net<Token>) -> bool {
        let before = core::mem::replace(&mut self.state, State::Done);
        match before {
            State::Waits => net.send(Port::NEXT, Token),
            State::Started => {}
            State::Done => net.reject("a token goes around once"),
        }
        before == State::Started
    }
}
