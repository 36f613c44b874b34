use super::*;

#[test]
fn what_is_owed_outlasts_what_is_counted_on() {
    let timing = LeaseTiming { stop: Duration::from_millis(750), ..LeaseTiming::LAN };
    assert_eq!(timing.owed(), Duration::from_micros(1_010_001));
    let ticks = timing.clocks().outlasting(1_000_000);
    assert_eq!(Duration::from_micros(ticks.into()), timing.owed());
}

#[test]
fn what_cannot_be_kept_is_refused_by_key() {
    assert_eq!(LeaseTiming::LAN.check().and(LeaseTiming::WAN.check()), Ok(()));
    let refused = |timing: LeaseTiming| timing.check().unwrap_err().key;
    let lan = LeaseTiming::LAN;
    assert_eq!(refused(LeaseTiming { heartbeat: Duration::ZERO, ..lan }), "heartbeat");
    assert_eq!(refused(LeaseTiming { lease: lan.heartbeat, ..lan }), "lease");
    assert_eq!(refused(LeaseTiming { lease: 2 * LONGEST, ..lan }), "lease");
    assert_eq!(refused(LeaseTiming { stop: LONGEST, ..lan }), "stop");
    assert_eq!(refused(LeaseTiming { clock_bound: 0, ..lan }), "clock_bound");
}
