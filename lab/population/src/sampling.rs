//! Exact sampling from the distributions that replace many meetings by one draw.
//!
//! Exact means that the algorithms use no approximation, and that their floating-point error stays
//! near 10^-9 at 10^13 agents. Logarithms of factorials are never subtracted from each other, since
//! at 10^12 such a difference has an error of 4e-3. The logarithms of ratios are computed instead
//! ([`factorial_ratio`]).
//!
//! `ln` and `ln(1 + x)` come from the `libm` crate: those of the standard library call the
//! platform's and may differ in the last bit, hence in a whole run, from one machine to another.

use crate::random::RandomStream;
use libm::{log, log1p};

#[cfg(test)]
pub(crate) mod tests;

/// Draws by inversion: subtracts the probabilities of 0, 1, 2, ... up to `most` from a uniform number.
/// `ratio(x)` is the probability of x + 1, divided by the probability of x. This is faster than rejection
/// where the mean is small.
fn count_up(stream: &mut RandomStream, none: f64, most: f64, ratio: impl Fn(f64) -> f64) -> u64 {
    let mut probability = none;
    let mut left = stream.unit();
    let mut x = 0.0;
    while left > probability && x < most {
        left -= probability;
        probability *= ratio(x);
        x += 1.0;
    }
    x as u64
}

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
    let (trials, p) = (trials as f64, weight as f64 / of as f64);
    let mean = trials * p;
    if mean < 10.0 {
        let odds = p / (1.0 - p);
        let none = libm::exp(trials * log1p(-p));
        return count_up(stream, none, trials, |x| (trials - x) / (x + 1.0) * odds);
    }
    let deviation = (mean * (1.0 - p)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * p;
    let centre = mean + 0.5;
    let alpha = (2.83 + 5.1 / b) * deviation;
    let squeeze = 0.92 - 4.2 / b;
    let mode = ((trials + 1.0) * p).floor();
    let slope = log((trials - mode + 1.0) * p / ((mode + 1.0) * (1.0 - p)));
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
        let ln_relative = d * slope - factorial_ratio(mode, d) - factorial_ratio(trials - mode, -d);
        if log(v * alpha / (a / (edge * edge) + b)) <= ln_relative {
            return x as u64;
        }
    }
}

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
    let x = rare_in_sample(stream, rare as f64, common as f64, sample as f64);
    let in_sample = if good <= bad { x } else { sample - x };
    if draws == sample { in_sample } else { good - in_sample }
}

/// Draws a case reduced by symmetry: `rare <= common` and `sample` at most half of all. The smallest
/// possible count is 0.
///
/// Rejection has the region's constants for any log-concave distribution, around the mean; values
/// beyond 16 standard deviations (probability below 10^-50) are not considered.
fn rare_in_sample(stream: &mut RandomStream, rare: f64, common: f64, sample: f64) -> u64 {
    let items = rare + common;
    let mean = sample * rare / items;
    let (most, gap) = (rare.min(sample), common - sample);
    if mean < 12.0 {
        // P(0) = falling(common, sample) / falling(items, sample).
        let ln_none = falling_share(common, sample) - falling_share(items, sample)
            + sample * log1p(-rare / items);
        let ratio = |x| (rare - x) * (sample - x) / ((x + 1.0) * (gap + x + 1.0));
        return count_up(stream, libm::exp(ln_none), most, ratio);
    }
    let share = rare / items;
    let variance = sample * share * (common / items) * ((items - sample) / (items - 1.0));
    let centre = mean + 0.5;
    let scale = (variance + 0.5).sqrt();
    let width = 1.715_527_769_921_413_5 * scale + 0.898_916_162_058_898_8;
    let end = (most + 1.0).min((centre + 16.0 * scale).floor());
    let mode = ((sample + 1.0) * (rare + 1.0) / (items + 2.0)).floor();
    // All four are at least the mode, that is at least 11.
    let slope =
        log(((rare - mode + 1.0) * (sample - mode + 1.0)) / ((mode + 1.0) * (gap + mode + 1.0)));
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
        if u * (u - ln_relative) < 1.0 && 2.0 * log(u) <= ln_relative {
            return x as u64;
        }
    }
}

/// Draws the number of trials up to and including the first success, each succeeding with
/// probability `p` in `(0, 1]`: an exponential variable, rounded up.
#[inline]
pub fn geometric(stream: &mut RandomStream, p: f64) -> u64 {
    if p >= 1.0 { 1 } else { (stream.exponential() / -log1p(-p)) as u64 + 1 }
}

/// Draws the number of trials up to and including success number `successes`, each succeeding with
/// probability `p` in `(0, 1]`: a Poisson variable whose mean has a gamma distribution (L. Devroye,
/// *Non-Uniform Random Variate Generation*, 1986, section X.4.7), or a sum of geometric ones if
/// there are few.
pub fn negative_binomial(stream: &mut RandomStream, successes: u64, p: f64) -> u64 {
    if p >= 1.0 {
        return successes;
    }
    if successes < 4 {
        return (0..successes).map(|_| geometric(stream, p)).sum();
    }
    let mean = gamma(stream, successes as f64) * (1.0 - p) / p;
    successes + poisson(stream, mean)
}

