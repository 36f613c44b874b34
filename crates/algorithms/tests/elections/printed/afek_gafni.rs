//! Afek and Gafni's algorithm B, described in two ways that do not do.

use suffrage_algorithms::complete::{AfekGafni, AfekGafniMsg};
use suffrage_process::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status};

/// The algorithm, but a dead candidate answers `dead` to every `ask`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GivesUp(AfekGafni);

impl Process for GivesUp {
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
        let dead = format!("{:?}", self.0).contains("state: Killed");
        match msg {
            AfekGafniMsg::Ask(..) if dead => net.send(from, AfekGafniMsg::Dead),
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

/// A pair of level and identity, on its way to a part of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pair {
    ToOrdinary(u32, u64),
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

/// The pseudo-code as it is printed: one `level` for both parts, `owner_id` 0 and no father at first.
/// It has no end, and decides nothing: the tests look at `elected`, of which there may be several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PseudoCode {
    id: u64,
    pub(crate) level: u32,
    owner_id: u64,
    /// The untraversed ports are those from this one on.
    pub(crate) traversed: u32,
    father: Option<Port>,
    potential_father: Option<Port>,
    killed: bool,
    pub(crate) elected: bool,
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
        net.send(Port(self.traversed), ToOrdinary(self.level, self.id));
    }

    fn receive(&mut self, from: Port, msg: Pair, net: &mut impl Net<Pair>) {
        match msg {
            ToCandidate(_, id) if id == self.id && !self.killed => {
                self.level += 1;
                self.traversed += 1;
                self.elected = self.traversed == net.degree();
                if !self.elected {
                    self.wake(net);
                }
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
        Status::Undecided
    }
    fn halted(&self) -> bool {
        false
    }
}
