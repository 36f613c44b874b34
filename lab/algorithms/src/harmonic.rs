//! The harmonic numbers, in which the cost of capturing a complete network is counted.

/// Returns `factor * H_n`, rounded down, where `H_n` is the sum of `1/i` for `i` in `1..=n`.
///
/// It takes `O(log n)` steps. All are exact IEEE operations, so the result is the same on every
/// machine. The relative error is below `1e-13`.
pub(crate) fn times_harmonic(factor: u64, n: u64) -> u64 {
    // The products that are whole numbers must not be rounded below themselves.
    let product = factor as f64 * harmonic(n);
    (product * (1.0 + 1e-13)) as u64
}

fn harmonic(n: u64) -> f64 {
    /// The number of terms up to which the sum is cheap; from here on the expansion below is exact
    /// to the last digit.
    const SMALL: u64 = 256;
    if n < SMALL {
        return (1..=n).rev().map(|i| 1.0 / i as f64).sum();
    }
    // H_2m - H_m = ln 2 - 1/(4m) + 1/(16 m^2) - 1/(128 m^4) + ..., by Euler and Maclaurin.
    let half = n / 2;
    let m = half as f64;
    let even = harmonic(half) + core::f64::consts::LN_2 - 1.0 / (4.0 * m) + 1.0 / (16.0 * m * m)
        - 1.0 / (128.0 * m * m * m * m);
    if n.is_multiple_of(2) { even } else { even + 1.0 / n as f64 }
}

#[cfg(test)]
mod tests {
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
}
