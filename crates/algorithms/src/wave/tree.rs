//! Extinction over the tree algorithm: woken from one process, tokens meet and the result returns to it.
//!
//! G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
//! sections 6.2.2 (the tree algorithm) and 7.3 (extinction).
//!
//! # Assumes
//! A tree with FIFO links; a process knows its identity.
//!
//! # Idea
//! In the tree algorithm a process that has tokens from all neighbours but one sends that one a token,
//! and the two processes whose tokens cross decide. As a wave of one process it begins with wake-ups,
//! which spread from that process, and ends with a report, which goes back the same way from where the
//! tokens crossed. Extinction lets each initiator start such a wave with its identity; a process takes
//! part in the smallest that it has seen and ignores the others. Only the wave of the smallest initiator
//! ends, and that process leads.
//!
//! # Cost
//! A wave takes at most `3n - 3` messages: `n - 1` wake-ups, `n` tokens, and at most `n - 2` reports, for
//! `n > 1`. So `k` initiators send at most `k (3n - 3)`. The announcement takes `2 |E| = 2n - 2`. When the
//! smallest initiator has started, its wave takes at most `D` units of time until all are awake, `D` until
//! two tokens cross and `D` for the report, in a tree of diameter `D`.
//!
//! # Deviations
//! The lecture notes state extinction for any centralised wave, and use the tree algorithm as a
//! decentralised one, without extinction (`tree-wave`), where all leaves start after a wake-up and all
//! processes compete. Here one process starts a wave, and decides it.
//!
//! # Invariants
//! - *shrinking*: the identity of the wave in which a process takes part only becomes smaller, and so do
//!   those of the messages that it has sent through a port.
//! - *all-in*: when a process leads, all take part in its wave.
//! - *swept*: when a process leads, no message of another wave is left on any link.

use crate::wave::Wave;
use crate::{Parameters, ports::Ports};
use suffrage_process::{Kind, Message, Net, NetworkClass, Port};

/// A process of the tree algorithm, as a wave of one process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tree {
    /// From where the wake-up came, except where the wave started.
    father: Option<Port>,
    /// The neighbours whose token has not come.
    silent: Ports,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Asleep,
    /// It waits for tokens from all neighbours but one.
    Awake,
    /// It has sent its token.
    Sent,
    /// It has reported, or decided.
    Done,
}

/// A message of the wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Msg {
    /// Wake up.
    WakeUp,
    /// All on this side of the link have taken part.
    Token,
    /// All have taken part: to the process that started the wave.
    Report,
}
use Msg::{Report, Token, WakeUp};

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("wake-up"), Kind::election("token"), Kind::election("report")];
    fn kind(&self) -> usize {
        match self {
            WakeUp => 0,
            Token => 1,
            Report => 2,
        }
    }
}

impl Tree {
    /// Sends its token as soon as only one neighbour's is missing.
    fn send_token(&mut self, net: &mut impl Net<Msg>) {
        if let (State::Awake, Some(last)) = (self.state, self.silent.last()) {
            self.state = State::Sent;
            net.send(last, Token);
        }
    }

    /// All have taken part. Returns whether it has started the wave.
    fn report(&mut self, net: &mut impl Net<Msg>) -> bool {
        self.state = State::Done;
        match self.father {
            Some(father) => net.send(father, Report),
            None => return true,
        }
        false
    }
}

impl Wave for Tree {
    const NETWORK: NetworkClass = NetworkClass::Tree;
    const FORMULA: &'static str = "k (3n-3)";
    type Msg = Msg;

    fn messages(of: &Parameters) -> u64 {
        of.nodes.saturating_sub(1).saturating_mul(3)
    }

    fn new(degree: u32) -> Self {
        Self { father: None, silent: Ports::all(degree), state: State::Asleep }
    }

    fn start(&mut self, net: &mut impl Net<Msg>) -> bool {
        self.state = State::Awake;
        net.send_all(WakeUp);
        self.send_token(net);
        net.degree() == 0
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) -> bool {
        let silent = self.silent.without(from, net.degree());
        match (self.state, msg, silent) {
            (State::Asleep, WakeUp, _) => {
                self.father = Some(from);
                self.state = State::Awake;
                net.send_others(from, WakeUp);
                self.send_token(net);
            }
            (State::Awake, Token, Some(silent)) => {
                self.silent = silent;
                self.send_token(net);
            }
            (State::Sent, Token, Some(silent)) if silent.is_empty() => {
                self.silent = silent;
                // Both processes at the link know; the one nearer to the start reports.
                if self.father != Some(from) {
                    return self.report(net);
                }
                self.state = State::Done;
            }
            (State::Sent, Report, _) if self.father != Some(from) => return self.report(net),
            _ => net.reject("a neighbour sends a wake-up, then a token, then a report"),
        }
        false
    }
}
