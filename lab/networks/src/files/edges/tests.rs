use super::*;
use crate::format::{FileFormat, Separator};

fn read_text(text: &str, options: &str, trust: Trust) -> Result<Raw, Flaw> {
    let syntax: FileSyntax = format!("edge-list{options}").parse().expect("a syntax");
    let columns = Columns::new(&syntax, syntax.separator.unwrap_or(Separator::Blanks));
    read(text.as_bytes(), &columns, &syntax, trust)
}

fn names(raw: &Raw) -> Vec<[&str; 2]> {
    raw.links.iter().map(|&(a, b)| [a, b].map(|node| raw.ids.names.get(node))).collect()
}

#[test]
fn a_row_is_a_link_or_a_node() {
    let text = "# nodes\n% more\n1 2\n2\t3 0.5\r\n  3 1\n\n 4 1 {'weight': 2}\n5\n6 1 red";
    let raw = read_text(text, "", Trust::Told).unwrap();
    assert_eq!(names(&raw), [["1", "2"], ["2", "3"], ["3", "1"], ["4", "1"], ["6", "1"]]);
    assert_eq!((raw.weights, raw.columns, raw.comments, raw.ids.names.len()), (2, 1, 2, 6));
}

#[test]
fn a_header_says_where_ends_and_weights_are() {
    for (header, row) in [
        ("Source,Target,Weight", "a,b,5"),
        ("from_node,to-node,x,cost", "a,b,9,5"),
        ("id,weight,source,target", "0,5,a,b"),
        ("target,source,length,", "b,a,5"),
    ] {
        let raw =
            read_text(&format!("{header}\n{row}\n"), ",commas,header", Trust::Guessed).unwrap();
        assert_eq!(
            (names(&raw), raw.weights, raw.header),
            (vec![["a", "b"]], 1, Some(1)),
            "{header}"
        );
    }
    let wide = read_text("u,v\na,b,c\n", ",commas,header", Trust::Guessed).unwrap_err();
    assert!(read_text("u,v\na,b,c\n", ",commas,header", Trust::Told).is_ok());
    assert!(matches!(wide, Flaw::Syntax { what, .. } if what.contains("3 columns below a header")));
}

#[test]
fn a_row_that_counts_the_others_is_refused() {
    for (first, nodes, links, refused) in [
        (["5", "4"], 5, 5, true),
        (["5", "4"], 7, 5, true),
        (["5", "4"], 8, 5, false),
        // The numbers of links and nodes: only where the first is larger.
        (["5", "4"], 6, 6, true),
        (["5", "4"], 7, 6, false),
        (["4", "5"], 5, 5, false),
        (["a", "4"], 5, 5, false),
    ] {
        let row = Row { line: 1, columns: first.map(Cow::from).to_vec() };
        let counts = Counts::of(&row);
        assert_eq!(counts.is_some_and(|counts| counts.refuse(nodes, links).is_err()), refused);
    }
    let syntax = FileSyntax::of(FileFormat::CountedEdgeList);
    let rows =
        [["3", "1"], ["0", "1"]].map(|row| Row { line: 1, columns: row.map(Cow::from).to_vec() });
    assert!(read_counted(&rows, &syntax, Trust::Told).is_err());
}
