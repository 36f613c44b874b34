//! The divisor summatory function, in which the attempts to capture a complete network are counted.

/// Returns the sum `D(n)` of `floor(n/i)` for `i` in `1..=n`; saturating.
///
/// It takes `O(sqrt(n))` steps, by Dirichlet's hyperbola method: of the pairs of factors whose
/// product is at most `n`, those with a factor of at most `sqrt(n)`, counted from either side.
pub(crate) fn divisor_sum(n: u64) -> u64 {
    let root = n.isqrt();
    let half = (1..=root).fold(0_u64, |sum, i| sum.saturating_add(n / i));
    half.saturating_mul(2).saturating_sub(root * root)
}

#[cfg(test)]
mod tests;
