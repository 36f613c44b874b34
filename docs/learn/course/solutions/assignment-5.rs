//! Assignment 5: a wave in a tree. G. Tel, Introduction to Distributed Algorithms, 2000, chapter 7.

use std::collections::BTreeSet;
use suffrage::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    Wake,
    Token(Id),
    Leader(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] =
        &[Kind::election("wake"), Kind::election("token"), Kind::announcement("leader")];

    fn kind(&self) -> usize {
        match self {
            Self::Wake => 0,
            Self::Token(_) => 1,
            Self::Leader(_) => 2,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: Id,
    least: Id,
    degree: u32,
    awake: bool,
    /// How many neighbours have woken, and the ports through which no token has come.
    woken: u32,
    silent: BTreeSet<u32>,
    father: Option<Port>,
    leader: Option<Id>,
}

impl Election {
    fn go_on(&mut self, net: &mut impl Net<Msg>) {
        if self.woken < self.degree {
            return;
        }
        if let (None, 1, Some(&last)) = (self.father, self.silent.len(), self.silent.first()) {
            self.father = Some(Port(last));
            net.send(Port(last), Msg::Token(self.least));
        }
        if self.silent.is_empty() {
            self.decide(self.least, net);
        }
    }

    fn decide(&mut self, least: Id, net: &mut impl Net<Msg>) {
        self.leader = Some(least);
        match self.father {
            Some(father) => net.send_others(father, Msg::Leader(least)),
            None => net.send_all(Msg::Leader(least)),
        }
    }
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::Tree;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, degree: u32) -> Self {
        let silent = (0..degree).collect();
        Self { id, least: id, degree, awake: false, woken: 0, silent, father: None, leader: None }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.awake = true;
        net.send_all(Msg::Wake);
        self.go_on(net);
    }

    fn receive(&mut self, from: Port, message: Msg, net: &mut impl Net<Msg>) {
        if !self.awake {
            self.wake(net);
        }
        match message {
            Msg::Wake => self.woken += 1,
            Msg::Token(least) => {
                self.least = self.least.min(least);
                self.silent.remove(&from.0);
            }
            Msg::Leader(least) => return self.decide(least, net),
        }
        self.go_on(net);
    }

    fn status(&self) -> Status {
        Status::naming(self.leader, self.id)
    }

    fn leader(&self) -> Option<Id> {
        self.leader
    }

    fn halted(&self) -> bool {
        self.leader.is_some()
    }
}
