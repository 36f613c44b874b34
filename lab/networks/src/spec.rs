//! Networks by name and size: `complete:1000`, `grid:4x5`.

mod build;
mod family;
mod natural;
mod text;

use crate::limits;
use crate::memory::Memory;

/// A network to be made, in the form `KIND:PARAMETERS`.
///
/// Its `Display` writes the form that its `FromStr` reads.
///
/// ```
/// use suffrage_networks::Spec;
///
/// let spec: Spec = "grid:4x5".parse()?;
/// let grid = spec.build(1)?;
/// assert_eq!((grid.nodes(), grid.links()), (20, 31));
///
/// let error = "clomplete:5".parse::<Spec>().unwrap_err();
/// assert!(error.to_string().contains("did you mean `complete`?"));
/// # Ok::<(), suffrage_networks::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spec {
    /// `complete:N`: a link between every two nodes. Implicit.
    Complete {
        /// The number of nodes.
        nodes: u32,
    },
    /// `ring:N`: a cycle. Implicit.
    Ring {
        /// The number of nodes.
        nodes: u32,
    },
    /// `chordal:N:D`: the chordal ring `C_N<1, D>`, a ring with a chord from each node to the one D
    /// places further. A chord of half the ring belongs to both of its ends: then each node has one, and
    /// otherwise two.
    Chordal {
        /// The number of nodes.
        nodes: u32,
        /// The length of a chord, in links of the ring.
        chord: u32,
    },
    /// `path:N`: a ring without the link between the last node and the first.
    Path {
        /// The number of nodes.
        nodes: u32,
    },
    /// `star:N`: node 0 linked to every other one.
    Star {
        /// The number of nodes, the centre included.
        nodes: u32,
    },
    /// `tree:K:N`: each node has K children, filled level by level, from left to right.
    Tree {
        /// The number of children of a node.
        children: u32,
        /// The number of nodes.
        nodes: u32,
    },
    /// `tree:random:N`: each of the `n^(n-2)` labelled trees with the same probability.
    RandomTree {
        /// The number of nodes.
        nodes: u32,
    },
    /// `grid:RxC`: links to the left, right, up and down. Node numbers run along the rows.
    Grid {
        /// The number of nodes from top to bottom.
        rows: u32,
        /// The number of nodes from left to right.
        columns: u32,
    },
    /// `torus:RxC`: a grid whose rows and columns of at least 3 nodes are closed to rings.
    Torus {
        /// The number of nodes from top to bottom.
        rows: u32,
        /// The number of nodes from left to right.
        columns: u32,
    },
    /// `hypercube:D`: the `2^D` words of D bits, those that differ in one bit linked.
    Hypercube {
        /// The number of bits.
        dimension: u32,
    },
    /// `regular:N:D`: a random connected network in which each node has D links.
    Regular {
        /// The number of nodes.
        nodes: u32,
        /// The number of links of a node.
        degree: u32,
    },
    /// `erdos-renyi:N:P`: every two nodes are linked with probability P, given that the network is
    /// connected.
    ErdosRenyi {
        /// The number of nodes.
        nodes: u32,
        /// The probability of a link.
        probability: f64,
    },
    /// `barabasi-albert:N:M`: nodes arrive one by one, each links to M others, preferably to those
    /// with many links.
    BarabasiAlbert {
        /// The number of nodes.
        nodes: u32,
        /// The number of links that a new node makes.
        links: u32,
    },
}

/// The reason why a network cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// There is no such kind.
    #[error("there is no network `{kind}`{}; there are {}", did_you_mean(*.suggestion), all_kinds())]
    Kind {
        /// The kind that was given.
        kind: String,
        /// A kind with a similar name.
        suggestion: Option<&'static str>,
    },
    /// There are too many or too few parameters.
    #[error("`{spec}` should have the form {form}, as in {example}")]
    Form {
        /// The specification that was given.
        spec: String,
        /// The form of this kind of specification.
        form: &'static str,
        /// An example of it.
        example: &'static str,
    },
    /// A parameter is not a number, or out of its range.
    #[error("`{spec}`: {parameter} is {given}, it should be {range}, as in {example}")]
    Parameter {
        /// The specification that was given.
        spec: String,
        /// The name of the parameter.
        parameter: &'static str,
        /// Its value.
        given: String,
        /// The possible values.
        range: String,
        /// An example of the kind.
        example: &'static str,
    },
    /// The network does not fit into memory.
    #[error("`{spec}` {}", limits::too_large(*.nodes, *.links))]
    TooLarge {
        /// The specification that was given.
        spec: String,
        /// The number of its nodes.
        nodes: u64,
        /// The number of its links, or the expected number.
        links: u64,
    },
    /// No connected network was found.
    #[error(
        "`{spec}`: none of {tries} random networks was connected; they are likely to be from a \
         probability of about ln(n)/n = {} on", two_digits(*.threshold)
    )]
    Disconnected {
        /// The specification that was given.
        spec: String,
        /// The number of networks that were drawn.
        tries: u32,
        /// The probability above which most networks are connected.
        threshold: f64,
    },
    /// No regular network was found.
    #[error("`{spec}`: none of {tries} attempts made a simple connected network; try another seed")]
    NotFound {
        /// The specification that was given.
        spec: String,
        /// The number of attempts.
        tries: u32,
    },
}

