use super::*;

#[test]
fn a_new_alarm_takes_the_place_of_the_old_one() {
    let mut timers = Timers::new(&Wakes::At(vec![]), 3, false);
    timers.set_alarm(1, 10);
    timers.set_alarm(1, 4);
    assert_eq!(timers.next_tick(), 4);
    assert_eq!(timers.pop(4), Some(DueTimer::Alarm(1)));
    assert_eq!(timers.next_tick(), NEVER);
}

#[test]
fn what_is_due_comes_by_tick_and_wakes_before_alarms() {
    let mut timers = Timers::new(&Wakes::At(vec![(5, 2), (0, 1), (5, 0)]), 3, false);
    timers.set_alarm(0, 5);
    assert_eq!(timers.pop(0), Some(DueTimer::Wake(1)));
    assert_eq!(timers.pop(0), None);
    let at_five: Vec<_> = std::iter::from_fn(|| timers.pop(5)).collect();
    assert_eq!(at_five, [DueTimer::Wake(0), DueTimer::Wake(2), DueTimer::Alarm(0)]);
}

#[test]
fn when_all_wake_at_once_nothing_is_stored() {
    let mut timers = Timers::new(&Wakes::All, 3, false);
    assert_eq!(timers.next_tick(), 0);
    let order: Vec<_> = std::iter::from_fn(|| timers.pop(0)).collect();
    assert_eq!(order, [DueTimer::Wake(0), DueTimer::Wake(1), DueTimer::Wake(2)]);
}

#[test]
fn in_rounds_the_alarms_of_a_tick_come_after_its_messages() {
    for rounds in [false, true] {
        let mut timers = Timers::new(&Wakes::At(vec![(5, 2)]), 3, rounds);
        timers.set_alarm(0, 5);
        assert!(!timers.precede(4) && timers.precede(5), "the wake-up comes first");
        assert_eq!(timers.pop(5), Some(DueTimer::Wake(2)));
        assert_eq!(timers.precede(5), !rounds);
        assert!(timers.precede(6));
    }
}
