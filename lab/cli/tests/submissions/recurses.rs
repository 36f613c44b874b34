//! Calls itself without an end.

use suffrage::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token(Id);

impl Message for Token {
    const KINDS: &'static [Kind] = &[Kind::election("token")];

    fn kind(&self) -> usize {
        0
    }
}

fn deeper(number: u64) -> u64 {
    if number == 0 { 0 } else { deeper(number + 1) + 1 }
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
        net.send(Port::NEXT, Token(Id::new(deeper(self.id.get() + 1))));
    }

    fn receive(&mut self, _from: Port, _message: Token, _net: &mut impl Net<Token>) {}

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn halted(&self) -> bool {
        false
    }
}
