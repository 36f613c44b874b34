//! Tests of distributions, with fixed seeds and stated significance.

use crate::random::RandomStream;

const DRAWS: u32 = 40_000;

/// Compares draws with the probabilities of small numbers by a chi-squared test, at five standard
/// deviations of the statistic. Neighbouring values are pooled until 20 draws are expected.
pub(crate) fn assert_fits(
    probability: impl Fn(u64) -> f64,
    draw: impl Fn(&mut RandomStream) -> u64,
) {
    let mut stream = RandomStream::of_trial(11, 0);
    let mut count = vec![0_u32; 4000];
    for _ in 0..DRAWS {
        count[(draw(&mut stream) as usize).min(3999)] += 1;
    }
    let (mut statistic, mut freedom) = (0.0, -1.0);
    let (mut expected, mut seen, mut mass) = (0.0, 0_u32, 0.0);
    for (x, &c) in (0..).zip(&count) {
        expected += probability(x) * f64::from(DRAWS);
        mass += probability(x);
        seen += c;
        if expected >= 20.0 && mass < 0.999 {
            statistic += (f64::from(seen) - expected).powi(2) / expected;
            freedom += 1.0;
            (expected, seen) = (0.0, 0);
        }
    }
    assert!((mass - 1.0).abs() < 1e-9, "the probabilities sum to {mass}");
    statistic += (f64::from(seen) - expected).powi(2) / expected.max(1.0);
    freedom += 1.0;
    assert!(
        statistic < freedom + 5.0 * (2.0_f64 * freedom).sqrt() + 10.0,
        "chi-squared {statistic} with {freedom} degrees of freedom"
    );
}

/// Compares mean and variance of draws, each within five standard errors (the variance's as if the
/// kurtosis were at most 9, the exponential distribution's).
pub(crate) fn assert_moments(mean: f64, variance: f64, draw: impl Fn(&mut RandomStream) -> f64) {
    let mut stream = RandomStream::of_trial(12, 0);
    let n = f64::from(DRAWS);
    let draws: Vec<f64> = (0..DRAWS).map(|_| draw(&mut stream) - mean).collect();
    let bias = draws.iter().sum::<f64>() / n;
    let spread = draws.iter().map(|x| x * x).sum::<f64>() / n;
    assert!(bias.abs() < 5.0 * (variance / n).sqrt(), "mean off by {bias}");
    assert!((spread / variance - 1.0).abs() < 5.0 * (8.0 / n).sqrt(), "variance {spread}");
}
