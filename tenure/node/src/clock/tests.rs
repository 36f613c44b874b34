use super::*;

#[test]
fn a_fast_clock_is_waited_for_for_a_shorter_time() {
    let clock = TestClock::new(2_000_000);
    assert_eq!(clock.wait(1_000), Duration::from_nanos(500));
    let before = clock.now();
    clock.advance(Duration::from_secs(5));
    assert!(clock.now() - before >= 5_000_000_000);
}

#[test]
fn a_suspended_host_reads_its_clock_when_it_has_resumed() {
    let clock = TestClock::new(1_000_000);
    let before = clock.now();
    std::thread::scope(|scope| {
        let (begins, begun) = std::sync::mpsc::channel();
        let clock = &clock;
        scope.spawn(move || {
            let suspended = clock.running.write();
            begins.send(()).unwrap();
            std::thread::sleep(Duration::from_millis(20));
            drop(suspended);
        });
        begun.recv().unwrap();
        assert!(clock.now() - before >= 20_000_000);
    });
    clock.suspend(Duration::from_millis(1));
    assert!(clock.now() - before >= 21_000_000);
}

#[test]
fn a_clock_that_is_too_coarse_or_slewed_too_fast_is_refused_and_says_what_to_do() {
    let timing = LeaseTiming { clock_bound: 10_000, ..LeaseTiming::LAN };
    let ms = Duration::from_millis;
    let judge = |resolution, drift| judge(resolution, drift, &timing);
    assert_eq!(judge(ms(5), 5_000).unwrap(), 5_000);
    let coarse = judge(ms(5) + Duration::from_nanos(1), 0).unwrap_err();
    assert!(coarse.to_string().ends_with("too coarse for a heartbeat of 50ms"), "{coarse}");
    // The other half of the bound is for the clock of the other host.
    let fast = judge(ms(1), 5_001).unwrap_err();
    let says = fast.to_string();
    assert!(
        says.contains("5001 millionths")
            && says.contains("allows for 10000")
            && says.contains("raise `clock_bound`"),
        "{says}"
    );
}

#[test]
fn the_host_s_clock_does_not_go_back() {
    let first = BootClock.now();
    assert!(first > 0 && BootClock.now() >= first);
    assert!(BootClock::resolution() < Duration::from_secs(1));
}
