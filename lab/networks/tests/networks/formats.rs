//! Every format: what a writer writes is read as the same graph, whatever the file is called, and
//! no file is read as another graph than the one that was written.

mod hostile;
mod recognized;
mod writers;

use proptest::prelude::*;
use std::collections::BTreeSet;
use suffrage_networks::{FileError, FileFormat, FileOptions, FileSyntax, Ids, Topology, read_from};
use writers::{Style, write};

/// A connected graph with labels and weights.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) labels: Vec<String>,
    /// Pairs of different nodes, the smaller first, in the order in which they are written.
    pub(crate) links: Vec<(usize, usize, u32)>,
}

/// A graph by its labels alone.
type Shape = (BTreeSet<String>, BTreeSet<[String; 2]>);

impl Written {
    /// The graph with the labels that a format keeps.
    fn shape(&self, format: FileFormat, style: Style) -> Shape {
        let label = |node: usize| match (format, style) {
            (
                FileFormat::Metis
                | FileFormat::Dimacs
                | FileFormat::MatrixMarket
                | FileFormat::Konect,
                _,
            ) => (node + 1).to_string(),
            (FileFormat::CountedEdgeList | FileFormat::Graph6, _)
            | (FileFormat::AdjacencyMatrix, Style::Plain) => node.to_string(),
            _ => self.labels[node].clone(),
        };
        let links = self.links.iter().map(|&(a, b, _)| pair(label(a), label(b)));
        ((0..self.labels.len()).map(label).collect(), links.collect())
    }
}

fn pair(a: String, b: String) -> [String; 2] {
    if a < b { [a, b] } else { [b, a] }
}

fn shape(net: &Topology) -> Shape {
    let name = |node| net.label(node).expect("nodes of files have names").to_owned();
    let wiring = net.wire(suffrage_networks::Ports::Rotation, 0);
    let nodes = 0..net.nodes();
    let links = nodes.clone().flat_map(|node| {
        let wiring = &wiring;
        (0..net.degree(node)).map(move |port| {
            let other = wiring.across(node, suffrage_model::Port(port)).node;
            pair(name(node), name(other))
        })
    });
    (nodes.map(name).collect(), links.collect())
}

fn read(text: &str, name: &str, format: Option<FileFormat>) -> Result<Topology, FileError> {
    read_by(text, name, format.map(Into::into))
}

fn read_by(text: &str, name: &str, format: Option<FileSyntax>) -> Result<Topology, FileError> {
    read_from(text.as_bytes(), name, FileOptions { format, ..FileOptions::default() })
}

/// All that can be said of what a writer has written.
fn syntax(graph: &Written, format: FileFormat, style: Style) -> FileSyntax {
    let commas = graph.links.len().is_multiple_of(2);
    let options = match (format.name(), style) {
        ("edge-list", Style::Headed) => ",tabs,header",
        ("edge-list", Style::Quoted) if commas => ",commas,no-header",
        ("edge-list", Style::Quoted) => ",semicolons,no-header",
        ("edge-list", _) => ",blanks,no-header",
        ("adjacency-list" | "adjacency-matrix", Style::Headed) => ",tabs",
        ("adjacency-list" | "adjacency-matrix", Style::Quoted) if commas => ",commas",
        ("adjacency-list" | "adjacency-matrix", Style::Quoted) => ",semicolons",
        _ => "",
    };
    format!("{format}{options}").parse().expect("a syntax")
}

fn graphs() -> impl Strategy<Value = Written> {
    let size = 1_usize..9;
    size.prop_flat_map(|n| {
        let parents: Vec<_> = (1..n).map(|node| 0..node).collect();
        let extra = prop::collection::vec((0..n, 0..n), 0..6);
        let weights = prop::collection::vec(prop_oneof![Just(1_u32), 0..12_u32], 40);
        let labels = prop_oneof![
            Just((0..n).map(|node| node.to_string()).collect::<Vec<_>>()),
            Just((1..=n).map(|node| node.to_string()).collect::<Vec<_>>()),
            Just((0..n).map(|node| format!("node{node}")).collect::<Vec<_>>()),
            Just(
                ["Praha", "Plzeň", "x", "y", "u", "v", "source", "target"][..n]
                    .iter()
                    .map(ToString::to_string)
                    .collect::<Vec<_>>()
            ),
            prop::sample::subsequence((0..20_u32).collect::<Vec<_>>(), n)
                .prop_shuffle()
                .prop_map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>()),
        ];
        let order = Just((0..40_usize).collect::<Vec<_>>()).prop_shuffle();
        (parents, extra, weights, labels, order)
    })
    .prop_map(|(parents, extra, weights, labels, order)| {
        let tree = parents.iter().enumerate().map(|(child, &parent)| (parent, child + 1));
        let all: BTreeSet<(usize, usize)> = tree
            .chain(extra.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b))))
            .collect();
        let mut links: Vec<_> =
            all.into_iter().zip(weights).map(|((a, b), weight)| (a, b, weight)).collect();
        let mut places: Vec<(usize, _)> = order.into_iter().zip(links.drain(..)).collect();
        places.sort_unstable();
        Written { labels, links: places.into_iter().map(|(_, link)| link).collect() }
    })
}

