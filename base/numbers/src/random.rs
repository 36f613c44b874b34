//! Randomness that is the same on every machine, with every number of threads and in every
//! version.
//!
//! There are two kinds. A [`Key`] is counter-based: a hash of a seed and of the purpose of the
//! random number, so that numbers can be computed in any order and are never stored. A
//! [`Generator`] is a stream, for shuffles and generated networks. Ranges and shuffles are our own:
//! those of the `rand` crate change between its versions, and a seed in a paper must outlive them.

use rand_pcg::{Pcg64, rand_core::Rng};

/// Mixes the bits of a number: the finalizer of `SplitMix64` (Steele, Lea & Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014). It is a bijection.
#[inline]
#[must_use]
pub const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Returns an exactly uniform number in `0..bound`, from a source of 64 random bits (D. Lemire,
/// "Fast random integer generation in an interval", ACM TOMACS 29(1), 2019).
///
/// Takes one word from the source, and another one with probability `(2^64 mod bound) / 2^64`.
/// `bound` 0 takes one word and gives 0.
///
/// ```
/// use suffrage_numbers::random::{Key, uniform};
///
/// let (key, mut place) = (Key::new(7, "dice"), 0..);
/// let die = 1 + uniform(6, || key.at(place.next().unwrap()).bits());
/// assert!((1..=6).contains(&die));
/// ```
#[inline]
pub fn uniform(bound: u64, mut bits: impl FnMut() -> u64) -> u64 {
    loop {
        let wide = u128::from(bits()) * u128::from(bound);
        let low = wide as u64;
        if low >= bound || low >= bound.wrapping_neg() % bound {
            return (wide >> 64) as u64;
        }
    }
}

/// Counter-based randomness: the number at a place is a function of the key and the place alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(u64);

impl Key {
    /// Creates the key for one purpose of one seed; different purposes are independent.
    #[must_use]
    pub const fn new(seed: u64, purpose: &str) -> Self {
        let mut key = Self(mix(seed.wrapping_add(0x9E37_79B9_7F4A_7C15)));
        let bytes = purpose.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            key = key.at(bytes[i] as u64);
            i += 1;
        }
        key
    }

    /// Returns the key of a place under this key.
    #[inline]
    #[must_use]
    pub const fn at(self, place: u64) -> Self {
        // An odd multiplier spreads neighbouring places before the mixing.
        Self(mix(self.0 ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_add(place))
    }

    /// Returns 64 random bits.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Returns a number in `0..bound`, by multiplication: a value's probability is off by less than
    /// `bound / 2^64`, relatively.
    ///
    /// `bound` 0 gives 0.
    #[inline]
    #[must_use]
    pub const fn below(self, bound: u64) -> u64 {
        ((self.0 as u128 * bound as u128) >> 64) as u64
    }
}

/// A stream of random numbers (PCG XSL RR 128/64; M. O'Neill, HMC-CS-2014-0905, 2014).
#[derive(Clone, Debug)]
pub struct Generator(Pcg64);

impl Generator {
    /// Creates the stream for one purpose of one seed; different purposes are independent.
    #[must_use]
    pub fn new(seed: u64, purpose: &str) -> Self {
        let key = Key::new(seed, purpose);
        let wide =
            |place| u128::from(key.at(place).bits()) << 64 | u128::from(key.at(place + 1).bits());
        Self(Pcg64::new(wide(0), wide(2)))
    }

    /// Returns 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns an exactly uniform number in `0..bound`, by [`uniform`].
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "an empty range has no random element");
        uniform(bound, || self.bits())
    }

    /// Puts items in a uniformly random order, in linear time (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests;