/// The kinds, the form of each, and an example.
const KINDS: [(&str, &str, &str); 13] = [
    ("complete", "complete:N", "complete:1000"),
    ("ring", "ring:N", "ring:1000"),
    ("chordal", "chordal:N:D", "chordal:100:7"),
    ("path", "path:N", "path:10"),
    ("star", "star:N", "star:10"),
    ("tree", "tree:K:N", "tree:2:15"),
    ("tree", "tree:random:N", "tree:random:100"),
    ("grid", "grid:RxC", "grid:4x5"),
    ("torus", "torus:RxC", "torus:4x5"),
    ("hypercube", "hypercube:D", "hypercube:4"),
    ("regular", "regular:N:D", "regular:100:3"),
    ("erdos-renyi", "erdos-renyi:N:P", "erdos-renyi:100:0.1"),
    ("barabasi-albert", "barabasi-albert:N:M", "barabasi-albert:100:2"),
];

fn did_you_mean(kind: Option<&str>) -> String {
    kind.map(|kind| format!(", did you mean `{kind}`?")).unwrap_or_default()
}

fn all_kinds() -> String {
    KINDS.map(|(_, form, _)| form).join(", ")
}

/// Rounds a number to two significant digits.
fn two_digits(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

impl Spec {
    /// Returns the kind of the network; see `Topology::kind`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        self.row().0
    }

    const fn row(&self) -> (&'static str, &'static str, &'static str) {
        KINDS[match self {
            Self::Complete { .. } => 0,
            Self::Ring { .. } => 1,
            Self::Chordal { .. } => 2,
            Self::Path { .. } => 3,
            Self::Star { .. } => 4,
            Self::Tree { .. } => 5,
            Self::RandomTree { .. } => 6,
            Self::Grid { .. } => 7,
            Self::Torus { .. } => 8,
            Self::Hypercube { .. } => 9,
            Self::Regular { .. } => 10,
            Self::ErdosRenyi { .. } => 11,
            Self::BarabasiAlbert { .. } => 12,
        }]
    }

    /// Returns the number of nodes and of links (for random networks, the expected number of
    /// links).
    #[must_use]
    pub fn size(&self) -> (u64, u64) {
        let pairs = |nodes: u32| u64::from(nodes) * u64::from(nodes.saturating_sub(1)) / 2;
        match *self {
            Self::Complete { nodes } => (nodes.into(), pairs(nodes)),
            Self::Ring { nodes } => (nodes.into(), nodes.into()),
            Self::Chordal { nodes, chord } => {
                let across = u64::from(chord) * 2 == u64::from(nodes);
                let chords = if across { nodes / 2 } else { nodes };
                (nodes.into(), u64::from(nodes) + u64::from(chords))
            }
            Self::Path { nodes }
            | Self::Star { nodes }
            | Self::Tree { nodes, .. }
            | Self::RandomTree { nodes } => (nodes.into(), u64::from(nodes).saturating_sub(1)),
            Self::Grid { rows, columns } | Self::Torus { rows, columns } => {
                let (rows, columns) = (u64::from(rows), u64::from(columns));
                let closed = matches!(self, Self::Torus { .. });
                let line =
                    |nodes: u64| if closed && nodes > 2 { nodes } else { nodes.saturating_sub(1) };
                let links = rows
                    .saturating_mul(line(columns))
                    .saturating_add(columns.saturating_mul(line(rows)));
                (rows * columns, links)
            }
            Self::Hypercube { dimension } => {
                let nodes = 1_u64.checked_shl(dimension).unwrap_or(u64::MAX);
                (nodes, (nodes / 2).saturating_mul(dimension.into()))
            }
            Self::Regular { nodes, degree } => {
                (nodes.into(), u64::from(nodes) * u64::from(degree) / 2)
            }
            Self::ErdosRenyi { nodes, probability } => {
                (nodes.into(), (pairs(nodes) as f64 * probability) as u64)
            }
            Self::BarabasiAlbert { nodes, links } => {
                let early = u64::from(links) * (u64::from(links) + 1) / 2;
                let late = u64::from(nodes).saturating_sub(u64::from(links) + 1);
                (nodes.into(), early.saturating_add(late.saturating_mul(links.into())))
            }
        }
    }

    /// Estimates the memory that the network takes, without making it; 0 for implicit networks. For
    /// random networks it is the expected amount.
    #[must_use]
    pub fn memory(&self) -> Memory {
        let (nodes, links) = self.size();
        match self {
            Self::Complete { .. } | Self::Ring { .. } => Memory::default(),
            _ => Memory::stored(nodes, links),
        }
    }

    /// Checks that every parameter is in its range and that the network fits into memory.
    fn check(&self) -> Result<(), SpecError> {
        self.check_ranges()?;
        let implicit = matches!(self, Self::Complete { .. } | Self::Ring { .. });
        let (nodes, links) = self.size();
        let fits = nodes <= limits::NODES.into() && (implicit || limits::fit(nodes, links));
        if !fits {
            return Err(SpecError::TooLarge { spec: self.to_string(), nodes, links });
        }
        Ok(())
    }

    /// Checks that every parameter is in its range.
    fn check_ranges(&self) -> Result<(), SpecError> {
        let number = |parameter, given: u32, range: std::ops::RangeInclusive<u32>| {
            if range.contains(&given) {
                return Ok(());
            }
            let range = if range.is_empty() {
                "impossible with these other parameters".to_owned()
            } else {
                format!("from {} to {}", range.start(), range.end())
            };
            Err(self.refuse(parameter, given.to_string(), range))
        };
        match *self {
            Self::Complete { nodes }
            | Self::Ring { nodes }
            | Self::Path { nodes }
            | Self::Star { nodes }
            | Self::RandomTree { nodes } => number(NODES, nodes, 1..=limits::NODES)?,
            Self::Chordal { nodes, chord } => {
                number(NODES, nodes, 4..=limits::NODES)?;
                number("the length of a chord", chord, 2..=nodes / 2)?;
            }
            Self::Tree { children, nodes } => {
                number("the number of children", children, 1..=limits::NODES)?;
                number(NODES, nodes, 1..=limits::NODES)?;
            }
            Self::Grid { rows, columns } | Self::Torus { rows, columns } => {
                number("the number of rows", rows, 1..=limits::NODES)?;
                number("the number of columns", columns, 1..=limits::NODES)?;
            }
            Self::Hypercube { dimension } => number("the dimension", dimension, 0..=48)?,
            Self::Regular { nodes, degree } => {
                number(NODES, nodes, 1..=limits::NODES)?;
                // One link joins two nodes and no more; without any, a node is alone.
                number("the degree", degree, nodes.min(3) - 1..=nodes - 1)?;
                if nodes % 2 == 1 && degree % 2 == 1 {
                    let range = "even where the number of nodes is odd".to_owned();
                    return Err(self.refuse("the degree", degree.to_string(), range));
                }
            }
            Self::ErdosRenyi { nodes, probability } => {
                number(NODES, nodes, 1..=limits::NODES)?;
                let positive = probability > 0.0 || (nodes == 1 && probability == 0.0);
                if !(positive && probability <= 1.0) {
                    let range = "more than 0 and at most 1".to_owned();
                    return Err(self.refuse("the probability", probability.to_string(), range));
                }
            }
            Self::BarabasiAlbert { nodes, links } => {
                number(NODES, nodes, 2..=limits::NODES)?;
                number("the number of links that a new node makes", links, 1..=nodes - 1)?;
            }
        }
        Ok(())
    }

    fn refuse(&self, parameter: &'static str, given: String, range: String) -> SpecError {
        let example = self.row().2;
        SpecError::Parameter { spec: self.to_string(), parameter, given, range, example }
    }
}

const NODES: &str = "the number of nodes";
