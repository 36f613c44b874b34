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
mod tests;
