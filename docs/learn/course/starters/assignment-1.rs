//! Assignment 1: one way around a ring.

use suffrage::prelude::*;

/// What processes send, each with the number of its kind below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    Token(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("token")];

    fn kind(&self) -> usize {
        match self {
            Self::Token(_) => 0,
        }
    }
}

/// A process. Its fields are all that it can remember.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: Id,
    status: Status,
    leader: Option<Id>,
    halted: bool,
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Msg;

    // What a process knows at the beginning.
    fn new(id: Id, _degree: u32) -> Self {
        Self { id, status: Status::Undecided, leader: None, halted: false }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        // It begins by itself: net.send(Port::NEXT, Msg::Token(..)), net.send_all(..), net.send_others(port, ..).
    }

    fn receive(&mut self, from: Port, message: Msg, net: &mut impl Net<Msg>) {
        // A message has arrived. In the end: self.status = Status::Leader or Status::Follower,
        // self.leader = Some(..), self.halted = true.
    }

    fn status(&self) -> Status {
        self.status
    }

    fn leader(&self) -> Option<Id> {
        self.leader
    }

    fn halted(&self) -> bool {
        self.halted
    }
}
