//! The Fibonacci numbers, by which eliminations whose comparisons alternate are counted.

pub(crate) const fn fibonacci(i: u32) -> u64 {
    let (mut this, mut next, mut at) = (0_u64, 1_u64, 0);
    while at < i && this < u64::MAX {
        (this, next) = (next, this.saturating_add(next));
        at += 1;
    }
    this
}

/// Returns the most phases of `k` processes, if as many begin a phase as the next two together, and
/// one alone has its last: the largest `r` with `F_(r+1) <= k`.
pub(crate) const fn phases(k: u64) -> u64 {
    let mut r = 0;
    while fibonacci(r + 2) <= k && r < 92 {
        r += 1;
    }
    r as u64
}

#[cfg(test)]
mod tests;
