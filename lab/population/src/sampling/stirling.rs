//! Ratios of factorials by Stirling's series, without cancellation of large terms.

use libm::log1p;

/// `ln n! - ((n + 1/2) ln n - n + ln(2π)/2)` for n = 1, ..., 16, correctly rounded; entry 0 is
/// unused.
#[allow(clippy::excessive_precision)]
const EXACT: [f64; 17] = [
    0.0,
    0.081_061_466_795_327_26,
    0.041_340_695_955_409_29,
    0.027_677_925_684_998_34,
    0.020_790_672_103_765_09,
    0.016_644_691_189_821_19,
    0.013_876_128_823_070_75,
    0.011_896_709_945_891_77,
    0.010_411_265_261_972_10,
    0.009_255_462_182_712_73,
    0.008_330_563_433_362_87,
    0.007_573_675_487_951_84,
    0.006_942_840_107_209_53,
    0.006_408_994_188_004_21,
    0.005_951_370_112_758_85,
    0.005_554_733_551_962_80,
    0.005_207_655_919_609_64,
];

/// Returns the error of Stirling's formula at n ≥ 1: a table, then the first terms of the series
/// (C. Loader, "Fast and accurate computation of binomial probabilities", 2000), whose next term is
/// below 10^-15 from n = 17 on.
#[inline]
pub(super) fn stirling_error(n: f64) -> f64 {
    if n < 17.0 {
        return EXACT[n as usize];
    }
    if n > 1e5 {
        return 1.0 / (12.0 * n); // The next term is below 10^-17.
    }
    let square = n * n;
    (1.0 / 12.0
        - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - 1.0 / 1188.0 / square) / square) / square)
            / square)
        / n
}

/// Returns `ln((n + d)! / n!) - d ln(n + 1)` for n ≥ 0 and n + d ≥ 0.
///
/// The omitted part, `d ln(n + 1)`, is large; a caller that has several ratios sums these parts
/// under one logarithm.
#[inline]
#[must_use]
pub fn factorial_ratio(n: f64, d: f64) -> f64 {
    // With n! = (n + 1)! / (n + 1), Stirling's formula holds down to n = 0.
    let m = n + 1.0;
    (m + d - 0.5) * log1p(d / m) - d + (stirling_error(m + d) - stirling_error(m))
}

/// Returns `ln(n (n-1) ... (n-k+1) / n^k)` for n ≥ 1 and k ≤ n: the share of the sequences of k out
/// of n items in which no item occurs twice.
#[inline]
#[must_use]
pub fn falling_share(n: f64, k: f64) -> f64 {
    let rest = n - k;
    if rest < 1.0 {
        // n! / n^n.
        return stirling_error(n) - n + 0.5 * libm::log(n) + 0.918_938_533_204_672_8;
    }
    let ratio = k / n;
    // -(n-k) log1p(-k/n) - k would cancel for small k/n: it is -k²/2n - k³/6n² - ... .
    let bulk = if ratio < 1e-3 {
        let tail = 1.0 / 12.0 + ratio * (1.0 / 20.0 + ratio / 30.0);
        -k * ratio * (0.5 + ratio * (1.0 / 6.0 + ratio * tail))
    } else {
        -rest * log1p(-ratio) - k
    };
    bulk - 0.5 * log1p(-ratio) + (stirling_error(n) - stirling_error(rest))
}

#[cfg(test)]
mod tests;
