//! Files as programs write them, under names that say nothing: read as what they are, or refused
//! with the reason.

use super::{read, shape};
use suffrage_networks::{FileFormat, Note, Separator, Topology};

/// A triangle with a tail, as the writers of networkx 3.6 have it: one link has the weight 2.5.
const GRAPHS: [(FileFormat, &str); 6] = [
    (
        FileFormat::Gml,
        "graph [\n  node [\n    id 0\n    label \"a\"\n  ]\n  node [\n    id 1\n    label \"b\"\n  ]\n  \
         node [\n    id 2\n    label \"c\"\n  ]\n  node [\n    id 3\n    label \"d\"\n  ]\n  edge [\n    \
         source 0\n    target 1\n    weight 2.5\n  ]\n  edge [\n    source 0\n    target 2\n  ]\n  \
         edge [\n    source 1\n    target 2\n  ]\n  edge [\n    source 2\n    target 3\n  ]\n]\n",
    ),
    (
        FileFormat::Pajek,
        "*vertices 4\n1 a 0.0 0.0 ellipse\n2 b 0.0 0.0 ellipse\n3 c 0.0 0.0 ellipse\n\
         4 d 0.0 0.0 ellipse\n*edges\n1 2 2.5\n1 3 1.0\n2 3 1.0\n3 4 1.0\n",
    ),
    (
        FileFormat::MultilineAdjacencyList,
        "#make.py\n# GMT Sat Nov 21 22:04:58 2026\n# \na 2\nb {'weight': 2.5}\nc {}\nb 1\nc {}\n\
         c 1\nd {}\nd 0\n",
    ),
    (
        FileFormat::Json,
        "{\"directed\": false, \"multigraph\": false, \"graph\": {}, \"nodes\": [{\"id\": \"a\"}, \
         {\"id\": \"b\"}, {\"id\": \"c\"}, {\"id\": \"d\"}], \"edges\": [{\"weight\": 2.5, \
         \"source\": \"a\", \"target\": \"b\"}, {\"source\": \"a\", \"target\": \"c\"}, \
         {\"source\": \"b\", \"target\": \"c\"}, {\"source\": \"c\", \"target\": \"d\"}]}",
    ),
    (FileFormat::EdgeList, "a b {'weight': 2.5}\na c {}\nb c {}\nc d {}\n"),
    // No weights in this one.
    (
        FileFormat::AdjacencyList,
        "#make.py\n# GMT Sat Nov 21 22:04:58 2026\n# \na b c\nb c\nc d\nd\n",
    ),
];

