//! Sends a number in place of a message.

use suffrage::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token(Id);

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("token")];

    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: Id,
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        net.send(Port::NEXT, self.id);
    }

    fn receive(&mut self, _from: Port, _message: Token, _net: &mut impl Net<Token>) {}

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn halted(&self) -> bool {
        false
    }
}
