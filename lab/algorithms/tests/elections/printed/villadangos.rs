//! The algorithm of Villadangos and others, with none, one or both of the two repairs.

use suffrage_algorithms::complete::{
    Candidate,
    VilladangosMsg::{self as Msg, Message1, Message2, Message3},
};
use suffrage_model::{Id, Net, NetworkClass, Place, Port, Process, Size, Status};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Passive,
    Candidate,
    Waiting,
    Dummy,
    Leader,
}

/// As printed, with repair (a) and with repair (b) if so said.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Villadangos<const A: bool, const B: bool> {
    me: Candidate,
    size: u32,
    state: State,
    predecessor: Option<Candidate>,
    successor: Option<Candidate>,
}

impl<const A: bool, const B: bool> Villadangos<A, B> {
    fn send(&self, to: Candidate, msg: Msg, net: &mut impl Net<Msg>) {
        net.send(Port((to.place.0 + self.size - self.me.place.0 - 1) % self.size), msg);
    }
}

impl<const A: bool, const B: bool> Process for Villadangos<A, B> {
    const NETWORK: NetworkClass = NetworkClass::OrientedComplete;
    type Knows = (Id, (Place, Size));
    type Msg = Msg;

    fn new((id, (place, Size(size))): Self::Knows, _degree: u32) -> Self {
        let me = Candidate { id, place };
        Self { me, size, state: State::Passive, predecessor: None, successor: None }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.state = State::Candidate;
        net.send(Port::NEXT, Message1(self.me));
    }

    fn receive(&mut self, _: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (self.state, msg) {
            (State::Passive, Message1(_)) => {
                self.state = State::Dummy;
                net.send(Port::NEXT, msg);
            }
            (State::Candidate, Message1(new)) => {
                self.predecessor = Some(new);
                if new.id == self.me.id {
                    self.state = State::Leader;
                } else if let Some(successor) = self.successor {
                    if A || self.me.id > new.id {
                        self.state = State::Dummy;
                        self.send(successor, Message3(new), net);
                    }
                } else if self.me.id > new.id {
                    self.state = State::Waiting;
                    self.send(new, Message2(self.me), net);
                }
            }
            (State::Candidate, Message2(new)) => match self.predecessor {
                Some(predecessor) => {
                    self.state = State::Dummy;
                    self.send(new, Message3(predecessor), net);
                }
                None => self.successor = Some(new),
            },
            (State::Waiting, Message2(new)) => self.successor = Some(new),
            (State::Waiting, Message3(new)) => {
                self.predecessor = Some(new);
                if new.id == self.me.id {
                    self.state = State::Leader;
                } else if let Some(successor) = self.successor {
                    self.state = State::Dummy;
                    self.send(successor, Message3(new), net);
                } else if self.me.id > new.id {
                    self.send(new, Message2(self.me), net);
                } else if B {
                    self.state = State::Candidate;
                }
            }
            _ => {}
        }
    }

    fn status(&self) -> Status {
        match self.state {
            State::Dummy => Status::Follower,
            State::Leader => Status::Leader,
            _ => Status::Undecided,
        }
    }
    fn halted(&self) -> bool {
        self.state == State::Leader
    }
}
