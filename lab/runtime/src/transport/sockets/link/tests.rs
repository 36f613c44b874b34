use super::*;

#[test]
fn a_reason_with_the_time_in_it_is_the_same_one_later() {
    let at = |seconds| format!("invalid peer certificate: verification time {seconds} (UNIX)");
    assert!(is_same_reason(&at(1_700_000_000), &at(1_700_000_001)));
    assert!(!is_same_reason("no process listens there", "no answer in time"));
}
