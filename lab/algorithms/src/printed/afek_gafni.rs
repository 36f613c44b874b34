pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "afek-gafni@dead",
    title: "Afek and Gafni, algorithm B, with a father that gives up: a dead candidate defends nothing.",
    paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
    citation: r#"
Y. Afek, E. Gafni, "Time and message bounds for election in synchronous and asynchronous
complete networks", *SIAM Journal on Computing* 20(2), 1991, pp. 376-394, as retold.
"#,
    ..AlgorithmHeader::EMPTY
};

pub(crate) const FORM: Form = Form {
    kind: FormKind::Faulty,
    difference: "captures what dead candidates owned again, so that too many reach a level, and the bound is lost",
    shown_by: "suffrage check afek-gafni@dead --nodes 5 --ports random:10 --initiators nodes:0,1,2,3 \
               --property few-large",
    breaks: Some(Property::Invariant("few-large")),
    printed: "
A dead candidate answers `dead` to every `ask`, whatever the pair.
",
    explained: "
What a dead candidate owned can be captured again from level 0, by one candidate after another.
The bound is lost: 557 election messages for `n = 32`, where it is 410. In `afek-gafni` a dead
candidate goes on defending what it owns against smaller pairs. The invariant *few-large*
breaks long before the bound does.
",
};

use crate::complete::{AfekGafni, AfekGafniMsg};
use crate::prelude::*;

/// A process of the form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DeadGivesUp(AfekGafni);

impl Process for DeadGivesUp {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = AfekGafniMsg;

    fn new(id: Id, degree: u32) -> Self {
        Self(AfekGafni::new(id, degree))
    }
    fn wake(&mut self, net: &mut impl Net<AfekGafniMsg>) {
        self.0.wake(net);
    }
    fn receive(&mut self, from: Port, msg: AfekGafniMsg, net: &mut impl Net<AfekGafniMsg>) {
        match msg {
            AfekGafniMsg::Ask(..) if self.0.is_killed() => net.send(from, AfekGafniMsg::Dead),
            _ => self.0.receive(from, msg, net),
        }
    }
    fn status(&self) -> Status {
        self.0.status()
    }
    fn leader(&self) -> Option<Id> {
        self.0.leader()
    }
    fn halted(&self) -> bool {
        self.0.halted()
    }
}

impl Claimed for DeadGivesUp {
    const CLAIMS: Claims = AfekGafni::CLAIMS;

    fn invariants() -> Vec<Invariant<Self>> {
        let lift = |of: Invariant<AfekGafni>| of.lift(|form: &Self| &form.0, Some);
        AfekGafni::invariants().into_iter().map(lift).collect()
    }
}
