//! The formats of files by name and by extension, and how a table is to be read.

use encoding_rs::Encoding;
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
/// assert_eq!(FileFormat::Json.to_string(), "json");
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
    /// An edge list below the numbers of its nodes and links, as S. Kevin Wayne's algs4 has it; nodes
    /// with coordinates may stand before the links, as Inet 3.0 writes them.
    CountedEdgeList,
    /// Trivial Graph Format: nodes with labels, a line `#`, and links.
    Tgf,
    /// Simple interaction format of Cytoscape: a node, a relation, and nodes.
    Sif,
    /// The format of LGL, the large graph layout (A. Adai et al., Journal of Molecular Biology 340(1), 2004): a line
    /// `# NODE`, and below it its neighbours, perhaps with weights.
    Lgl,
    /// The edge lists of KONECT, the Koblenz network collection, whose first line says `% sym`,
    /// `% asym` or `% bip`.
    Konect,
    /// GraphML (U. Brandes et al., "GraphML progress report", Graph Drawing 2001).
    GraphMl,
    /// GEXF, the format of Gephi.
    Gexf,
    /// The XML of SNDlib (S. Orlowski et al., "SNDlib 1.0", Networks 55(3), 2010).
    SndLib,
    /// DOT, the language of Graphviz.
    Dot,
    /// GML (M. Himsolt, "GML: a portable graph file format", University of Passau 1997).
    Gml,
    /// Pajek (V. Batagelj, A. Mrvar, "Pajek - program for large network analysis", Connections
    /// 21(2), 1998).
    Pajek,
    /// METIS and Chaco (G. Karypis, V. Kumar, METIS manual, 1998).
    Metis,
    /// JSON of networkx (`node_link_data`, `adjacency_data`), D3, cytoscape.js, vis.js, graphology, of
    /// the JSON Graph Format, and lists of neighbours by node.
    Json,
    /// DIMACS, for colouring, cliques, shortest paths and flows; also the format of PACE.
    Dimacs,
    /// Matrix Market (R. Boisvert et al., "The Matrix Market exchange formats", NIST 1996).
    MatrixMarket,
    /// graph6, sparse6 and digraph6 (B. McKay, nauty).
    Graph6,
}

use FileFormat::{
    AdjacencyList, AdjacencyMatrix, CountedEdgeList, Dimacs, Dot, EdgeList, Gexf, Gml, Graph6,
    GraphMl, Json, Konect, Lgl, MatrixMarket, Metis, MultilineAdjacencyList, Pajek, Sif, SndLib,
    Tgf,
};

/// Each format in the order of the variants, with its name, its title, and its extensions. Extensions that
/// only mean "text", as `txt` and `csv`, belong to none.
const FORMATS: [(FileFormat, &str, &str, &[&str]); 20] = [
    (EdgeList, "edge-list", "an edge list", &["edges", "edgelist", "el"]),
    (AdjacencyList, "adjacency-list", "an adjacency list", &["adjlist"]),
    (
        MultilineAdjacencyList,
        "multiline-adjacency-list",
        "a multiline adjacency list",
        &["multiline_adjlist"],
    ),
    (AdjacencyMatrix, "adjacency-matrix", "an adjacency matrix", &[]),
    (CountedEdgeList, "counted-edge-list", "an edge list below its counts", &[]),
    (Tgf, "tgf", "Trivial Graph Format", &["tgf"]),
    (Sif, "sif", "SIF of Cytoscape", &["sif"]),
    (Lgl, "lgl", "a list of LGL", &["lgl"]),
    (Konect, "konect", "an edge list of KONECT", &[]),
    (GraphMl, "graphml", "GraphML", &["graphml", "xml"]),
    (Gexf, "gexf", "GEXF", &["gexf"]),
    (SndLib, "sndlib", "XML of SNDlib", &[]),
    (Dot, "dot", "DOT", &["dot", "gv"]),
    (Gml, "gml", "GML", &["gml"]),
    (Pajek, "pajek", "a Pajek network", &["net", "paj"]),
    (Metis, "metis", "a METIS graph", &["graph", "metis", "chaco"]),
    (Json, "json", "JSON", &["json"]),
    (Dimacs, "dimacs", "a DIMACS graph", &["col", "clq", "dimacs", "gr"]),
    (MatrixMarket, "matrix-market", "a Matrix Market file", &["mtx"]),
    (
        Graph6,
        "graph6",
        "graph6, sparse6 or digraph6",
        &["g6", "s6", "d6", "graph6", "sparse6", "digraph6"],
    ),
];

impl FileFormat {
    /// All formats.
    pub const ALL: [Self; FORMATS.len()] = {
        let mut all = [EdgeList; FORMATS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = FORMATS[at].0;
            at += 1;
        }
        all
    };

    /// Returns the name that [`FromStr`] reads.
    #[must_use]
    pub const fn name(self) -> &'static str {
        FORMATS[self as usize].1
    }

    /// Returns the format in words, with an article if it needs one.
    #[must_use]
    pub const fn title(self) -> &'static str {
        FORMATS[self as usize].2
    }

    /// Returns the format that the extension of a name stands for, regardless of case.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        let format = FORMATS.iter().find(|(.., all)| all.contains(&extension.as_str()));
        format.map(|(format, ..)| *format)
    }

    /// Whether it is a table: it has lines and columns, and nothing that tells it from another one.
    pub(crate) const fn is_table(self) -> bool {
        matches!(
            self,
            EdgeList
                | AdjacencyList
                | MultilineAdjacencyList
                | AdjacencyMatrix
                | CountedEdgeList
                | Tgf
                | Sif
                | Lgl
                | Konect
        )
    }
}

