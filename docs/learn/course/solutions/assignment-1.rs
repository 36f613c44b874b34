//! Assignment 1: one way around a ring. E. Chang and R. Roberts, Communications of the ACM 22(5), 1979.

use suffrage::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    Token(Id),
    Leader(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("token"), Kind::announcement("leader")];

    fn kind(&self) -> usize {
        match self {
            Self::Token(_) => 0,
            Self::Leader(_) => 1,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: Id,
    candidate: bool,
    status: Status,
    leader: Option<Id>,
    halted: bool,
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, candidate: false, status: Status::Undecided, leader: None, halted: false }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.candidate = true;
        net.send(Port::NEXT, Msg::Token(self.id));
    }

    fn receive(&mut self, _from: Port, message: Msg, net: &mut impl Net<Msg>) {
        match message {
            Msg::Token(id) if id == self.id => {
                (self.status, self.leader) = (Status::Leader, Some(id));
                net.send(Port::NEXT, Msg::Leader(id));
            }
            Msg::Token(id) if !self.candidate || id < self.id => {
                self.status = Status::Follower;
                net.send(Port::NEXT, message);
            }
            Msg::Token(_) => {}
            Msg::Leader(id) => {
                if self.status != Status::Leader {
                    self.leader = Some(id);
                    net.send(Port::NEXT, message);
                }
                self.halted = true;
            }
        }
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
