//! Files that are cut off, count wrongly, or name huge numbers: an error with its line, at once and
//! without much memory.

use super::read;
use suffrage_networks::FileFormat;

#[test]
fn errors_name_the_line_and_the_reason() {
    let cases: [(&str, &str, u64, &str); 58] = [
        ("a.graph", "3 2\n2\n1 3\n", 1, "3 nodes declared, and 2 lines below"),
        ("a.graph", "3 3\n2\n1 3\n2\n", 1, "3 links declared, and 2 below"),
        ("a.graph", "% c\n3 2\n2\n1 3\n2\n1\n", 6, "line 2 says 3 nodes"),
        ("a.graph", "3 2\n2\n1 3\n\n", 3, "node 2 lists node 3, which does not list 2"),
        ("a.graph", "3 2\n\n1 3\n2\n", 3, "node 2 lists node 1, which does not list 2"),
        ("a.graph", "3 2\n2\n1 4\n2\n", 3, "node 4: the nodes are numbered 1 to 3"),
        ("a.graph", "3 2\n2\n1 0\n2\n", 3, "node 0"),
        ("a.graph", "3 2\n1\n1 3\n2\n", 2, "lists itself"),
        ("a.graph", "3 2\n2\n1 x\n2\n", 3, "`x` is no number of a node"),
        ("a.graph", "3\n2\n", 1, "`NODES LINKS"),
        ("a.graph", "3 2 7\n2\n1 3\n2\n", 1, "three digits"),
        ("a.graph", "3 2 1\n2 5\n1 5 3\n2 5\n", 3, "has no weight"),
        ("a.graph", "2 1 10 3\n1 1 1 2\n1 1\n", 3, "begin with 3 weights"),
        ("a.graph", "2 1 10 18446744073709551615\n1 2\n", 1, "2 nodes declared"),
        ("a.graph", "4294967295 1\n2\n1\n", 1, "4,294,967,295 nodes declared"),
        ("a.graph", "99999999999999999999 1\n2\n1\n", 1, "too large"),
        ("a.col", "p edge 3 2\ne 1 2\n", 1, "2 links declared, and 1 below"),
        ("a.col", "p edge 3 2\ne 1 2\ne 2 4\n", 3, "node 4"),
        ("a.col", "p edge 3 2\ne 1\n", 2, "two ends"),
        ("a.col", "c x\ne 1 2\n", 2, "should come first"),
        ("a.col", "p edge 3 2\np edge 3 2\n", 2, "the first is line 1"),
        ("a.col", "p edge 3 2\nq 1 2\n", 2, "`q`"),
        ("a.col", "p edge 3\n", 1, "`p PROBLEM NODES LINKS`"),
        ("a.col", "p edge 4294967294 0\n", 1, "too short"),
        ("a.col", "p edge 2 18446744073709551615\ne 1 2\n", 1, "18,446,744,073,709,551,615 links"),
        ("a.col", "p edge -3 2\n", 1, "`-3` is no number of nodes"),
        ("a.net", "*Vertices 3\n*Edges\n1 4\n", 3, "node 4"),
        ("a.net", "*Vertices 3\n*Edges\n1\n", 3, "two ends"),
        ("a.net", "*Vertices 3\n1 \"a\n", 2, "quote"),
        ("a.net", "*Vertices 3\n1 a\n1 b\n", 3, "already in line 2"),
        ("a.net", "*Vertices 4294967295\n", 1, "too short"),
        ("a.net", "*Vertices x\n", 1, "`x`"),
        ("a.net", "*Edges\n1 2\n", 1, "should come first"),
        ("a.net", "*Vertices 2\n*Vertices 2\n", 2, "the first is in line 1"),
        ("a.net", "*Vertices 2\n*Matrix\n0 1\n1\n", 2, "3 numbers"),
        ("a.net", "*Vertices 2\n*Matrix\n0 1\n1 0 1\n", 4, "more than 2 rows"),
        ("a.net", "*Vertices 2\n*Matrix\n0 y\n", 3, "`y`"),
        ("a.net", "*Network x\n", 1, "ends without"),
        (
            "a.gml",
            "graph [\nnode [ id 1 ]\nedge [ source 1 target 2 ]\n]",
            3,
            "node `2` that is not declared",
        ),
        ("a.gml", "graph [\nnode [ id 1 ]\nnode [ id 1 ] ]", 3, "already declared in line 2"),
        ("a.gml", "graph [\nnode [ label 1 ] ]", 2, "no id"),
        ("a.gml", "graph [\nnode [ id 1 ]\nedge [ source 1 ] ]", 3, "no source or no target"),
        ("a.gml", "graph [\nnode [ id 1 ]\n", 3, "begins in line 1"),
        ("a.gml", "graph [ x [\n[ ]", 2, "the file ends inside"),
        ("a.gml", "graph [\n\"id\" 1 ]", 2, "expected a key"),
        ("a.gml", "graph [ id\n]", 2, "expected a value of `id`"),
        ("a.gml", "graph [ label\n\"x", 2, "not closed"),
        ("a.gml", "graph [ \n&", 2, "`&`"),
        (
            "a.json",
            "{\"nodes\":[{\"id\":1}],\n\"links\":[{\"source\":1,\n\"target\":2}]}",
            2,
            "node 2 that is not there",
        ),
        (
            "a.json",
            "{\"nodes\":[\n{\"id\":1},\n{\"id\":1}],\"links\":[]}",
            3,
            "a second node has the id 1",
        ),
        ("a.json", "{\"nodes\":[{\"id\":1},\n{}],\"links\":[]}", 2, "some have none"),
        ("a.json", "{\"nodes\":[{\"id\":1,\n\"id\":2}],\"links\":[]}", 2, "`id` is there twice"),
        ("a.json", "{\"nodes\":[1],\"links\":[]}", 1, "an object"),
        ("a.json", "{\"nodes\":[{\"id\":null}],\"links\":[]}", 1, "a number or a text"),
        ("a.json", "{\"nodes\":[{\"id\":1}],\"links\":[{\"source\":1}]}", 1, "no `target`"),
        ("a.json", "{\"nodes\":[\n{\"id\":1}", 2, "EOF"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 1\n1 2 1\n", 2, "not square"),
        (
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 1\n",
            2,
            "2 entries are announced",
        ),
    ];
    for (name, text, line, what) in cases {
        let said = read(text, name, None).map(|_| ()).expect_err(text).to_string();
        assert!(said.starts_with(&format!("{name}:{line}:")), "{text}: {said}");
        assert!(said.contains(what), "{text}: {said}");
    }
    let cases: [(FileFormat, &str, u64, &str); 11] = [
        (FileFormat::AdjacencyMatrix, "0 1 1\n1 0 1\n", 1, "a matrix of 2 rows and 3 columns"),
        (FileFormat::AdjacencyMatrix, "0 1\n1 x\n", 2, "`x` is no number"),
        (FileFormat::AdjacencyMatrix, "a b\na 0 1\nc 1 0\n", 3, "label `b`"),
        (FileFormat::AdjacencyMatrix, "a a\na 0 1\na 1 0\n", 1, "stands twice"),
        (FileFormat::AdjacencyMatrix, "a b\na 0 1\n", 1, "a matrix of 1 row and 2 columns"),
        (FileFormat::MultilineAdjacencyList, "a 2\nb\n", 1, "1 neighbours too early"),
        (FileFormat::MultilineAdjacencyList, "a 99999999999999999999\nb\n", 1, "too large"),
        (FileFormat::MultilineAdjacencyList, "a x\n", 1, "`x`"),
        (FileFormat::MultilineAdjacencyList, "a\n", 1, "no number of neighbours"),
        (FileFormat::AdjacencyList, "a,b\n,c\n", 2, "a label of this line is empty"),
        (
            FileFormat::MatrixMarket,
            "%%MatrixMarket matrix array real general\n2 2\n",
            2,
            "4 entries are announced",
        ),
    ];
    for (format, text, line, what) in cases {
        let said = read(text, "a", Some(format)).map(|_| ()).expect_err(text).to_string();
        assert!(said.starts_with(&format!("a:{line}:")) && said.contains(what), "{text}: {said}");
    }
}

/// Depth costs no stack.
#[test]
fn deep_nesting_is_no_danger() {
    let deep = format!("graph [ {}", "x [ ".repeat(200_000));
    assert!(read(&deep, "a.gml", None).is_err());
    let deep = format!("{{\"nodes\": {}", "[".repeat(200_000));
    assert!(read(&deep, "a.json", None).is_err());
}

/// Wherever a file is cut, there is a network or a message, and no format becomes another one.
#[test]
fn cut_files_are_refused_or_read() {
    let whole = [
        (
            "a.gml",
            "graph [\n  node [ id 1 label \"a b\" ]\n  node [ id 2 ]\n  edge [ source 1 target 2 ]\n]",
        ),
        (
            "a.json",
            "{\"nodes\": [{\"id\": \"a\"}, {\"id\": \"b\"}],\n\"links\": [{\"source\": \"a\", \"target\": \"b\"}]}",
        ),
        ("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 1.5"),
        ("a.col", "c x\np edge 11 1\ne 1 2"),
        ("a.graph", "2 1\n2\n1"),
        ("a.net", "*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2"),
    ];
    for (name, text) in whole {
        for end in 1..text.len() {
            if let Err(error) = read(&text[..end], name, None) {
                assert!(error.to_string().starts_with(name), "{error}");
            } else {
                // One node without links is a network, and so is a link without its weight.
                assert!(matches!(name, "a.graph" | "a.net" | "a.mtx"), "{}", &text[..end]);
            }
        }
    }
}