/// Draws a gamma variable of shape at least 1 and scale 1 (G. Marsaglia, W. Tsang, "A simple method
/// for generating gamma variables", ACM TOMS 26(3), 2000).
fn gamma(stream: &mut RandomStream, shape: f64) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = stream.normal();
        let base = 1.0 + c * x;
        if base <= 0.0 {
            continue;
        }
        let (v, u, square) = (base * base * base, stream.unit(), x * x);
        if u < 1.0 - 0.0331 * square * square || log(u) < 0.5 * square + d * (1.0 - v + log(v)) {
            return d * v;
        }
    }
}

/// Draws a Poisson variable: by counting below a mean of 10, else by transformed rejection with
/// squeeze (W. Hörmann, "The transformed rejection method for generating Poisson random variables",
/// Insurance: Mathematics and Economics 12, 1993), with the probability by Loader's expansion.
pub fn poisson(stream: &mut RandomStream, mean: f64) -> u64 {
    if mean < 10.0 {
        let mut left = mean;
        let mut count = 0;
        loop {
            left -= stream.exponential();
            if left < 0.0 {
                return count;
            }
            count += 1;
        }
    }
    let b = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    let squeeze = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let (u, v) = (stream.unit() - 0.5, stream.unit());
        let edge = 0.5 - u.abs();
        let count = ((2.0 * a / edge + b) * u + mean + 0.43).floor();
        if edge >= 0.07 && v <= squeeze {
            return count as u64;
        }
        if count < 0.0 || (edge < 0.013 && v > edge) {
            continue;
        }
        if log(v * inverse_alpha / (a / (edge * edge) + b)) <= ln_poisson(count, mean) {
            return count as u64;
        }
    }
}

fn ln_poisson(count: f64, mean: f64) -> f64 {
    if count == 0.0 {
        return -mean;
    }
    -stirling_error(count) - deviance(count, mean) - 0.5 * log(std::f64::consts::TAU * count)
}

fn deviance(x: f64, mean: f64) -> f64 {
    if (x - mean).abs() >= 0.1 * (x + mean) {
        return x * log(x / mean) + mean - x;
    }
    let v = (x - mean) / (x + mean);
    let mut sum = (x - mean) * v;
    let mut term = 2.0 * x * v;
    for j in 1.. {
        term *= v * v;
        let next = sum + term / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// The length of a run of clean meetings, until the first meeting that is not clean. A meeting is
/// clean if both agents are ordinary and meet for the first time in the run (P. Berenbrink, D.
/// Hammer, D. Kaaser, U. Meyer, M. Penschuck, H. Tran, "Simulating population protocols in
/// sub-constant time per interaction", ESA 2020; here with some agents set apart, whose every
/// meeting ends the run).
#[derive(Clone, Copy, Debug)]
pub struct RunLength {
    ordinary: f64,
    /// `ln` of the share of ordered pairs that a pair of ordinary sequences has: two draws from
    /// the ordinary with replacement, as against two different agents.
    per_meeting: f64,
}

impl RunLength {
    /// Creates the distribution for a population of `agents` agents, with `apart` of them set
    /// apart.
    #[must_use]
    pub fn new(agents: u64, apart: u64) -> Self {
        let (all, apart) = (agents as f64, apart as f64);
        Self { ordinary: all - apart, per_meeting: 2.0 * log1p(-apart / all) - log1p(-1.0 / all) }
    }

    /// Returns the expected length, about: the median of the distribution without agents set apart.
    #[must_use]
    pub fn typical(&self) -> f64 {
        0.63 * self.ordinary.sqrt()
    }

    fn ln_survival(&self, length: f64) -> f64 {
        falling_share(self.ordinary, 2.0 * length) + length * self.per_meeting
    }

    /// Draws a length, by inversion: Newton's method finds where the survival function passes a
    /// random level, integer steps make it exact.
    pub fn draw(&self, stream: &mut RandomStream) -> u64 {
        let longest = (self.ordinary / 2.0).floor();
        let level = -stream.exponential();
        // Survival is near exp(-2s²/m + s·per_meeting).
        let m = self.ordinary;
        let c = self.per_meeting;
        let mut s = ((c * m + (c * c * m * m - 8.0 * m * level).sqrt()) / 4.0).min(longest);
        for _ in 0..8 {
            let room = (m - 2.0 * s).max(1.0);
            let slope = 2.0 * log(room / m) + c;
            let step = (self.ln_survival(s) - level) / slope;
            s = (s - step).clamp(0.0, longest);
            if step.abs() < 0.25 {
                break;
            }
        }
        s = s.floor();
        while s > 0.0 && self.ln_survival(s) < level {
            s -= 1.0;
        }
        while s < longest && self.ln_survival(s + 1.0) >= level {
            s += 1.0;
        }
        s as u64
    }
}

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
fn stirling_error(n: f64) -> f64 {
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
        return stirling_error(n) - n + 0.5 * log(n) + 0.918_938_533_204_672_8;
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
