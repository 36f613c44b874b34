//! Tests of distributions, with fixed seeds and stated significance.

use super::*;

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

#[test]
fn binomial_small_cases_have_their_probabilities() {
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
fn binomial_large_cases_have_their_moments() {
    for (trials, weight) in [(1_u64 << 43, 50_000_000), (1 << 43, 1), (1 << 30, 99_999_000)] {
        let (n, p) = (trials as f64, weight as f64 / 1e8);
        assert_moments(n * p, n * p * (1.0 - p), |stream| {
            binomial(stream, trials, weight, 100_000_000) as f64
        });
    }
}

#[test]
fn binomial_certain_cases_are_certain() {
    let mut stream = RandomStream::of_trial(0, 0);
    for (trials, weight, expected) in [(9, 0, 0), (9, 4, 9), (0, 3, 0)] {
        assert_eq!(binomial(&mut stream, trials, weight, 4), expected);
    }
}

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
fn hypergeometric_small_cases_have_their_probabilities() {
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
fn hypergeometric_certain_cases_are_certain() {
    let mut stream = RandomStream::of_trial(0, 0);
    for (good, bad, draws, expected) in
        [(0, 9, 4, 0), (9, 0, 4, 4), (5, 7, 0, 0), (5, 7, 12, 5), (0, 0, 0, 0)]
    {
        assert_eq!(hypergeometric(&mut stream, good, bad, draws), expected);
    }
}

#[test]
fn hypergeometric_large_cases_have_their_moments() {
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

#[test]
fn geometric_variables_have_their_probabilities() {
    for p in [0.9, 0.5, 0.1] {
        let probability = |x: u64| if x == 0 { 0.0 } else { p * f64::powi(1.0 - p, x as i32 - 1) };
        assert_fits(probability, |stream| geometric(stream, p));
    }
    assert_eq!(geometric(&mut RandomStream::of_trial(0, 0), 1.0), 1);
}

#[test]
fn a_rare_event_takes_its_time() {
    for p in [1e-3, 1e-9, 2e-12] {
        assert_moments(1.0 / p, (1.0 - p) / (p * p), |stream| geometric(stream, p) as f64);
    }
}

#[test]
fn poisson_variables_have_their_probabilities() {
    for mean in [0.3_f64, 4.0, 9.99, 10.0, 17.5, 60.0] {
        assert_fits(|x| ln_poisson(x as f64, mean).exp(), |stream| poisson(stream, mean));
    }
    assert_moments(1e13, 1e13, |stream| poisson(stream, 1e13) as f64);
}

#[test]
fn loaders_probabilities_sum_to_one() {
    for mean in [0.5, 12.0, 345.6] {
        let sum: f64 = (0..2000).map(|x| ln_poisson(f64::from(x), mean).exp()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{mean}: {sum}");
    }
}

#[test]
fn negative_binomials_are_sums_of_geometric_variables() {
    for (successes, p) in [(3_u64, 0.5_f64), (4, 0.5), (20, 0.3), (7, 0.9)] {
        // P(x) = C(x-1, s-1) p^s (1-p)^(x-s), by recurrence from x = s.
        let probability = |x: u64| {
            if x < successes {
                return 0.0;
            }
            (successes..x).fold(p.powi(successes as i32), |q, y| {
                q * (1.0 - p) * y as f64 / (y + 1 - successes) as f64
            })
        };
        assert_fits(probability, |stream| negative_binomial(stream, successes, p));
    }
    let (s, p) = (1000.0, 1e-9);
    let draw = |stream: &mut RandomStream| negative_binomial(stream, 1000, p) as f64;
    assert_moments(s / p, s * (1.0 - p) / (p * p), draw);
}

fn run_probabilities(agents: u64, apart: u64) -> Vec<f64> {
    let pairs = (agents * (agents - 1)) as f64;
    let mut survival = 1.0;
    let mut all = Vec::new();
    for s in 0..=(agents - apart) / 2 {
        let fresh = (agents - apart - 2 * s) as f64;
        let next = survival * (fresh * (fresh - 1.0) / pairs).max(0.0);
        all.push(survival - next);
        survival = next;
    }
    all
}

#[test]
fn runs_have_the_probabilities_of_their_definition() {
    for (agents, apart) in [(2, 0), (3, 0), (3, 1), (5, 2), (50, 0), (50, 7), (4000, 0), (4000, 40)]
    {
        let p = run_probabilities(agents, apart);
        let runs = RunLength::new(agents, apart);
        assert_fits(|x| p.get(x as usize).copied().unwrap_or(0.0), |s| runs.draw(s));
    }
}

#[test]
fn long_runs_have_the_moments_of_the_birthday_problem() {
    // At this size the run is Rayleigh distributed with scale sqrt(n)/2, to one part in 10^5;
    // the floor takes off one half.
    let n: f64 = 1e12;
    let mean = n.sqrt() / 2.0 * (std::f64::consts::PI / 2.0).sqrt();
    let variance = (2.0 - std::f64::consts::FRAC_PI_2) * n / 4.0;
    let runs = RunLength::new(1_000_000_000_000, 0);
    assert_moments(mean, variance, |stream| runs.draw(stream) as f64 + 0.5);
}

fn sum_of_logs(from: u64, to: u64) -> f64 {
    (from..=to).map(|i| (i as f64).ln()).sum()
}

#[test]
fn the_error_of_stirling_is_what_its_definition_says() {
    for n in 1..200_u64 {
        let x = n as f64;
        let formula = (x + 0.5) * x.ln() - x + 0.918_938_533_204_672_8;
        assert!((sum_of_logs(1, n) - formula - stirling_error(x)).abs() < 2e-13 * x, "{n}");
    }
    assert!((stirling_error(16.0) - 0.005_207_655_919_609_64).abs() < 1e-16);
    // The series takes over without a step.
    let series = |n: f64| {
        1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3)) + 1.0 / (1260.0 * n.powi(5))
            - 1.0 / (1680.0 * n.powi(7))
    };
    for (n, exact) in EXACT.iter().enumerate().skip(12) {
        assert!((exact - series(n as f64)).abs() < 1e-12, "{n}");
    }
}

#[test]
fn factorial_ratios_are_products() {
    for n in [0_u64, 1, 2, 7, 15, 16, 17, 40, 1000] {
        for d in [0_u64, 1, 2, 5, 30, 200] {
            let up = sum_of_logs(n + 1, n + d) - d as f64 * ((n + 1) as f64).ln();
            assert!((factorial_ratio(n as f64, d as f64) - up).abs() < 1e-11, "{n} {d}");
            if d <= n {
                let down = -sum_of_logs(n - d + 1, n) + d as f64 * ((n + 1) as f64).ln();
                assert!((factorial_ratio(n as f64, -(d as f64)) - down).abs() < 1e-11);
            }
        }
    }
}

#[test]
fn falling_shares_are_products() {
    for n in [1_u64, 2, 5, 16, 17, 18, 100, 5000, 1_000_000] {
        for k in [0, 1, 2, 3, n / 3, n / 2, n - 1, n] {
            let k = k.min(n).min(5000);
            let product: f64 = (0..k).map(|i| (-(i as f64) / n as f64).ln_1p()).sum();
            let share = falling_share(n as f64, k as f64);
            assert!((share - product).abs() < 1e-10 * (1.0 + product.abs()), "{n} {k}");
        }
    }
}

#[test]
fn falling_shares_keep_their_digits_at_ten_to_the_twelve() {
    // For k << n the first three terms of the expansion in 1/n are exact to 1e-18 here.
    let (n, k) = (1e12, 1e6);
    let pairs = k * (k - 1.0) / 2.0;
    let squares = (k - 1.0) * k * (2.0 * k - 1.0) / 6.0;
    let expansion = -pairs / n - squares / (2.0 * n * n);
    assert!((falling_share(n, k) - expansion).abs() < 1e-12, "{expansion}");
}
