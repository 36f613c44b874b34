use super::*;

fn read_text(text: &str, separator: Separator) -> Result<Raw, Flaw> {
    read(text.as_bytes(), separator, Trust::Seen(3))
}

fn pairs(text: &str, separator: Separator) -> Vec<(String, String)> {
    let raw = read_text(text, separator).unwrap();
    let name = |node| raw.ids.names.get(node).to_owned();
    raw.links.iter().map(|&(a, b)| (name(a), name(b))).collect()
}

fn pair(a: &str, b: &str) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

#[test]
fn a_line_is_a_link_or_a_node() {
    let text = "# nodes\n% more\n1 2\n2\t3 0.5\r\n  3,1\n\n 4 , 1 {'weight': 2}\n5 # alone\n6 1";
    assert_eq!(
        pairs(text, Separator::Any),
        [pair("1", "2"), pair("2", "3"), pair("3", "1"), pair("4", "1"), pair("6", "1")]
    );
    let raw = read_text(text, Separator::Any).unwrap();
    assert_eq!((raw.weights, raw.columns, raw.header), (2, 0, None));
}

#[test]
fn headers_are_recognized() {
    let comma = Separator::Quoted(',');
    for header in ["Source,Target,Weight", "from_node,to-node,7", "x,y", "link,to"] {
        let text = format!("{header}\n2,1,5\n1,3,1\n3,4\n");
        let raw = read_text(&text, comma).unwrap();
        let names: Vec<_> = raw.ids.names.iter().collect();
        assert_eq!(names, ["2", "1", "3", "4"], "{header}");
        assert_eq!(raw.links, [(0, 1), (1, 2), (2, 3)]);
        assert_eq!((raw.header, raw.weights, raw.columns), (Some(1), 1, 0));
    }
    // Labels: one or both occur again.
    assert_eq!(read_text("source,target\ntarget,x\n", comma).unwrap().header, None);
    assert_eq!(read_text("u v\nv w\nw u\n", Separator::Any).unwrap().header, None);
    assert_eq!(read_text("source target\n", Separator::Any).unwrap().header, None);
}

#[test]
fn numbers_of_nodes_and_links_are_no_link() {
    let any = Separator::Any;
    // From 0 on, with as many links as nodes and more; from 1 on.
    for text in [
        "3 3\n0 1\n1 2\n2 0\n",
        "4 5\n0 1\n1 2\n2 3\n3 0\n0 2\n",
        "4 6\n1 2\n2 3\n3 1\n1 2\n1 4\n4 2\n",
    ] {
        assert_eq!(read_text(text, any).unwrap().header, Some(1), "{text}");
    }
    // A tree, or a ring; a path, or a longer one.
    for text in ["3 2\n2 1\n1 3\n", "3 4\n1 2\n2 3\n3 1\n1 2\n", "5 4\n4 3\n3 2\n2 1\n1 0\n"] {
        assert!(matches!(read_text(text, any), Err(Flaw::Syntax { .. })), "{text}");
        assert!(read(text.as_bytes(), any, Trust::Told).unwrap().header.is_none());
    }
}

#[test]
fn errors_name_the_line() {
    let error = |text, separator| match read_text(text, separator).unwrap_err() {
        Flaw::Syntax { at, .. } => at.line,
        fault => panic!("{fault:?}"),
    };
    assert_eq!(error("a,b\n\"c,d\n", Separator::Quoted(',')), 2);
    assert_eq!(error("a\tb\n\n\tb", Separator::Tab), 3);
    assert_eq!(error("1 2\n,,\n", Separator::Any), 2);
    assert_eq!(error("1 2\n2 3\n3 4 5 6\n", Separator::Any), 3);
}
