use super::*;
use crate::control::CommandReport;

#[test]
fn a_table_says_that_there_is_no_leader_and_how_old_that_is() {
    let office = |leader: Option<&str>, here| OfficeReport {
        office: "db".to_owned(),
        leader: leader.map(str::to_owned),
        term: Some(7),
        value: None,
        change: None,
        since: None,
        staleness_ms: 40,
        here,
        valid_for_ms: here.then_some(210),
        command: here.then(|| CommandReport {
            running: false,
            since: "12:03".to_owned(),
            why: Some("it has ended with exit code 3".to_owned()),
        }),
    };
    let text = table(&[office(None, false), office(Some("host-a"), true)]);
    assert_eq!(
        text,
        "office  leader  term  since  valid for  heard      command\n\
         db      (none)  7     -      -          40 ms ago  -\n\
         db      host-a  7     -      210 ms     here       DOES NOT RUN since 12:03: it has ended with exit code 3\n"
    );
}

#[test]
fn a_table_has_the_values_of_leaders_if_there_are_any_and_cuts_long_ones() {
    let office = |value: &str| OfficeReport {
        office: "db".to_owned(),
        leader: Some("host-a".to_owned()),
        term: Some(7),
        value: Some(value.to_owned()),
        change: Some(1),
        since: None,
        staleness_ms: 40,
        here: false,
        valid_for_ms: None,
        command: None,
    };
    let long = "é".repeat(LONGEST_SHOWN + 1);
    let text = table(&[office("http://10.0.0.2"), office(&long)]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with("command  value"), "{text}");
    assert!(lines[1].ends_with("-        http://10.0.0.2"), "{text}");
    assert!(lines[2].ends_with(&format!("-        {}..", &long[2..])), "{text}");
}
