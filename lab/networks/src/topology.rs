//! Connected networks with names.

use crate::format::{FileFormat, Separator};
use crate::generate::{self, Stopped};
use crate::graph::Graph;
use crate::memory::NetworkMemory;
use crate::names::NodeNames;
use crate::ports::{PortArrangement, Ports};
use crate::shape::Shape;
use crate::wiring::{Adjacency, Wiring};
use std::fmt;
use suffrage_numbers::counted;

/// A connected network, with names where its source has them.
///
/// Nodes are numbered from 0. Complete networks and rings are implicit: they take a few words,
/// regardless of their size. Any other network is stored, as a simple graph, in 4 bytes per node
/// and 8 per link.
#[derive(Clone, Debug)]
pub struct Topology {
    pub(crate) structure: Structure,
    pub(crate) kind: &'static str,
    pub(crate) source: String,
    pub(crate) labels: Option<NodeNames>,
    pub(crate) positions: Option<Vec<Option<[f64; 2]>>>,
    pub(crate) notes: Vec<Note>,
}

/// How a topology knows its links.
#[derive(Clone, Debug)]
pub(crate) enum Structure {
    /// They are computed. A hypercube and a torus have a sense of direction, too.
    Computed(Shape),
    Stored(Graph),
}

/// A note for the user on what was done to a network on its way from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The format of the file: of a table, also with what separates its columns; otherwise where its name
    /// indicates none or another.
    ReadAs {
        /// The format.
        format: FileFormat,
        /// What separates the columns of a table that has some.
        separator: Option<Separator>,
    },
    /// The first line of a table was taken as a header.
    Header {
        /// Its number in the file, from 1.
        line: u64,
    },
    /// The number of lines that were taken as comments in a table.
    Comments(u64),
    /// The number of graphs in the file behind the first one.
    FurtherGraphs(u64),
    /// The number of nodes that hold others and have no link: frames, such as the groups of yEd.
    Frames(u64),
    /// The number of links whose weight, other than 1, was ignored.
    Weights(u64),
    /// The number of lines of an edge list whose further columns were ignored.
    Columns(u64),
    /// The number of edges that had a direction, and were taken as links that carry messages both
    /// ways.
    Directed(u64),
    /// The number of links between nodes that had a link already.
    ParallelLinks(u64),
    /// The number of links that led from a node to itself.
    SelfLoops(u64),
    /// The network is the largest component of that in the file.
    LargestComponent {
        /// The number of components in the file.
        of: u64,
        /// The number of nodes of this component.
        nodes: u32,
        /// The number of nodes in the file.
        of_nodes: u32,
    },
    /// The nodes were renumbered in the order of the ring.
    Oriented,
    /// The nodes were renumbered by their words of bits, as nodes of a hypercube.
    Words,
    /// The nodes were renumbered by rows and columns, as nodes of a torus.
    Rows,
    /// The nodes were renumbered in the order of their identities.
    Reordered,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ReadAs { format, separator: None } => {
                write!(f, "read as {}, by its content", format.title())
            }
            Self::ReadAs { format, separator: Some(separator) } => {
                write!(f, "read as {} with {separator} between columns", format.title())
            }
            Self::Header { line } => write!(f, "line {line} taken as a header"),
            Self::Comments(count) => write!(f, "{} left out", counted(count, "comment line")),
            Self::FurtherGraphs(count) => write!(f, "{} left out", counted(count, "further graph")),
            Self::Frames(count) => write!(f, "{} without links left out", counted(count, "group")),
            Self::Weights(count) => write!(f, "weights of {} ignored", counted(count, "link")),
            Self::Columns(count) => {
                write!(f, "further columns of {} ignored", counted(count, "line"))
            }
            Self::ParallelLinks(count) => {
                write!(f, "{} collapsed", counted(count, "parallel link"))
            }
            Self::SelfLoops(count) => write!(f, "{} dropped", counted(count, "self-loop")),
            Self::Directed(count) => {
                write!(f, "{} taken as two-way", counted(count, "directed edge"))
            }
            Self::LargestComponent { of, nodes, of_nodes } => {
                write!(f, "largest of {of} components: {nodes} of {of_nodes} nodes")
            }
            Self::Oriented => f.write_str("nodes renumbered in the order of the ring"),
            Self::Words => {
                f.write_str("nodes renumbered by their words of bits, as in a hypercube")
            }
            Self::Rows => f.write_str("nodes renumbered row by row, as in a torus"),
            Self::Reordered => f.write_str("nodes renumbered in the order of their ids"),
        }
    }
}

impl Topology {
    /// Creates a generated or implicit network, without names.
    pub(crate) fn new(structure: Structure, kind: &'static str, source: String) -> Self {
        Self { structure, kind, source, labels: None, positions: None, notes: Vec::new() }
    }

    /// Returns the shape of the network, if it is computed and not stored.
    #[must_use]
    pub const fn shape(&self) -> Option<&Shape> {
        match &self.structure {
            Structure::Computed(shape) => Some(shape),
            Structure::Stored(_) => None,
        }
    }

