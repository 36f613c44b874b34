use super::*;

#[test]
fn the_word_of_a_guard_is_a_message() {
    let said = serde_json::from_str(RELEASE).unwrap();
    assert!(matches!(said, ClientMessage::Release { to: None }));
    assert!(RELEASE.ends_with('\n'));
}

fn report(leader: Option<&str>, term: Option<u64>) -> OfficeReport {
    OfficeReport {
        office: "db".to_owned(),
        leader: leader.map(str::to_owned),
        term,
        value: None,
        change: None,
        since: Some("2026-11-24T12:00:02.000Z".to_owned()),
        staleness_ms: 20,
        here: false,
        command: None,
        valid_for_ms: None,
    }
}

/// Merges the reports of other members into ours. Each took 9 ms.
fn merged(ours: OfficeReport, others: &[OfficeReport]) -> OfficeReport {
    let mut known = BTreeMap::from([(ours.office.clone(), ours)]);
    for other in others {
        merge(&mut known, other.clone(), Duration::from_millis(9));
    }
    known.remove("db").unwrap()
}

#[test]
fn a_greater_term_and_a_leader_are_better_known_than_none() {
    let (none, old, new) =
        (report(None, None), report(Some("a"), Some(7)), report(Some("b"), Some(8)));
    let told = |ours: &OfficeReport, others: &[OfficeReport]| merged(ours.clone(), others).leader;
    assert_eq!(told(&none, std::slice::from_ref(&old)).as_deref(), Some("a"));
    assert_eq!(told(&old, &[none.clone(), new.clone()]).as_deref(), Some("b"));
    assert_eq!(told(&new, &[old.clone(), none]).as_deref(), Some("b"));
    assert_eq!(told(&report(None, Some(7)), &[old]).as_deref(), Some("a"));
    assert_eq!(told(&report(Some("a"), Some(7)), &[report(None, Some(8))]), None);
}

#[test]
fn the_leader_tells_for_how_long_it_leads_less_the_time_of_the_answer() {
    let mut leader = report(Some("a"), Some(7));
    (leader.here, leader.valid_for_ms, leader.staleness_ms) = (true, Some(210), 0);
    let told = merged(report(Some("a"), Some(7)), std::slice::from_ref(&leader));
    assert_eq!((told.here, told.valid_for_ms, told.staleness_ms), (false, Some(200), 10));
    leader.valid_for_ms = Some(10);
    assert_eq!(merged(report(None, None), std::slice::from_ref(&leader)).valid_for_ms, None);
    // What it knows itself is as it was.
    assert!(merged(leader, &[report(Some("a"), Some(7))]).here);
}

#[test]
fn who_has_noticed_first_tells_since_when() {
    let mut earlier = report(Some("a"), Some(7));
    earlier.since = Some("2026-11-24T12:00:01.500Z".to_owned());
    let since = |ours, other| merged(ours, &[other]).since.unwrap();
    assert!(since(report(Some("a"), Some(7)), earlier.clone()).contains(":01.500"));
    assert!(since(earlier.clone(), report(Some("a"), Some(7))).contains(":01.500"));
    assert!(since(earlier, report(Some("b"), Some(8))).contains(":02.000"));
}

#[test]
fn the_newest_value_of_a_leader_is_told_whoever_knows_it() {
    let with = |value: Option<&str>, change| OfficeReport {
        value: value.map(str::to_owned),
        change,
        ..report(Some("a"), Some(7))
    };
    let told = |ours: &OfficeReport, other: &OfficeReport| {
        let told = merged(ours.clone(), std::slice::from_ref(other));
        (told.value, told.change)
    };
    let (unknown, old, new) =
        (with(None, None), with(Some("old"), Some(1)), with(Some("new"), Some(2)));
    for (ours, other) in [(&old, &new), (&new, &old), (&unknown, &new), (&new, &unknown)] {
        assert_eq!(told(ours, other), (Some("new".to_owned()), Some(2)));
    }
    let next = report(Some("b"), Some(8));
    assert_eq!(told(&new, &next), (None, None), "of an earlier leader");
    assert_eq!(told(&next, &new), (None, None), "of an earlier leader");
}
