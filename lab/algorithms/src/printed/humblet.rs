pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "humblet@sleepers",
    title: "Humblet with sleepers that defend themselves: they compare before they are captured.",
    paper: "P. Humblet, 23rd IEEE Conference on Decision and Control, 1984",
    citation: r#"
P. Humblet, "Selecting a leader in a clique in O(N log N) messages", *23rd IEEE Conference on
Decision and Control*, 1984, doi:10.1109/CDC.1984.272191, taken at its word where not all start.
"#,
    ..AlgorithmHeader::EMPTY
};

pub(crate) const FORM: Form = Form {
    kind: FormKind::Faulty,
    difference: "elects no leader where a sleeping node has the larger identity",
    shown_by: "suffrage check humblet@sleepers --nodes 2",
    breaks: Some(Property::ExactlyOneLeader),
    printed: "
A sleeping node ignores a capture with a smaller pair, as one does that is awake.
",
    explained: "
If the message does not wake it, which the text allows, no node may be left in the race. In
`humblet` the first capture that comes takes a sleeper.
",
};

use crate::complete::{Humblet, HumbletMsg};
use crate::prelude::*;

/// A process of the form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SleepersDefend {
    id: Id,
    inner: Humblet,
}

impl Process for SleepersDefend {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = HumbletMsg;

    fn new(id: Id, degree: u32) -> Self {
        Self { id, inner: Humblet::new(id, degree) }
    }
    fn wake(&mut self, net: &mut impl Net<HumbletMsg>) {
        self.inner.wake(net);
    }
    fn receive(&mut self, from: Port, msg: HumbletMsg, net: &mut impl Net<HumbletMsg>) {
        let sleeps = self.inner.is_asleep();
        match msg {
            HumbletMsg::Capture { level, id }
                if sleeps && (level, id) < (Count::new(0), self.id) => {}
            _ => self.inner.receive(from, msg, net),
        }
    }
    fn status(&self) -> Status {
        self.inner.status()
    }
    fn leader(&self) -> Option<Id> {
        self.inner.leader()
    }
    fn halted(&self) -> bool {
        self.inner.halted()
    }
}

impl Claimed for SleepersDefend {
    const CLAIMS: Claims = Humblet::CLAIMS;
}
