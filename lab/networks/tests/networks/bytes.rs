//! No bytes make a reader panic.

use proptest::prelude::*;
use suffrage_model::NetworkClass;
use suffrage_networks::{FileFormat, FileOptions, Ids, Ports, read_from};

const GRAPHML: &str = r#"<?xml version="1.0"?><graphml><key id="k" for="node" attr.name="label"/>
<graph edgedefault="directed"><node id="0"><data key="k">A &amp; B</data></node>
<node id="1"><data key="k"><![CDATA[C]]></data></node><node id="2"><graph><node id="3"/></graph></node>
<!-- links --><edge source="0" target="1"/><edge source="1" target="2"/><edge source="3" target="0"/>
</graph></graphml>"#;

const DOT: &str = "strict digraph \"g\" { /* c */ node [label=\"x\"] a [label=<b>] # c\n\
                   a -> {b; c -> d} -> \"e\\\"f\" + \"g\" [w=1.5] subgraph s { h } -1 -> a:n // c\n}";

const EDGES: &str = "# comment\n1 2\n2\t3 0.5\n\n3,1\n4\n4 1\n\"a b\",1\n";

const IDS: &str = "# ids\n1\n0x2\naa:bb:cc:dd:ee:ff\n4 # four\n";

const OTHERS: [&str; 8] = [
    "# igraph\nCreator \"x\"\ngraph [ directed 1 node [ id 1 label \"a &amp; b\" g [ x 1.5 ] ]\n\
     node [ id 2 ] edge [ source 1 target 2 weight 0.5 ] ]\n",
    "%c\n*Network n\n*Vertices 3\n1 \"a b\" 0.5\n2 b\n*Arcs :1\n1 2 3\n*Edgeslist\n1 2 3\n*Matrix\n0 1 0\n1 0 1\n0 1 0\n",
    "% c\n3 2 011\n1 2 5\n2 1 5 3 1\n1 2 1\n",
    "{\"directed\":true,\"nodes\":[{\"id\":\"a\"},{\"id\":2}],\n\"links\":[{\"source\":\"a\",\"target\":2,\"weight\":1.5}]}",
    "c x\np edge 3 2\ne 1 2 7\na 2 3\nn 1 2\n",
    "%%MatrixMarket matrix coordinate real general\n% c\n3 3 3\n1 2 1.5\n2 3 1\n3 1 0\n",
    "# a\n# GMT b\na 2\nb {'weight': 2}\nc {}\nb 1\nc {}\nc 0\n",
    ",a,b,c\na,0,1,0.5\nb,1,0,0\nc,0,0,0\n",
];

/// The signatures of gzip, bzip2, xz and zstd.
const PACKED: [&[u8]; 4] = [b"\x1F\x8B", b"BZh", b"\xFD7zXZ\0", b"\x28\xB5\x2F\xFD"];

/// Reads, and if that succeeds uses the network in every way.
fn exercise(bytes: &[u8]) {
    let names = ["a.graphml", "a.dot", "a.txt", "a.csv", "a.tsv", "a"];
    let recognized = names.into_iter().map(|name| (name, None));
    for (name, format) in recognized.chain(FileFormat::ALL.map(|format| ("a", Some(format.into()))))
    {
        for largest_component in [false, true] {
            match read_from(bytes, name, FileOptions { largest_component, format }) {
                Err(error) => {
                    let error = error.to_string();
                    let place = error.strip_prefix("cannot read ").unwrap_or(&error);
                    assert!(place.starts_with(name), "{error}");
                }
                Ok(net) => {
                    assert!(net.nodes() > 0);
                    for node in 0..net.nodes() {
                        let label = net.label(node).expect("nodes in files have names");
                        assert!(!label.contains(char::is_control), "{label:?}");
                        assert_eq!(net.node_named(label), Some(node), "names are unique");
                    }
                    let ends = net.wire(Ports::Random, 1).dense_links();
                    assert_eq!(ends, Some(2 * net.links() as usize));
                    for network in
                        [NetworkClass::Tree, NetworkClass::OrientedRing, NetworkClass::Complete]
                    {
                        let (fits, nodes) = (net.fits(network), net.nodes());
                        match net.clone().fit(network) {
                            Ok(fitted) => assert_eq!((true, nodes), (fits, fitted.nodes())),
                            Err(_) => assert!(!fits),
                        }
                    }
                }
            }
        }
    }
}

/// A text with some places overwritten, inserted, removed or doubled.
fn mutated(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let interesting =
        prop_oneof![any::<u8>(), prop::sample::select(b"<>/&;\"'{}[]=-#,\\\n\t \0:+".to_vec()),];
    let change = (any::<prop::sample::Index>(), 0..4_u8, interesting);
    prop::collection::vec(change, 1..6).prop_map(|changes| {
        let mut bytes = text.as_bytes().to_vec();
        for (at, kind, byte) in changes {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => bytes.extend_from_within(at..),
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(&bytes);
    }

    #[test]
    fn arbitrary_bytes_behind_the_signature_of_a_packer(
        signature in prop::sample::select(PACKED.to_vec()),
        bytes in prop::collection::vec(any::<u8>(), 0..50),
    ) {
        exercise(&[signature, &bytes].concat());
    }

    #[test]
    fn arbitrary_text(text in "[<>/a-c01&;\"'{}=,#\\[\\] \\n-]{0,80}") {
        exercise(text.as_bytes());
        exercise(format!("graph {{{text}}}").as_bytes());
        exercise(format!("<graphml><graph>{text}</graph></graphml>").as_bytes());
    }

    #[test]
    fn nearly_graphml(bytes in mutated(GRAPHML)) {
        exercise(&bytes);
    }

    #[test]
    fn nearly_dot(bytes in mutated(DOT)) {
        exercise(&bytes);
    }

    #[test]
    fn nearly_another_format(bytes in prop::sample::select(&OTHERS[..]).prop_flat_map(mutated)) {
        exercise(&bytes);
    }

    #[test]
    fn nearly_an_edge_list(bytes in mutated(EDGES)) {
        exercise(&bytes);
    }

    #[test]
    fn nearly_ids(bytes in mutated(IDS)) {
        let net = read_from(&b"a b\nb c\nc d\n"[..], "a.txt", FileOptions::default()).unwrap();
        match Ids::read_from(&bytes[..], "ids.txt", &net) {
            Ok(ids) => prop_assert_eq!(ids.ids().len(), 4),
            Err(error) => prop_assert!(error.to_string().starts_with("ids.txt"), "{}", error),
        }
    }

    #[test]
    fn a_specification_that_is_accepted_is_written_as_one(text in "[a-z]{1,3}|(complete|ring|chordal|path|star|tree|grid|torus|hypercube|regular|erdos-renyi|barabasi-albert)(:(random|[0-9x.e-]{0,6})){0,3}") {
        if let Ok(spec) = text.parse::<suffrage_networks::Spec>() {
            prop_assert_eq!(spec.to_string().parse::<suffrage_networks::Spec>(), Ok(spec));
        }
    }
}
