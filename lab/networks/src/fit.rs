//! Conversion of networks to the form that an algorithm needs.

use crate::files::parts::PartialNetwork;
use crate::generate;
use crate::graph::Graph;
use crate::hypercube;
use crate::lattice::Lattice;
use crate::names::NodeNames;
use crate::shape::Shape;
use crate::topology::{Note, Structure, Topology};
use suffrage_model::NetworkClass;
use suffrage_numbers::counted;

/// The error of a network that does not fit an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found}; the algorithm wants {}: {why}", name(*.wanted))]
pub struct Mismatch {
    /// A description of the network.
    pub found: String,
    /// The class of networks that was needed.
    pub wanted: NetworkClass,
    /// A description of the obstacle.
    pub why: String,
}

const fn name(network: NetworkClass) -> &'static str {
    match network {
        NetworkClass::Connected => "a connected network",
        NetworkClass::Tree => "a tree",
        NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => "a ring",
        NetworkClass::Complete | NetworkClass::OrientedComplete => "a complete network",
        NetworkClass::Hypercube | NetworkClass::OrientedHypercube => "a hypercube",
        NetworkClass::Mesh => "a mesh",
        NetworkClass::Torus | NetworkClass::OrientedTorus => "a torus",
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
    /// - Hypercube: a graph whose nodes can be named by words of bits such that links flip one bit
    ///   each. With a sense of direction the nodes are renumbered by their words, from node 0 on,
    ///   whose smallest neighbour has bit 0; labels follow.
    /// - Mesh and torus: a graph whose nodes can be put in rows and columns, two or more of each in
    ///   a mesh, three or more in a torus. With a sense of direction the nodes are renumbered row by
    ///   row, from node 0 on, whose smallest neighbour is the next of its row; labels follow.
    /// - Tree: a connected graph with one link less than nodes.
    /// - Connected: anything.
    ///
    /// Where the form changes, so does [`kind`](Self::kind); the source stays. Takes linear time
    /// on stored networks.
    ///
    /// # Errors
    /// If the network is something else.
    pub fn fit(self, network: NetworkClass) -> Result<Self, Mismatch> {
        if let Some(why) = self.obstacle(network) {
            return Err(Mismatch { found: self.description(), wanted: network, why });
        }
        Ok(match network {
            NetworkClass::Connected
            | NetworkClass::Tree
            | NetworkClass::Hypercube
            | NetworkClass::Mesh
            | NetworkClass::Torus => self,
            NetworkClass::OrientedHypercube => self.by_words(),
            NetworkClass::OrientedTorus => self.by_rows(),
            NetworkClass::Complete | NetworkClass::OrientedComplete => {
                let shape = Shape::Complete(self.nodes().into());
                Self { structure: Structure::Computed(shape), kind: "complete", ..self }
            }
            NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
                self.around()
            }
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
        let complete = self.shape() == Some(&Shape::Complete(order.len() as u64));
        assert!(complete, "{} is not complete with {} nodes", self.source, order.len());
        self.rename(order);
        self.notes.push(Note::Reordered);
        self
    }

    /// Gives node `i` the name and the position of node `order[i]`.
    fn rename(&mut self, order: &[u32]) {
        let labels = self.labels.take();
        self.labels =
            labels.map(|all| order.iter().map(|&node| all.get(node)).collect::<NodeNames>());
        let positions = self.positions.take();
        self.positions =
            positions.map(|all| order.iter().map(|&node| all[node as usize]).collect());
    }

    fn obstacle(&self, network: NetworkClass) -> Option<String> {
        let (nodes, links) = (u64::from(self.nodes()), self.links());
        // A stored network has no loops and no parallel links: only implicit rings have them.
        let multigraph = match self.shape() {
            Some(Shape::Ring(1)) => Some("its node is linked to itself"),
            Some(Shape::Ring(2)) => Some("its two nodes share two links"),
            _ => None,
        };
        match network {
            NetworkClass::Connected => None,
            NetworkClass::Tree => multigraph.map(str::to_owned).or_else(|| no_tree(nodes, links)),
            NetworkClass::Complete | NetworkClass::OrientedComplete => {
                let all = nodes * (nodes - 1) / 2;
                multigraph.map(str::to_owned).or_else(|| {
                    (links != all)
                        .then(|| format!("it has {links} of the {all} links between {nodes} nodes"))
                })
            }
            NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
                if nodes <= 2 || matches!(self.shape(), Some(Shape::Ring(_))) {
                    return None;
                }
                let odd = (0..self.nodes()).find(|&node| self.degree(node) != 2)?;
                let links = counted(self.degree(odd).into(), "link");
                Some(format!("{} has {links}, every node of a ring has 2", self.name(odd)))
            }
            NetworkClass::Hypercube | NetworkClass::OrientedHypercube => {
                if self.words().is_some() {
                    return None;
                }
                let dimension = self.nodes().ilog2();
                let differs = |&node: &u32| self.degree(node) != dimension;
                Some(match (0..self.nodes()).find(differs) {
                    _ if !self.nodes().is_power_of_two() => {
                        format!("it has {nodes} nodes, a hypercube has a power of two")
                    }
                    Some(odd) => format!(
                        "{} has {}, every node of a hypercube of {nodes} has {dimension}",
                        self.name(odd),
                        counted(self.degree(odd).into(), "link")
                    ),
                    None => "no words of bits name its nodes so that each link flips one".into(),
                })
            }
            NetworkClass::Mesh => self.lattice(network).is_none().then(|| {
                "its nodes cannot be put in two or more rows and columns that have its links".into()
            }),
            NetworkClass::Torus | NetworkClass::OrientedTorus => {
                if self.lattice(network).is_some() {
                    return None;
                }
                let differs = |&node: &u32| self.degree(node) != 4;
                Some(match (0..self.nodes()).find(differs) {
                    Some(odd) => format!(
                        "{} has {}, every node of a torus has 4",
                        self.name(odd),
                        counted(self.degree(odd).into(), "link")
                    ),
                    None => "its nodes cannot be put in three or more rows and columns that its \
                             links close to rings"
                        .into(),
                })
            }
        }
    }

    /// Describes the network: `abilene.graphml is a graph of 11 nodes and 14 links`.
    fn description(&self) -> String {
        description(&self.source, self.kind, self.nodes().into(), self.links())
    }

    /// Names a node: `node 3 (Lisbon)`.
    fn name(&self, node: u32) -> String {
        match self.label(node) {
            Some(label) => format!("node {node} ({label})"),
            None => format!("node {node}"),
        }
    }

    fn words(&self) -> Option<Vec<u32>> {
        match &self.structure {
            Structure::Computed(Shape::Hypercube(dimension)) => Some((0..1 << dimension).collect()),
            Structure::Computed(Shape::Complete(nodes)) => {
                (*nodes <= 2).then(|| (0..*nodes as u32).collect())
            }
            Structure::Computed(Shape::Ring(nodes)) => (*nodes == 4).then(|| vec![0, 1, 3, 2]),
            // Four rows and four columns are the words of four bits.
            Structure::Computed(shape) => words(&generate::graph(shape)),
            Structure::Stored(graph) => words(graph),
        }
    }

    /// Renumbers the nodes of a hypercube by their words.
    fn by_words(mut self) -> Self {
        if let Some(words) = self.words() {
            let mut order: Vec<u32> = (0..self.nodes()).collect();
            order.sort_unstable_by_key(|&node| words[node as usize]);
            if !order.is_sorted() {
                self.notes.push(Note::Words);
            }
            self.rename(&order);
        }
        let shape = Shape::Hypercube(self.nodes().ilog2());
        Self { structure: Structure::Computed(shape), kind: "hypercube", ..self }
    }

    /// Arranges the nodes in rows and columns, if the network is of this class of meshes or tori.
    fn lattice(&self, class: NetworkClass) -> Option<Lattice> {
        let graph = match &self.structure {
            Structure::Stored(graph) => graph,
            Structure::Computed(Shape::Ring(4)) => &generate::graph(&Shape::Hypercube(2)),
            Structure::Computed(Shape::Complete(_) | Shape::Ring(_)) => return None,
            Structure::Computed(shape) => &generate::graph(shape),
        };
        Lattice::of(class, graph.nodes(), &|node| graph.neighbours(node).to_vec())
    }

    /// Renumbers the nodes of a torus row by row.
    fn by_rows(mut self) -> Self {
        if let Some(Lattice { rows, columns, order }) = self.lattice(NetworkClass::Torus) {
            if !order.is_sorted() {
                self.notes.push(Note::Rows);
            }
            self.rename(&order);
            (self.structure, self.kind) =
                (Structure::Computed(Shape::torus(rows, columns)), "torus");
        }
        self
    }

    /// Converts a network that is a ring to the implicit ring.
    fn around(mut self) -> Self {
        let stored = match &self.structure {
            Structure::Stored(graph) => Some(graph.clone()),
            Structure::Computed(shape @ Shape::Hypercube(_)) => Some(generate::graph(shape)),
            Structure::Computed(_) => None,
        };
        if let Some(graph) = stored.filter(|graph| graph.nodes() > 2) {
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
        let shape = Shape::Ring(self.nodes().into());
        Self { structure: Structure::Computed(shape), kind: "ring", ..self }
    }
}

fn words(graph: &Graph) -> Option<Vec<u32>> {
    let degree = |node| graph.neighbours(node).len() as u32;
    hypercube::words(graph.nodes(), degree, |node, port| graph.neighbours(node)[port as usize])
}

/// Describes a network of this source and kind.
fn description(source: &str, kind: &str, nodes: u64, links: u64) -> String {
    let article = if kind.starts_with('e') { "an" } else { "a" };
    let what = match kind {
        "complete" | "regular" | "erdos-renyi" | "barabasi-albert" => format!("{kind} network"),
        "chordal" => "chordal ring".to_owned(),
        kind => kind.to_owned(),
    };
    let (nodes, links) = (counted(nodes, "node"), counted(links, "link"));
    format!("{source} is {article} {what} of {nodes} and {links}")
}

fn no_tree(nodes: u64, links: u64) -> Option<String> {
    let most = nodes - 1;
    let why = || {
        let (links, nodes) = (counted(links, "link"), counted(nodes, "node"));
        format!("it has {links}, a tree of {nodes} has {most}")
    };
    (links + 1 != nodes).then(why)
}

impl PartialNetwork {
    /// Checks that an algorithm for `network` can run on it without changes.
    ///
    /// # Errors
    /// If it is something else, or a network of this class is not recognized.
    pub fn check(&self, network: NetworkClass) -> Result<(), Mismatch> {
        let (nodes, links) = (self.nodes(), self.links());
        let why = match network {
            _ if self.fits(network) => return Ok(()),
            NetworkClass::Tree => no_tree(nodes, links),
            _ => None,
        };
        let found = description(self.source(), self.kind(), nodes, links);
        let why = why.unwrap_or_else(|| "it was read in parts, which does not show it".into());
        Err(Mismatch { found, wanted: network, why })
    }
}
