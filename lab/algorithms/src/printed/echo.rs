pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "echo-extinction@published",
    title: "Echo with extinction as on lecture slides: the leader floods the result twice.",
    paper: "E. J. H. Chang, IEEE Transactions on Software Engineering SE-8(4), 1982; G. Tel, 2000",
    citation: "
G. Tel, *Introduction to Distributed Algorithms*, 2nd ed., Cambridge University Press, 2000,
chapter 7, after E. J. H. Chang, 1982.
",
    ..AlgorithmHeader::EMPTY
};

pub(crate) const FORM: Form = Form {
    kind: FormKind::Faulty,
    difference: "floods the result twice from the leader, also to processes that have ended",
    shown_by: "suffrage check echo-extinction@published --nodes 2",
    breaks: Some(Property::SilentEnding),
    printed: r#"
Every process floods `ldr` when it first receives it, also the leader, which has flooded it
before. "`caw_p : P init undef`" is compared with every token, and the text does not say how `undef`
compares: in `echo-extinction@published` it is larger than every identity; in
`echo-extinction@undefined` no comparison with it is true.
"#,
    explained: "
The second flood reaches neighbours that may have ended. A single process ends before it starts.
In `echo-extinction` the leader remembers that it has flooded. Where no comparison with `undef` is
true, a process that has not initiated ignores every token.
",
};

/// The header of `echo-extinction@undefined`.
pub(crate) const UNDEFINED: AlgorithmHeader =
    AlgorithmHeader { name: "echo-extinction@undefined", ..HEADER };

pub(crate) const UNDEFINED_FORM: Form = Form {
    difference: "reaches no process that has not initiated, since nothing is true of an undefined wave",
    shown_by: "suffrage check echo-extinction@undefined --nodes 2",
    breaks: Some(Property::ExactlyOneLeader),
    ..FORM
};

use crate::graph::{
    self,
    EchoExtinctionMsg::{self as Msg, Leader, Token},
};
use crate::prelude::*;

/// A process of the form. `LARGEST` is whether an undefined wave is larger than all others;
/// otherwise every comparison with it is false.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EchoExtinction<const LARGEST: bool = true> {
    id: Id,
    degree: u32,
    /// The wave that it takes part in.
    caw: Option<Id>,
    rec: u32,
    father: Port,
    lrec: u32,
    win: Option<Id>,
}

impl<const LARGEST: bool> Process for EchoExtinction<LARGEST> {
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
                if self.caw.map_or(LARGEST, |caw| r < caw) {
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

impl<const LARGEST: bool> Claimed for EchoExtinction<LARGEST> {
    const CLAIMS: Claims = <graph::EchoExtinction as Claimed>::CLAIMS;
}
