pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "lelann@published",
    title: "LeLann as on lecture slides: the leader is not announced.",
    paper: "G. Le Lann, Information Processing 77 (IFIP Congress), 1977",
    citation: "
G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
section 7.2, after G. Le Lann, 1977.
",
    ..AlgorithmHeader::EMPTY
};

pub(crate) const FORM: Form = Form {
    kind: FormKind::Variant,
    difference: "sends the same tokens, does not announce the leader, and ends in the leader and the \
         initiators alone",
    shown_by: "suffrage check lelann@published --nodes 4",
    breaks: None,
    printed: "
An initiator keeps the list of all identities that pass it, decides when its own token comes home,
and ends. A process that did not start never stops passing tokens on. There is no announcement, so
only the leader knows who leads.
",
    explained: "
Tokens are those of `lelann`, `k n` of them. A process that did not start never ends: the text is
about Tel's terminal states, in which no message is under way, and not about processes that halt.
Without FIFO links two initiators of two both lead.
",
};

use crate::prelude::*;
use crate::ring::{self, LeLannToken as Token};
use alloc::collections::BTreeSet;

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
pub struct LeLann {
    id: Id,
    list: BTreeSet<Id>,
    state: State,
    /// Whether it has decided on the return of its own token.
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

impl Claimed for LeLann {
    const CLAIMS: Claims = Claims { ending: Ending::Messages, ..<ring::LeLann as Claimed>::CLAIMS };
}
