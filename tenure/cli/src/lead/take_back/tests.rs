use super::*;

const AFTER: Duration = Duration::from_secs(4);

#[test]
fn a_host_whose_command_does_not_last_takes_its_office_back_less_and_less_often() {
    let mut take_back = TakeBack::new(Some(AFTER));
    let waits: Vec<_> = (0..4)
        .map(|_| {
            let wait = take_back.after().unwrap();
            take_back.won(true);
            take_back.failed("db");
            wait.as_secs()
        })
        .collect();
    assert_eq!(waits, [4, 8, 16, 32]);
    for _ in 0..20 {
        take_back.failed("db");
    }
    assert_eq!(take_back.after(), Some(LONGEST));
    take_back.steady();
    assert_eq!(take_back.after(), Some(AFTER));
}

#[test]
fn two_preferred_hosts_wait_longer_each_time_and_an_operator_does_not_count_as_one() {
    let mut take_back = TakeBack::new(Some(AFTER));
    // Won without taking it back: an operator may transfer it as often as it likes.
    take_back.won(false);
    take_back.asked_to_leave("db");
    assert_eq!((take_back.after(), take_back.taken_away), (Some(AFTER), 0));
    for times in 1..=3 {
        take_back.won(true);
        take_back.asked_to_leave("db");
        // It is asked once, and asked again.
        take_back.asked_to_leave("db");
        assert_eq!(take_back.taken_away, times);
    }
    assert_eq!(take_back.after(), Some(8 * AFTER));
}

#[test]
fn a_host_that_takes_nothing_back_never_does() {
    let mut take_back = TakeBack::new(None);
    take_back.failed("db");
    assert_eq!(take_back.after(), None);
}
