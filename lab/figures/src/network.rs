//! The network of an election as a picture: the leader, which process lost to which, and the load
//! of every node.
//!
//! ```
//! use suffrage_algorithms::Algorithm;
//! use suffrage_figures::network::Map;
//! use suffrage_simulator::Simulator;
//! use suffrage_networks::{Ids, Ports, Spec};
//!
//! let topology = "grid:4x5".parse::<Spec>()?.build(1)?;
//! let (wiring, ids) = (topology.wire(Ports::Rotation, 1), Ids::Random.assign(20, 1));
//! let algorithm = Algorithm::named("echo-extinction").ok_or("no such algorithm")?;
//! let mut map = Map::new(&topology, &wiring, &ids);
//! Simulator::new(algorithm, &wiring, &ids).observer(&mut map).run()?;
//! assert!(map.svg("echo-extinction").starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod layout;
mod svg;

use std::collections::{BTreeMap, VecDeque};
use suffrage_model::{Id, Port, Status};
use suffrage_networks::Topology;
use suffrage_networks::wiring::{End, Wiring};
use suffrage_simulator::{ElectionEvent, Observer, Struck, TracedMessage};

/// The most nodes of a picture.
pub const MOST_NODES: usize = 2000;

/// An [`Observer`] that draws the network of an election.
///
/// A process loses when it becomes a follower. It loses to the neighbour whose message it was receiving
/// then. Its *territory* is the one in which this neighbour was when it sent the message; a process that
/// has not lost is in its own. In algorithms whose processes follow as soon as they meet a better
/// candidate, as Chang and Roberts', these are the territories of the candidates; in those that decide
/// when they are told, as Humblet's and the extinctions, the links over which processes lost are the
/// tree of the announcement.
pub struct Map {
    nodes: Vec<MapNode>,
    /// The messages on each link, by its ends in order.
    links: BTreeMap<(u32, u32), u64>,
    /// The numbers of the messages under way, by the sending end.
    under_way: BTreeMap<End, VecDeque<usize>>,
    /// For each message the territory of its sender after the reaction in which it was sent.
    territories: Vec<u32>,
    /// The first message of this reaction.
    reaction: usize,
    /// What happens now, if it is an arrival: the sender, and its territory.
    arrival: Option<(u32, u32)>,
    positions: Vec<[f64; 2]>,
    /// Where the positions are from.
    source: &'static str,
}

#[derive(Clone, Debug)]
struct MapNode {
    name: Option<String>,
    id: Id,
    sent: u64,
    received: u64,
    territory: u32,
    /// Over which link it lost, and at which tick.
    lost: Option<(u32, u64)>,
    leads: bool,
    crashed: bool,
}

impl Map {
    /// Creates the picture of a network, with the positions of its file, where it has some. Takes
    /// quadratic time and memory in the nodes, unless they have positions or are in a circle.
    ///
    /// # Panics
    /// If the network has more than [`MOST_NODES`] nodes.
    #[must_use]
    pub fn new(topology: &Topology, wiring: &Wiring, ids: &[Id]) -> Self {
        assert!(ids.len() <= MOST_NODES, "{} nodes cannot be drawn", ids.len());
        let node = |(node, &id): (u32, &Id)| MapNode {
            name: topology.label(node).map(str::to_owned),
            id,
            sent: 0,
            received: 0,
            territory: node,
            lost: None,
            leads: false,
            crashed: false,
        };
        let links = links(wiring);
        let (positions, source) = layout::positions(Some(topology), wiring, &links);
        Self {
            nodes: (0..).zip(ids).map(node).collect(),
            links,
            under_way: BTreeMap::new(),
            territories: Vec::new(),
            reaction: 0,
            arrival: None,
            positions,
            source,
        }
    }

    fn send(&mut self, passage: &TracedMessage<'_>) {
        let (from, to) = (passage.from.node, passage.to.node);
        self.nodes[from as usize].sent += 1;
        *self.links.entry((from.min(to), from.max(to))).or_default() += 1;
        let territory = self.nodes[from as usize].territory;
        self.under_way.entry(passage.from).or_default().push_back(self.territories.len());
        self.territories.push(territory);
    }

