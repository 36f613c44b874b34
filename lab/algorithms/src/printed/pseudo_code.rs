pub(crate) const HEADER: AlgorithmHeader = AlgorithmHeader {
    name: "afek-gafni@published",
    title: "Afek and Gafni, algorithm B, as in a printed pseudo-code: bare pairs of level and identity.",
    paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
    citation: r#"
Y. Afek, E. Gafni, "Time and message bounds for election in synchronous and asynchronous
complete networks", *SIAM Journal on Computing* 20(2), 1991, pp. 376-394, as retold.
"#,
    ..AlgorithmHeader::EMPTY
};

pub(crate) const FORM: Form = Form {
    kind: FormKind::Faulty,
    difference: "elects two where a node does not defend itself",
    shown_by: "suffrage check afek-gafni@published --nodes 2 --property at-most-one-leader",
    breaks: Some(Property::AtMostOneLeader),
    printed: "
One `level` serves both parts of a node, `owner_id` is 0 and there is no father at first, and a
second candidate overwrites `potential_father` while the father is asked about the first. It has no
end: the leader announces itself, and no node halts.
",
    explained: "
A node does not defend itself before it is captured, so that with two nodes both are elected. A
killed candidate that receives its own pair sends it back, and may do so without end. `afek-gafni`
has messages with types, an owner from the start, and one question at a time.
",
};

use crate::harmonic::times_harmonic;
use crate::prelude::*;

/// A pair of level and identity, on its way to a part of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Pair {
    /// A pair for the ordinary part of a node.
    ToOrdinary(u32, u64),
    /// A pair for the candidate part of a node.
    ToCandidate(u32, u64),
}
use Pair::{ToCandidate, ToOrdinary};

impl Message for Pair {
    const KINDS: &'static [Kind] =
        &[Kind::election("to-ordinary").ids(1), Kind::election("to-candidate").ids(1)];
    fn kind(&self) -> usize {
        usize::from(matches!(self, ToCandidate(..)))
    }
}

/// A process of the form.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PseudoCode {
    id: u64,
    /// The level of both parts.
    pub level: u32,
    owner_id: u64,
    /// The number of traversed ports: the untraversed ones are those from this number on.
    pub traversed: u32,
    father: Option<Port>,
    potential_father: Option<Port>,
    killed: bool,
    /// Whether it announces itself.
    pub elected: bool,
}

impl Process for PseudoCode {
    const NETWORK: NetworkClass = NetworkClass::Complete;
    type Knows = Id;
    type Msg = Pair;

    fn new(id: Id, _degree: u32) -> Self {
        Self {
            id: id.get(),
            level: 0,
            owner_id: 0,
            traversed: 0,
            father: None,
            potential_father: None,
            killed: false,
            elected: false,
        }
    }

    fn wake(&mut self, net: &mut impl Net<Pair>) {
        self.elected = self.traversed == net.degree();
        if !self.elected {
            net.send(Port(self.traversed), ToOrdinary(self.level, self.id));
        }
    }

    fn receive(&mut self, from: Port, msg: Pair, net: &mut impl Net<Pair>) {
        match msg {
            // The loop of the candidate has ended.
            ToCandidate(..) if self.elected => {}
            ToCandidate(_, id) if id == self.id && !self.killed => {
                self.level += 1;
                self.traversed += 1;
                self.wake(net);
            }
            ToCandidate(level, id) => {
                if (level, id) >= (self.level, self.id) {
                    self.killed = true;
                    net.send(from, ToOrdinary(level, id));
                }
            }
            ToOrdinary(level, id) if (level, id) < (self.level, self.owner_id) => {}
            ToOrdinary(level, id) => {
                if (level, id) > (self.level, self.owner_id) {
                    self.potential_father = Some(from);
                    (self.level, self.owner_id) = (level, id);
                    self.father = self.father.or(self.potential_father);
                } else {
                    self.father = self.potential_father;
                }
                if let Some(father) = self.father {
                    net.send(father, ToCandidate(level, id)); // Else it is sent along nil.
                }
            }
        }
    }

    fn status(&self) -> Status {
        if self.elected { Status::Leader } else { Status::Undecided }
    }
    fn leader(&self) -> Option<Id> {
        self.elected.then_some(Id::new(self.id))
    }
    fn halted(&self) -> bool {
        false
    }
}

impl Claimed for PseudoCode {
    const CLAIMS: Claims = Claims {
        rule: Rule::LargestLevelAndId,
        problem: Problem::Implicit,
        election: Bound::at_most("4 n H_n", |s| times_harmonic(s.nodes.saturating_mul(4), s.nodes)),
        announcement: Bound::NONE,
        time: None,
        ending: Ending::Messages,
    };
}
