//! Networks from edge lists, and what all formats have in common.

use std::time::Instant;
use suffrage_model::NetworkClass;
use suffrage_networks::{
    FileError, FileFormat, FileOptions, FileSyntax, Note, Ports, Separator, Topology, read_file,
    read_from,
};

const LARGEST: FileOptions = FileOptions { largest_component: true, format: None };

fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<Topology, FileError> {
    read_from(bytes.as_ref(), name, FileOptions::default())
}

/// What a file with an edge list gives where nothing else is to say.
const BLANKS: Note =
    Note::ReadAs { format: FileFormat::EdgeList, separator: Some(Separator::Blanks) };

const EDGES: FileSyntax = FileSyntax::of(FileFormat::EdgeList);

fn told(name: &str, bytes: impl AsRef<[u8]>) -> Result<Topology, FileError> {
    read_from(bytes.as_ref(), name, FileOptions { format: Some(EDGES), ..FileOptions::default() })
}

fn error(name: &str, bytes: impl AsRef<[u8]>) -> String {
    read(name, bytes).expect_err("a fault").to_string()
}

fn utf16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes_of).collect()
}

#[test]
fn labels_are_kept_in_the_order_of_the_file() {
    let net =
        told("zoo/net.txt", "# comment\nPraha Brno\nBrno Ostrava 155 km\nPraha Ostrava\n").unwrap();
    assert_eq!((net.nodes(), net.links(), net.kind()), (3, 3, "complete"));
    assert_eq!(
        (0..4).map(|node| net.label(node)).collect::<Vec<_>>(),
        [Some("Praha"), Some("Brno"), Some("Ostrava"), None]
    );
    assert_eq!((net.node_named("Ostrava"), net.node_named("Plzen")), (Some(2), None));
    assert_eq!(net.source(), "zoo/net.txt");
    assert_eq!(net.notes(), [BLANKS, Note::Comments(1), Note::Weights(1), Note::Columns(1)]);
}

#[test]
fn a_file_is_what_it_turns_out_to_be() {
    let kind = |text| read("a.edges", text).unwrap().kind().to_owned();
    assert_eq!(kind("a\n"), "complete");
    assert_eq!(kind("a b\n"), "complete");
    assert_eq!(kind("a b\nb c\n"), "tree");
    assert_eq!(kind("a b\nb c\nc d\nd a\n"), "ring");
    assert_eq!(kind("a b\nb c\nc a\nc d\n"), "graph");
}

#[test]
fn parallel_links_and_loops_are_removed_and_noted() {
    let net = told("a.txt", "a b\nb a\na b\na a\nb c\n").unwrap();
    assert_eq!((net.nodes(), net.links()), (3, 2));
    assert_eq!(net.notes(), [BLANKS, Note::ParallelLinks(2), Note::SelfLoops(1)]);
    let notes: Vec<_> = net.notes().iter().map(Note::to_string).collect();
    let read = "read as an edge list with blanks between columns";
    assert_eq!(notes, [read, "2 parallel links collapsed", "1 self-loop dropped"]);
    assert!(net.fits(NetworkClass::Tree));
}

#[test]
fn several_components_are_named_with_their_sizes() {
    let text = "a b\nc d\nd e\nd d\ne c\nf g\nh\ni\nj\nk\nl m\nm n\nn o\nl m\n";
    assert_eq!(
        told("parts.txt", text).unwrap_err().to_string(),
        "parts.txt is not connected, it has 8 components: 4 nodes (l, m, n, ..), 3 nodes (c, d, e), \
         2 nodes (a, b), 2 nodes (f, g), 1 node (h) and 3 more; --largest-component takes the largest"
    );
    let options = FileOptions { format: Some(EDGES), ..LARGEST };
    let net = read_from(text.as_bytes(), "parts.txt", options).unwrap();
    assert_eq!((net.nodes(), net.links()), (4, 3));
    assert_eq!(
        (net.label(0), net.node_named("o"), net.node_named("a")),
        (Some("l"), Some(3), None)
    );
    let notes: Vec<_> = net.notes().iter().map(Note::to_string).collect();
    // The loop at d has gone with its component.
    let [_, largest, parallel] = &notes[..] else { panic!("{notes:?}") };
    assert_eq!(largest, "largest of 8 components: 4 of 15 nodes");
    assert_eq!(parallel, "1 parallel link collapsed");
}

#[test]
fn of_equal_components_the_first_is_taken() {
    let net = read_from(&b"z y\na b\n"[..], "parts.txt", LARGEST).unwrap();
    assert_eq!(net.label(0), Some("z"));
}

#[test]
fn a_network_in_one_piece_is_the_same_with_and_without_the_option() {
    let net = read_from(&b"z y\ny x\n"[..], "one.txt", LARGEST).unwrap();
    assert_eq!((net.nodes(), net.notes()), (3, &[BLANKS][..]));
}

