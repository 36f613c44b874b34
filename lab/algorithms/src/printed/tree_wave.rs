pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "tree-wave@published",
    title: "Tree wave as on lecture slides: one kind of token, received after all wake-ups.",
    paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapter 7",
    citation: "
G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
chapter 7.
",
    ..AlgorithmHeader::EMPTY
};

pub(crate) const FORM: Form = Form {
    kind: FormKind::Faulty,
    difference: "elects no leader in a network of one process",
    shown_by: "suffrage check tree-wave@published --nodes 1",
    breaks: Some(Property::ExactlyOneLeader),
    printed: "
A process receives wake-ups until all neighbours have sent one, and only then tokens; a token that
comes before waits. The decision travels as one more token.
",
    explained: "
It sends the `4n - 4` messages of `tree-wave`, all of them for the election. In a network of one
process the text sends to a first neighbour, which does not exist; here that process waits
without end.
",
};

use crate::prelude::*;
use crate::{ports::WaitedPorts, queue::LazyQueue, tree};

/// A message of the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Msg {
    /// Wake up.
    WakeUp,
    /// The smallest identity known.
    Tok(Id),
}
use Msg::{Tok, WakeUp};

impl Message for Msg {
    const KINDS: &'static [Kind] = &[Kind::election("wakeup"), Kind::election("tok").ids(1)];
    fn kind(&self) -> usize {
        usize::from(matches!(self, Tok(_)))
    }
}

/// A process of the form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TreeWave {
    id: Id,
    /// The smallest identity so far, `v`.
    v: Id,
    /// Whether it has woken its neighbours.
    ws: bool,
    /// The number of wake-ups still to come.
    missing: u32,
    /// The neighbours whose token has not been received.
    silent: WaitedPorts,
    /// The tokens that came before all wake-ups.
    early: LazyQueue<(Port, Id)>,
    /// Whether it has sent its token.
    sent: bool,
    decided: bool,
}

impl TreeWave {
    /// Receives a token, in the second phase.
    fn token(&mut self, from: Port, r: Id, net: &mut impl Net<Msg>) {
        let Some(silent) = self.silent.without(from, net.degree()) else {
            return net.reject("a neighbour sends one token");
        };
        self.silent = silent;
        self.v = self.v.min(r);
        if self.sent {
            self.decided = true;
            net.send_others(from, Tok(self.v));
        }
        self.send_token(net);
    }

    fn send_token(&mut self, net: &mut impl Net<Msg>) {
        if let (false, 0, Some(last)) = (self.sent, self.missing, self.silent.last()) {
            self.sent = true;
            net.send(last, Tok(self.v));
        }
    }
}

impl Process for TreeWave {
    const NETWORK: NetworkClass = NetworkClass::Tree;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, degree: u32) -> Self {
        Self {
            id,
            v: id,
            ws: false,
            missing: degree,
            silent: WaitedPorts::all(degree),
            early: LazyQueue::new(),
            sent: false,
            decided: false,
        }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.ws = true;
        net.send_all(WakeUp);
    }

    fn receive(&mut self, from: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match msg {
            WakeUp if self.missing == 0 => net.reject("a neighbour wakes it once"),
            WakeUp => {
                if !self.ws {
                    self.wake(net);
                }
                self.missing -= 1;
                if self.missing == 0 {
                    self.send_token(net);
                    while let Some((from, r)) = self.early.pop() {
                        self.token(from, r, net);
                    }
                }
            }
            Tok(r) if self.missing > 0 => self.early.push((from, r)),
            Tok(r) => self.token(from, r, net),
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.leader(), self.id)
    }

    fn leader(&self) -> Option<Id> {
        self.decided.then_some(self.v)
    }

    fn halted(&self) -> bool {
        self.decided
    }
}

impl Claimed for TreeWave {
    const CLAIMS: Claims = Claims {
        rule: Rule::SmallestId,
        problem: Problem::Explicit,
        election: Bound::exactly("4n-4", |s| s.nodes.saturating_sub(1).saturating_mul(4)),
        announcement: Bound::NONE,
        time: <tree::TreeWave as Claimed>::CLAIMS.time,
        ending: Ending::Silent,
    };
}
