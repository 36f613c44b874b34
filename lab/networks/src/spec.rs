//! Networks by name and size: `complete:1000`, `grid:4x5`.

use crate::generate::{self, Stopped};
use crate::graph::Graph;
use crate::memory::{self, NetworkMemory};
use crate::random::Generator;
use crate::shape::Shape;
use crate::topology::{Structure, Topology};
use crate::{CountError, parse_count, short};
use std::fmt;
use std::str::FromStr;
use suffrage_model::NetworkClass;

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
    #[error("`{spec}` {}", memory::too_large(*.nodes, *.links))]
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
        "`{spec}`: none of {tries} random networks was connected; they are likely to be connected \
         from a probability of about ln(n)/n = {} on", short(two_digits(*.threshold))
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
    /// The network was no longer wanted before it was made.
    #[error("`{spec}`: interrupted before it was made")]
    Stopped {
        /// The specification that was given.
        spec: String,
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
    kind.map(|kind| format!(" (did you mean `{kind}`?)")).unwrap_or_default()
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
        if let Some(shape) = self.shape() {
            return (shape.nodes(), shape.links());
        }
        match *self {
            Self::Chordal { nodes, chord } => {
                let across = u64::from(chord) * 2 == u64::from(nodes);
                let chords = if across { nodes / 2 } else { nodes };
                (nodes.into(), u64::from(nodes) + u64::from(chords))
            }
            Self::Regular { nodes, degree } => {
                (nodes.into(), u64::from(nodes) * u64::from(degree) / 2)
            }
            Self::ErdosRenyi { nodes, probability } => {
                let pairs = Shape::Complete(nodes.into()).links();
                (nodes.into(), (pairs as f64 * probability) as u64)
            }
            Self::BarabasiAlbert { nodes, links } => {
                let early = u64::from(links) * (u64::from(links) + 1) / 2;
                let late = u64::from(nodes).saturating_sub(u64::from(links) + 1);
                (nodes.into(), early.saturating_add(late.saturating_mul(links.into())))
            }
            Self::RandomTree { nodes } => (nodes.into(), u64::from(nodes).saturating_sub(1)),
            // The others have a shape.
            _ => (0, 0),
        }
    }

    /// Estimates the memory that the network takes, without making it; 0 for implicit networks. For
    /// random networks it is the expected amount.
    #[must_use]
    pub fn memory(&self) -> NetworkMemory {
        let (nodes, links) = self.size();
        match self {
            Self::Complete { .. } | Self::Ring { .. } => NetworkMemory::default(),
            _ => NetworkMemory::stored(nodes, links),
        }
    }

    /// Returns the shape of the network; `None` for random networks and chordal rings, whose neighbours
    /// are not computed.
    #[must_use]
    pub fn shape(&self) -> Option<Shape> {
        Some(match *self {
            Self::Complete { nodes } => Shape::Complete(nodes.into()),
            Self::Ring { nodes } => Shape::Ring(nodes.into()),
            Self::Path { nodes } => Shape::Tree { children: 1, nodes: nodes.into() },
            Self::Star { nodes } => Shape::Tree {
                children: u64::from(nodes).saturating_sub(1).max(1),
                nodes: nodes.into(),
            },
            Self::Tree { children, nodes } => {
                Shape::Tree { children: children.into(), nodes: nodes.into() }
            }
            Self::Grid { rows, columns } => Shape::grid(rows, columns),
            Self::Torus { rows, columns } => Shape::torus(rows, columns),
            Self::Hypercube { dimension } => Shape::Hypercube(dimension),
            Self::Chordal { .. }
            | Self::RandomTree { .. }
            | Self::Regular { .. }
            | Self::ErdosRenyi { .. }
            | Self::BarabasiAlbert { .. } => return None,
        })
    }

    /// Checks that every parameter is in its range and that the network fits into memory.
    fn check(&self) -> Result<(), SpecError> {
        self.check_ranges()?;
        let implicit = matches!(self, Self::Complete { .. } | Self::Ring { .. });
        let (nodes, links) = self.size();
        let fits = nodes <= memory::NODES.into() && (implicit || memory::fit(nodes, links));
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
            | Self::RandomTree { nodes } => number(NODES, nodes, 1..=memory::NODES)?,
            Self::Chordal { nodes, chord } => {
                number(NODES, nodes, 4..=memory::NODES)?;
                number("the length of a chord", chord, 2..=nodes / 2)?;
            }
            Self::Tree { children, nodes } => {
                number("the number of children", children, 1..=memory::NODES)?;
                number(NODES, nodes, 1..=memory::NODES)?;
            }
            Self::Grid { rows, columns } | Self::Torus { rows, columns } => {
                number("the number of rows", rows, 1..=memory::NODES)?;
                number("the number of columns", columns, 1..=memory::NODES)?;
            }
            Self::Hypercube { dimension } => number("the dimension", dimension, 0..=48)?,
            Self::Regular { nodes, degree } => {
                number(NODES, nodes, 1..=memory::NODES)?;
                // One link joins two nodes and no more; without any, a node is alone.
                number("the degree", degree, nodes.min(3) - 1..=nodes - 1)?;
                if nodes % 2 == 1 && degree % 2 == 1 {
                    let range = "even where the number of nodes is odd".to_owned();
                    return Err(self.refuse("the degree", degree.to_string(), range));
                }
            }
            Self::ErdosRenyi { nodes, probability } => {
                number(NODES, nodes, 1..=memory::NODES)?;
                let positive = probability > 0.0 || (nodes == 1 && probability == 0.0);
                if !(positive && probability <= 1.0) {
                    let range = "more than 0 and at most 1".to_owned();
                    return Err(self.refuse("the probability", short(probability), range));
                }
            }
            Self::BarabasiAlbert { nodes, links } => {
                number(NODES, nodes, 2..=memory::NODES)?;
                number("the number of links that a new node makes", links, 1..=nodes - 1)?;
            }
        }
        Ok(())
    }

    fn refuse(&self, parameter: &'static str, given: String, range: String) -> SpecError {
        let example = self.row().2;
        SpecError::Parameter { spec: self.to_string(), parameter, given, range, example }
    }

    /// Reads a specification as [`FromStr`] does, but also of a network that is too large to be built:
    /// it may be [implicit](Self::implicit).
    ///
    /// # Errors
    /// If it has another form, or a parameter is out of its range.
    pub fn unlimited(text: &str) -> Result<Self, SpecError> {
        let (kind, parameters) = text.split_once(':').unwrap_or((text, ""));
        let random = parameters.starts_with("random");
        let row = KINDS.iter().find(|(name, form, _)| {
            *name == kind && form.contains("random") == (random && kind == "tree")
        });
        let Some(&(_, form, example)) = row else {
            return Err(SpecError::Kind { kind: kind.to_owned(), suggestion: similar(kind) });
        };
        let read = SpecReader { text, example };
        let separator = if form.contains("RxC") { 'x' } else { ':' };
        let parameters: Vec<&str> = parameters.split(separator).collect();
        let spec = match (kind, parameters.as_slice()) {
            ("complete", [n]) => Self::Complete { nodes: read.number(NODES, n)? },
            ("ring", [n]) => Self::Ring { nodes: read.number(NODES, n)? },
            ("chordal", [n, d]) => Self::Chordal {
                nodes: read.number(NODES, n)?,
                chord: read.number("the length of a chord", d)?,
            },
            ("path", [n]) => Self::Path { nodes: read.number(NODES, n)? },
            ("star", [n]) => Self::Star { nodes: read.number(NODES, n)? },
            ("tree", ["random", n]) => Self::RandomTree { nodes: read.number(NODES, n)? },
            ("tree", [k, n]) => Self::Tree {
                children: read.number("the number of children", k)?,
                nodes: read.number(NODES, n)?,
            },
            ("grid", [rows, columns]) => Self::Grid {
                rows: read.number("the number of rows", rows)?,
                columns: read.number("the number of columns", columns)?,
            },
            ("torus", [rows, columns]) => Self::Torus {
                rows: read.number("the number of rows", rows)?,
                columns: read.number("the number of columns", columns)?,
            },
            ("hypercube", [d]) => Self::Hypercube { dimension: read.number("the dimension", d)? },
            ("regular", [n, d]) => Self::Regular {
                nodes: read.number(NODES, n)?,
                degree: read.number("the degree", d)?,
            },
            ("erdos-renyi", [n, p]) => Self::ErdosRenyi {
                nodes: read.number(NODES, n)?,
                probability: read.probability(p)?,
            },
            ("barabasi-albert", [n, m]) => Self::BarabasiAlbert {
                nodes: read.number(NODES, n)?,
                links: read.number("the number of links that a new node makes", m)?,
            },
            _ => return Err(SpecError::Form { spec: text.to_owned(), form, example }),
        };
        spec.check_ranges()?;
        Ok(spec)
    }

    /// Makes the network: the same one for the same seed, on any machine.
    ///
    /// Takes time and memory linear in the number of nodes and links, except
    /// [`Regular`](Self::Regular), whose time grows with the square of the degree. Implicit
    /// networks take neither. [`memory`](Self::memory) estimates the memory beforehand.
    ///
    /// # Errors
    /// If a parameter is out of its range, the network too large, or a random network could not be
    /// made connected.
    pub fn build(&self, seed: u64) -> Result<Topology, SpecError> {
        self.build_unless(seed, &|| false)
    }

    /// Makes the network like [`build`](Self::build), unless it is `stopped`: a random network asks that for
    /// every node or link.
    ///
    /// # Errors
    /// As [`build`](Self::build), and if it was stopped.
    pub fn build_unless(
        &self,
        seed: u64,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Topology, SpecError> {
        self.check()?;
        let structure = match self.shape() {
            Some(shape @ (Shape::Complete(_) | Shape::Ring(_))) => Structure::Computed(shape),
            Some(shape) => Structure::Stored(generate::graph(&shape)),
            None => Structure::Stored(self.graph(seed, stopped)?),
        };
        Ok(Topology::new(structure, self.kind(), self.to_string()))
    }

    /// Makes a network that has no shape.
    fn graph(&self, seed: u64, stopped: Stopped<'_>) -> Result<Graph, SpecError> {
        // One stream for each kind: trees of a seed are independent of its regular graphs.
        let random = &mut Generator::new(seed, self.kind());
        let links = match *self {
            Self::Chordal { nodes, chord } => Some(generate::chordal(nodes, chord)),
            Self::RandomTree { nodes } => Some(generate::uniform(nodes, random, stopped)),
            Self::Regular { nodes, degree } => generate::regular(nodes, degree, random, stopped),
            Self::ErdosRenyi { nodes, probability } => {
                generate::erdos_renyi(nodes, probability, random, stopped)
            }
            Self::BarabasiAlbert { nodes, links } => {
                Some(generate::preferential(nodes, links, random, stopped))
            }
            // The others have a shape.
            _ => Some(Vec::new()),
        };
        let spec = || self.to_string();
        match (links, *self) {
            _ if stopped() => Err(SpecError::Stopped { spec: spec() }),
            (Some(links), _) => Ok(Graph::new(self.size().0 as u32, &links)),
            (None, Self::ErdosRenyi { nodes, .. }) => {
                let n = f64::from(nodes);
                let (tries, threshold) = (generate::DRAWS, libm::log(n) / n);
                Err(SpecError::Disconnected { spec: spec(), tries, threshold })
            }
            (None, _) => Err(SpecError::NotFound { spec: spec(), tries: generate::TRIES }),
        }
    }

    /// Returns the member of a family of networks that has `nodes` nodes. A family is a
    /// specification without its number of nodes, such as `ring`, `tree:2`, `tree:random`,
    /// `regular:3` or `erdos-renyi:0.1`. A `grid` or `torus` is as near to a square as the number
    /// allows, a `hypercube` needs a power of two.
    ///
    /// ```
    /// use suffrage_networks::Spec;
    ///
    /// let text = |family, nodes| Spec::of_family(family, nodes).map(|spec| spec.to_string());
    /// assert_eq!(text("ring", 100)?, "ring:100");
    /// assert_eq!(text("regular:3", 100)?, "regular:100:3");
    /// assert_eq!(text("torus", 120)?, "torus:10x12");
    /// assert_eq!(text("hypercube", 1024)?, "hypercube:10");
    /// assert!(text("hypercube", 1000).is_err());
    /// # Ok::<(), suffrage_networks::SpecError>(())
    /// ```
    ///
    /// # Errors
    /// The same as those of parsing, and if the family has no network of this size.
    pub fn of_family(family: &str, nodes: u32) -> Result<Self, SpecError> {
        let text = match family.split_once(':') {
            // The number of nodes comes before the other parameter, except in trees.
            Some((kind, parameter)) if kind != "tree" => format!("{kind}:{nodes}:{parameter}"),
            None if matches!(family, "grid" | "torus") => {
                // Every number has a divisor: 1.
                let rows = (1..=nodes.isqrt()).rev().find(|&rows| nodes.is_multiple_of(rows));
                let rows = rows.unwrap_or(0);
                format!("{family}:{rows}x{}", nodes.checked_div(rows).unwrap_or(0))
            }
            None if family == "hypercube" => {
                if !nodes.is_power_of_two() {
                    return Err(SpecError::Parameter {
                        spec: family.to_owned(),
                        parameter: NODES,
                        given: nodes.to_string(),
                        range: "a power of two".to_owned(),
                        example: "hypercube:4, which has 16",
                    });
                }
                format!("{family}:{}", nodes.ilog2())
            }
            _ => format!("{family}:{nodes}"),
        };
        text.parse()
    }

    /// Returns the family of the network: its specification without the number of nodes.
    ///
    /// ```
    /// use suffrage_networks::Spec;
    ///
    /// let family = |text: &str| text.parse::<Spec>().map(|spec| spec.family());
    /// assert_eq!(family("ring:100")?, "ring");
    /// assert_eq!(family("regular:100:3")?, "regular:3");
    /// assert_eq!(family("tree:random:9")?, "tree:random");
    /// # Ok::<(), suffrage_networks::SpecError>(())
    /// ```
    #[must_use]
    pub fn family(&self) -> String {
        let kind = self.kind();
        match self {
            Self::RandomTree { .. } => format!("{kind}:random"),
            Self::Chordal { chord: parameter, .. }
            | Self::Tree { children: parameter, .. }
            | Self::Regular { degree: parameter, .. }
            | Self::BarabasiAlbert { links: parameter, .. } => format!("{kind}:{parameter}"),
            Self::ErdosRenyi { probability, .. } => format!("{kind}:{}", short(*probability)),
            _ => kind.to_owned(),
        }
    }

    /// Returns the natural network of a class with this number of nodes: the only member of the
    /// class of this size, the lattice nearest to a square, or otherwise a random member. If the
    /// class has [none of this size](NetworkClass::has_size), it is the largest smaller one, or the
    /// smallest of all if none is smaller.
    ///
    /// ```
    /// use suffrage_model::NetworkClass;
    /// use suffrage_networks::Spec;
    ///
    /// let text = |class, nodes| Spec::natural(class, nodes).to_string();
    /// assert_eq!(text(NetworkClass::OrientedRing, 6), "ring:6");
    /// assert_eq!(text(NetworkClass::Connected, 6), "barabasi-albert:6:2");
    /// assert_eq!(text(NetworkClass::Torus, 12), "torus:3x4");
    /// assert_eq!(text(NetworkClass::Hypercube, 6), "hypercube:2");
    /// assert_eq!(text(NetworkClass::Torus, 6), "torus:3x3");
    /// ```
    #[must_use]
    pub fn natural(class: NetworkClass, nodes: u32) -> Self {
        let mut sizes = (1..=nodes).rev().chain(nodes.saturating_add(1)..);
        let nodes = sizes.find(|&nodes| class.has_size(nodes)).unwrap_or(nodes);
        let (rows, columns) = class.rows_and_columns(nodes).unwrap_or((1, nodes));
        match class {
            NetworkClass::Complete | NetworkClass::OrientedComplete => Self::Complete { nodes },
            NetworkClass::Ring | NetworkClass::OrientedRing | NetworkClass::HomonymRing => {
                Self::Ring { nodes }
            }
            NetworkClass::Hypercube | NetworkClass::OrientedHypercube => {
                Self::Hypercube { dimension: nodes.ilog2() }
            }
            NetworkClass::Mesh => Self::Grid { rows, columns },
            NetworkClass::Torus | NetworkClass::OrientedTorus => Self::Torus { rows, columns },
            NetworkClass::Tree => Self::RandomTree { nodes },
            // A new node makes two links, so the first three form a triangle; fewer are a path.
            NetworkClass::Connected if nodes < 3 => Self::Path { nodes },
            NetworkClass::Connected => Self::BarabasiAlbert { nodes, links: 2 },
        }
    }
}

