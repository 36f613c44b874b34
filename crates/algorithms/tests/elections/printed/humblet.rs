//! Humblet's algorithm, where a sleeping node compares before it is captured, as an awake one does.

use suffrage_algorithms::complete::{Humblet, HumbletMsg};
use suffrage_process::{Id, Net, NetworkClass, Port, Process, Status};

/// The algorithm, but a sleeper ignores a node with a smaller pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SleepersDefend {
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
        let sleeps = format!("{:?}", self.inner).contains("state: Sleep");
        match msg {
            HumbletMsg::Capture { level, id } if sleeps && (level, id) < (0, self.id) => {}
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
