//! Assignment 4: everybody knows everybody.

use suffrage::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call(Id);

impl Message for Call {
    const KINDS: &'static [Kind] = &[Kind::election("call")];

    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: Id,
    largest: Id,
    missing: u32,
    awake: bool,
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Call;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, largest: id, missing: degree, awake: false }
    }

    fn wake(&mut self, net: &mut impl Net<Call>) {
        self.awake = true;
        net.send_all(Call(self.id));
    }

    fn receive(&mut self, _from: Port, Call(id): Call, net: &mut impl Net<Call>) {
        if !self.awake {
            self.wake(net);
        }
        self.largest = self.largest.max(id);
        self.missing -= 1;
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        self.halted().then_some(self.largest)
    }

    fn halted(&self) -> bool {
        self.awake && self.missing == 0
    }
}
