use super::*;
use FileFormat::{AdjacencyList, AdjacencyMatrix, EdgeList, Metis, MultilineAdjacencyList};

#[track_caller]
fn assert_is(text: &str, format: FileFormat) {
    match recognize(text, true, Separator::Any).unwrap() {
        FormatVerdict::Is(found, _) => assert_eq!(found, format, "{text}"),
        verdict => panic!("{verdict:?}: {text}"),
    }
}

#[track_caller]
fn assert_doubtful(text: &str, line: u64) {
    let found = recognize(text, true, Separator::Any).unwrap();
    assert_eq!(found, FormatVerdict::Either(EdgeList, AdjacencyList, line), "{text}");
}

#[test]
fn edge_lists() {
    assert_is("1 2\n2 3\n3 1\n", EdgeList);
    assert_is("0 1 5\n1 2 7\n2 3 4\n", EdgeList);
    assert_is("0 1 {}\n1 2 {}\n2 0 {}\n", EdgeList);
    assert_is("Praha Brno\nBrno Ostrava 155 km\nPraha Ostrava\n", EdgeList);
    assert_is("1 2 1 1082040961\n3 4 1 1082155839\n5 2 1 1082414391\n5 1 1 1082414392\n", EdgeList);
    assert_is("Source Target Type Weight\n1 2 Directed 3\n2 3 Directed 4\n", EdgeList);
    assert_is("1 2 1\n2 3 1\n3 1 1\n", EdgeList);
}

#[test]
fn adjacency_lists() {
    assert_is("0 1 2 3\n1 2 3\n2 3\n3\n", AdjacencyList);
    assert_is("a b c\nb c\nc\n", AdjacencyList);
    assert_is("#x.py\n# GMT Mon Jan  1 00:00:00 2024\n# \n0 1 2\n1 2\n2\n", AdjacencyList);
    assert_is("# GMT Mon Jan  1 00:00:00 2024\n0 2\n1\n2\n1 1\n2\n2 0\n", MultilineAdjacencyList);
    assert_is("0 2\n1 {}\n2 {}\n1 1\n2 {}\n2 0\n", MultilineAdjacencyList);
}

#[test]
fn matrices() {
    assert_is("0 1 1\n1 0 1\n1 1 0\n", AdjacencyMatrix);
    assert_is("0 1 0 1\n1 0 1 0\n0 1 0 1\n1 0 1 0\n", AdjacencyMatrix);
    assert_is("0,0.5,0,1\n0.5,0,1,0\n0,1,0,1\n1,0,1,0\n", AdjacencyMatrix);
    assert_is("0 1 0 1\n1 0 1 0\n0 1 0 1\n", AdjacencyMatrix);
    assert_is("a b c\na 0 1 1\nb 1 0 1\nc 1 1 0\n", AdjacencyMatrix);
}

#[test]
fn metis_graphs() {
    assert_is("3 2\n2\n1 3\n2\n", Metis);
    assert_is("3 3\n2 3\n1 3\n1 2\n", Metis);
    // One node without links, or a link between the nodes 1 and 0.
    let verdict = |text| recognize(text, true, Separator::Any).unwrap();
    assert_eq!(verdict("1 0\n\n"), FormatVerdict::Either(EdgeList, Metis, 1));
    assert_eq!(verdict("% a comment\n3 0\n\n\n\n"), FormatVerdict::Either(EdgeList, Metis, 2));
    assert_is("1 0\n", EdgeList);
}

#[test]
fn what_can_be_two_formats_is_neither() {
    // Weights or neighbours.
    assert_doubtful("1 2 3\n2 3 1\n3 1 2\n", 1);
    assert_doubtful("0 3\n1 2 4\n", 2);
    assert_doubtful("1 2 3 4\n2 5 6 7\n", 1);
    assert_doubtful("0 1 2 3\n0 4\n1 4\n", 1);
}
