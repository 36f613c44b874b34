use super::*;

#[test]
fn a_reason_is_told_once_whatever_its_numbers_until_there_was_a_connection() {
    let mut state = DialState::new(1);
    let mut tells = |why| state.is_over(why).0;
    assert!(tells("it was heard 7ms ago"));
    assert!(!tells("it was heard 93.5ms ago"));
    assert!(tells("no answer within 2s"));
    assert!(tells("it was heard 7ms ago"));
    state.connected();
    assert!(state.is_over("it was heard 8ms ago").0);
}

#[test]
fn pauses_grow_to_a_tenth_of_a_second_and_begin_anew_with_a_connection() {
    let mut state = DialState::new(1);
    let pauses: Vec<_> = (0..9).map(|_| state.is_over("no answer").1).collect();
    assert!(pauses[0] <= PAUSES.0 && pauses[8] > PAUSES.1 / 2 && pauses[8] <= PAUSES.1);
    state.connected();
    assert_eq!(state.is_over("no answer").1, pauses[0]);
}
