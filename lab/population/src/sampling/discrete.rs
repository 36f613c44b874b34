//! Geometric, negative binomial and Poisson variables.

use super::stirling::stirling_error;
use crate::random::RandomStream;
use libm::{log, log1p};

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

#[cfg(test)]
mod tests;
