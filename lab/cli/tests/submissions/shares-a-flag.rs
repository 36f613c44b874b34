//! Processes share a flag, as none on different computers can.

use std::sync::atomic::{AtomicBool, Ordering};
use suffrage::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token(Id);

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("token")];

    fn kind(&self) -> usize {
        0
    }
}

static WOKEN: AtomicBool = AtomicBool::new(false);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: Id,
    first: bool,
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, first: false }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        self.first = !WOKEN.swap(true, Ordering::SeqCst);
        net.send(Port::NEXT, Token(self.id));
    }

    fn receive(&mut self, _from: Port, _message: Token, _net: &mut impl Net<Token>) {}

    fn status(&self) -> Status {
        if self.first { Status::Leader } else { Status::Undecided }
    }

    fn leader(&self) -> Option<Id> {
        self.first.then_some(self.id)
    }

    fn halted(&self) -> bool {
        false
    }
}