/// The name that a file of a format would have.
fn name(format: FileFormat) -> &'static str {
    match format {
        FileFormat::EdgeList => "net.edgelist",
        FileFormat::AdjacencyList => "net.adjlist",
        FileFormat::MultilineAdjacencyList => "net.multiline_adjlist",
        FileFormat::AdjacencyMatrix => "net.matrix",
        FileFormat::GraphMl => "net.graphml",
        FileFormat::Dot => "net.gv",
        FileFormat::Gml => "net.gml",
        FileFormat::Pajek => "net.net",
        FileFormat::Metis => "net.graph",
        FileFormat::Json => "net.json",
        FileFormat::CountedEdgeList => "net.txt",
        FileFormat::Tgf => "net.tgf",
        FileFormat::Sif => "net.sif",
        FileFormat::Lgl => "net.lgl",
        FileFormat::Konect => "out.net",
        FileFormat::Gexf => "net.gexf",
        FileFormat::SndLib => "net.sndlib.xml",
        FileFormat::Graph6 => "net.g6",
        FileFormat::Dimacs => "net.col",
        FileFormat::MatrixMarket => "net.mtx",
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 250,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_written_is_read(graph in graphs()) {
        for format in FileFormat::ALL {
            for style in Style::ALL {
                let Some(text) = write(&graph, format, style) else { continue };
                let expected = graph.shape(format, style);
                let told = read_by(&text, "net.txt", Some(syntax(&graph, format, style)));
                let told = told.map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
                prop_assert_eq!(shape(&told), expected, "{} {:?}\n{}", format, style, text);
            }
        }
    }

    /// In whatever order the lines `LABEL ID` come.
    #[test]
    fn identities_go_by_label_in_every_format(graph in graphs()) {
        for format in FileFormat::ALL {
            for style in Style::ALL {
                let Some(text) = write(&graph, format, style) else { continue };
                let net = read_by(&text, "net.txt", Some(syntax(&graph, format, style))).unwrap();
                let line = |node| format!("{} {}\n", net.label(node).unwrap(), 1000 + node);
                let lines: String = (0..net.nodes()).rev().map(line).collect();
                let ids = Ids::read_from(lines.as_bytes(), "ids.txt", &net);
                let ids = ids.map_err(|e| TestCaseError::fail(format!("{e}\n{lines}\n{text}")))?;
                let found: Vec<u64> = ids.ids().iter().map(|id| id.get()).collect();
                prop_assert!(found.iter().copied().eq(1000..1000 + u64::from(net.nodes())), "{}", text);
            }
        }
    }

    /// Each file has the extension of its format, then `.txt`, then none.
    #[test]
    fn a_file_is_read_as_what_it_is_or_refused(graph in graphs()) {
        for format in FileFormat::ALL {
            for style in Style::ALL {
                let Some(text) = write(&graph, format, style) else { continue };
                let expected = graph.shape(format, style);
                // The METIS graph of one node is `1 0`, which is a link as well.
                let link = format == FileFormat::Metis && graph.labels.len() == 1;
                let names = [name(format), "net.txt", "net"];
                for name in &names[..if link { 1 } else { 3 }] {
                    match read(&text, name, None) {
                        Ok(net) => prop_assert_eq!(
                            shape(&net), expected.clone(),
                            "{} {:?} in {}\n{}", format, style, name, text
                        ),
                        Err(error) => prop_assert!(
                            error.to_string().contains("--topology-format"),
                            "{} {:?} in {}: {}\n{}", format, style, name, error, text
                        ),
                    }
                }
            }
        }
    }
}
