//! Every schedule of a small network: which last states there are.

use crate::networks::Wiring;
use std::collections::{HashSet, VecDeque};
use suffrage_model::{
    Diameter, Facts, Id, Knowledge, Multiplicity, Net, Place, Port, Process, Size, Status,
};

/// Processes, and the messages under way to each of their ports.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State<P: Process> {
    nodes: Vec<P>,
    links: Vec<Vec<VecDeque<P::Msg>>>,
}

struct Outbox<M> {
    degree: u32,
    sent: Vec<(Port, M)>,
}

impl<M: Copy> Net<M> for Outbox<M> {
    fn degree(&self) -> u32 {
        self.degree
    }
    fn send(&mut self, to: Port, msg: M) {
        self.sent.push((to, msg));
    }
    fn choose(&mut self, _: u32) -> u32 {
        unreachable!("no algorithm here draws lots")
    }
    fn set_alarm(&mut self, _: u32) {
        unreachable!("no algorithm here sets alarms")
    }
    fn reject(&mut self, why: &'static str) {
        panic!("rejected: {why}");
    }
}

impl<P: Process> State<P> {
    /// A process reacts, and what it sends is under way.
    fn react(
        &mut self,
        wiring: &Wiring,
        node: usize,
        what: impl FnOnce(&mut P, &mut Outbox<P::Msg>),
    ) {
        let mut outbox = Outbox { degree: wiring[node].len() as u32, sent: Vec::new() };
        what(&mut self.nodes[node], &mut outbox);
        for (Port(port), msg) in outbox.sent {
            let (to, at) = wiring[node][port as usize];
            self.links[to][at].push_back(msg);
        }
    }
}

/// Whether some schedule ends without exactly one leader. All initiators wake before any message
/// arrives; after that messages arrive in any order that is FIFO on each link.
pub(crate) fn some_schedule_fails<P: Process>(
    wiring: &Wiring,
    ids: &[u64],
    initiators: impl Iterator<Item = usize>,
) -> bool {
    let n = wiring.len();
    let facts = |i: usize| Facts {
        id: Id::new(ids[i]),
        size: Size(n as u32),
        place: Place(i as u32),
        diameter: Diameter(0),
        multiplicity: Multiplicity::ONE,
    };
    let make = |i: usize| P::new(P::Knows::of(&facts(i)), wiring[i].len() as u32);
    let links = wiring.iter().map(|ports| vec![VecDeque::new(); ports.len()]).collect();
    let mut first = State { nodes: (0..n).map(make).collect(), links };
    initiators.for_each(|node| first.react(wiring, node, Process::wake));

    let (mut seen, mut open) = (HashSet::from([first.clone()]), vec![first]);
    while let Some(state) = open.pop() {
        let arrivals = (0..n).flat_map(|i| (0..wiring[i].len()).map(move |p| (i, p)));
        let mut last = true;
        for (node, port) in arrivals {
            let mut next = state.clone();
            let Some(msg) = next.links[node][port].pop_front() else { continue };
            last = false;
            next.react(wiring, node, |process, net| process.receive(Port(port as u32), msg, net));
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        let leads = |node: &&P| node.status() == Status::Leader;
        if last && state.nodes.iter().filter(leads).count() != 1 {
            return true;
        }
    }
    false
}