fn taken(text: &str, name: &str) -> Topology {
    read(text, name, None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refused(text: &str, name: &str) -> String {
    match read(text, name, None) {
        Ok(net) => panic!("{} nodes, {} links\n{text}", net.nodes(), net.links()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_writers_of_networkx_are_read_under_any_name() {
    let expected = shape(&taken("a b\na c\nb c\nc d\n", "a.txt"));
    for (format, text) in GRAPHS {
        // What has no signature of its own is read under names that say no more than "text".
        let signature = matches!(format, FileFormat::Gml | FileFormat::Pajek | FileFormat::Json);
        let names = ["net", "net.txt", "net.dat", "net.csv", "net.graphml"];
        for name in &names[..if signature { 5 } else { 3 }] {
            let net = taken(text, name);
            assert_eq!(shape(&net), expected, "{format} in {name}");
            let notes = net.notes();
            let separator = (!signature).then_some(Separator::Blanks);
            assert_eq!(notes[0], Note::ReadAs { format, separator }, "{format} in {name}");
            let weighs = format != FileFormat::AdjacencyList;
            assert_eq!(notes.contains(&Note::Weights(1)), weighs, "{format} in {name}");
        }
    }
}

#[test]
fn weights_of_all_formats_are_noted() {
    for (name, text) in [
        ("a.txt", "a b 2\nb c 1\n"),
        ("a.csv", "source,target,weight\na,b,2\nb,c,1\n"),
        ("a.dot", "graph { a -- b [weight=2]; b -- c [weight=1] }"),
        (
            "a.graphml",
            "<graphml><key id='d0' for='edge' attr.name='weight'/><graph><node id='a'/><node id='b'/>\
             <node id='c'/><edge source='a' target='b'><data key='d0'>2</data></edge>\
             <edge source='b' target='c'><data key='d0'>1.0</data></edge></graph></graphml>",
        ),
        ("a.gml", "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 value 2 ] ]"),
        ("a.net", "*Vertices 2\n*Arcs\n1 2 2\n"),
        ("a.graph", "3 2 1\n2 7\n1 7 3 1\n2 1\n"),
        ("a.json", "{\"nodes\":[{},{}],\"links\":[{\"source\":0,\"target\":1,\"weight\":2}]}"),
        ("a.gr", "p sp 2 1\na 1 2 2\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 2.0\n"),
        ("a", "0 2 0\n2 0 1\n0 1 0\n"),
        ("a.multiline_adjlist", "a 1\nb {'weight': 2}\nb 0\n"),
    ] {
        let net = taken(text, name);
        let notes: Vec<_> = net.notes().iter().map(Note::to_string).collect();
        assert!(notes.contains(&"weights of 1 link ignored".to_owned()), "{name}: {notes:?}");
    }
}

/// Lines with three separators are no table, although the number in the first one fits those that follow.
#[test]
fn columns_with_several_separators_are_no_list_of_labels() {
    for text in ["1\t2\n2 3\n3,1\n", "1,2\n2 3\n3;1\n", "a\t1\nb;c\n"] {
        refused(text, "net.txt");
    }
}

#[test]
fn directions_are_noted_where_a_format_has_them() {
    for (name, text, directed) in [
        ("a.gml", "graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]", 1),
        ("a.net", "*Vertices 3\n*Arcslist\n1 2 3\n*Edgeslist\n2 3\n", 2),
        (
            "a.json",
            "{\"directed\":true,\"nodes\":[{},{}],\"links\":[{\"source\":0,\"target\":1}]}",
            1,
        ),
        ("a.col", "p sp 3 3\na 1 2 1\na 2 1 1\ne 2 3\n", 2),
        ("a.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 3\n1 2\n2 1\n2 3\n", 1),
        ("a", "0 1 0 0\n1 0 1 0\n0 0 0 1\n0 0 1 0\n", 1),
    ] {
        assert!(taken(text, name).notes().contains(&Note::Directed(directed)), "{name}");
    }
}

#[test]
fn dot_and_others_are_known_under_another_suffix() {
    for name in ["net.txt", "net.csv", "net.json", "net"] {
        let net = taken("strict graph G {\n a -- b -- c\n}\n", name);
        assert_eq!(
            (net.nodes(), net.notes()),
            (3, &[Note::ReadAs { format: FileFormat::Dot, separator: None }][..]),
            "{name}"
        );
    }
    let gml = "# igraph\nCreator \"x [1]\"\nVersion 1\nGraph\n[ node [ id 1 ] ]";
    assert_eq!(
        taken(gml, "net.txt").notes(),
        [Note::ReadAs { format: FileFormat::Gml, separator: None }]
    );
    let market = "%%MatrixMarket matrix coordinate pattern symmetric\n% x\n3 3 2\n2 1\n3 2\n";
    assert_eq!(
        taken(market, "net.txt").notes(),
        [Note::ReadAs { format: FileFormat::MatrixMarket, separator: None }]
    );
    let pace = "c PACE\np tw 3 2\n1 2\n2 3\n";
    assert_eq!(
        taken(pace, "net.txt").notes(),
        [Note::ReadAs { format: FileFormat::Dimacs, separator: None }]
    );
    let both = "p edge 3 2\ne 1 2\ne 2 1\ne 2 3\ne 3 2\n";
    assert_eq!((taken(both, "net.col").links(), taken(both, "net.col").notes()), (2, &[][..]));
}

#[test]
fn names_of_nodes_are_those_of_the_file() {
    let labels = |net: &Topology| -> Vec<String> {
        (0..net.nodes()).map(|node| net.label(node).unwrap().to_owned()).collect()
    };
    let gml = "graph [ node [ id 5 label \"&#233;t&#xe9;\" ] node [ id -2 ] edge [ target 5 source -2 ] ]";
    assert_eq!(labels(&taken(gml, "a.gml")), ["été", "-2"]);
    let pajek = "*Vertices 3\n2 \"New York\"\n*Matrix\n0 1 0\n1 0 1\n0 1 0\n*Partition p\n*Vertices 3\n1\n1\n2\n";
    assert_eq!(labels(&taken(pajek, "a.paj")), ["1", "New York", "3"]);
    let places = "{\"links\":[{\"source\":1,\"target\":0}],\n\"nodes\":[{\"name\":\"Bern\"},{\"name\":\"Wien\"}]}";
    assert_eq!(labels(&taken(places, "a.json")), ["Bern", "Wien"]);
    let csv = ",Bern,Wien\nBern,0,1\nWien,1,0\n";
    assert_eq!(labels(&taken(csv, "a.csv")), ["Bern", "Wien"]);
    assert_eq!(
        labels(&taken("Bern;Wien\nWien;Roma, Lazio\n", "a.csv")),
        ["Bern", "Wien", "Roma, Lazio"]
    );
}

#[test]
fn headers_are_taken_and_noted() {
    for (name, text, line) in [
        ("a.csv", "Source,Target,Type,Weight\n0,1,Undirected,1\n1,2,Undirected,1\n", 1),
        ("a.txt", "# SNAP\nFromNodeId ToNodeId\n0 1\n1 2\n", 2),
    ] {
        let net = taken(text, name);
        assert_eq!((net.nodes(), net.label(0)), (3, Some("0")), "{text}");
        assert!(net.notes().contains(&Note::Header { line }), "{text}");
    }
    assert!(
        refused("city town\n0 1\n1 2\n", "a.txt")
            .contains("names columns, and not the ends of links")
    );
    let descending = "5 4\n4 3\n3 2\n2 1\n1 0\n";
    assert_eq!(
        refused(descending, "a.txt"),
        "a.txt: this can be read in 2 ways, and --topology-format says which: \
         edge-list,blanks,no-header gives 6 nodes and 5 links, the first from 5 to 4; \
         counted-edge-list,blanks gives 5 nodes and 4 links, the first from 4 to 3"
    );
    assert_eq!(read(descending, "a.txt", Some(FileFormat::EdgeList)).unwrap().nodes(), 6);
    // Where there is more than can be compared, the whole is read first.
    let long: String = (1..200_000).rev().map(|node| format!("{node} {}\n", node - 1)).collect();
    let long = format!("200000 199999\n{long}");
    assert!(refused(&long, "a.txt").contains("is a link, or the numbers of nodes and links"));
}

#[test]
fn columns_that_are_not_labels_are_refused_and_can_be_told() {
    for (name, text, line, says) in [
        ("a.txt", "a -> b\nb -> c\n", 1, "edge-list,ends=1+3 others"),
        ("a", "# links\na b\nb -- c 5\n", 3, "here are 4 (`c 5`)"),
    ] {
        let said = refused(text, name);
        assert!(said.starts_with(&format!("{name}:{line}: ")) && said.contains(says), "{said}");
    }
    for (name, text) in [
        ("a.txt", "1;2\n2;3\n"),
        ("a.csv", "id,source,target\n1,a,b\n2,b,c\n"),
        ("a.csv", "weight;type;Source;Target\n1;x;a;b\n2;x;b;c\n"),
    ] {
        assert_eq!((taken(text, name).nodes(), taken(text, name).links()), (3, 2), "{name}");
    }
    // Labels may have any characters if the format is given.
    let told = read("a -> b\na -> c\n", "a.txt", Some(FileFormat::EdgeList)).unwrap();
    assert_eq!(told.label(1), Some("->"));
    assert_eq!(taken("1;2\n2;3\n", "a.csv").nodes(), 3);
}

#[test]
fn what_may_be_two_formats_is_refused_and_can_be_told() {
    let text = "1 2 3\n2 3 4\n3 4 1\n4 1 2\n";
    assert_eq!(
        refused(text, "a.txt"),
        "a.txt: this can be read in 2 ways, and --topology-format says which: \
         edge-list,blanks,no-header gives 4 nodes and 4 links, the first from 1 to 2; \
         adjacency-list,blanks gives 4 nodes and 6 links, the first from 1 to 2"
    );
    let links = |format| read(text, "a.txt", Some(format)).unwrap().links();
    assert_eq!((links(FileFormat::EdgeList), links(FileFormat::AdjacencyList)), (4, 6));
    // The extension says it as well.
    assert_eq!((taken(text, "a.edgelist").links(), taken(text, "a.adjlist").links()), (4, 6));
    // The network is the same, as a list with weights and as one of neighbours.
    assert_eq!(taken("1 2 3\n2 3 1\n3 1 2\n", "a.txt").links(), 3);
}

/// As igraph writes them, without the comments of networkx.
#[test]
fn adjacency_lists_without_comments_are_known_by_their_columns() {
    for (text, kind, links) in
        [("0 1 2 3\n1 2 3\n2 3\n3\n", "complete", 6), ("a b c\nb c\nc d\nd\n", "graph", 4)]
    {
        let net = taken(text, "a.txt");
        assert_eq!((net.kind(), net.links()), (kind, links), "{text}");
        assert_eq!(
            net.notes(),
            [Note::ReadAs {
                format: FileFormat::AdjacencyList,
                separator: Some(Separator::Blanks)
            }],
            "{text}"
        );
    }
}

#[test]
fn what_is_known_and_not_read_is_refused_by_name() {
    for (name, text, what) in [
        ("a.txt", "dl n=3 format=fullmatrix\ndata:\n0 1 1\n", "UCINET"),
        ("a.txt", "LEDA.GRAPH\nstring\n", "LEDA"),
        ("a.txt", "nodedef>name VARCHAR\n", "GUESS"),
        ("a.txt", "[[0, 1], [1, 0]]", "brackets"),
        ("a", "{\"id\":1,\"children\":[]}", "a tree"),
        ("a", "{\"x\":1}", "JSON without `nodes`"),
        ("a", "%!PS\n", "no nodes"),
    ] {
        let said = refused(text, name);
        assert!(said.contains(what), "{text}: {said}");
    }
    for (bytes, what) in [(&b"%PDF-1.4\n\n"[..], "PDF"), (b"PK\x03\x04\0\0\0\0\0\0", "CSV")] {
        let error = suffrage_networks::read_from(bytes, "a.txt", Default::default()).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
}
