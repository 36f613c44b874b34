use super::*;

fn columns(separator: Separator, line: &str) -> Vec<String> {
    let columns = Columns::new(&FileSyntax::of(FileFormat::EdgeList), separator);
    match columns.line(line, 7) {
        Ok(Line::Row(found)) => found.iter().map(ToString::to_string).collect(),
        Ok(Line::Open) => vec!["open".to_owned()],
        Ok(Line::Comment) => vec!["comment".to_owned()],
        Ok(_) => vec!["other".to_owned()],
        Err(Flaw::Syntax { at, .. }) => vec![format!("fault in {}", at.line)],
        Err(flaw) => panic!("{flaw:?}"),
    }
}

#[test]
fn blanks_separate_words_and_quoted_texts() {
    let blanks = |line| columns(Separator::Blanks, line);
    assert_eq!(blanks(" 4  1\t0.5,x\r\n"), ["4", "1", "0.5,x"]);
    assert_eq!(blanks("1 2 {'weight': 3, 'x': 4}\n")[2], "{'weight': 3, 'x': 4}");
    assert_eq!(blanks("\"New York\" \"a \"\"b\"\"\""), ["New York", "a \"b\""]);
    assert_eq!(blanks("\"New York\"x y"), ["fault in 7"]);
    assert_eq!(blanks("a # b"), ["fault in 7"]);
}

#[test]
fn separated_values_may_contain_white_space_and_quotes() {
    let commas = |line| columns(Separator::Commas, line);
    assert_eq!(commas("New York, Los Angeles ,5,,"), ["New York", "Los Angeles", "5", "", ""]);
    assert_eq!(commas(r#""Washington, D.C." , "a ""b""""#), ["Washington, D.C.", r#"a "b""#]);
    assert_eq!(commas("\"c,d"), ["open"]);
    assert_eq!(commas("a\tb,c"), ["fault in 7"]);
    assert_eq!(columns(Separator::Semicolons, "a,b;c"), ["a,b", "c"]);
    assert_eq!(columns(Separator::Tabs, "New York\tLos Angeles"), ["New York", "Los Angeles"]);
}

#[test]
fn comments_begin_with_a_sign_alone() {
    for line in ["# a b", "#", "## a", "% a b", "// a", "#!/bin/sh"] {
        let found = columns(Separator::Blanks, line);
        assert!(
            found == ["comment"] || line == "#!/bin/sh" && found == ["other"],
            "{line}: {found:?}"
        );
    }
    assert_eq!(columns(Separator::Blanks, "#a b"), ["other"]);
}
