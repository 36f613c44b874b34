//! Assignment 2: no identities.

use suffrage::prelude::*;

/// What processes send, each with the number of its kind below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    Token(u32),
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
    size: u32,
    status: Status,
    halted: bool,
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Size;
    type Msg = Msg;

    // What a process knows at the beginning.
    fn new(Size(size): Size, _degree: u32) -> Self {
        Self { size, status: Status::Undecided, halted: false }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        // It begins by itself: net.choose(max), net.send(Port::NEXT, Msg::Token(..)), net.send_all(..).
    }

    fn receive(&mut self, from: Port, message: Msg, net: &mut impl Net<Msg>) {
        // A message has arrived. In the end: self.status = Status::Leader or Status::Follower,
        // and self.halted = true.
    }

    fn status(&self) -> Status {
        self.status
    }

    fn halted(&self) -> bool {
        self.halted
    }
}
