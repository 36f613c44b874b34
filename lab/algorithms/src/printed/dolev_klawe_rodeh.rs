pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "dolev-klawe-rodeh@published",
    title: "Dolev, Klawe and Rodeh with a printed branch that cannot end.",
    paper: "D. Dolev, M. Klawe, M. Rodeh, Journal of Algorithms 3(3), 1982",
    citation: "
G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
section 7.2, as retold on lecture slides, after D. Dolev, M. Klawe, M. Rodeh, 1982.
",
    ..AlgorithmHeader::EMPTY
};

pub(crate) const FORM: Form = Form {
    kind: FormKind::Faulty,
    difference: "leaves the process that finds the winner waiting forever",
    shown_by: "suffrage check dolev-klawe-rodeh@published --nodes 2 --property everyone-halted",
    breaks: Some(Property::EveryoneHalted),
    printed: "
After `acn = c` a process sends `small`, receives `small`, sets `c := acn`, and leaves `win`
undefined.
",
    explained: "
The process that finds the smallest identity never learns of it. In a ring of one, it starts round
after round without end; in a ring of two, it still waits after the announcement.
`dolev-klawe-rodeh` records the winner.
",
};

use crate::prelude::*;
use crate::ring::{
    self,
    DolevKlaweRodehMsg::{self as Msg, One, Small, Two},
};

/// The position of a process in the printed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Waits {
    /// Active, for `one`, `two` or `small`.
    ForOne,
    ForTwo,
    ForSmall,
    /// Passive.
    ForAny,
    /// `win` is defined.
    End,
}
use Waits::{End, ForAny, ForOne, ForSmall, ForTwo};

/// A process of the form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DolevKlaweRodeh {
    id: Id,
    c: Id,
    acn: Id,
    win: Option<Id>,
    waits: Waits,
}

impl Process for DolevKlaweRodeh {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Msg;

    fn new(id: Id, _degree: u32) -> Self {
        Self { id, c: id, acn: id, win: None, waits: ForAny }
    }

    fn wake(&mut self, net: &mut impl Net<Msg>) {
        self.waits = ForOne;
        net.send(Port::NEXT, One(self.c));
    }

    fn receive(&mut self, _: Port, msg: Msg, net: &mut impl Net<Msg>) {
        match (self.waits, msg) {
            (ForOne, One(q)) => {
                self.acn = q;
                let found = self.acn == self.c;
                self.waits = if found { ForSmall } else { ForTwo };
                net.send(Port::NEXT, if found { Small(q) } else { Two(q) });
            }
            (ForSmall, Small(_)) => {
                self.c = self.acn;
                self.wake(net);
            }
            (ForTwo, Two(q)) if self.acn < self.c && self.acn < q => {
                self.c = self.acn;
                self.wake(net);
            }
            (ForTwo, Two(_)) => self.waits = ForAny,
            (ForAny, _) => {
                if let Small(q) = msg {
                    (self.win, self.waits) = (Some(q), End);
                }
                net.send(Port::NEXT, msg);
            }
            _ => net.reject("the text waits for another message"),
        }
    }

    fn status(&self) -> Status {
        Status::naming(self.win, self.id)
    }
    fn leader(&self) -> Option<Id> {
        self.win
    }
    fn halted(&self) -> bool {
        self.waits == End
    }
}

impl Claimed for DolevKlaweRodeh {
    const CLAIMS: Claims = <ring::DolevKlaweRodeh as Claimed>::CLAIMS;
}
