//! Chang and Roberts as on lecture slides: an initiator passes on smaller tokens alone, whether it has
//! lost or not, until its own comes home.

use suffrage_algorithms::ring::ChangRobertsToken as Token;
use suffrage_process::{Id, Net, NetworkClass, Port, Process, Status};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Sleep,
    Candidate,
    Leader,
    Lost,
}
use State::{Candidate, Leader, Lost, Sleep};

/// A process of the form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ChangRoberts {
    id: Id,
    initiator: bool,
    state: State,
}

impl Process for ChangRoberts {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, initiator: false, state: Sleep }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        (self.initiator, self.state) = (true, Candidate);
        net.send(Port::NEXT, Token(self.id));
    }

    fn receive(&mut self, _: Port, Token(q): Token, net: &mut impl Net<Token>) {
        if self.initiator && q == self.id {
            self.state = Leader;
        } else if !self.initiator || q < self.id {
            if matches!(self.state, Sleep | Candidate) {
                self.state = Lost;
            }
            net.send(Port::NEXT, Token(q));
        }
    }

    fn status(&self) -> Status {
        match self.state {
            Sleep | Candidate => Status::Undecided,
            Leader => Status::Leader,
            Lost => Status::Follower,
        }
    }

    fn leader(&self) -> Option<Id> {
        (self.state == Leader).then_some(self.id)
    }

    fn halted(&self) -> bool {
        self.state == Leader
    }
}
