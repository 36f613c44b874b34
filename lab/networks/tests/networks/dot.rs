//! Networks from DOT.

use suffrage_networks::{FileError, FileOptions, Note, Topology, read_from};

fn read(text: &str) -> Result<Topology, FileError> {
    read_from(text.as_bytes(), "net.dot", FileOptions::default())
}

fn labels(net: &Topology) -> Vec<&str> {
    (0..net.nodes()).map(|node| net.label(node).expect("a name")).collect()
}

#[test]
fn nodes_edges_and_labels_are_read() {
    let net = read(
        r##"/* A
               network */
            strict GRAPH "the net" {
              # a comment
              layout = neato; rankdir = "LR"
              node [shape=box, label="all the same"]; edge [label=fibre]
              a [label="Aix\nen Provence"; pos="1,2"] // another comment
              b [label=<<b>bold</b>>]
              "c d" [label="\"\N\" \\ x"] [color=red]
              -1.5; .5
              a -- b:n -- "c d":port:sw [label="not a node", weight=3]
              b -- "-1." + "5" a -- .5
              übung -- a
            }"##,
    )
    .unwrap();
    assert_eq!(labels(&net), ["Aix en Provence", "b", "\"c d\" \\ x", "-1.5", ".5", "übung"]);
    assert_eq!((net.kind(), net.links(), net.notes()), ("tree", 5, &[Note::Weights(2)][..]));
}

#[test]
fn edges_join_all_nodes_of_subgraphs() {
    let net = read("graph { {a b} -- subgraph s { c; d -- e } -- f }").unwrap();
    assert_eq!(labels(&net), ["a", "b", "c", "d", "e", "f"]);
    // Two by three, three by one, and the one inside.
    assert_eq!(net.links(), 6 + 3 + 1);
    assert_eq!(read("graph { {x; x; x -- y} -- z }").unwrap().notes(), [], "a member counts once");
    assert_eq!(read("graph { { a -- { b } } c -- { { a } } }").unwrap().links(), 2);
}

#[test]
fn digraphs_are_taken_as_two_way() {
    let net = read("digraph { a -> b -> c; b->a }").unwrap();
    assert_eq!(net.links(), 2);
    assert_eq!(net.notes(), [Note::Directed(3), Note::ParallelLinks(1)]);
}

#[test]
fn quoted_keywords_are_names() {
    let net = read("graph { \"node\" -- \"graph\" -- nodes }").unwrap();
    assert_eq!(labels(&net), ["node", "graph", "nodes"]);
}

#[test]
fn a_long_quote_goes_on_in_the_next_line() {
    assert_eq!(labels(&read("graph { \"a\\\nb\\\r\nc\" }").unwrap()), ["abc"]);
}

#[test]
fn numbers_need_no_space_before_edges() {
    assert_eq!(labels(&read("graph{1--2--3.5--a_1}").unwrap()), ["1", "2", "3.5", "a_1"]);
    assert_eq!(labels(&read("digraph{1->-2}").unwrap()), ["1", "-2"]);
}

#[test]
fn errors_name_line_and_column() {
    let cases = [
        ("", "1:1: end of file found, expected `graph` or `digraph`"),
        ("grph { a }", "1:1: `grph` found, expected `graph` or `digraph`"),
        ("graph\n  x y { }", "2:5: `y` found, expected `{`"),
        ("graph { a -- b", "1:15: end of file found"),
        ("graph {\n a -> b }", "2:4: edges of a graph are written `--`"),
        ("digraph {\n a -- b }", "2:4: edges of a digraph are written `->`"),
        ("graph { a -- }", "1:14: `}` found, expected a node"),
        ("graph { a [label=] }", "1:18: `]` found, expected a name"),
        ("graph { a [label=b }", "1:20: `}` found, expected a name"),
        ("graph { \"a }", "1:9: this quote is not closed"),
        ("graph { a /* }", "1:11: this comment is not closed"),
        ("graph { <a<b> }", "1:9: this `<` is not closed"),
        ("graph { é & b }", "1:11: `&` has no meaning here"),
        ("graph { 1a }", "1:9: `1a` is neither a number nor a name"),
        ("graph { 1.2.3 }", "1:9: `1.2.3` is neither"),
        ("graph { \"a\" + b }", "1:15: a quoted text should follow `+`"),
        ("graph { a } graph { b }", "1:13: `graph` found, expected the end of the file"),
        ("graph { a ] }", "1:11: `]` found, expected a node"),
        ("graph { a = }", "1:13: `}` found, expected a name"),
    ];
    for (text, message) in cases {
        let said = read(text).expect_err(text).to_string();
        assert!(said.starts_with(&format!("net.dot:{message}")), "{text}: {said}");
    }
}

#[test]
fn deep_nesting_is_refused_before_the_stack_ends() {
    let deep = "graph ".to_owned() + &"{".repeat(1_000_000);
    let said = read(&deep).unwrap_err().to_string();
    assert!(said.contains("nested more than 200 deep"), "{said}");
    let fair = "graph ".to_owned() + &"{".repeat(200) + "a" + &"}".repeat(200);
    assert_eq!(read(&fair).unwrap().nodes(), 1);
}

/// Products of subgraphs are the one place where a short text has many links.
#[test]
fn subgraphs_that_make_too_many_links_are_refused() {
    let names: String = (0..20_000).map(|i| format!("n{i} ")).collect();
    let said = read(&format!("graph {{ {{ {names} }} -- {{ {names} }} }}")).unwrap_err();
    assert!(said.to_string().contains("the limit for a stored network is 8 GiB"), "{said}");
}
