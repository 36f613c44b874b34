//! Assignment 7: rounds. N. Lynch, Distributed Algorithms, 1996, sections 4.1 and 16.2.

use suffrage::prelude::*;

/// The largest identity that the sender knew at the beginning of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Largest {
    round: u32,
    id: Id,
}

impl Message for Largest {
    const KINDS: &'static [Kind] = &[Kind::election("largest")];

    fn kind(&self) -> usize {
        0
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Election {
    id: Id,
    degree: u32,
    /// No two processes are further apart than this.
    rounds: u32,
    /// The round whose messages it has sent. Of that round some are missing, of the next one some have come early.
    round: u32,
    missing: u32,
    early: u32,
    largest: Id,
    leader: Option<Id>,
}

impl Election {
    fn go_on(&mut self, net: &mut impl Net<Largest>) {
        while self.missing == 0 && self.leader.is_none() {
            if self.round == self.rounds {
                self.leader = Some(self.largest);
            } else {
                self.round += 1;
                (self.missing, self.early) = (self.degree - self.early, 0);
                net.send_all(Largest { round: self.round, id: self.largest });
            }
        }
    }
}

impl Process for Election {
    const NETWORK: NetworkClass = NetworkClass::Connected;
    type Knows = (Id, Size);
    type Msg = Largest;

    fn new((id, Size(size)): (Id, Size), degree: u32) -> Self {
        let (rounds, largest) = (size - 1, id);
        Self { id, degree, rounds, round: 0, missing: 0, early: 0, largest, leader: None }
    }

    fn wake(&mut self, net: &mut impl Net<Largest>) {
        self.go_on(net);
    }

    fn receive(&mut self, _from: Port, message: Largest, net: &mut impl Net<Largest>) {
        self.largest = self.largest.max(message.id);
        if message.round == self.round {
            self.missing -= 1;
        } else {
            self.early += 1;
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
