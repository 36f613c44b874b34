//! Assignment 2: no identities. W. Fokkink, J. Pang, Journal of Universal Computer Science 12(8), 2006, algorithm A.

use suffrage::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    /// The number that was drawn, how many links it has come, and whether no other process has it.
    Token {
        number: u32,
        hops: u32,
        unique: bool,
    },
    Over,
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("token"), Kind::announcement("over")];

    fn kind(&self) -> usize {
        match self {
            Self::Token { .. } => 0,
            Self::Over => 1,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    size: u32,
    /// The number that it has drawn, while it is a candidate.
    mine: Option<u32>,
    status: Status,
    halted: bool,
}

impl Election {
    fn draw(&mut self, net: &mut impl Net<Msg>) {
        let number = net.choose(self.size - 1);
        self.mine = Some(number);
        net.send(Port::NEXT, Msg::Token { number, hops: 1, unique: true });
    }
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Size;
    type Msg = Msg;

    fn new(Size(size): Size, _degree: u32) -> Self {
        Self { size, mine: None, status: Status::Undecided, halted: false }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.draw(net);
    }

    fn receive(&mut self, _from: Port, message: Msg, net: &mut impl Net<Msg>) {
        match message {
            Msg::Over => {
                if self.status == Status::Undecided {
                    self.status = Status::Follower;
                    net.send(Port::NEXT, message);
                }
                self.halted = true;
            }
            Msg::Token { hops, unique, .. } if self.mine.is_some() && hops == self.size => {
                if unique {
                    self.status = Status::Leader;
                    net.send(Port::NEXT, Msg::Over);
                } else {
                    self.draw(net);
                }
            }
            Msg::Token { number, hops, .. } if self.mine == Some(number) => {
                net.send(Port::NEXT, Msg::Token { number, hops: hops + 1, unique: false });
            }
            Msg::Token { number, hops, unique } if self.mine.is_none_or(|mine| number > mine) => {
                self.mine = None;
                net.send(Port::NEXT, Msg::Token { number, hops: hops + 1, unique });
            }
            Msg::Token { .. } => {}
        }
    }

    fn status(&self) -> Status {
        self.status
    }

    fn halted(&self) -> bool {
        self.halted
    }
}
