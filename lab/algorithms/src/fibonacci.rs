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
mod tests {
    use super::*;

    #[test]
    fn they_are_the_numbers_of_fibonacci() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(fibonacci), [0, 1, 1, 2, 3, 5, 8, 13]);
        assert_eq!(fibonacci(93), 12_200_160_415_121_876_738);
        assert_eq!(fibonacci(94), u64::MAX);
    }

    #[test]
    fn phases_grow_where_fibonacci_numbers_are_reached() {
        assert_eq!([0, 1, 2, 3, 4, 5, 7, 8, 12, 13].map(phases), [0, 1, 2, 3, 3, 4, 4, 5, 5, 6]);
        // As logarithms to the base of the golden ratio do: 1.44 log2 k.
        for k in 1..10_000_u64 {
            assert!(phases(k) as f64 <= 1.4405 * (k as f64).log2() + 1.0, "{k}");
        }
        assert_eq!(phases(u64::MAX), 92);
    }
}
