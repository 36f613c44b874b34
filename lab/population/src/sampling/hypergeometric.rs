//! The hypergeometric distribution.

use super::stirling::{factorial_ratio, falling_share};
use crate::random::RandomStream;

/// Below this mean, counting up from 0 takes less time than rejection.
const COUNTING: f64 = 12.0;

/// Draws the number of `good` items among `draws` drawn without replacement from `good + bad`: by
/// counting up the probabilities where few are expected, else by ratio of uniforms (E. Stadlober,
/// "The ratio of uniforms approach for generating discrete random variates", J. Comput. Appl.
/// Math. 31, 1990).
///
/// The probability of a value relative to the mode's is taken from ratios of factorials, with a
/// relative error near 10^-11 at 10^13 items. `draws` is at most `good + bad`, which is below 2^53.
pub fn hypergeometric(stream: &mut RandomStream, good: u64, bad: u64, draws: u64) -> u64 {
    let items = good + bad;
    debug_assert!(draws <= items, "{draws} draws from {items} items");
    // By symmetry the rarer kind is counted, in the smaller of the sample and of what it leaves.
    let (rare, common) = (good.min(bad), good.max(bad));
    let sample = draws.min(items - draws);
    if rare == 0 || sample == 0 {
        let drawn_good = if good == 0 { 0 } else { draws };
        return drawn_good.min(good);
    }
    let case =
        HypergeometricCase { rare: rare as f64, common: common as f64, sample: sample as f64 };
    let x = if case.mean() < COUNTING { case.count(stream) } else { case.reject(stream) };
    let in_sample = if good <= bad { x } else { sample - x };
    if draws == sample { in_sample } else { good - in_sample }
}

/// A case reduced by symmetry: `rare <= common` and `sample` at most half of all. The smallest
/// possible count is 0.
#[derive(Clone, Copy)]
struct HypergeometricCase {
    rare: f64,
    common: f64,
    sample: f64,
}

impl HypergeometricCase {
    fn items(&self) -> f64 {
        self.rare + self.common
    }

    fn mean(&self) -> f64 {
        self.sample * self.rare / self.items()
    }

    /// Draws by inversion: subtracts the probabilities of 0, 1, 2, ... from a uniform number.
    fn count(&self, stream: &mut RandomStream) -> u64 {
        let Self { rare, common, sample } = *self;
        // P(0) = falling(common, sample) / falling(items, sample).
        let ln_none = falling_share(common, sample) - falling_share(self.items(), sample)
            + sample * libm::log1p(-rare / self.items());
        let mut probability = libm::exp(ln_none);
        let mut left = stream.unit();
        let most = rare.min(sample);
        let mut x = 0.0;
        while left > probability && x < most {
            left -= probability;
            probability *= (rare - x) * (sample - x) / ((x + 1.0) * (common - sample + x + 1.0));
            x += 1.0;
        }
        x as u64
    }

    /// Draws by ratio of uniforms with the region's constants for any log-concave distribution,
    /// around the mean; values beyond 16 standard deviations (probability below 10^-50) are not
    /// considered.
    fn reject(&self, stream: &mut RandomStream) -> u64 {
        let Self { rare, common, sample } = *self;
        let items = self.items();
        let share = rare / items;
        let variance = sample * share * (common / items) * ((items - sample) / (items - 1.0));
        let centre = self.mean() + 0.5;
        let scale = (variance + 0.5).sqrt();
        let width = 1.715_527_769_921_413_5 * scale + 0.898_916_162_058_898_8;
        let end = (rare.min(sample) + 1.0).min((centre + 16.0 * scale).floor());
        let mode = ((sample + 1.0) * (rare + 1.0) / (items + 2.0)).floor();
        let gap = common - sample;
        // All four are at least the mode, that is at least 11.
        let slope = libm::log(
            ((rare - mode + 1.0) * (sample - mode + 1.0)) / ((mode + 1.0) * (gap + mode + 1.0)),
        );
        loop {
            let (u, v) = (stream.unit(), stream.unit());
            let x = (centre + width * (v - 0.5) / u).floor();
            if x < 0.0 || x >= end {
                continue;
            }
            let d = x - mode;
            let ln_relative = d * slope
                - factorial_ratio(mode, d)
                - factorial_ratio(rare - mode, -d)
                - factorial_ratio(sample - mode, -d)
                - factorial_ratio(gap + mode, d);
            if u * (4.0 - u) - 3.0 <= ln_relative {
                return x as u64;
            }
            if u * (u - ln_relative) >= 1.0 {
                continue;
            }
            if 2.0 * libm::log(u) <= ln_relative {
                return x as u64;
            }
        }
    }
}

#[cfg(test)]
mod tests;
