use super::*;

#[test]
fn small_products_are_exact() {
    // H_1 = 1, H_2 = 3/2, H_3 = 11/6, H_4 = 25/12, H_6 = 49/20, H_10 = 7381/2520.
    assert_eq!([0, 1, 2, 3].map(|n| times_harmonic(60, n)), [0, 60, 90, 110]);
    assert_eq!([4, 6].map(|n| times_harmonic(60, n)), [125, 147]);
    assert_eq!(times_harmonic(2520, 10), 7381);
    assert_eq!(times_harmonic(2519, 10), 7378);
}

#[test]
fn doubling_agrees_with_the_sum() {
    for n in [256, 257, 511, 1000, 4095, 99_999, 1_000_000] {
        let sum: f64 = (1..=n).rev().map(|i| 1.0 / i as f64).sum();
        let error = (harmonic(n) - sum) / sum;
        assert!(error.abs() < 5e-15, "H_{n} is off by {error:e}");
    }
}

#[test]
fn large_ones_are_the_logarithm_and_eulers_constant() {
    // ln(10^12) + 0.57721566490153... = 28.2082367810... , and 1/(2n) more.
    assert!((harmonic(1_000_000_000_000) - 28.208_236_780_8).abs() < 1e-9);
}
