//! Le Lann as on lecture slides: an initiator decides, and ends, when its own token comes home; a process
//! that did not start passes tokens on for ever.

use std::collections::BTreeSet;
use suffrage_algorithms::ring::LeLannToken as Token;
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
pub(crate) struct LeLann {
    id: Id,
    list: BTreeSet<Id>,
    state: State,
    /// Whether it has decided by its own token.
    ended: bool,
}

impl Process for LeLann {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Token;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, list: BTreeSet::from([id]), state: Sleep, ended: false }
    }

    fn wake(&mut self, net: &mut impl Net<Token>) {
        self.state = Candidate;
        net.send(Port::NEXT, Token(self.id));
    }

    fn receive(&mut self, _: Port, Token(q): Token, net: &mut impl Net<Token>) {
        if self.state == Candidate && q == self.id {
            self.state = if self.list.first() == Some(&self.id) { Leader } else { Lost };
            self.ended = true;
            return;
        }
        if self.state == Candidate {
            self.list.insert(q);
        } else {
            self.state = Lost;
        }
        net.send(Port::NEXT, Token(q));
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
        self.ended
    }
}
