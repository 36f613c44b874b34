use super::*;

/// An agent that holds this identity after some meetings.
fn shows(initiated: u32, answered: u32, leader: u32, complete: bool) -> AgentSnapshot {
    let belief = Belief { leader, is_leader: false, complete, declared: false };
    AgentSnapshot { initiated, answered, refused: 0, belief, halted: false }
}

fn declares(initiated: u32, answered: u32) -> AgentSnapshot {
    let mut shows = shows(initiated, answered, 7, true);
    (shows.belief.declared, shows.belief.is_leader) = (true, true);
    shows
}

/// Agents 3 and 7 meet, 7 and 5, and 7 declares as it meets 3 again; 3 and then 5 are told.
fn record() -> MeetingRecord {
    let mut record = MeetingRecord::new(vec![3, 5, 7]);
    record.observe(0.1, 0, shows(1, 0, 7, false));
    record.observe(0.2, 2, shows(0, 1, 7, false));
    record.observe(0.3, 2, shows(1, 1, 7, false));
    record.observe(0.4, 1, shows(0, 1, 7, false));
    record.observe(0.5, 2, declares(2, 1));
    record.observe(0.6, 0, shows(1, 1, 7, true));
    record.observe(0.7, 0, shows(2, 1, 7, true));
    record.observe(0.8, 1, shows(0, 2, 7, true));
    record
}

#[test]
fn a_meeting_counts_when_its_initiator_applies_it() {
    let found = record().findings();
    assert_eq!((found.meetings, found.completed_at, found.told_at), (4, Some(2), Some(4)));
    let declared = found.declared.unwrap();
    assert_eq!((declared.id, declared.meetings, declared.own_meetings), (7, 3, 3));
    assert!(declared.right && (declared.seconds - 0.5).abs() < 1e-9);
    assert_eq!((found.leader, found.leaders, found.decided), (Some(7), 1, 3));
    assert_eq!(
        found.meetings_per_agent,
        Some(MeetingsPerAgent { min: 2, mean: 8.0 / 3.0, max: 3 })
    );
}

#[test]
fn a_declaration_before_all_agree_is_wrong() {
    let mut record = MeetingRecord::new(vec![3, 5, 7]);
    record.observe(0.1, 2, declares(1, 0));
    record.observe(0.2, 0, shows(0, 1, 7, true));
    let found = record.findings();
    assert!(!found.declared.unwrap().right);
    assert_eq!((found.leader, found.completed_at, found.told_at), (None, None, None));
}

#[test]
fn the_dead_hold_up_no_other() {
    let mut record = MeetingRecord::new(vec![3, 5, 7]);
    record.died(0.05, 1);
    record.observe(0.1, 0, shows(1, 0, 7, false));
    record.observe(0.3, 2, declares(1, 1));
    assert_eq!(record.decided(), (2, 1));
    assert!(record.agrees());
    record.observe(0.4, 0, shows(1, 1, 7, true));
    let found = record.findings();
    assert!(found.declared.unwrap().right);
    assert_eq!((found.died.as_slice(), found.told_at, found.decided), (&[5][..], Some(2), 2));
    // Before its death its identity counts.
    let mut later = MeetingRecord::new(vec![3, 5, 7]);
    later.observe(0.1, 2, declares(1, 1));
    later.died(0.2, 1);
    assert!(!later.findings().declared.unwrap().right);
}

#[test]
fn entries_are_put_in_order() {
    let mut entries = record().entries().to_vec();
    entries.reverse();
    let again = MeetingRecord::of(vec![3, 5, 7], entries);
    assert_eq!(again.findings(), record().findings());
}
