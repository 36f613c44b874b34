use super::*;

#[test]
fn a_leader_looks_at_a_disk_that_has_rested_and_nobody_else_does() {
    let rests = DiskActivity::Idle(7);
    assert!(rests.is_due(7 + AGAIN, true));
    assert!(!rests.is_due(6 + AGAIN, true) && !rests.is_due(7 + AGAIN, false));
    assert!(!rests.hangs(u64::MAX));
}

#[test]
fn a_write_that_takes_long_is_one_that_hangs_and_a_slow_one_is_not() {
    let writes = DiskActivity::Writing(7);
    assert!(writes.hangs(7 + HANGS) && !writes.hangs(6 + HANGS));
    assert!(!writes.hangs(0), "a clock is read again");
    assert!(!writes.is_due(u64::MAX, true), "one write at a time");
}
