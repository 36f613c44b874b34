//! Sends what follows from the order of a set that has one of its own.

use std::collections::HashSet;
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
        let all: HashSet<u64> = (0..64).map(|more| self.id.get() + more).collect();
        // One of 64 runs would have the same first element as the one before; of orders there are many more.
        let order =
            all.into_iter().fold(0_u64, |order, next| order.wrapping_mul(65).wrapping_add(next));
        net.send(Port::NEXT, Token(Id::new(order)));
    }

    fn receive(&mut self, _from: Port, _message: Token, _net: &mut impl Net<Token>) {}

    fn status(&self) -> Status {
        Status::Undecided
    }

    fn halted(&self) -> bool {
        false
    }
}
