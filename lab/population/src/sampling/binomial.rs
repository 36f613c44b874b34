//! The binomial distribution.

use super::stirling::factorial_ratio;
use crate::random::RandomStream;

/// Below this mean, counting up from 0 takes less time than rejection.
const COUNTING: f64 = 10.0;

/// Draws the number of successes in `trials`, each succeeding with probability `weight / of`: by
/// counting up the probabilities where few are expected, else by transformed rejection with squeeze
/// (W. Hörmann, "The generation of binomial random variates", J. Stat. Comput. Simul. 46, 1993).
///
/// The probability of a value relative to the mode's is taken from ratios of factorials. `trials` is
/// below 2^53, and `weight` at most `of`.
pub fn binomial(stream: &mut RandomStream, trials: u64, weight: u64, of: u64) -> u64 {
    debug_assert!(weight <= of, "{weight} of {of}");
    if weight == 0 || trials == 0 {
        return 0;
    }
    // By symmetry the rarer of success and failure is counted.
    if weight > of / 2 {
        return trials - binomial(stream, trials, of - weight, of);
    }
    let case = BinomialCase { trials: trials as f64, p: weight as f64 / of as f64 };
    if case.mean() < COUNTING { case.count(stream) } else { case.reject(stream) }
}

/// A case with a probability of at most a half.
#[derive(Clone, Copy)]
struct BinomialCase {
    trials: f64,
    p: f64,
}

impl BinomialCase {
    fn mean(&self) -> f64 {
        self.trials * self.p
    }

    /// Draws by inversion: subtracts the probabilities of 0, 1, 2, ... from a uniform number.
    fn count(&self, stream: &mut RandomStream) -> u64 {
        let Self { trials, p } = *self;
        let odds = p / (1.0 - p);
        let mut probability = libm::exp(trials * libm::log1p(-p));
        let mut left = stream.unit();
        let mut x = 0.0;
        while left > probability && x < trials {
            left -= probability;
            probability *= (trials - x) / (x + 1.0) * odds;
            x += 1.0;
        }
        x as u64
    }

    fn reject(&self, stream: &mut RandomStream) -> u64 {
        let Self { trials, p } = *self;
        let deviation = (self.mean() * (1.0 - p)).sqrt();
        let b = 1.15 + 2.53 * deviation;
        let a = -0.0873 + 0.0248 * b + 0.01 * p;
        let centre = self.mean() + 0.5;
        let alpha = (2.83 + 5.1 / b) * deviation;
        let squeeze = 0.92 - 4.2 / b;
        let mode = ((trials + 1.0) * p).floor();
        let slope = libm::log((trials - mode + 1.0) * p / ((mode + 1.0) * (1.0 - p)));
        loop {
            let (u, v) = (stream.unit() - 0.5, stream.unit());
            let edge = 0.5 - u.abs();
            let x = ((2.0 * a / edge + b) * u + centre).floor();
            if x < 0.0 || x > trials {
                continue;
            }
            if edge >= 0.07 && v <= squeeze {
                return x as u64;
            }
            let d = x - mode;
            let ln_relative =
                d * slope - factorial_ratio(mode, d) - factorial_ratio(trials - mode, -d);
            if libm::log(v * alpha / (a / (edge * edge) + b)) <= ln_relative {
                return x as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests;
