//! Assignment 6: any network. E. J. H. Chang, IEEE Transactions on Software Engineering SE-8(4), 1982; G. Tel, 2000.

use suffrage::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Msg {
    Wave(Id),
    Leader(Id),
}

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("wave"), Kind::announcement("leader")];

    fn kind(&self) -> usize {
        match self {
            Self::Wave(_) => 0,
            Self::Leader(_) => 1,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: Id,
    degree: u32,
    /// The smallest wave that has come here, the port to its beginning, and the answers that are missing.
    wave: Option<Id>,
    father: Option<Port>,
    missing: u32,
    /// How many neighbours have announced the leader.
    told: u32,
    leader: Option<Id>,
}

impl Election {
    fn go_on(&mut self, net: &mut impl Net<Msg>) {
        let (0, Some(wave)) = (self.missing, self.wave) else { return };
        match self.father {
            Some(father) => net.send(father, Msg::Wave(wave)),
            None => self.announce(wave, net),
        }
    }

    fn announce(&mut self, id: Id, net: &mut impl Net<Msg>) {
        if self.leader.is_none() {
            self.leader = Some(id);
            net.send_all(Msg::Leader(id));
        }
    }
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, degree, wave: None, father: None, missing: 0, told: 0, leader: None }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        (self.wave, self.missing) = (Some(self.id), self.degree);
        net.send_all(Msg::Wave(self.id));
        self.go_on(net);
    }

    fn receive(&mut self, from: Port, message: Msg, net: &mut impl Net<Msg>) {
        match message {
            Msg::Leader(id) => {
                self.announce(id, net);
                self.told += 1;
            }
            Msg::Wave(id) if self.wave.is_none_or(|wave| id < wave) => {
                (self.wave, self.father) = (Some(id), Some(from));
                self.missing = self.degree - 1;
                net.send_others(from, message);
                self.go_on(net);
            }
            Msg::Wave(id) if self.wave == Some(id) => {
                self.missing -= 1;
                self.go_on(net);
            }
            Msg::Wave(_) => {}
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader, self.id)
    }

    fn leader(&self) -> Option<Id> {
        self.leader
    }

    fn halted(&self) -> bool {
        self.leader.is_some() && self.told == self.degree
    }
}
