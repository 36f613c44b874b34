use super::*;

#[test]
fn harmonic_numbers_are_sums_of_reciprocals() {
    assert_eq!([harmonic(0), harmonic(1), harmonic(2)], [0.0, 1.0, 1.5]);
    for n in [256, 257, 1000, 99_999] {
        let sum: f64 = (1..=n).rev().map(|i| 1.0 / i as f64).sum();
        assert!((harmonic(n) - sum).abs() < 1e-13, "{n}");
    }
}

#[test]
fn moments_are_those_of_the_sample() {
    let m = Moments::of([1.0, 2.0, 3.0, 6.0].into_iter()).unwrap();
    assert_eq!((m.count, m.mean, m.min, m.max), (4, 3.0, 1.0, 6.0));
    assert!((m.deviation * m.deviation - 14.0 / 3.0).abs() < 1e-12);
    assert_eq!(Moments::of(std::iter::empty()), None);
}

#[test]
fn wilsons_interval_has_its_published_values() {
    // R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics
    // in Medicine 17, 1998, table I, method 3.
    for (x, n, low, high) in
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611)]
    {
        let rate = Rate::of(x, n).unwrap();
        assert!((rate.low - low).abs() < 5e-5 && (rate.high - high).abs() < 5e-5, "{rate:?}");
    }
    assert_eq!(Rate::of(0, 0), None);
}

#[test]
fn the_distance_is_zero_of_equal_samples_and_large_of_different_ones() {
    let a: Vec<u64> = (0..1000).collect();
    let b: Vec<u64> = (100..1100).collect();
    assert_eq!(ks_distance(&a, &a), 0.0);
    assert!((ks_distance(&a, &b) - 0.1 * 500_f64.sqrt()).abs() < 1e-9);
    let uniform: Vec<f64> = (1..=1000).map(|i| f64::from(i) / 1000.0).collect();
    assert!(ks_distance_from(&a, &uniform) < 1e-9);
    let at = |x: u64| uniform.get(x as usize).copied().unwrap_or(1.0);
    assert!((ks_distance_to(&b, at) - ks_distance_from(&b, &uniform)).abs() < 1e-9);
    assert!(ks_distance_from(&b, &uniform) > 3.0);
}
