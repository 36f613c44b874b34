//! The distribution of the time at which the eventual leader declares.
//!
//! The dynamic programme over tallies gives the characteristic function of the time at any
//! frequency; a finite Fourier series over a period that the time practically never exceeds
//! recovers the distribution. Since the time is spread over several times n, some hundred
//! frequencies are enough: beyond them the characteristic function vanishes.

use super::tally::{Weight, declarations};
use crate::engine::oracle::harmonic;
use crate::{engine::Supervisor, protocol::NumberedElection};
use std::f64::consts::TAU;

/// The series ends once this many consecutive terms are below this value.
const NEGLIGIBLE: (f64, u32) = (1e-10, 8);

/// Weights below this are dropped within one term.
const FORGOTTEN: f64 = 1e-14;

/// The approximate probability of more conversions of the leader than the period allows for.
const BEYOND: f64 = 1e-11;

/// The maximal number of terms.
const MOST_TERMS: u64 = 1 << 17;

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    const ONE: Self = Self { re: 1.0, im: 0.0 };

    fn turn(phase: f64) -> Self {
        let (im, re) = libm::sincos(phase);
        Self { re, im }
    }

    fn times(self, other: Self) -> Self {
        Self {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }

    fn over(self, other: Self) -> Self {
        let norm = other.norm();
        self.times(Self { re: other.re / norm, im: -other.im / norm })
    }

    fn complement(self) -> Self {
        Self { re: 1.0 - self.re, im: -self.im }
    }

    fn norm(self) -> f64 {
        self.re * self.re + self.im * self.im
    }

    fn power(self, mut exponent: u64) -> Self {
        let (mut result, mut square) = (Self::ONE, self);
        while exponent > 0 {
            if exponent % 2 == 1 {
                result = result.times(square);
            }
            square = square.times(square);
            exponent /= 2;
        }
        result
    }
}

impl Weight for Complex {
    const NONE: Self = Self { re: 0.0, im: 0.0 };
    const ALL: Self = Self::ONE;
    /// Its characteristic function, at the frequency in question.
    type Wait = Self;

    fn plus(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }

    fn scaled(self, by: f64) -> Self {
        Self { re: self.re * by, im: self.im * by }
    }

    #[inline]
    fn after(self, wait: Self, times: u64) -> Self {
        if times == 1 { self.times(wait) } else { self.times(wait.power(times)) }
    }

    #[inline]
    fn is_negligible(self) -> bool {
        self.norm() < FORGOTTEN * FORGOTTEN
    }
}

/// The distribution of the time at which the eventual leader declares, in an election that does
/// not freeze: exact to within 10^-8, which a test compares with probabilities of single times.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclarationTime {
    /// An odd number of interactions that the time practically never exceeds.
    period: u64,
    /// Entry j: the characteristic function at frequency (j + 1) / period, over 1 - e^(-iφ).
    terms: Vec<Complex>,
}

impl DeclarationTime {
    /// Computes the series for `agents` agents, from 2 to [`MAX_AGENTS`](super::MAX_AGENTS), in
    /// seconds for 10^4 of them. `None` if no agent ever declares, if stopped, or if more than 2^17
    /// terms would be needed, as for very few agents with a margin of thousands.
    #[must_use]
    pub fn of(
        election: &impl NumberedElection,
        agents: u32,
        supervisor: &dyn Supervisor,
    ) -> Option<Self> {
        let period = period(election, agents)?;
        let mut terms = Vec::new();
        let mut negligible = 0;
        for j in 1..=period / 2 {
            supervisor.go_on(0)?;
            let z = Complex::turn(TAU * j as f64 / period as f64);
            let wait = |rate: f64| z.scaled(rate).over(z.scaled(1.0 - rate).complement());
            let (early, late) = declarations::<Complex>(election, agents, wait);
            let value = early.plus(late);
            let turned_back = Complex { re: z.re, im: -z.im };
            terms.push(value.over(turned_back.complement()));
            negligible =
                if value.norm() < NEGLIGIBLE.0 * NEGLIGIBLE.0 { negligible + 1 } else { 0 };
            if negligible == NEGLIGIBLE.1 {
                break;
            }
            if j == MOST_TERMS {
                return None;
            }
        }
        Some(Self { period, terms })
    }

    /// Returns the probability that the leader declares at interaction `time` or before.
    #[must_use]
    pub fn by(&self, time: u64) -> f64 {
        if time >= self.period {
            return 1.0;
        }
        let after = time + 1;
        let turns = |j: u64| (j * after % self.period) as f64 / self.period as f64;
        let sum: f64 = self
            .terms
            .iter()
            .zip(1..)
            .map(|(term, j)| term.times(Complex::turn(-TAU * turns(j)).complement()).re)
            .sum();
        ((after as f64 + 2.0 * sum) / self.period as f64).clamp(0.0, 1.0)
    }

    /// Returns the first time by which it has declared with at least this probability.
    #[must_use]
    pub fn quantile(&self, probability: f64) -> u64 {
        let (mut low, mut high) = (0, self.period);
        while low < high {
            let middle = low.midpoint(high);
            if self.by(middle) >= probability {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

/// Returns a number of interactions that the time exceeds with a probability near 10^-10: long
/// enough for the last completion, and for the followers that the most conversions demand.
fn period(election: &impl NumberedElection, agents: u32) -> Option<u64> {
    let n = f64::from(agents);
    // The number of conversions is less spread than a Poisson variable of its mean.
    let mean = harmonic(u64::from(agents) - 1);
    let (mut most, mut left, mut probability) = (0, 1.0, libm::exp(-mean));
    while left > BEYOND && most + 1 < agents {
        left -= probability;
        most += 1;
        probability *= mean / f64::from(most);
    }
    let needs = (0..=most).map(|c| election.followers_to_declare(c)).max()?? as f64;
    // A sum of `needs` geometric times of mean n/2, seven deviations and an exponential tail up.
    let meetings = needs + 7.0 * needs.sqrt() + 25.0;
    let completion = n * (libm::log(n) + 25.0);
    Some((completion + n / 2.0 * meetings) as u64 | 1)
}
