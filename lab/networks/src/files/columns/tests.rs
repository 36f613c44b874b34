use super::*;

fn columns(separator: Separator, line: &str) -> Vec<String> {
    separator.columns(line, 1).unwrap().iter().map(ToString::to_string).collect()
}

#[test]
fn words_are_separated_by_white_space_or_commas() {
    assert_eq!(columns(Separator::Any, " 4 , 1\t0.5,x # y"), ["4", "1", "0.5", "x"]);
    assert_eq!(columns(Separator::Any, "1 2 {'weight': 3, 'x': 4}")[2], "{'weight': 3, 'x': 4}");
}

#[test]
fn separated_values_may_contain_white_space_and_quotes() {
    let comma = Separator::Quoted(',');
    assert_eq!(columns(comma, "New York, Los Angeles,5,,"), ["New York", "Los Angeles", "5"]);
    assert_eq!(columns(comma, r#""Washington, D.C.","a ""b""""#), ["Washington, D.C.", r#"a "b""#]);
    assert_eq!(columns(Separator::Quoted(';'), "a,b;c"), ["a,b", "c"]);
    assert_eq!(columns(Separator::Tab, "New York\tLos Angeles"), ["New York", "Los Angeles"]);
    assert!(matches!(comma.columns("\"c,d", 7), Err(Flaw::Syntax { at, .. }) if at.line == 7));
}
