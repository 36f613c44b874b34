//! Networks from GraphML.

use suffrage_networks::{FileError, FileOptions, Note, Topology, read_from};

fn read(text: &str) -> Result<Topology, FileError> {
    read_from(text.as_bytes(), "net.graphml", FileOptions::default())
}

fn error(text: &str) -> String {
    read(text).expect_err("a fault").to_string()
}

fn labels(net: &Topology) -> Vec<&str> {
    (0..net.nodes()).map(|node| net.label(node).expect("a name")).collect()
}

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- A network. -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="k" for="node" attr.name="label" attr.type="string"/>
  <key id="e" for="edge" attr.name="label" attr.type="string"/>
"#;

fn with_head(body: &str) -> String {
    format!("{HEAD}{body}</graphml>\n")
}

#[test]
fn labels_come_from_the_key_of_that_name() {
    let net = read(&with_head(
        r#"<graph edgedefault="undirected">
             <node id="0"><data key="e">no</data><data key="k">Aix &amp; <![CDATA[<Arles>]]></data></node>
             <node id="1"><data key="k">  S&#227;o
               Paulo </data></node>
             <node id="2"><data key="k"/></node>
             <node id="three"/>
             <edge source="0" target="1"><data key="k">no</data></edge>
             <edge source="2" target="1"/>
             <edge source="three" target="1"/>
           </graph>"#,
    ))
    .unwrap();
    assert_eq!(labels(&net), ["Aix & <Arles>", "São Paulo", "2", "three"]);
    assert_eq!((net.kind(), net.links()), ("tree", 3));
    assert_eq!(net.node_named("São Paulo"), Some(1));
}

#[test]
fn labels_that_nodes_share_have_the_id_added() {
    let net = read(&with_head(
        r#"<graph>
             <node id="n0"><data key="k">None</data></node>
             <node id="n1"><data key="k">Wien</data></node>
             <node id="n2"><data key="k">None</data></node>
             <edge source="n0" target="n1"/><edge source="n1" target="n2"/>
           </graph>"#,
    ))
    .unwrap();
    assert_eq!(labels(&net), ["None [n0]", "Wien", "None [n2]"]);
}

#[test]
fn nested_graphs_and_directions_are_flattened() {
    let net = read(&with_head(
        r#"<graph edgedefault="directed">
             <edge source="late" target="outer"/>
             <node id="outer">
               <graph edgedefault="undirected"><node id="inner"/><edge source="inner" target="outer"/></graph>
             </node>
             <node id="late"/>
             <edge source="outer" target="late" directed="false"/>
           </graph>"#,
    ))
    .unwrap();
    assert_eq!(labels(&net), ["outer", "inner", "late"]);
    assert_eq!(net.notes(), [Note::Directed(1), Note::ParallelLinks(1)]);
}

#[test]
fn namespace_prefixes_do_not_matter() {
    let net = read(
        "<g:graphml xmlns:g='http://graphml.graphdrawing.org/xmlns'><g:graph><g:node id='a'/>\
         </g:graph></g:graphml>",
    );
    assert_eq!(net.unwrap().nodes(), 1);
}

#[test]
fn what_is_no_network_is_refused_with_its_line() {
    let cases = [
        ("<graph>\n<node id='a'/>\n<node id='a'/></graph>", 8, "`a` is already declared in line 7"),
        ("<graph><node/></graph>", 6, "<node> has no attribute `id`"),
        ("<graph><node id='a'/>\n<edge source='a'/></graph>", 7, "no attribute `target`"),
        (
            "<graph><node id='a'/>\n<edge source='a' target='b'/>\n</graph>",
            7,
            "`b` that is not declared",
        ),
        ("<graph>\n<hyperedge/></graph>", 7, "a <hyperedge> with 0 ends"),
        ("<node id='a'/>", 6, "<node> outside of a <graph>"),
        ("<graph><node id='a'>\n</graph>", 7, "expected 'node' tag, not 'graph'"),
        ("<graph><node id='a' id='b'/></graph>", 6, "attribute 'id' at 6:21 is already defined"),
        ("<graph><node id='&nbsp;'/></graph>", 6, "nbsp"),
        (
            "<graph><node id='a'><data key='k'>&lol;</data></node></graph>",
            6,
            "unknown entity reference 'lol'",
        ),
    ];
    for (body, line, what) in cases {
        let said = error(&with_head(body));
        assert!(said.starts_with(&format!("net.graphml:{line}: ")), "{body}: {said}");
        assert!(said.contains(what), "{body}: {said}");
    }
    assert!(error("<html></html>").contains("<html> found where <graphml>, <gexf>"));
    assert!(error("no xml").contains("not well-formed XML"));
}

