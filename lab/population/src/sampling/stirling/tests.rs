use super::*;

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
