use super::*;

const LEASE: u64 = 250_000_000;

fn judged(took: impl Fn(u64) -> u64) -> Vec<Duration> {
    let mut answers = Answers::default();
    (0..=200).filter_map(|i| answers.add(7 + i * 50_000_000, took(i), LEASE)).collect()
}

#[test]
fn acknowledgements_a_third_of_which_are_late_are_told_with_the_longest_time() {
    let late = |i| if i % 3 == 2 { LEASE / 2 + i } else { 1_000_000 };
    assert_eq!(judged(late), [Duration::from_nanos(LEASE / 2 + 200)]);
}

#[test]
fn acknowledgements_of_which_fewer_are_late_are_not() {
    assert!(judged(|i| if i % 4 == 0 { 2 * LEASE } else { LEASE / 2 }).is_empty());
}

#[test]
fn each_window_is_judged_by_itself_and_told_once_a_minute() {
    let mut answers = Answers::default();
    let mut told = Vec::new();
    for seconds in 0..1000 {
        // In time for the first 100 s, and then late.
        let took = if seconds < 100 { 0 } else { LEASE };
        let said = answers.add(seconds * 1_000_000_000, took, LEASE);
        told.extend(said.map(|_| seconds));
    }
    assert!((100..=120).contains(&told[0]), "{told:?}");
    assert!(told.windows(2).all(|two| (60..=80).contains(&(two[1] - two[0]))), "{told:?}");
    assert!(told.len() > 10);
}

#[test]
fn a_loop_that_keeps_up_repeats_at_each_heartbeat() {
    let mut repeats = RepeatRate::default();
    assert!((0..100).all(|_| repeats.beat(false)));
}

#[test]
fn a_loop_that_is_late_repeats_less_and_less_often() {
    let mut repeats = RepeatRate::default();
    let at: Vec<usize> = (0..200).filter(|_| repeats.beat(true)).collect();
    let gaps: Vec<usize> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.is_sorted(), "{gaps:?}");
    assert_eq!(gaps.last(), Some(&32));
    // And soon as often as before, once it keeps up.
    let again = (0..).take_while(|_| !repeats.beat(false)).count();
    assert!(again <= 6, "{again}");
    assert!((0..100).filter(|_| repeats.beat(false)).count() >= 94);
}

#[test]
fn a_loop_that_has_not_read_its_messages_repeats_nothing() {
    let mut repeats = RepeatRate::default();
    repeats.read(true);
    assert!((0..100).all(|_| !repeats.beat(false)));
    repeats.read(false);
    assert!((0..6).any(|_| repeats.beat(false)));
}