#[test]
fn an_empty_file_holds_no_nodes() {
    for (name, text) in [
        ("a.txt", ""),
        ("a.txt", "\n# nothing\n\n"),
        ("a", ""),
        ("a.dot", "graph {}"),
        ("a.graphml", "<graphml><graph/></graphml>"),
        ("a.graphml", "<graphml/>"),
    ] {
        assert_eq!(error(name, text), format!("{name} holds no nodes"));
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = read_file("no/such/file.txt", FileOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read no/such/file.txt: "), "{error}");
    let error = read_file("tests", FileOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("cannot read tests: "), "{error}");
}

#[test]
fn the_format_is_known_by_extension_or_content() {
    let graphml = "\n<graphml><graph><node id='a'/></graph></graphml>";
    let dot = "// A graph.\nGraph { a }";
    let list = "graph other\n";
    for (name, text) in [
        ("a.GraphML", graphml),
        ("a.xml", graphml),
        ("a", graphml),
        ("a.v2", dot),
        ("a.GV", dot),
        ("dot", dot),
    ] {
        assert_eq!(read(name, text).unwrap().label(0), Some("a"), "{name}");
    }
    assert_eq!(read("net", list).unwrap().label(0), Some("graph"));
    assert_eq!(error("a.dot", list), "a.dot:2:1: end of file found, expected `{`");
}

#[test]
fn every_encoding_of_unicode_is_read_or_named() {
    let text = "Plzeň Brno\nBrno 東京\n";
    let mut utf8 = b"\xEF\xBB\xBF".to_vec();
    utf8.extend(text.bytes());
    let marked = format!("\u{FEFF}{text}");
    for bytes in [
        utf8,
        utf16(&marked, u16::to_le_bytes),
        utf16(&marked, u16::to_be_bytes),
        utf16(text, u16::to_le_bytes),
        utf16(text, u16::to_be_bytes),
    ] {
        let net = read("a.txt", bytes).unwrap();
        assert_eq!((net.label(0), net.label(2)), (Some("Plzeň"), Some("東京")));
    }
    let latin1 = b"# Latin-1\nZ\xFCrich Bern\n";
    assert_eq!(
        error("a.txt", latin1),
        "a.txt: line 2 is not UTF-8 (byte 0xfc); convert the file, for example from Latin-1 with \
         `iconv -f ISO-8859-1 -t UTF-8`"
    );
    for name in ["a.graphml", "a.dot"] {
        assert!(error(name, latin1).contains("line 2 is not UTF-8 (byte 0xfc)"));
    }
    let mut cut = utf16(&marked, u16::to_le_bytes);
    cut.pop();
    assert!(error("a.txt", cut).contains("looks like UTF-16LE, but line 2 is not"));
    assert!(error("a.txt", b"\xFF\xFE\0\0a\0\0\0").contains("UTF-32"));
    assert!(error("a.txt", b"\x7fELF\0\0\0").contains("NUL"));
    // Programs and pictures are no text of another encoding either.
    let nul = "a.txt:2: a NUL byte: this is no text";
    assert_eq!(error("a.txt", b"\x89ABC\r\n\0\0\0"), nul);
    assert_eq!(error("a.txt", b"ELF\n\0\xc0\0"), nul);
    assert_eq!(error("a.txt", b"1 2\n3\0\xfc 4\n"), nul);
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let net = read("a.txt", "a\x1b[31mred b\n").unwrap();
    assert_eq!(net.label(0), Some("a [31mred"));
}

/// A million links over a hundred thousand nodes: quadratic time would take hours. The time is printed
/// and not asserted, since machines differ.
#[test]
fn a_million_lines_are_read_in_linear_time() {
    use std::fmt::Write;
    let mut text = String::from("# FromNodeId\tToNodeId\n");
    for line in 0_u64..1_000_000 {
        let (a, b) = (line % 100_000, (line * 7919 + line / 100_000 + 1) % 100_000);
        writeln!(text, "{a}\t{b}").unwrap();
    }
    let begin = Instant::now();
    let net = told("large.txt", text).unwrap();
    let wiring = net.wire(Ports::Random, 1);
    println!("a million lines: {:?}", begin.elapsed());
    assert_eq!(net.nodes(), 100_000);
    assert_eq!(wiring.dense_links(), Some(2 * net.links() as usize));
    let removed: u64 = net
        .notes()
        .iter()
        .map(|note| match note {
            Note::ParallelLinks(count) | Note::SelfLoops(count) => *count,
            Note::ReadAs { .. } | Note::Comments(1) => 0,
            note => panic!("{note}"),
        })
        .sum();
    assert_eq!(net.links() + removed, 1_000_000);
}

/// What stands behind the part from which the format is recognized is not read as something else.
#[test]
fn a_later_line_with_more_columns_is_refused() {
    let mut text: String = (0..150_000).map(|node| format!("{node} {}\n", node + 1)).collect();
    assert!(text.len() > 1 << 20);
    text += "7 8 9 10 11\n";
    let error = error("long.txt", &text);
    assert!(error.starts_with("long.txt:150001: an edge list has two columns"), "{error}");
    assert!(error.contains("ends=1+3 others, adjacency-list all"), "{error}");
}