#[test]
fn what_the_declaration_says_of_the_encoding_is_not_believed() {
    let text =
        "<?xml version='1.0' encoding='UTF-16'?><graphml><graph><node id='é'/></graph></graphml>";
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [&bytes[..], text.as_bytes()] {
        let net = read_from(bytes, "net.graphml", FileOptions::default()).unwrap();
        assert_eq!(labels(&net), ["é"]);
    }
}

/// Wherever a file is cut off, the message names the last line.
#[test]
fn a_truncated_file_is_refused_with_its_line() {
    let whole = with_head(
        "<graph>\n<node id='a'><data key='k'>Ost &amp; West</data></node>\n<node id='b'/>\n\
         <!-- so -->\n<edge source='a' target='b'/>\n</graph>\n",
    );
    assert!(read(&whole).is_ok());
    let begin = HEAD.find("<graphml").unwrap() + 1;
    for end in begin..whole.trim_end().len() {
        let said = error(&whole[..end]);
        let line: usize =
            said.split(':').nth(1).unwrap().parse().unwrap_or_else(|_| panic!("{said}"));
        let last = whole[..end].matches('\n').count() + 1;
        // A comment, tag or text that is not closed is reported where it begins.
        assert!(line == last || line + 1 == last, "cut in line {last}: {said}");
    }
}

/// Entities that a document defines are expanded up to a limit.
#[test]
fn entities_do_not_grow() {
    let mut entities = "<!ENTITY e0 \"aaaaaaaaaa\">".to_owned();
    for level in 1..12 {
        let before = format!("&e{};", level - 1).repeat(10);
        entities += &format!("<!ENTITY e{level} \"{before}\">");
    }
    let said = error(&format!(
        "<!DOCTYPE graphml [{entities}]>\n<graphml><graph><node id='&e11;'/></graph></graphml>"
    ));
    assert!(said.contains("not well-formed XML: a possible entity reference loop"), "{said}");
}

/// Depth costs memory, not stack.
#[test]
fn deep_nesting_is_no_danger() {
    let deep = "<graphml><graph><node id='a'>".to_owned() + &"<data>".repeat(200_000);
    assert!(error(&deep).contains("not well-formed XML"), "{}", error(&deep));
    let closed = deep + &"</data>".repeat(200_000) + "</node></graph></graphml>";
    assert_eq!(read(&closed).map(|net| net.nodes()).unwrap_or(1), 1);
}

#[test]
fn positions_are_geographic_plain_or_those_of_yed() {
    let keys = r#"<key id="x" for="node" attr.name="x"/><key id="y" for="node" attr.name="y"/>
        <key id="o" for="node" attr.name="Longitude"/><key id="a" for="node" attr.name="Latitude"/>"#;
    let three = |nodes: [&str; 3]| {
        let node = |(id, data): (usize, &str)| format!("<node id='{id}'>{data}</node>");
        let nodes: String = nodes.into_iter().enumerate().map(node).collect();
        let edges = "<edge source='0' target='2'/><edge source='2' target='1'/><edge source='1' target='0'/>";
        read(&with_head(&format!("{keys}<graph>{nodes}{edges}</graph>"))).expect("a network")
    };
    let at = |net: &Topology| [0, 1, 2].map(|node| net.position(node));
    let plain = ["<data key='x'>1</data><data key='y'>-2.5</data>", "", "<data key='x'>3</data>"];
    assert_eq!(at(&three(plain)), [Some([1.0, -2.5]), None, None]);
    let globe = "<data key='o'>10</data><data key='a'>60</data>";
    let [Some([x, y]), Some(_), None] = at(&three([globe, globe, "<data key='o'>far</data>"]))
    else {
        panic!("two nodes have positions");
    };
    assert!((x - 5.0).abs() < 0.01 && y == 60.0, "{x} is 10 times the cosine of 60 degrees");
    let yed = "<data key='k9'><y:ShapeNode xmlns:y='http://www.yworks.com/xml/graphml'><y:Geometry x='4' y='7'/></y:ShapeNode></data>";
    assert_eq!(at(&three(["", yed, ""])), [None, Some([4.0, -7.0]), None]);
    // A ring is renumbered, and its positions with it.
    let names = |net: &Topology| [0, 1, 2].map(|node| net.label(node).map(str::to_owned));
    let ring = three(["", yed, ""]).fit(suffrage_model::NetworkClass::Ring).expect("a ring");
    let place = names(&ring).iter().position(|name| name.as_deref() == Some("1"));
    assert_eq!(place.map(|place| ring.position(place as u32)), Some(Some([4.0, -7.0])));
    assert_eq!(three(["", "", ""]).position(0), None);
}
