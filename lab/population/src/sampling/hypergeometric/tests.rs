use super::*;
use crate::sampling::testing::{assert_fits, assert_moments};

fn probabilities(good: u64, bad: u64, draws: u64) -> Vec<f64> {
    let (g, b, k) = (good as i64, bad as i64, draws as i64);
    let least = (k - b).max(0);
    let mut all = vec![0.0; g.min(k) as usize + 1];
    all[least as usize] = 1.0;
    for x in least..g.min(k) {
        all[x as usize + 1] =
            all[x as usize] * ((g - x) * (k - x)) as f64 / ((x + 1) * (b - k + x + 1)) as f64;
    }
    let sum: f64 = all.iter().sum();
    all.iter().map(|p| p / sum).collect()
}

#[test]
fn small_cases_have_their_probabilities() {
    for (good, bad, draws) in [
        (3, 4, 2),
        (4, 3, 5),
        (10, 10, 10),
        (1, 100, 50),
        (30, 20, 49),
        (30, 20, 1),
        (60, 50, 40),
        (50, 60, 40),
        (60, 50, 80),
        (50, 60, 80),
        (500, 700, 60),
        (25, 25, 25),
        (26, 24, 25),
        (100, 100, 100),
        (1000, 90, 200),
        (90, 1000, 900),
        (26, 26, 26),
    ] {
        let p = probabilities(good, bad, draws);
        assert_fits(
            |x| p.get(x as usize).copied().unwrap_or(0.0),
            |stream| hypergeometric(stream, good, bad, draws),
        );
    }
}

#[test]
fn certain_cases_are_certain() {
    let mut stream = RandomStream::of_trial(0, 0);
    for (good, bad, draws, expected) in
        [(0, 9, 4, 0), (9, 0, 4, 4), (5, 7, 0, 0), (5, 7, 12, 5), (0, 0, 0, 0)]
    {
        assert_eq!(hypergeometric(&mut stream, good, bad, draws), expected);
    }
}

#[test]
fn large_cases_have_their_moments() {
    for (good, bad, draws) in [
        (1_000_000_u64, 9_000_000_000_u64, 1_000_000_u64),
        (400_000_000, 600_000_000, 40_000),
        (1 << 43, 1 << 43, 5_000_000),
        (1 << 42, 1 << 43, 1 << 41),
        (20_000_000, 1 << 43, 5_000_000),
    ] {
        let (g, b, k) = (good as f64, bad as f64, draws as f64);
        let n = g + b;
        let variance = k * (g / n) * (b / n) * ((n - k) / (n - 1.0));
        assert_moments(k * g / n, variance, |stream| {
            hypergeometric(stream, good, bad, draws) as f64
        });
    }
}

#[test]
fn results_are_possible() {
    let mut stream = RandomStream::of_trial(1, 0);
    for _ in 0..100_000 {
        let (good, bad) = (stream.below(60), stream.below(60));
        let draws = stream.below(good + bad + 1);
        let x = hypergeometric(&mut stream, good, bad, draws);
        assert!(x <= good && x <= draws && draws - x <= bad, "{x} of {good} {bad} {draws}");
    }
}