    fn take(&mut self, passage: &TracedMessage<'_>, overtakes: u32) -> u32 {
        let from = passage.from.node;
        let queue = self.under_way.entry(passage.from).or_default();
        let message = queue.remove(overtakes as usize);
        message.map_or(from, |message| self.territories[message])
    }
}

/// The links of a network by their ends in order, each once, without messages.
fn links(wiring: &Wiring) -> BTreeMap<(u32, u32), u64> {
    let of = |node| (0..wiring.degree(node)).map(move |port| (node, Port(port)));
    let ends = (0..wiring.nodes()).flat_map(of);
    let link = |(node, port)| (node, wiring.across(node, port).node);
    ends.map(link).map(|(a, b)| ((a.min(b), a.max(b)), 0)).collect()
}

pub(crate) fn plan(
    topology: Option<&Topology>,
    wiring: &Wiring,
) -> (Vec<[f64; 2]>, Vec<(u32, u32)>) {
    let links = links(wiring);
    let (positions, _) = layout::positions(topology, wiring, &links);
    (positions, links.into_keys().collect())
}

impl Observer for Map {
    fn event(&mut self, at: u64, _: u32, event: &ElectionEvent<'_>) {
        match *event {
            ElectionEvent::Send(ref passage) => self.send(passage),
            ElectionEvent::Deliver(ref passage, overtakes) => {
                let territory = self.take(passage, overtakes);
                self.nodes[passage.to.node as usize].received += 1;
                self.arrival = Some((passage.from.node, territory));
                self.reaction = self.territories.len();
            }
            ElectionEvent::Discard(ref passage, overtakes) => {
                self.take(passage, overtakes);
            }
            ElectionEvent::Lose(ref passage, Struck::OnLink) => {
                self.take(passage, 0);
            }
            ElectionEvent::Lose(ref passage, Struck::AsSent) => {
                self.under_way.entry(passage.from).or_default().pop_back();
            }
            ElectionEvent::Duplicate(ref passage, struck) => {
                let queue = self.under_way.entry(passage.from).or_default();
                match struck {
                    Struck::AsSent => queue.extend(queue.back().copied()),
                    Struck::OnLink => {
                        if let Some(&message) = queue.front() {
                            queue.push_front(message);
                        }
                    }
                }
            }
            ElectionEvent::Status(node, status) => {
                let node = &mut self.nodes[node as usize];
                node.leads = status == Status::Leader;
                if let (Status::Follower, Some((to, territory))) = (status, self.arrival) {
                    (node.lost, node.territory) = (Some((to, at)), territory);
                    // What it has sent in this reaction it sent as one that has lost.
                    self.territories[self.reaction..].fill(territory);
                }
            }
            ElectionEvent::Crash(node) => {
                self.nodes[node as usize].crashed = true;
                self.arrival = None;
            }
            ElectionEvent::Wake(_) | ElectionEvent::Alarm(_) => {
                self.arrival = None;
                self.reaction = self.territories.len();
            }
            ElectionEvent::Halt(_) | ElectionEvent::Reject(..) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage_algorithms::Algorithm;
    use suffrage_networks::{Ids, Ports, Spec};
    use suffrage_simulator::Simulator;

    /// Only node 0 starts: it is the only candidate, and every territory is its.
    #[test]
    fn those_that_pass_on_what_they_lost_to_are_in_the_same_territory() {
        let topology = "grid:4x5".parse::<Spec>().unwrap().build(1).unwrap();
        let (wiring, ids) = (topology.wire(Ports::Rotation, 1), Ids::Random.assign(20, 1));
        let mut map = Map::new(&topology, &wiring, &ids);
        let algorithm = Algorithm::named("echo-extinction").unwrap();
        let simulator = Simulator::new(algorithm, &wiring, &ids).initiators([7]);
        simulator.observer(&mut map).run().unwrap();
        assert!(map.nodes.iter().all(|node| node.territory == 7));
        assert_eq!(map.nodes.iter().filter(|node| node.leads).count(), 1);
        for (number, node) in (0..).zip(&map.nodes) {
            assert_eq!(node.lost.is_some(), number != 7, "{number}");
        }
    }
}
