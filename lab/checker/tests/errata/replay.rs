//! An execution once more, step by step and without the checker's code, as lines to read.

use std::{collections::VecDeque, fmt::Write};
use suffrage_checker::{Counterexample, Execution};
use suffrage_model::{
    Action, Diameter, Facts, Id, Knowledge, Multiplicity, Net, Place, Port, Process, Size, Status,
};

struct Reaction<M> {
    degree: u32,
    sent: VecDeque<(Port, M)>,
    rejected: Option<&'static str>,
}

impl<M: Copy> Net<M> for Reaction<M> {
    fn degree(&self) -> u32 {
        self.degree
    }
    fn send(&mut self, to: Port, msg: M) {
        self.sent.push_back((to, msg));
    }
    fn choose(&mut self, _: u32) -> u32 {
        unreachable!("no algorithm here draws lots")
    }
    fn set_alarm(&mut self, _: u32) {
        unreachable!("no algorithm here sets alarms")
    }
    fn reject(&mut self, why: &'static str) {
        self.rejected = Some(why);
    }
}

/// All there is in the middle of an election; what arrives is queued where it arrives.
#[derive(Clone, PartialEq)]
struct State<P: Process> {
    nodes: Vec<P>,
    arriving: Vec<Vec<VecDeque<P::Msg>>>,
    waiting: Vec<VecDeque<(Port, P::Msg)>>,
}

/// What the last step was, beside its sends.
#[derive(Default)]
struct Last {
    rejected: bool,
    late: bool,
}

/// The execution in words. Panics if it does not break the property that `found` names.
pub(crate) fn replay<P: Process>(found: &Counterexample) -> String {
    let Execution { instance, moves, .. } = &found.execution;
    let (wiring, ids) = (&instance.wiring, &instance.ids);
    let nodes = wiring.nodes();
    let facts = |i: u32| Facts {
        id: ids[i as usize],
        size: Size(nodes),
        place: Place(i),
        diameter: Diameter(0),
        multiplicity: Multiplicity::ONE,
    };
    let degrees = || (0..nodes).map(|node| wiring.degree(node));
    let mut state = State::<P> {
        nodes: (0..nodes).zip(degrees()).map(|(i, d)| P::new(P::Knows::of(&facts(i)), d)).collect(),
        arriving: degrees().map(|degree| vec![VecDeque::new(); degree as usize]).collect(),
        waiting: vec![VecDeque::new(); nodes as usize],
    };
    let capacity = instance.capacity.map_or(usize::MAX, |capacity| capacity as usize);
    let name = |node: u32| ids[node as usize];

    let mut text = format!("{}, steps: {}\n", found.violation.property, moves.len());
    let list = |some: &mut dyn Iterator<Item = Id>| {
        some.map(|id| id.to_string()).collect::<Vec<_>>().join(" ")
    };
    let initiators = list(&mut instance.initiators.iter().map(|&node| name(node)));
    let _ =
        writeln!(text, "identities {}, initiators {initiators}", list(&mut ids.iter().copied()));
    for node in (0..nodes).filter(|&node| wiring.degree(node) > 0) {
        let ports = (0..wiring.degree(node)).map(|port| name(wiring.across(node, Port(port)).node));
        let _ = writeln!(text, "the ports of {} lead to {}", name(node), list(&mut { ports }));
    }

    let (mut before, mut last) = (Vec::new(), Last::default());
    for (number, step) in (1..).zip(moves) {
        before.push(state.clone());
        last = Last::default();
        let (node, what, msg) = match *step {
            Action::Wake(node) => (node, "wakes".to_owned(), None),
            Action::Deliver { to, overtakes } => {
                let link = &mut state.arriving[to.node as usize][to.port.0 as usize];
                let msg = link.remove(overtakes as usize).expect("a message is under way");
                let sender = name(wiring.across(to.node, to.port).node);
                (to.node, format!("hears {} from {sender}", words(&msg)), Some((to.port, msg)))
            }
            _ => unreachable!("nothing else happens in an election without faults"),
        };
        let process = &mut state.nodes[node as usize];
        let (status, halted) = (process.status(), process.halted());
        let mut net =
            Reaction { degree: wiring.degree(node), sent: VecDeque::new(), rejected: None };
        match msg {
            None => process.wake(&mut net),
            Some(_) if halted => last.late = true,
            Some((port, msg)) => process.receive(port, msg, &mut net),
        }
        last.rejected = net.rejected.is_some();
        let sends = net.sent.iter().map(|&(port, msg)| {
            format!("{} to {}", words(&msg), name(wiring.across(node, port).node))
        });
        let mut line = format!("{number:>3}  {} {what}", name(node));
        let sends = sends.collect::<Vec<_>>().join(", ");
        for (said, then) in [
            (!sends.is_empty(), format!(", sends {sends}")),
            (process.status() == Status::Leader && status != Status::Leader, ", leads".into()),
            (
                process.status() == Status::Follower && status != Status::Follower,
                ", follows".into(),
            ),
            (process.halted() && !halted, ", halts".into()),
            (last.late, ", having halted".into()),
            (last.rejected, ", which is impossible".into()),
        ] {
            line += if said { &then } else { "" };
        }
        text += &line;
        text.push('\n');
        state.waiting[node as usize].append(&mut net.sent);
        while let Some(from) = (0..nodes).find(|&from| {
            state.waiting[from as usize].front().is_some_and(|&(port, _)| {
                let to = wiring.across(from, port);
                state.arriving[to.node as usize][to.port.0 as usize].len() < capacity
            })
        }) {
            if let Some((port, msg)) = state.waiting[from as usize].pop_front() {
                let to = wiring.across(from, port);
                state.arriving[to.node as usize][to.port.0 as usize].push_back(msg);
            }
        }
    }
    for node in 0..nodes {
        for &(port, msg) in &state.waiting[node as usize] {
            let to = name(wiring.across(node, port).node);
            let _ = writeln!(text, "     {} waits for room: {} to {to}", name(node), words(&msg));
        }
    }
    assert!(is_broken(found.violation.property.name(), &state, &before, &last), "{text}");
    text
}

/// Whether the state at the end, those before, or the last step break the property.
fn is_broken<P: Process>(
    property: &str,
    state: &State<P>,
    before: &[State<P>],
    last: &Last,
) -> bool {
    let leaders = state.nodes.iter().filter(|node| node.status() == Status::Leader).count();
    let free = |node: &usize| state.waiting[*node].is_empty();
    let idle = |node: usize| state.arriving[node].iter().all(VecDeque::is_empty);
    let over = (0..state.nodes.len()).filter(free).all(idle);
    match property {
        "at-most-one-leader" => leaders > 1,
        "exactly-one-leader" => over && leaders == 0,
        "everyone-halted" => over && !state.nodes.iter().all(Process::halted),
        "agreement" => over && leaders == 1,
        "termination" => before.contains(state),
        "possible-messages" => last.rejected,
        "silent-ending" => last.late,
        _ => true, // One's own, which the test looks at.
    }
}

/// A message by its name and the numbers in it.
fn words(msg: &impl std::fmt::Debug) -> String {
    let text = format!("{msg:?}");
    let (name, rest) = text.split_at(text.find(['(', ' ']).unwrap_or(text.len()));
    let numbers = rest.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let numbers = numbers.collect::<Vec<_>>().join(", ");
    if numbers.is_empty() { name.to_owned() } else { format!("{name}({numbers})") }
}
