//! Random numbers: one stream for each trial.
//!
//! A stream is xoshiro256++ (D. Blackman, S. Vigna, "Scrambled linear pseudorandom number
//! generators", ACM TOMS 47(4), 2021), seeded by a [`Key`] from the experiment's seed and the
//! trial's number. It draws ordered pairs of agents 1.3 times as fast as PCG64 does
//! (docs/why/design/populations.md has the measurement). Everything above the 64 bits of the generator is
//! written here, so that a seed in a paper stands for the same run in every version and on every
//! machine.

use rand_xoshiro::{
    Xoshiro256PlusPlus,
    rand_core::{Rng, SeedableRng},
};
use suffrage_networks::random::{Key, uniform};

/// 2^-64.
const ULP: f64 = 1.0 / 18_446_744_073_709_551_616.0;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    /// Returns the stream of one trial of an experiment; different trials are independent.
    #[must_use]
    pub fn of_trial(seed: u64, trial: u64) -> Self {
        let key = Key::new(seed, "population").at(trial);
        let mut state = [0; 32];
        for (place, word) in (0..).zip(state.chunks_exact_mut(8)) {
            word.copy_from_slice(&key.at(place).bits().to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(state))
    }

    /// Draws 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a number in `0..bound`, exactly uniform; `bound` 0 gives 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        uniform(bound, || self.bits())
    }

    /// Draws a number in `0..bound`, exactly uniform, for weights that do not fit in 64 bits: drawn
    /// in as many bits as `bound` has, until it is below. `bound` 0 gives 0.
    pub fn below_wide(&mut self, bound: u128) -> u128 {
        if let Ok(bound) = u64::try_from(bound) {
            return u128::from(self.below(bound));
        }
        let excess = bound.leading_zeros();
        loop {
            let bits = u128::from(self.bits()) << 64 | u128::from(self.bits());
            if bits >> excess < bound {
                return bits >> excess;
            }
        }
    }

    /// Draws a number in the open interval from 0 to 1, on a grid of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) * (2048.0 * ULP)
    }

    /// Draws a number with the exponential distribution of mean 1.
    ///
    /// Both ends are resolved to 2^-64, while the usual `-ln(unit)` resolves small values only to
    /// 2^-53: a geometric variable of probability 10^-12 is 10^12 times such a value.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        let bits = self.bits();
        if bits >> 63 == 0 {
            -libm::log1p(-(bits as f64 + 0.5) * ULP)
        } else {
            -libm::log((!bits as f64 + 0.5) * ULP)
        }
    }

    /// Draws a number with the standard normal distribution, by Marsaglia's polar method.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = u * u + v * v;
            if square < 1.0 && square > 0.0 {
                return u * (-2.0 * libm::log(square) / square).sqrt();
            }
        }
    }
}

/// The seeds of the trials of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialSeeds {
    /// All trials are of this seed, by their numbers.
    One(u64),
    /// Trial t is the first trial of the seed that is t after this one.
    From(u64),
}

impl TrialSeeds {
    /// Returns the random numbers of a trial.
    #[must_use]
    pub fn stream(self, trial: u64) -> RandomStream {
        match self {
            Self::One(seed) => RandomStream::of_trial(seed, trial),
            Self::From(first) => RandomStream::of_trial(first.wrapping_add(trial), 0),
        }
    }
}

#[cfg(test)]
mod tests;