const NODES: &str = "the number of nodes";

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.kind())?;
        match *self {
            Self::Complete { nodes }
            | Self::Ring { nodes }
            | Self::Path { nodes }
            | Self::Star { nodes } => write!(f, "{nodes}"),
            Self::Chordal { nodes, chord } => write!(f, "{nodes}:{chord}"),
            Self::Tree { children, nodes } => write!(f, "{children}:{nodes}"),
            Self::RandomTree { nodes } => write!(f, "random:{nodes}"),
            Self::Grid { rows, columns } | Self::Torus { rows, columns } => {
                write!(f, "{rows}x{columns}")
            }
            Self::Hypercube { dimension } => write!(f, "{dimension}"),
            Self::Regular { nodes, degree } => write!(f, "{nodes}:{degree}"),
            Self::ErdosRenyi { nodes, probability } => write!(f, "{nodes}:{}", short(probability)),
            Self::BarabasiAlbert { nodes, links } => write!(f, "{nodes}:{links}"),
        }
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let spec = Self::unlimited(text)?;
        spec.check()?;
        Ok(spec)
    }
}

fn similar(kind: &str) -> Option<&'static str> {
    let kind = kind.to_lowercase();
    let distance = |name: &str| strsim::osa_distance(&kind, name);
    let near = KINDS.iter().map(|row| row.0).min_by_key(|name| distance(name))?;
    (distance(near) <= 1 + near.len() / 5).then_some(near)
}

/// A reader of the parameters of one specification.
struct SpecReader<'a> {
    text: &'a str,
    example: &'static str,
}

impl SpecReader<'_> {
    fn number(&self, parameter: &'static str, given: &str) -> Result<u32, SpecError> {
        let range = match parse_count(given) {
            Ok(number) if number <= u64::from(u32::MAX) => return Ok(number as u32),
            Ok(_) | Err(CountError::TooLarge) => format!("at most {}", memory::NODES),
            Err(CountError::Form) => "a whole number".to_owned(),
        };
        Err(self.refuse(parameter, given, range))
    }

    fn probability(&self, given: &str) -> Result<f64, SpecError> {
        let refused = || self.refuse("the probability", given, "more than 0 and at most 1".into());
        given.parse().map_err(|_| refused())
    }

    fn refuse(&self, parameter: &'static str, given: &str, range: String) -> SpecError {
        let spec = self.text.to_owned();
        let given = if given.is_empty() { "missing".to_owned() } else { format!("`{given}`") };
        SpecError::Parameter { spec, parameter, given, range, example: self.example }
    }
}