    /// Returns the number of nodes, at least 1.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        match &self.structure {
            Structure::Computed(shape) => shape.nodes() as u32,
            Structure::Stored(graph) => graph.nodes(),
        }
    }

    /// Returns the number of two-way links. A ring of `n` nodes has `n`, even if `n` is 1 (a link
    /// from the node to itself) or 2 (two links between the same nodes).
    #[must_use]
    pub fn links(&self) -> u64 {
        match &self.structure {
            Structure::Computed(shape) => shape.links(),
            Structure::Stored(graph) => graph.links(),
        }
    }

    /// Returns the kind of the network: `complete`, `ring`, `chordal`, `path`, `star`, `tree`, `grid`,
    /// `torus`, `hypercube`, `regular`, `erdos-renyi` or `barabasi-albert`, as it was asked for. The kind
    /// of a network from a file is determined by its graph: `complete`, `ring`, `tree` or `graph`.
    #[must_use]
    pub const fn kind(&self) -> &str {
        self.kind
    }

    /// Returns the source of the network: the text of its [`Spec`](crate::Spec), or the path of its
    /// file as it was given.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the name of a node; `None` where the source gives no names, or no such node exists.
    #[must_use]
    pub fn label(&self, node: u32) -> Option<&str> {
        self.labels.as_ref().filter(|labels| node < labels.len()).map(|labels| labels.get(node))
    }

    /// Returns the position of a node, to the right and upwards, if the file has it: GraphML can, as geographic
    /// coordinates, coordinates `x` and `y`, or the geometry of yEd. Longitudes are scaled for the middle of the
    /// network, so that a unit has the same length in both directions.
    #[must_use]
    pub fn position(&self, node: u32) -> Option<[f64; 2]> {
        self.positions.as_ref()?.get(node as usize).copied().flatten()
    }

    /// Returns the node with a name. The first call sorts the names, further ones take logarithmic
    /// time.
    #[must_use]
    pub fn node_named(&self, label: &str) -> Option<u32> {
        self.labels.as_ref()?.find(label)
    }

    /// Returns notes on what was done to the network on its way from its source.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns the number of links of a node; a link from the node to itself counts twice.
    ///
    /// # Panics
    /// May panic if the node does not exist.
    #[must_use]
    pub fn degree(&self, node: u32) -> u32 {
        match &self.structure {
            Structure::Computed(shape) => shape.degree(node.into()),
            Structure::Stored(graph) => graph.neighbours(node).len() as u32,
        }
    }

    /// Estimates the memory that the network takes, its names included, before it is wired.
    /// Implicit networks take none except for the names.
    #[must_use]
    pub fn memory(&self) -> NetworkMemory {
        let structure = match &self.structure {
            Structure::Computed(Shape::Complete(_) | Shape::Ring(_)) => NetworkMemory::default(),
            _ => NetworkMemory::stored(self.nodes().into(), self.links()),
        };
        structure.and_names(self.labels.as_ref().map_or(0, NodeNames::bytes))
    }

    /// Numbers the ports of every node.
    ///
    /// With [`Ports::Random`] the order of a node's ports depends on the seed and the node alone.
    /// An algorithm for an oriented network needs [`Ports::Rotation`]: any other order hides the
    /// direction.
    ///
    /// Takes constant time and memory on implicit networks. On a stored one time is linear, and
    /// memory 4 bytes per node and 16 per link, with 8 more per node and 24 more per link on the
    /// way.
    #[must_use]
    pub fn wire(&self, ports: Ports, seed: u64) -> Wiring {
        self.wire_unless(ports, seed, &|| false).expect("it is never stopped")
    }

    /// Numbers the ports of every node like [`wire`](Self::wire), unless it is `stopped`: a stored network asks
    /// that for every node, and there is none then.
    #[must_use]
    pub fn wire_unless(
        &self,
        ports: Ports,
        seed: u64,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Wiring> {
        let shape = match &self.structure {
            Structure::Computed(shape) => shape,
            Structure::Stored(graph) => return stored(graph, ports, seed, stopped),
        };
        let nodes = self.nodes();
        Some(match (shape, ports) {
            (Shape::Complete(_), Ports::Rotation) => Wiring::complete(nodes),
            (Shape::Complete(_), Ports::Random) => Wiring::complete_shuffled(nodes, seed),
            (Shape::Ring(_), Ports::Rotation) => Wiring::ring(nodes),
            (Shape::Ring(_), Ports::Random) => Wiring::ring_shuffled(nodes, seed),
            (Shape::Hypercube(dimension), Ports::Rotation) => Wiring::hypercube(*dimension),
            (Shape::Lattice { rows, columns }, Ports::Rotation) => {
                Wiring::torus(rows.length as u32, columns.length as u32)
            }
            (shape, _) => return stored(&generate::graph(shape), ports, seed, stopped),
        })
    }
}

fn stored(graph: &Graph, ports: Ports, seed: u64, stopped: Stopped<'_>) -> Option<Wiring> {
    let lists = graph.in_order_of_ports(0, PortArrangement::new(ports, seed));
    Adjacency::flat_unless(graph.bounds().to_vec(), &lists, stopped).map(Wiring::stored)
}
