//! The formats of files by name and by extension.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format of network files.
///
/// Its `Display` writes the name that its `FromStr` reads.
///
/// ```
/// use suffrage_networks::FileFormat;
///
/// assert_eq!("metis".parse(), Ok(FileFormat::Metis));
/// assert_eq!(FileFormat::NodeLink.to_string(), "node-link");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileFormat {
    /// One link per line: two labels, which further columns may follow.
    EdgeList,
    /// One node per line: its label, and those of its neighbours (networkx `write_adjlist`).
    AdjacencyList,
    /// One node per line with the number of its neighbours, which follow on lines of their own
    /// (networkx `write_multiline_adjlist`).
    MultilineAdjacencyList,
    /// A row of numbers for each node, with or without labels.
    AdjacencyMatrix,
    /// GraphML (U. Brandes et al., "GraphML progress report", Graph Drawing 2001).
    GraphMl,
    /// DOT, the language of Graphviz.
    Dot,
    /// GML (M. Himsolt, "GML: a portable graph file format", University of Passau 1997).
    Gml,
    /// Pajek (V. Batagelj, A. Mrvar, "Pajek - program for large network analysis", Connections
    /// 21(2), 1998).
    Pajek,
    /// METIS and Chaco (G. Karypis, V. Kumar, METIS manual, 1998).
    Metis,
    /// The JSON of networkx `node_link_data` and of D3.
    NodeLink,
    /// DIMACS, for colouring, cliques, shortest paths and flows; also the format of PACE.
    Dimacs,
    /// Matrix Market, in coordinates (R. Boisvert et al., "The Matrix Market exchange formats",
    /// NIST 1996).
    MatrixMarket,
}

/// An error: no format has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{given}`; there are {}", FileFormat::ALL.map(FileFormat::name).join(", "))]
pub struct UnknownFormat {
    /// The name that was given.
    pub given: String,
}

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; 12] = [
        Self::EdgeList,
        Self::AdjacencyList,
        Self::MultilineAdjacencyList,
        Self::AdjacencyMatrix,
        Self::GraphMl,
        Self::Dot,
        Self::Gml,
        Self::Pajek,
        Self::Metis,
        Self::NodeLink,
        Self::Dimacs,
        Self::MatrixMarket,
    ];

    /// Returns the name that [`FromStr`] reads.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge-list",
            Self::AdjacencyList => "adjacency-list",
            Self::MultilineAdjacencyList => "multiline-adjacency-list",
            Self::AdjacencyMatrix => "adjacency-matrix",
            Self::GraphMl => "graphml",
            Self::Dot => "dot",
            Self::Gml => "gml",
            Self::Pajek => "pajek",
            Self::Metis => "metis",
            Self::NodeLink => "node-link",
            Self::Dimacs => "dimacs",
            Self::MatrixMarket => "matrix-market",
        }
    }

    /// Returns the format in words, with an article if it needs one.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::EdgeList => "an edge list",
            Self::AdjacencyList => "an adjacency list",
            Self::MultilineAdjacencyList => "a multiline adjacency list",
            Self::AdjacencyMatrix => "an adjacency matrix",
            Self::GraphMl => "GraphML",
            Self::Dot => "DOT",
            Self::Gml => "GML",
            Self::Pajek => "a Pajek network",
            Self::Metis => "a METIS graph",
            Self::NodeLink => "node-link JSON",
            Self::Dimacs => "a DIMACS graph",
            Self::MatrixMarket => "a Matrix Market file",
        }
    }

    /// Returns the format that the extension of a name stands for, regardless of case. Extensions
    /// that only mean "text" stand for none.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Some(match extension(name)?.as_str() {
            "edges" | "edgelist" | "el" => Self::EdgeList,
            "adjlist" | "adj" => Self::AdjacencyList,
            "multiline_adjlist" => Self::MultilineAdjacencyList,
            "graphml" | "xml" => Self::GraphMl,
            "dot" | "gv" => Self::Dot,
            "gml" => Self::Gml,
            "net" | "paj" => Self::Pajek,
            "graph" | "metis" | "chaco" => Self::Metis,
            "json" => Self::NodeLink,
            "col" | "clq" | "dimacs" | "gr" => Self::Dimacs,
            "mtx" => Self::MatrixMarket,
            _ => return None,
        })
    }
}

pub(crate) fn extension(name: &str) -> Option<String> {
    Some(Path::new(name).extension()?.to_str()?.to_ascii_lowercase())
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FileFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat { given: name.to_owned() })
    }
}
