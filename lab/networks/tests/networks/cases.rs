//! Files of the kinds that people have: each is read as the network that it is, or refused with a message that
//! says what it is.

use suffrage_networks::{FileOptions, FileSyntax, read_file, read_from};

/// What is right for a file: the numbers of its nodes and links, or words that the refusal has.
enum Right {
    Is(u32, u64),
    Refused(&'static str),
}

use Right::{Is, Refused};

#[track_caller]
fn found(name: &str, text: impl AsRef<[u8]>, format: Option<&str>) -> Result<(u32, u64), String> {
    let format = format.map(|format| format.parse::<FileSyntax>().expect("a format"));
    let net = read_from(text.as_ref(), name, FileOptions { format, ..FileOptions::default() });
    net.map(|net| (net.nodes(), net.links())).map_err(|error| error.to_string())
}

#[track_caller]
fn check(name: &str, text: impl AsRef<[u8]>, right: &Right) {
    let shown = String::from_utf8_lossy(text.as_ref()).into_owned();
    match (found(name, &text, None), right) {
        (Ok(found), Is(nodes, links)) => assert_eq!(found, (*nodes, *links), "{name}:\n{shown}"),
        (Err(error), Refused(words)) => assert!(error.contains(words), "{name}: {error}"),
        (found, _) => panic!("{name}: {found:?}\n{shown}"),
    }
}

const TABLES: [(&str, &str, Right); 41] = [
    // Some rows have a weight, or lists have one or two neighbours.
    (
        "a.txt",
        "1 2 3\n2 3\n3 4\n",
        Refused(
            "edge-list,blanks,no-header gives 4 nodes and 3 links, the first from 1 to 2; adjacency-list,blanks gives 4 nodes and 4",
        ),
    ),
    ("a.txt", "1 2\n2 1 3\n3 2 4\n4 3\n", Is(4, 3)),
    ("a.csv", "u,v,weight\n1,2,3\n2,3\n", Is(3, 2)),
    ("a.lgl", "# 0\n1 3.72\n2 7.5\n# 1\n2 0.5\n# 2\n", Is(3, 3)),
    (
        "a.txt",
        "# 0\n1 3\n3 7\n# 1\n7 5\n",
        Refused(
            "edge-list,blanks,no-header gives 4 nodes and 3 links, the first from 1 to 3; lgl,blanks gives 4 nodes and 3",
        ),
    ),
    (
        "a.adjlist",
        "#/home/me/a.py --all\n# GMT Thu Nov 26 16:00:00 2026\n# \np q\nq r\nr\n",
        Is(3, 2),
    ),
    (
        "a.adjlist",
        "#/home/me/a.py\n# GMT Thu Nov 26 16:00:00 2026\n# \np q #r\nq #r\n#r\n",
        Is(3, 3),
    ),
    ("a.sif", "p uses q\nq uses r\nr owns p\n", Is(3, 3)),
    ("a.tgf", "n1 Oslo\nn2 Wien\nn3 Roma\n#\nn1 n2 road\nn2 n3\n", Is(3, 2)),
    ("a.txt", "San Marino;Vaduz\nVaduz;Monte Carlo\n", Is(3, 2)),
    ("a.txt", "San Marino,Vaduz Stadt\nVaduz Stadt,Monte Carlo\n", Is(3, 2)),
    ("a.txt", "x,7\ty,7\ny,7\tz,7\n", Is(3, 2)),
    ("a.intra", "Oslo,+NO1 Wien,+AT3 2.5\nWien,+AT3 Roma,+IT2 4\n", Is(3, 2)),
    ("a.csv", "0,1,2,3\n0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n", Is(4, 4)),
    ("a.csv", "0,5,0\n0,0,3\n8,0,0\n", Is(3, 3)),
    ("a.txt", "0 1.5 0 2\n0 0 2.5 0\n4.0 0 0 0\n0 0 0.5 0\n", Is(4, 5)),
    ("a.adj", "0 | 6 | 0 | 1\n6 | 0 | 2 | 0\n0 | 2 | 0 | 5\n1 | 0 | 5 | 0\n", Is(4, 4)),
    ("out.x", "% bip weighted\n1 1 4 100\n1 2 3 100\n2 2 1 100\n", Is(4, 3)),
    ("out.y", "% sym unweighted\n% 2 3\n1 2\n2 3\n", Is(3, 2)),
    (
        "a.txt",
        "3 2\n0 11 11\n1 12 12\n2 13 13\n0 1 7\n0 2 7\n",
        Refused("counted-edge-list,blanks"),
    ),
    ("a.csv", "San Marino\tVaduz\nVaduz\tMonte Carlo\n", Is(3, 2)),
    ("a.csv", "p|q\nq|r\n", Is(3, 2)),
    ("a.csv", "sep=;\np;q\nq;r\n", Is(3, 2)),
    ("a.tsv", "s1 s2\ns2 s3\ns3 s1\n", Is(3, 3)),
    ("a.csv", "source,target\n\"San\nMarino\",q\nq,r\n", Is(3, 2)),
    ("a.csv", ",source,target,weight\n0,p,q,1\n1,q,r,5\n2,r,s,5\n", Is(4, 3)),
    ("a.csv", "Id,Source,Target,Type\n0,p,q,Directed\n1,q,r,Directed\n", Is(3, 2)),
    ("a.csv", ",p,q,r\np,,1.0,1.0\nq,1.0,,\nr,1.0,,\n", Is(3, 2)),
    ("a.csv", ",p,q,r\np,False,True,True\nq,True,False,False\nr,True,False,False\n", Is(3, 2)),
    ("a.txt", "0 4 inf 1\n4 0 4 inf\ninf 4 0 2\n1 inf 2 0\n", Is(4, 4)),
    (
        "a.txt",
        "1\t2,5\t3,6\t\r\n2\t1,5\t3,1\t\r\n3\t1,6\t2,1\t\r\n",
        Refused("whose neighbours have weights"),
    ),
    ("a.txt", "3\n2\n0 1\n1 2\n", Is(3, 2)),
    ("a.txt", "// links\np q\nq r\n", Is(3, 2)),
    ("a.mmd", "graph LR\n  P-->Q\n", Refused("Mermaid")),
    (
        "a.cch",
        "7 @Oslo,+NO bb (1) &1 -> <8> =r0 r0\n8 @Wien (1) -> <7> =r1 r1\n",
        Refused("Rocketfuel"),
    ),
    ("a.brite", "Topology: ( 2 Nodes, 1 Edges )\nModel (1)\n", Refused("BRITE")),
    ("a.alt", "GRAPH (#nodes #edges id uu vv ww xx yy zz):\n2 2 x\n", Refused("GT-ITM")),
    (
        "a.txt",
        "?SNDlib native format; type: network; version: 1.0\n",
        Refused("native format of SNDlib"),
    ),
    ("a.txt", "3 3\n0 1\n1 2\n2 0\n", Is(3, 3)),
    ("a.csv", "u v\nv w\nw u\n", Refused("edge-list,blanks,header gives 3 nodes and 2 links")),
    (
        "a.txt",
        "1 2 3\n2 3 4\n3 4 1\n4 1 2\n",
        Refused("adjacency-list,blanks gives 4 nodes and 6 links, the first from 1 to 2"),
    ),
];

#[test]
fn tables() {
    for (name, text, right) in &TABLES {
        check(name, text, right);
    }
}

/// Inputs that were read as another network, without a word.
const ONCE_MISREAD: [(&str, &str, Right); 58] = [
    // Parts of another way to write columns.
    ("a.adjlist", "1: 2 3\n2: 1 3\n3: 1 2\n", Refused("`1:` has a separator")),
    ("a.adjlist", "1 2, 3\n2 1, 3\n3 1, 2\n", Refused("is not connected")),
    ("a.txt", "1, 2\n1, 3\n2, 1\n2, 3\n3, 1\n3, 2\n", Is(3, 3)),
    ("a.edges", "1, 2\n1, 3\n2, 1\n2, 3\n3, 1\n3, 2\n", Is(3, 3)),
    ("a.txt", "1 2;\n1 3;\n2 1;\n2 3;\n3 1;\n3 2;\n", Refused("`1 2` stands alone")),
    ("a.txt", "(1, 2)\n(1, 3)\n(2, 1)\n(2, 3)\n(3, 1)\n(3, 2)\n", Refused("a.txt")),
    ("a.txt", "2001:db8:: fe80::\nfe80:: ::1\n", Is(3, 2)),
    // Numbers in two ways of writing.
    (
        "a.csv",
        "source,target\n1,2.0\n1,3.0\n2,1.0\n2,3.0\n3,1.0\n3,2.0\n",
        Refused("`1` and `1.0`"),
    ),
    ("a.txt", "01 2\n01 3\n02 1\n02 3\n03 1\n03 2\n", Refused("`01` and `1`")),
    ("a.txt", "+1 2\n2 1\n", Refused("`+1` and `1`")),
    ("a.txt", "-01 0\n-1 2\n0 2\n", Refused("`-01` and `-1` are the same number")),
    ("a.txt", "1e5 2\n100000 3\n2 3\n", Refused("`100000` and `1e5` are the same number")),
    ("a.txt", "1e0 2e0\n2 3\n", Refused("`2` and `2e0`")),
    // A name as macOS writes it, and as others do; a space without a width; a space at which no line breaks.
    ("a.txt", "Zu\u{308}rich Bern\nZ\u{fc}rich Basel\nBern Basel\n", Refused("look the same")),
    ("a.txt", "a b\n\u{200b}b c\na c\n", Refused("look the same")),
    ("a.csv", "a,b\u{a0}\nb,c\nc,a\n", Refused("look the same")),
    ("a.csv", "source,target\na,b\nb,NaN\nNaN,c\n", Refused("stands for a value that is missing")),
    ("a.txt", "a b\nb NA\nNA c\n", Refused("stands for a value that is missing")),
    ("a.txt", "CREATE (a)-[:X]->(b)\n", Refused("an arrow or a bracket")),
    ("a.hgr", "5 4\n1 2\n2 3\n3 4\n4 1\n1 3\n", Refused("the numbers of links and nodes")),
    // A word alone: a tree in Newick's format with a name at its root, the head of a program.
    ("a.txt", "((x,y),z)r;\n", Refused("Newick")),
    ("a.nc", "CDF\u{1}\n", Refused("stands alone")),
    ("a.toml", "[[links]]\nsource = 1\n", Refused("TOML")),
    ("a.txt", "# a b\n1|2|-1|bgp\n2|3|0|bgp\n", Refused("and here are 4")),
    ("a.txt", "a 1.0 b\nb 2.0 c\n", Refused("an edge list has two columns")),
    ("a.txt", "1 1\n1 2\n", Refused("from `1` to `1`: --topology-format edge-list")),
    (
        "a.json",
        r#"{"topology": {"type": "ring"}, "nodes": [{"id": 1}], "links": []}"#,
        Refused("`topology` and `nodes`"),
    ),
    ("a.txt", "01 02\n02 03\n", Is(3, 2)),
    ("a.txt", "1.0 2.0\n2.0 3.0\n", Is(3, 2)),
    // Tables of nodes.
    ("a.csv", "id,community\n1,10\n2,10\n3,10\n", Refused("names columns, and not the ends")),
    ("a.tsv", "name\tgroup\n1\t5\n2\t5\n", Refused("names columns, and not the ends")),
    ("a.csv", "source,target,source\n1,2,3\n2,3,1\n", Refused("names columns")),
    // Matrices.
    ("a.txt", "0 5 -1\n5 0 3\n-1 3 0\n", Refused("a negative weight, or no link")),
    ("a.csv", "0,1,0,\n1,0,1,\n0,1,0,\n", Is(3, 2)),
    ("a.txt", "1 2 1\n2 1 3\n1 3 1\n", Refused("can be read in 2 ways")),
    ("a.txt", "3\n0 1 2\n1 0 1\n2 1 0\n", Refused("or a matrix below its size")),
    ("a.txt", "3 3\n1 2 5\n2 3 4\n3 1 6\n", Is(3, 3)),
    ("a.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 0 1\n", Is(2, 1)),
    ("a.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0 1\n", Is(2, 1)),
    (
        "a.mtx",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 0\n",
        Refused("0 numbers"),
    ),
    (
        "a.mtx",
        "%%MatrixMarket matrix coordinate pattern symetric\n2 2 1\n2 1\n",
        Refused("SYMMETRY"),
    ),
    // Parts of files that were skipped.
    ("a.gml", "graph [ node [ id 1 ] ] node [ id 2 ]", Refused("`node` has no place")),
    ("a.gml", "graph [ node [ id 1 graph [ node [ id 2 ] ] ] ]", Refused("`graph` has no place")),
    ("a.gml", "graph [ node [ id 1 id 2 ] ]", Refused("a second `id`")),
    ("a.net", "*Vertices 3\n*Edges\n1 2\n2 3\n*Links\n1 3\n", Refused("`*links` is no section")),
    ("a.net", "*Vertices 3\n*Edges:1\n1 2\n*Edges:2\n2 3\n", Is(3, 2)),
    ("a.paj", "*Network a\n*Vertices 2\n*Edges\n1 2\n*Hierarchy h\n*Vertices 2\n1\n", Is(2, 1)),
    ("a.cnf", "p cnf 3 2\n1 2 0\n2 3 0\n", Refused("has the two ends of a link")),
    ("a.gr", "p tw 3 2\n1 2\n2 3\n", Is(3, 2)),
    (
        "a.graphml",
        "<graphml><graph><node id='a'><data key='d'><s><node id='x'/><edge source='a' target='x'/></s></data></node>\
         <node id='b'/><edge source='a' target='b'/></graph></graphml>",
        Is(2, 1),
    ),
    (
        "a.json",
        r#"{"nodes": [{"id": 1}, {"id": 2}], "links": [], "edges": [{"source": 1, "target": 2}]}"#,
        Refused("leave the other out"),
    ),
    (
        "a.json",
        r#"{"nodes": {"a": {}, "b": {}}, "edges": [{"source": "a", "target": "b"}], "hyperedges": []}"#,
        Refused("leave the other out"),
    ),
    (
        "a.json",
        r#"{"nodes": [{"id": 1}, {"id": 2}], "adjacency": [[{"id": 2}]]}"#,
        Refused("as many lists"),
    ),
    (
        "a.json",
        r#"{"nodes": [{"id": 1}, {"id": 2}], "adjacency": [[{"id": 2}], {"id": 1}]}"#,
        Refused("a list of neighbours"),
    ),
    ("a.json", r#"[{"source": 123456789012345678901, "target": 123456789012345678902}]"#, Is(2, 1)),
    (
        "a.json",
        r#"{"nodes": [{"id": 0.5}, {"id": 1}], "links": [{"source": 0.5, "target": 1}]}"#,
        Is(2, 1),
    ),
    ("a.json", r#"{"links": ["edges"], "edges": ["links"]}"#, Is(2, 1)),
    (
        "a.json",
        r#"{"nodes": [{"id": 1}, {"id": 2}], "edges": [{"source": 1, "target": 2}]}"#,
        Is(2, 1),
    ),
];

#[test]
fn what_was_read_as_another_network_is_refused_or_right() {
    for (name, text, right) in &ONCE_MISREAD {
        check(name, text, right);
    }
}

/// Words between or before the ends of links are no nodes, and a name that two columns have is no name.
#[test]
fn three_columns_are_ends_and_a_weight_only_where_no_word_is_in_every_row() {
    let two = "this can be read in 2 ways";
    for (name, text, right) in [
        ("a.txt", "1 -> 2\n2 -> 3\n", Refused("`->` stands where a label should")),
        ("a.csv", "1,--,2\n2,--,3\n", Refused("`--` stands where a label should")),
        ("a.ini", "a = 1\n", Refused("`=` stands where a label should")),
        ("a.ini", "a = 1\nb = 2\n", Refused("`=` stands where a label should")),
        ("a.txt", "1 to 2\n2 to 3\n", Refused(two)),
        ("a.txt", "e 1 2\ne 2 3\n", Refused(two)),
        // A star with weights.
        ("a.txt", "hub a 1\nhub b 2\nhub c 1\n", Is(4, 3)),
        ("a.txt", "4 0 1\n2 0 1\n3 0 1\n", Is(4, 3)),
        ("a.csv", "source,target,source\na,b,c\nb,c,d\n", Refused("an edge list has two columns")),
        ("a.csv", "source,target\n", Refused("a header and no link")),
        (
            "a.csv",
            "p;q;0,5\nq;r;1,5\n",
            Refused("edge-list,semicolons,no-header gives 3 nodes and 2 links"),
        ),
        ("a.csv", "p;q;0,5\nq;r;1,7\n", Is(3, 2)),
        ("a.txt", "0 0\n0 0\n", Refused("is not connected")),
        ("a.txt", "#1 #2\n#2 #3\n", Refused("begins a comment or is a label")),
    ] {
        check(name, text, &right);
    }
}

/// What is packed twice is no text in another encoding.
#[test]
fn a_file_that_is_packed_twice_is_named() {
    // `a b`, packed by gzip, in a member of its own that is stored.
    let mut twice = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, GZIP.len() as u8, 0];
    twice.push(!(GZIP.len() as u8));
    twice.push(0xFF);
    twice.extend(GZIP);
    check("a.txt.gz", twice, &Refused("packed twice"));
}

/// An error names the format of a file that is no text, packed or not.
#[test]
fn files_of_other_programs_are_named() {
    for (start, words) in [
        (&b"\x89PNG\r\n\x1A\n"[..], "a picture"),
        (b"PAR1\x15\x04", "Parquet"),
        (b"\x80\x04\x95\x10\0", "a pickle of Python"),
        (b"\x93NUMPY\x01\0", "an array of NumPy"),
        (b"{\"source\": 1, \"target\": 2}\n{\"source\": 2, \"target\": 3}\n", "JSON Lines"),
    ] {
        check("a.txt", start, &Refused(words));
    }
}

/// What is too long for its beginning alone is read like the same shorter.
#[test]
fn long_adjacency_lists_of_networkx_are_read_like_short_ones() {
    let head = "#/usr/bin/make network.py -f\n# GMT Thu Nov 26 16:00:00 2026\n# \n";
    for (name, nodes) in [("a.adjlist", 30), ("a.adjlist", 100_000), ("a", 30), ("a", 100_000)] {
        // A path, with a further link from every second node.
        let lines: String = (0..nodes)
            .map(|n| format!("p{n} p{}{}\n", n + 1, if n > 0 && n % 2 == 0 { " p0" } else { "" }))
            .collect();
        let text = format!("{head}{lines}p{nodes}\n");
        assert_eq!(text.len() > 1 << 20, nodes > 30);
        check(name, text, &Is(nodes + 1, u64::from(nodes + nodes / 2 - 1)));
    }
    let stamped_late = format!("#a b\n{}", &head[head.find("# GMT").unwrap_or(0)..]);
    check("a.adjlist", format!("{stamped_late}b c\nc\n"), &Is(2, 1));
    check("a.adjlist", "#a b\n# x GMT\nb c\nc\n", &Refused("begins a comment or is a label"));
}

const OTHERS: [(&str, &str, Right); 37] = [
    (
        "a.json",
        "{\"data\":[],\"directed\":false,\"elements\":{\"nodes\":[{\"data\":{\"id\":\"0\",\"value\":0,\"name\":\"0\"}},\
         {\"data\":{\"id\":\"1\",\"value\":1,\"name\":\"1\"}}],\"edges\":[{\"data\":{\"source\":0,\"target\":1}}]}}",
        Is(2, 1),
    ),
    ("a.net", "*Vertices 3\r1 \"p\"\r2 \"q\"\r3 \"r\"\r*Edges\r1 2\r2 3\r", Is(3, 2)),
    (
        "a.net",
        "### made by hand ###\n\n*Network \"N\"\n\n*Description \"d\"\n\n*Vertices 3\n1 \"5\"\n2 \"6\"\n3 \"7\"\n*Edges\n1 2\n2 3\n",
        Is(3, 2),
    ),
    (
        "a.net",
        "What this is\n\n*Vertices 3\n1 \"p\"\n2 \"q\"\n3 \"r\"\n*Arcslist\n1 2 3\n",
        Is(3, 2),
    ),
    (
        "a.net",
        "*Network \"N\"\n*Vertices\n1 \"p\"\n2 \"q\"\n3 \"r\"\n*Edges\n1 2 close\n2 3 far\n",
        Is(3, 2),
    ),
    ("a.net", "*Vertices 3\n*Arcslist\n1 -2 3\n", Is(3, 2)),
    ("a.cx", "[{\"numberVerification\":[{}]},{\"nodes\":[{\"@id\":1}]}]", Refused("CX")),
    (
        "a.json",
        "{\"options\":{\"type\":\"undirected\"},\"nodes\":[{\"key\":\"p\",\"attributes\":{}},{\"key\":\"q\"}],\"edges\":[{\"key\":\"k\",\"source\":\"p\",\"target\":\"q\"}]}",
        Is(2, 1),
    ),
    (
        "a.json",
        "{\"nodes\":[{\"id\":7},{\"id\":\"7\"},{\"id\":8}],\"links\":[{\"source\":7,\"target\":\"7\"},{\"source\":\"7\",\"target\":8}]}",
        Is(3, 2),
    ),
    (
        "a.json",
        "{\"nodes\":[{\"id\":1,\"x\":NaN,\"t\":\"a \\\" NaN\"},{\"id\":2}],\"links\":[{\"source\":1,\"target\":2,\"weight\":-Infinity}]}",
        Is(2, 1),
    ),
    (
        "a.json",
        "{\"elements\":{\"nodes\":[{\"data\":{\"id\":\"p\"}},{\"data\":{\"id\":\"q\"}}],\"edges\":[{\"data\":{\"id\":\"k\",\"source\":\"p\",\"target\":\"q\"}}]}}",
        Is(2, 1),
    ),
    (
        "a.json",
        "{\"elements\":[{\"data\":{\"id\":\"p\"}},{\"data\":{\"id\":\"q\"}},{\"data\":{\"id\":\"k\",\"source\":\"p\",\"target\":\"q\"}}]}",
        Is(2, 1),
    ),
    (
        "a.json",
        "{\"nodes\":[{\"id\":1,\"label\":\"p\"},{\"id\":2}],\"edges\":[{\"from\":1,\"to\":2}]}",
        Is(2, 1),
    ),
    (
        "a.json",
        "{\"graph\":{\"nodes\":{\"p\":{\"label\":\"P\"},\"q\":{}},\"edges\":[{\"source\":\"p\",\"target\":\"q\"}]}}",
        Is(2, 1),
    ),
    (
        "a.json",
        "{\"graphs\":[{\"nodes\":[{\"id\":\"p\"},{\"id\":\"q\"}],\"edges\":[{\"source\":\"p\",\"target\":\"q\"}]},{}]}",
        Is(2, 1),
    ),
    (
        "a.json",
        "{\"directed\":false,\"graph\":[],\"nodes\":[{\"id\":5},{\"id\":6}],\"adjacency\":[[{\"id\":6}],[{\"id\":5}]]}",
        Is(2, 1),
    ),
    (
        "a.json",
        "{\"type\":\"topology\",\"topology\":{\"m1\":[\"m2\"],\"m2\":[\"m1\",\"m3\"],\"m3\":[\"m2\"]}}",
        Is(3, 2),
    ),
    ("a.json", "{\"p\":{\"q\":{}},\"q\":{\"p\":{}}}", Is(2, 1)),
    (
        "a.json",
        "[\n {\"source\": \"p\", \"target\": \"q\"},\n {\"from\": \"q\", \"to\": \"r\"}\n]\n",
        Is(3, 2),
    ),
    ("a.json", "{\"dependencies\": {\"p\": \"1.0\", \"q\": \"2\"}}", Refused("JSON without")),
    (
        "a.graphml",
        "<graphml><graph edgedefault=\"undirected\"><node id=\"p\"><port name=\"1\"/></node><node id=\"q\"/><edge source=\"p\" target=\"q\" sourceport=\"1\"/></graph></graphml>",
        Is(2, 1),
    ),
    (
        "a.graphml",
        "<graphml><graph><node id=\"p\"/><node id=\"q\"/><hyperedge><endpoint node=\"p\"/><endpoint node=\"q\"/></hyperedge></graph></graphml>",
        Is(2, 1),
    ),
    (
        "a.graphml",
        "<graphml><graph><node id=\"g\"><graph><node id=\"g::p\"/><node id=\"g::q\"/></graph></node><edge source=\"g::p\" target=\"g::q\"/></graph></graphml>",
        Is(2, 1),
    ),
    (
        "a.graphml",
        "<graphml><graph><node id=\"p\"/></graph><graph><node id=\"q\"/></graph></graphml>",
        Is(1, 0),
    ),
    (
        "a.gexf",
        "<gexf version=\"1.3\"><graph defaultedgetype=\"directed\"><nodes><node id=\"0\" label=\"p\"/><node id=\"1\"/></nodes><edges><edge source=\"0\" target=\"1\"/></edges></graph></gexf>",
        Is(2, 1),
    ),
    (
        "a.xml",
        "<network xmlns=\"http://sndlib.zib.de/network\"><networkStructure><nodes><node id=\"P\"><coordinates><x>1</x><y>2</y></coordinates></node><node id=\"Q\"/></nodes><links><link id=\"L\"><source>P</source><target>Q</target></link></links></networkStructure></network>",
        Is(2, 1),
    ),
    ("a.g6", "Bw\n", Is(3, 3)),
    ("a.txt", ">>graph6<<DQc\n", Is(5, 4)),
    ("a.s6", ":Fa@x^\n", Refused("not connected")),
    ("a.d6", "&BP_\n", Is(3, 3)),
    (
        "a.mtx",
        "%%MatrixMarket matrix array real general\n3 3\n0\n1\n1\n1\n0\n1\n1\n1\n0\n",
        Is(3, 3),
    ),
    ("a.mtx", "%%MatrixMarket matrix array integer symmetric\n3 3\n0\n1\n0\n0\n1\n0\n", Is(3, 2)),
    ("a.mtx", "%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n", Is(3, 2)),
    (
        "a.gml",
        "graph [ node [ id 3 ] node [ id 4 ] edge [ source 3 target 4 ] ]\ngraph [ node [ id 8 ] ]\n",
        Is(2, 1),
    ),
    ("a.txt", "@startuml\nA -- B\n", Refused("PlantUML")),
    ("a.txt", "((x,y),z);\n", Refused("Newick")),
    ("a.yml", "links: [[x, y]]\n", Refused("YAML")),
];

#[test]
fn other_formats() {
    for (name, text, right) in &OTHERS {
        check(name, text, right);
    }
    let latin1 = b"<?xml version='1.0' encoding='ISO-8859-1'?><graphml><graph><node id='M\xE4laga'/></graph></graphml>";
    check("a.graphml", latin1, &Is(1, 0));
}

#[test]
fn packed_files_are_unpacked() {
    // `p q` and `q r` on two lines, packed by gzip, bzip2, xz and zstd.
    let packed: [&[u8]; 4] = [GZIP, BZIP2, XZ, ZSTD];
    for bytes in packed {
        check("a.edges.gz", bytes, &Is(3, 2));
        let cut = found("a.edges.gz", &bytes[..bytes.len() - 9], None);
        assert!(
            cut.as_ref().is_err_and(|error| error.starts_with("cannot read a.edges.gz")),
            "{cut:?}"
        );
    }
    let frames = [ZSTD, ZSTD].concat();
    assert_eq!(
        found("a.edges", frames, None),
        Ok((3, 2)),
        "both frames are read, which are parallel links"
    );
}
const GZIP: &[u8] = &[
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x2b, 0x50, 0x28, 0xe4, 0x2a, 0x54,
    0x28, 0xe2, 0x02, 0x00, 0xd3, 0xc2, 0x13, 0x9a, 0x08, 0x00, 0x00, 0x00,
];
const BZIP2: &[u8] = &[
    0x42, 0x5a, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x01, 0x90, 0x0a, 0xe9, 0x00, 0x00,
    0x02, 0x50, 0x80, 0x00, 0x10, 0x40, 0x00, 0x70, 0x00, 0x20, 0x00, 0x22, 0x1e, 0x8d, 0x06, 0x68,
    0x15, 0x2a, 0x18, 0x5d, 0xc9, 0x14, 0xe1, 0x42, 0x40, 0x06, 0x40, 0x2b, 0xa4,
];
const XZ: &[u8] = &[
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01,
    0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x07, 0x70, 0x20, 0x71, 0x0a, 0x71,
    0x20, 0x72, 0x0a, 0x00, 0x60, 0x52, 0x7e, 0xb4, 0x86, 0x26, 0x7f, 0xc1, 0x00, 0x01, 0x20, 0x08,
    0xbb, 0x19, 0xd9, 0xbb, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
];
const ZSTD: &[u8] = &[
    0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x41, 0x00, 0x00, 0x70, 0x20, 0x71, 0x0a, 0x71, 0x20, 0x72,
    0x0a, 0x94, 0xd7, 0xd1, 0xb1,
];

#[test]
fn options_choose_between_readings() {
    let inet = "3 2\n0 11 11\n1 12 12\n2 13 13\n0 1 7\n0 2 7\n";
    for (text, format, right) in [
        (inet, "counted-edge-list", (3, 2)),
        (inet, "edge-list", (7, 6)),
        ("u v\nv w\nw u\n", "edge-list,no-header", (3, 3)),
        ("u v\nv w\nw u\n", "edge-list,header", (3, 2)),
        ("0,p,q\n1,q,r\n", "edge-list,ends=2+3", (3, 2)),
        ("a b\n#a c\nc b\n", "edge-list,comments", (3, 2)),
        ("a b\n#a a\nc b\n", "edge-list,no-comments", (4, 3)),
        ("a b # one\nb c // two\n", "edge-list,comments", (3, 2)),
        ("5\" 6\"\n6\" 7\"\n", "edge-list,no-quotes", (3, 2)),
        ("a;b c\nb c;d\n", "edge-list,semicolons", (3, 2)),
        ("a a\na b\n", "edge-list,no-header", (2, 1)),
        ("a b\nc\nb c\n", "edge-list", (3, 2)),
        ("a b red\nb c blue\n", "edge-list", (3, 2)),
        ("a - b\n", "sif", (2, 1)),
    ] {
        assert_eq!(found("a.txt", text, Some(format)), Ok(right), "{format}: {text}");
    }
    let latin1 = found("a.txt", b"M\xE4laga b\n", Some("edge-list,encoding=latin1"));
    assert_eq!(latin1, Ok((2, 1)));
    for wrong in [
        "edge-list,points",
        "edge-list,ends=2",
        "edge-list,ends=2+2",
        "lists",
        "edge-list,encoding=x",
    ] {
        assert!(wrong.parse::<FileSyntax>().is_err(), "{wrong}");
    }
    for right in [
        "edge-list,tabs,header,ends=2+3",
        "adjacency-list,no-comments,no-quotes,encoding=windows-1252",
    ] {
        assert_eq!(right.parse::<FileSyntax>().unwrap().to_string(), right);
    }
}

#[test]
fn nothing_is_left_out_without_being_asked() {
    for (text, says) in [
        ("a b red\nb c blue\n", "edge-list takes the first two"),
        ("a b 1 2\nb c 1 2\n", "an edge list has two columns"),
        ("a a\na b\n", "a link from `a` to `a`"),
        ("a b\nc\nc a\n", "`c` stands alone"),
        ("a b\n#a c\nc b\n", "begins a comment or is a label"),
        ("#a b\nb c\n", "begins a comment or is a label"),
        ("a b # x\n", "begins a comment or is a label"),
        ("# a\na b\nb #\n", "begins a comment or is a label"),
        ("5\" 6\"\n\"6 7\n", "a quote is not closed"),
        ("\"a\"b c\n", "text behind a quote"),
        (
            "1 1 0\n1 0 1\n0 1 0\n",
            "from its node to itself (`1`): --topology-format adjacency-matrix",
        ),
        ("1 A\n2 B\n3 C\n#\n1 2\n2 3\n", "can be read in 2 ways"),
        ("0,1,2\n1,2,3\n2,3,4\n", "ends=2+3 gives 4 nodes"),
    ] {
        let error = found("a.txt", text, None).expect_err(text);
        assert!(error.contains(says), "{text}: {error}");
        assert!(error.contains("--topology-format"), "{error}");
    }
}

/// The files of a collection, where it is at hand, which says what is right.
#[test]
fn the_collection_is_read() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases");
    let Ok(table) = std::fs::read_to_string(format!("{folder}/README.md")) else {
        println!("skipped: there is no folder {folder}");
        return;
    };
    for row in table.lines().filter_map(|line| line.strip_prefix("| ")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [names, _, right, ..] = cells[..] else { continue };
        let pairs: Vec<(u32, u64)> = right
            .split(['(', ')'])
            .filter_map(|pair| pair.split_once(','))
            .filter_map(|(nodes, links)| Some((nodes.parse().ok()?, links.parse().ok()?)))
            .collect();
        let mut stem = String::new();
        for (at, name) in names.split(", ").enumerate() {
            let name = match name.strip_prefix('-') {
                Some(end) => format!("{stem}-{end}"),
                None => name.to_owned(),
            };
            stem = name.rsplit_once('-').map_or(String::new(), |(stem, _)| stem.to_owned());
            let path = format!("{folder}/networks/{name}");
            if !std::path::Path::new(&path).exists() {
                continue;
            }
            let net = read_file(&path, FileOptions::default());
            let net = net.map(|net| (net.nodes(), net.links())).map_err(|error| error.to_string());
            println!("{name}: {net:?}");
            match (net, pairs.get(at).or(pairs.last())) {
                (Ok(found), Some(right)) => assert_eq!(found, *right, "{name}"),
                (Err(error), right) => {
                    assert!(
                        right.is_none() || names.contains("inet") || cells[2].contains("by name"),
                        "{name}: {error}"
                    );
                }
                (Ok(found), None) => panic!("{name}: {found:?}"),
            }
        }
    }
}