impl fmt::Display for FileFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for FileFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        // The name that JSON had when node-link was the only one.
        let name = if name == "node-link" { "json" } else { name };
        let format = Self::ALL.into_iter().find(|format| format.name() == name);
        format.ok_or_else(|| UnknownFormat::Format { given: name.to_owned() })
    }
}

/// An error: there is no such format, or option of a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownFormat {
    /// No format has this name.
    #[error("there is no format `{given}`; there are {}", FileFormat::ALL.map(FileFormat::name).join(", "))]
    Format {
        /// The name that was given.
        given: String,
    },
    /// No format has this option.
    #[error(
        "a format has no option `{given}`; there are {}, header, no-header, comments, no-comments, \
         no-quotes, ends=2+3 (the columns with the ends of a link) and encoding=NAME",
        Separator::ALL.map(Separator::name).join(", ")
    )]
    Option {
        /// The option that was given.
        given: String,
    },
}

/// What separates two columns of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Separator {
    /// A tab.
    Tabs,
    /// A comma.
    Commas,
    /// A semicolon.
    Semicolons,
    /// A vertical bar.
    Bars,
    /// White space, any number of characters of it.
    Blanks,
}

impl Separator {
    /// All separators. Of two that give the same network, the first is reported.
    pub(crate) const ALL: [Self; 5] =
        [Self::Tabs, Self::Commas, Self::Semicolons, Self::Bars, Self::Blanks];

    /// The character; `None` for blanks.
    pub(crate) const fn character(self) -> Option<char> {
        match self {
            Self::Tabs => Some('\t'),
            Self::Commas => Some(','),
            Self::Semicolons => Some(';'),
            Self::Bars => Some('|'),
            Self::Blanks => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Tabs => "tabs",
            Self::Commas => "commas",
            Self::Semicolons => "semicolons",
            Self::Bars => "bars",
            Self::Blanks => "blanks",
        }
    }
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format, with what has to be known of a table to read it in one way only.
///
/// Its `Display` writes the text that its `FromStr` reads: the name of the format, and options.
///
/// ```
/// use suffrage_networks::{FileFormat, FileSyntax};
///
/// let syntax: FileSyntax = "edge-list,semicolons,no-header".parse()?;
/// assert_eq!(syntax.format, FileFormat::EdgeList);
/// assert_eq!(syntax.to_string(), "edge-list,semicolons,no-header");
/// # Ok::<(), suffrage_networks::UnknownFormat>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSyntax {
    /// The format.
    pub format: FileFormat,
    /// What separates the columns; `None` where it is to be found out, or there are none.
    pub separator: Option<Separator>,
    /// Whether the first line names the columns, if that is known.
    pub header: Option<bool>,
    /// Whether what begins with `#`, `%` or `//` is a comment, if that is known.
    pub comments: Option<bool>,
    /// Whether double quotes are part of labels.
    pub no_quotes: bool,
    /// The columns with the ends of a link, counted from 1; otherwise the first two, or those that a header
    /// names.
    pub ends: Option<(u8, u8)>,
    pub(crate) encoding: Option<&'static Encoding>,
}

impl FileSyntax {
    /// Returns a format without options.
    #[must_use]
    pub const fn of(format: FileFormat) -> Self {
        Self {
            format,
            separator: None,
            header: None,
            comments: None,
            no_quotes: false,
            ends: None,
            encoding: None,
        }
    }
}

impl From<FileFormat> for FileSyntax {
    fn from(format: FileFormat) -> Self {
        Self::of(format)
    }
}

impl fmt::Display for FileSyntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.format.name())?;
        let flag = |given: Option<bool>, name: &str| match given {
            Some(true) => format!(",{name}"),
            Some(false) => format!(",no-{name}"),
            None => String::new(),
        };
        self.separator.map_or(Ok(()), |separator| write!(f, ",{}", separator.name()))?;
        f.write_str(&flag(self.header, "header"))?;
        f.write_str(&flag(self.comments, "comments"))?;
        f.write_str(&flag(self.no_quotes.then_some(false), "quotes"))?;
        self.ends.map_or(Ok(()), |(from, to)| write!(f, ",ends={from}+{to}"))?;
        self.encoding.map_or(Ok(()), |encoding| write!(f, ",encoding={}", encoding.name()))
    }
}

impl FromStr for FileSyntax {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let mut words = text.split(',');
        let mut syntax = Self::from(words.next().unwrap_or_default().parse::<FileFormat>()?);
        for word in words {
            let unknown = || UnknownFormat::Option { given: word.to_owned() };
            let separator = Separator::ALL.into_iter().find(|one| one.name() == word);
            match word.split_once('=') {
                _ if separator.is_some() => syntax.separator = separator,
                None if word == "header" => syntax.header = Some(true),
                None if word == "no-header" => syntax.header = Some(false),
                None if word == "comments" => syntax.comments = Some(true),
                None if word == "no-comments" => syntax.comments = Some(false),
                None if word == "no-quotes" => syntax.no_quotes = true,
                Some(("ends", columns)) => {
                    let (from, to) = columns.split_once('+').ok_or_else(unknown)?;
                    let column = |word: &str| word.parse().ok().filter(|&column: &u8| column > 0);
                    let ends = column(from).zip(column(to)).filter(|(from, to)| from != to);
                    syntax.ends = Some(ends.ok_or_else(unknown)?);
                }
                Some(("encoding", name)) => {
                    let encoding = Encoding::for_label(name.as_bytes());
                    syntax.encoding = Some(encoding.ok_or_else(unknown)?);
                }
                _ => return Err(unknown()),
            }
        }
        Ok(syntax)
    }
}
