//! Extinction applied to the echo algorithm, where every process floods `ldr` when it first
//! receives it, also the leader, which has flooded it before.

use suffrage_algorithms::graph::EchoExtinctionMsg::{self as Msg, Leader, Token};
use suffrage_process::{Id, Net, NetworkClass, Port, Process, Status};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EchoExtinction {
    id: Id,
    degree: u32,
    /// The wave that it takes part in.
    caw: Option<Id>,
    rec: u32,
    father: Port,
    lrec: u32,
    win: Option<Id>,
}

impl Process for EchoExtinction {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, degree, caw: None, rec: 0, father: Port(0), lrec: 0, win: None }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.caw = Some(self.id);
        net.send_all(Token(self.id));
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match msg {
            Leader(r) => {
                if self.lrec == 0 {
                    net.send_all(Leader(r));
                }
                self.lrec += 1;
                self.win = Some(r);
            }
            Token(r) => {
                if self.caw.is_none_or(|caw| r < caw) {
                    (self.caw, self.rec, self.father) = (Some(r), 0, from);
                    net.send_others(from, Token(r));
                }
                if self.caw == Some(r) {
                    self.rec += 1;
                    match self.rec == self.degree {
                        true if r == self.id => net.send_all(Leader(r)),
                        true => net.send(self.father, Token(r)),
                        false => {}
                    }
                }
            }
        }
    }

    fn status(&self) -> Status {
        match self.win {
            _ if !self.halted() => Status::Undecided,
            Some(win) if win == self.id => Status::Leader,
            _ => Status::Follower,
        }
    }
    fn leader(&self) -> Option<Id> {
        self.win
    }
    fn halted(&self) -> bool {
        self.lrec == self.degree
    }
}
