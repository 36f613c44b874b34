//! Sampling from multisets.

use crate::{random::RandomStream, sampling::hypergeometric};

/// Splits a sample of `draws` items, without replacement, over the kinds of a multiset: `taken[k]`
/// becomes the number of items of kind k. `total` is the sum of `counts`.
pub(super) fn split(
    stream: &mut RandomStream,
    counts: &[u64],
    mut total: u64,
    mut draws: u64,
    taken: &mut [u64],
) {
    for (taken, &count) in taken.iter_mut().zip(counts) {
        total -= count;
        *taken = if draws == 0 { 0 } else { hypergeometric(stream, count, total, draws) };
        draws -= *taken;
    }
}

#[inline]
pub(super) fn pick(counts: &[u64], mut place: u64) -> usize {
    for (kind, &count) in counts.iter().enumerate() {
        if place < count {
            return kind;
        }
        place -= count;
    }
    unreachable!("a place is below the number of items")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_sums_to_the_sample() {
        let mut stream = RandomStream::of_trial(0, 0);
        let counts = [5, 0, 17, 3, 100];
        let mut taken = [0; 5];
        for draws in 0..=125 {
            split(&mut stream, &counts, 125, draws, &mut taken);
            assert_eq!(taken.iter().sum::<u64>(), draws);
            assert!(taken.iter().zip(&counts).all(|(t, c)| t <= c));
        }
        assert_eq!([pick(&counts, 4), pick(&counts, 5), pick(&counts, 124)], [0, 2, 4]);
    }
}
