//! Humblet on a complete network under rotation.

use super::{Buckets, Delays, Run, SEED};
use std::collections::{HashMap, VecDeque};
use suffrage_networks::random::Key;

#[derive(Clone, Copy)]
enum Msg {
    Capture { level: u32, id: u32 },
    Accept,
    Verdict(bool),
    Leader,
}
use Msg::{Accept, Capture, Leader, Verdict};

/// The value for no port.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Default)]
struct CliqueNode {
    id: u32,
    level: u32,
    owner: u32,
    contender: u32,
    active: bool,
    done: bool,
}

/// A waiting capture: its port, level and identity, and whether it was forwarded.
type Waiting = (u32, u32, u32, bool);

/// Elects among processes with these identities, all of them initiators.
///
/// # Panics
/// If no process was elected.
#[must_use]
pub fn humblet(ids: &[u32], delays: Delays) -> Run {
    let node = |&id| CliqueNode {
        id,
        owner: NONE,
        contender: NONE,
        active: true,
        ..CliqueNode::default()
    };
    let mut clique = Clique {
        nodes: ids.iter().map(node).collect(),
        queues: HashMap::new(),
        buckets: Buckets::new(),
        delays,
        key: Key::new(SEED, "delays"),
        messages: 0,
    };
    for node in 0..ids.len() as u32 {
        clique.advance(node);
    }
    while let Some(events) = clique.buckets.next_tick() {
        for &(node, port, msg) in &events {
            clique.receive(node, port, msg);
        }
        clique.buckets.recycle(events);
    }
    assert!(clique.nodes.iter().all(|node| node.done));
    Run { messages: clique.messages, time: clique.buckets.now.into() }
}

struct Clique {
    nodes: Vec<CliqueNode>,
    /// The queues of the nodes that have one, which are few.
    queues: HashMap<u32, VecDeque<Waiting>>,
    buckets: Buckets<(u32, u32, Msg)>,
    delays: Delays,
    key: Key,
    messages: u64,
}

impl Clique {
    #[inline]
    fn send(&mut self, from: u32, port: u32, msg: Msg) {
        self.messages += 1;
        let nodes = self.nodes.len() as u32;
        let to = from + port + 1;
        let to = if to >= nodes { to - nodes } else { to };
        let tick = match self.delays {
            Delays::Unit => self.buckets.now + 1,
            Delays::UpToTen => {
                let link = u64::from(from) * u64::from(nodes - 1) + u64::from(port);
                slot(self.key, link, self.buckets.now)
            }
        };
        self.buckets.push(tick, (to, nodes - 2 - port, msg));
    }

    /// Captures the next node, or leads.
    fn advance(&mut self, node: u32) {
        let CliqueNode { id, level, .. } = self.nodes[node as usize];
        let nodes = self.nodes.len() as u32;
        if 2 * (level + 1) > nodes {
            self.nodes[node as usize].done = true;
            for port in 0..nodes - 1 {
                self.send(node, port, Leader);
            }
        } else {
            self.send(node, level, Capture { level, id });
        }
    }

    #[inline]
    fn receive(&mut self, node: u32, port: u32, msg: Msg) {
        let state = &mut self.nodes[node as usize];
        if state.done {
            return;
        }
        match msg {
            Capture { level, id } => {
                let forwarded = port < state.level;
                if state.contender == NONE {
                    self.contest(node, (port, level, id, forwarded));
                } else {
                    self.queues.entry(node).or_default().push_back((port, level, id, forwarded));
                }
            }
            Accept => {
                state.level += 1;
                if state.active && state.owner == NONE {
                    self.advance(node);
                }
            }
            Verdict(lost) => {
                let contender = std::mem::replace(&mut state.contender, NONE);
                if lost {
                    state.owner = contender;
                    self.send(node, contender, Accept);
                }
                while self.nodes[node as usize].contender == NONE {
                    let next = self.queues.get_mut(&node).and_then(VecDeque::pop_front);
                    let Some(waiting) = next else { break };
                    self.contest(node, waiting);
                }
            }
            Leader => state.done = true,
        }
    }

    #[inline]
    fn contest(&mut self, node: u32, (port, level, id, forwarded): Waiting) {
        let state = &mut self.nodes[node as usize];
        let wins = (level, id) > (state.level, state.id);
        if forwarded {
            state.active &= !wins;
            self.send(node, port, Verdict(wins));
        } else if state.owner != NONE {
            state.contender = port;
            let owner = state.owner;
            self.send(node, owner, Capture { level, id });
        } else if wins {
            state.owner = port;
            state.active = false;
            self.send(node, port, Accept);
        }
    }
}

/// Returns the time of arrival under `uniform:10`: one of two instants per link and two epochs of 5 and
/// 6 ticks, so that later messages never arrive earlier. These are the simulator's.
#[inline]
fn slot(delays: Key, link: u64, now: u32) -> u32 {
    let link = delays.at(link);
    let instant = |epoch: u64| {
        let (start, end) = (epoch * 11 / 2, (epoch + 1) * 11 / 2);
        (start + link.at(epoch).below(end - start)) as u32
    };
    let epoch = u64::from(2 * now + 1) / 11;
    let this = instant(epoch);
    if this > now { this } else { instant(epoch + 1) }
}
