use super::*;
use crate::sampling::testing::{assert_fits, assert_moments};

#[test]
fn small_cases_have_their_probabilities() {
    for (trials, weight, of) in [
        (1, 1, 2),
        (5, 1, 3),
        (12, 9, 10),
        (19, 1, 2),
        (20, 1, 2),
        (21, 1, 2),
        (60, 1, 5),
        (400, 1, 40),
        (400, 39, 40),
        (3000, 7, 10),
    ] {
        let p = weight as f64 / of as f64;
        let ln_factorial = |n: u64| (1..=n).map(|k| (k as f64).ln()).sum::<f64>();
        let probability = |x: u64| {
            if x > trials {
                return 0.0;
            }
            let ways = ln_factorial(trials) - ln_factorial(x) - ln_factorial(trials - x);
            (ways + x as f64 * p.ln() + (trials - x) as f64 * (1.0 - p).ln()).exp()
        };
        let known: Vec<f64> = (0..=trials).map(probability).collect();
        assert_fits(
            |x| known.get(x as usize).copied().unwrap_or(0.0),
            |stream| binomial(stream, trials, weight, of),
        );
    }
}

#[test]
fn large_cases_have_their_moments() {
    for (trials, weight) in [(1_u64 << 43, 50_000_000), (1 << 43, 1), (1 << 30, 99_999_000)] {
        let (n, p) = (trials as f64, weight as f64 / 1e8);
        assert_moments(n * p, n * p * (1.0 - p), |stream| {
            binomial(stream, trials, weight, 100_000_000) as f64
        });
    }
}

#[test]
fn certain_cases_are_certain() {
    let mut stream = RandomStream::of_trial(0, 0);
    for (trials, weight, expected) in [(9, 0, 0), (9, 4, 9), (0, 3, 0)] {
        assert_eq!(binomial(&mut stream, trials, weight, 4), expected);
    }
}
