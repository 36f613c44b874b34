use super::*;

#[test]
fn an_instant_reads_as_in_proc_uptime() {
    let text = std::fs::read_to_string("/proc/uptime").unwrap();
    let uptime: f64 = text.split(' ').next().unwrap().parse().unwrap();
    let now: f64 = Boottime::now().to_string().parse().unwrap();
    assert!((now - uptime).abs() < 10.0, "{now} {uptime}");
}

#[test]
fn arithmetic_saturates() {
    let now = Boottime::from_nanos(5);
    assert_eq!(now.before(Duration::from_secs(1)), Boottime::from_nanos(0));
    assert_eq!(now.after(Duration::MAX), Boottime::from_nanos(u64::MAX));
    assert_eq!(now.since(Boottime::from_nanos(7)), Duration::ZERO);
    assert_eq!(now.since(Boottime::from_nanos(2)), Duration::from_nanos(3));
}
