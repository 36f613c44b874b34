//! The number of meetings before an agent meets for a second time.

use super::stirling::falling_share;
use crate::random::RandomStream;

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
        Self {
            ordinary: all - apart,
            per_meeting: 2.0 * libm::log1p(-apart / all) - libm::log1p(-1.0 / all),
        }
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
            let slope = 2.0 * libm::log(room / m) + c;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::testing::{assert_fits, assert_moments};

    fn probabilities(agents: u64, apart: u64) -> Vec<f64> {
        let pairs = (agents * (agents - 1)) as f64;
        let mut survival = 1.0;
        let mut all = Vec::new();
        for s in 0..=(agents - apart) / 2 {
            let fresh = (agents - apart - 2 * s) as f64;
            let next = survival * (fresh * (fresh - 1.0) / pairs).max(0.0);
            all.push(survival - next);
            survival = next;
        }
        all
    }

    #[test]
    fn runs_have_the_probabilities_of_their_definition() {
        for (agents, apart) in
            [(2, 0), (3, 0), (3, 1), (5, 2), (50, 0), (50, 7), (4000, 0), (4000, 40)]
        {
            let p = probabilities(agents, apart);
            let runs = RunLength::new(agents, apart);
            assert_fits(|x| p.get(x as usize).copied().unwrap_or(0.0), |s| runs.draw(s));
        }
    }

    #[test]
    fn long_runs_have_the_moments_of_the_birthday_problem() {
        // At this size the run is Rayleigh distributed with scale sqrt(n)/2, to one part in 10^5;
        // the floor takes off one half.
        let n: f64 = 1e12;
        let mean = n.sqrt() / 2.0 * (std::f64::consts::PI / 2.0).sqrt();
        let variance = (2.0 - std::f64::consts::FRAC_PI_2) * n / 4.0;
        let runs = RunLength::new(1_000_000_000_000, 0);
        assert_moments(mean, variance, |stream| runs.draw(stream) as f64 + 0.5);
    }
}
