use super::*;

#[test]
fn every_name_is_a_timeout_of_its_own() {
    let mut timeouts = Timeouts::default();
    for (seconds, name) in (100..).zip(Timeouts::names()) {
        *timeouts.named(name).unwrap() = Duration::from_secs(seconds);
    }
    for (seconds, name) in (100..).zip(Timeouts::names()) {
        assert_eq!(*timeouts.named(name).unwrap(), Duration::from_secs(seconds), "{name}");
    }
    assert_eq!(timeouts.named("patience"), None);
}

#[test]
fn contradictions_are_refused_by_name() {
    assert_eq!(Timeouts::default().check(), Ok(()));
    for name in Timeouts::names() {
        let mut timeouts = Timeouts::default();
        *timeouts.named(name).unwrap() = Duration::ZERO;
        assert_eq!(timeouts.check(), Err(TimeoutsError::Zero(name)));
        *timeouts.named(name).unwrap() = Timeouts::LONGEST + Duration::from_nanos(1);
        assert_eq!(timeouts.check(), Err(TimeoutsError::TooLong(name)));
    }
    let second = Duration::from_secs(1);
    let silent = Timeouts { silence: second, heartbeat: second, ..Timeouts::default() };
    let wrong = TimeoutsError::Order { name: "heartbeat", than: "silence" };
    assert_eq!(silent.check(), Err(wrong));
    let gone = Timeouts { abandon: second, ..Timeouts::default() };
    assert_eq!(gone.check().unwrap_err().name(), "gone");
}
