use super::*;

#[test]
fn changes_are_kept_and_repetitions_are_not() {
    let history = LeaderHistory::default();
    for (leader, term) in
        [(None, None), (Some("a"), Some(1)), (Some("a"), Some(1)), (None, Some(1))]
    {
        history.note("office", leader.map(str::to_owned), term);
    }
    let seen: Vec<_> = history.of("office").into_iter().map(|change| change.term).collect();
    assert_eq!(seen, [None, Some(1), Some(1)]);
    assert_eq!(history.of("other"), []);
}

#[test]
fn offices_that_are_not_followed_make_room() {
    let mut pages = Pages::default();
    assert!(pages.begin("first") && !pages.begin("first"), "once");
    for number in 1..OFFICES {
        assert!(pages.begin(&number.to_string()));
    }
    assert!(!pages.begin("one more") && pages.changes.len() == OFFICES);
    pages.followed.remove("7");
    assert!(pages.begin("one more"));
    assert!(!pages.changes.contains_key("7") && pages.changes.contains_key("first"));
    pages.followed.remove("first");
    assert!(pages.begin("first"), "again");
}

#[test]
fn old_changes_make_room() {
    let history = LeaderHistory::default();
    for term in 0..KEPT as u64 + 10 {
        history.note("office", None, Some(term));
    }
    let kept = history.of("office");
    assert_eq!((kept.len(), kept[0].term), (KEPT, Some(10)));
}

#[test]
fn nobody_is_told_an_older_value_after_a_newer_one() {
    let history = LeaderHistory::default();
    let told = |term, value: Option<&str>, change| {
        let mut report = OfficeReport {
            office: "db".to_owned(),
            leader: Some("a".to_owned()),
            term: Some(term),
            value: value.map(str::to_owned),
            change,
            since: None,
            staleness_ms: 0,
            here: false,
            valid_for_ms: None,
            command: None,
        };
        history.keep_newest(&mut report);
        (report.value, report.change)
    };
    let is = |value: Option<&str>, change| (value.map(str::to_owned), change);
    assert_eq!(told(7, None, None), is(None, None));
    assert_eq!(told(7, Some("new"), Some(2)), is(Some("new"), Some(2)));
    assert_eq!(told(7, Some("old"), Some(1)), is(Some("new"), Some(2)));
    assert_eq!(told(7, None, None), is(Some("new"), Some(2)), "it has restarted");
    assert_eq!(told(7, None, Some(3)), is(None, Some(3)), "taken back");
    assert_eq!(told(8, None, None), is(None, None), "the next leader");
    assert_eq!(told(8, Some("b"), Some(1)), is(Some("b"), Some(1)));
    assert_eq!(told(7, Some("late"), Some(4)), is(None, None), "of an earlier leader");
}
