use super::*;

#[test]
fn pauses_double_up_to_the_longest_and_start_again_after_progress() {
    let (first, longest) = (Duration::from_millis(10), Duration::from_secs(1));
    let mut backoff = Backoff::new(first, longest, 7);
    assert_eq!(backoff.pause(), Duration::ZERO);
    for doublings in 0..40 {
        let whole = first.saturating_mul(1 << doublings.min(20)).min(longest);
        let pause = backoff.failed();
        assert!(pause >= whole / 2 && pause <= whole, "{pause:?} of {whole:?}");
        assert_eq!(backoff.pause(), pause, "asking changes nothing");
    }
    backoff.reset();
    assert!(backoff.failed() <= first);
}

#[test]
fn hosts_draw_different_pauses() {
    let pause = |seed| Backoff::new(Duration::from_secs(1), Duration::MAX, seed).failed();
    assert_ne!(pause(1), pause(2));
}

#[test]
fn exact_pauses_have_no_jitter() {
    let mut backoff = Backoff::exact(Duration::from_millis(100), Duration::from_secs(30));
    let pauses: Vec<_> = (0..12).map(|_| backoff.failed().as_millis()).collect();
    assert_eq!(
        pauses,
        [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]
    );
    backoff.reset();
    assert_eq!(backoff.failed().as_millis(), 100);
}
