//! Conversion of networks to the form that an algorithm needs.

use crate::names::Names;
use crate::topology::{Note, Shape, Topology};
use suffrage_process::NetworkClass;

/// The error of a network that does not fit an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found}; the algorithm wants {}: {why}", name(*.wanted))]
pub struct Misfit {
    /// A description of the network.
    pub found: String,
    /// The class of networks that was needed.
    pub wanted: NetworkClass,
    /// A description of the obstacle.
    pub why: String,
}

/// Returns the display name of a class of networks.
const fn name(network: NetworkClass) -> &'static str {
    match network {
        NetworkClass::Connected => "a connected network",
        NetworkClass::Tree => "a tree",
        NetworkClass::Ring | NetworkClass::OrientedRing => "a ring",
        NetworkClass::Complete | NetworkClass::OrientedComplete => "a complete network",
    }
}

impl Topology {
    /// Returns whether [`fit`](Self::fit) succeeds, in linear time on stored networks.
    #[must_use]
    pub fn fits(&self, network: NetworkClass) -> bool {
        self.obstacle(network).is_none()
    }

    /// Converts the network to the form that an algorithm for `network` needs.
    ///
    /// - Complete: a stored network in which all pairs are linked becomes implicit.
    /// - Ring: a stored cycle becomes implicit, its nodes renumbered in the order of the ring,
    ///   from node 0 towards its smaller neighbour; labels follow. One node, and two nodes with a
    ///   link, become the rings of one and of two, whose links are then counted as a ring's.
    /// - Tree: a connected graph with one link less than nodes.
    /// - Connected: anything.
    ///
    /// Where the form changes, so does [`kind`](Self::kind); the source stays. Takes linear time
    /// on stored networks.
    ///
    /// # Errors
    /// If the network is something else.
    pub fn fit(self, network: NetworkClass) -> Result<Self, Misfit> {
        if let Some(why) = self.obstacle(network) {
            return Err(Misfit { found: self.description(), wanted: network, why });
        }
        Ok(match network {
            NetworkClass::Connected | NetworkClass::Tree => self,
            NetworkClass::Complete | NetworkClass::OrientedComplete => {
                Self { shape: Shape::Complete(self.nodes()), kind: "complete", ..self }
            }
            NetworkClass::Ring | NetworkClass::OrientedRing => self.around(),
        })
    }

    /// Renumbers the nodes of a complete network, whose virtual ring goes around in the order of the
    /// numbers: node `i` of the result is node `order[i]` of this one. Labels follow. Takes linear
    /// time.
    ///
    /// # Panics
    /// If the network is not implicit and complete, as [`fit`](Self::fit) makes it, or `order` has
    /// another length.
    #[must_use]
    pub fn reordered(mut self, order: &[u32]) -> Self {
        let complete =
            matches!(self.shape, Shape::Complete(nodes) if nodes as usize == order.len());
        assert!(complete, "{} is not complete with {} nodes", self.source, order.len());
        self.rename(order);
        self.notes.push(Note::Reordered);
        self
    }

    /// Gives node `i` the name and the position of node `order[i]`.
    fn rename(&mut self, order: &[u32]) {
        let labels = self.labels.take();
        self.labels = labels.map(|all| order.iter().map(|&node| all.get(node)).collect::<Names>());
        let positions = self.positions.take();
        self.positions =
            positions.map(|all| order.iter().map(|&node| all[node as usize]).collect());
    }

    /// Returns the obstacle to running an algorithm for `network`, if there is one.
    fn obstacle(&self, network: NetworkClass) -> Option<String> {
        let (nodes, links) = (u64::from(self.nodes()), self.links());
        // A stored network has no loops and no parallel links: only implicit rings have them.
        let multigraph = match self.shape {
            Shape::Ring(1) => Some("its node is linked to itself"),
            Shape::Ring(2) => Some("its two nodes share two links"),
            _ => None,
        };
        match network {
            NetworkClass::Connected => None,
            NetworkClass::Tree => multigraph.map(str::to_owned).or_else(|| {
                (links + 1 != nodes).then(|| {
                    format!("it has {links} links, a tree of {nodes} nodes has {}", nodes - 1)
                })
            }),
            NetworkClass::Complete | NetworkClass::OrientedComplete => {
                let all = nodes * (nodes - 1) / 2;
                multigraph.map(str::to_owned).or_else(|| {
                    (links != all)
                        .then(|| format!("it has {links} of the {all} links between {nodes} nodes"))
                })
            }
            NetworkClass::Ring | NetworkClass::OrientedRing => {
                if nodes <= 2 || matches!(self.shape, Shape::Ring(_)) {
                    return None;
                }
                let odd = (0..self.nodes()).find(|&node| self.degree(node) != 2)?;
                let degree = self.degree(odd);
                let s = if degree == 1 { "" } else { "s" };
                let name = match self.label(odd) {
                    Some(label) => format!("{odd} ({label})"),
                    None => odd.to_string(),
                };
                Some(format!("node {name} has {degree} link{s}, every node of a ring has 2"))
            }
        }
    }

    /// Describes the network: `abilene.graphml is a graph of 11 nodes and 14 links`.
    fn description(&self) -> String {
        let article = if self.kind.starts_with('e') { "an" } else { "a" };
        let what = match self.kind {
            kind @ ("complete" | "regular" | "erdos-renyi" | "barabasi-albert") => {
                format!("{kind} network")
            }
            kind => kind.to_owned(),
        };
        let count =
            |number: u64, what| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        format!(
            "{} is {article} {what} of {} and {}",
            self.source,
            count(self.nodes().into(), "node"),
            count(self.links(), "link"),
        )
    }

    /// Converts a network that is a ring to the implicit ring.
    fn around(mut self) -> Self {
        if let Shape::Graph(graph) = &self.shape
            && graph.nodes() > 2
        {
            let mut order = Vec::with_capacity(graph.nodes() as usize);
            let (mut before, mut here) = (graph.neighbours(0)[1], 0);
            for _ in 0..graph.nodes() {
                order.push(here);
                let around = graph.neighbours(here);
                let next = if around[0] == before { around[1] } else { around[0] };
                (before, here) = (here, next);
            }
            if !order.is_sorted() {
                self.notes.push(Note::Oriented);
            }
            self.rename(&order);
        }
        Self { shape: Shape::Ring(self.nodes()), kind: "ring", ..self }
    }
}
