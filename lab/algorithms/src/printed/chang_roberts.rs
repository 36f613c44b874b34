pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "chang-roberts@published",
    title: "Chang and Roberts as on lecture slides: an initiator that has lost swallows larger tokens.",
    paper: "E. Chang, R. Roberts, Communications of the ACM 22(5), 1979",
    citation: "
G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
section 7.2, after E. Chang and R. Roberts, 1979.
",
    ..AlgorithmHeader::EMPTY
};

pub(crate) const FORM: Form = Form {
    kind: FormKind::Variant,
    difference: "sends the same tokens, does not announce the leader, and ends in the leader alone",
    shown_by: "suffrage check chang-roberts@published --nodes 4",
    breaks: None,
    printed: "
An initiator passes on smaller tokens alone, whether it has lost or not, until its own comes home.
A process that did not start passes every token on. That the leader tells the others is a remark.
",
    explained: "
`chang-roberts` passes larger tokens on once it has lost. With FIFO links that makes no difference:
where a smaller token has passed, no larger one follows. A larger token from behind the smaller
one's initiator is swallowed there. A larger token from an initiator ahead of it was sent before
the smaller token came by, or not at all. So both forms send the same tokens on every schedule; the
checker finds the same costs. Only the leader ends here; initiators that have lost do not, either.
",
};

use crate::prelude::*;
use crate::ring::{self, ChangRobertsToken as Token};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum State {
    Sleep,
    Candidate,
    Leader,
    Lost,
}
use State::{Candidate, Leader, Lost, Sleep};

/// A process of the form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ChangRoberts {
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

impl Claimed for ChangRoberts {
    const CLAIMS: Claims =
        Claims { ending: Ending::Messages, ..<ring::ChangRoberts as Claimed>::CLAIMS };
}
