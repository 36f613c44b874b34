use super::*;
use crate::sampling::testing::{assert_fits, assert_moments};

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
