//! Assignment 3: both ways around a ring. W. R. Franklin, Communications of the ACM 25(5), 1982.

use std::collections::VecDeque;
use suffrage::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    Identity(Id),
    Leader(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("identity"), Kind::announcement("leader")];

    fn kind(&self) -> usize {
        match self {
            Self::Identity(_) => 0,
            Self::Leader(_) => 1,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: Id,
    active: bool,
    /// What has come from each side, and was not yet compared.
    heard: [VecDeque<Id>; 2],
    status: Status,
    leader: Option<Id>,
    halted: bool,
}

impl Election {
    fn round(&mut self, one: Id, other: Id, net: &mut impl Net<Msg>) {
        if one == self.id {
            self.active = false;
            (self.status, self.leader) = (Status::Leader, Some(self.id));
            net.send(Port(0), Msg::Leader(self.id));
        } else if one.max(other) > self.id {
            self.active = false;
            self.status = Status::Follower;
            for port in [0, 1] {
                for id in std::mem::take(&mut self.heard[port as usize]) {
                    net.send(Port(1 - port), Msg::Identity(id));
                }
            }
        } else {
            net.send_all(Msg::Identity(self.id));
        }
    }
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::Ring;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self {
            id,
            active: false,
            heard: Default::default(),
            status: Status::Undecided,
            leader: None,
            halted: false,
        }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.active = true;
        net.send_all(Msg::Identity(self.id));
    }

    fn receive(&mut self, from: Port, message: Msg, net: &mut impl Net<Msg>) {
        let across = Port(1 - from.0);
        match message {
            Msg::Leader(id) => {
                if self.status != Status::Leader {
                    (self.status, self.leader) = (Status::Follower, Some(id));
                    net.send(across, message);
                }
                self.halted = true;
            }
            Msg::Identity(_) if !self.active => {
                self.status = Status::Follower;
                net.send(across, message);
            }
            Msg::Identity(id) => {
                self.heard[from.0 as usize].push_back(id);
                while self.active && self.heard.iter().all(|side| !side.is_empty()) {
                    let [one, other] = [0, 1].map(|side| self.heard[side].pop_front());
                    if let (Some(one), Some(other)) = (one, other) {
                        self.round(one, other, net);
                    }
                }
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
