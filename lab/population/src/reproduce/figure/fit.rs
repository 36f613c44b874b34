//! Fits lines to the dots.

use serde::Serialize;

/// The least-squares fit of `log_linear · n ln n + linear · n`, the form of the theorems.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The coefficient of n ln n.
    pub log_linear: f64,
    /// The coefficient of n.
    pub linear: f64,
}

impl Fit {
    pub(super) fn of(points: impl Iterator<Item = (f64, f64)>) -> Option<Self> {
        let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (n, time) in points {
            // Relative to n, so that the large populations do not outweigh the small ones.
            let (a, y) = (libm::log(n), time / n);
            aa += a * a;
            ab += a;
            bb += 1.0;
            ay += a * y;
            by += y;
        }
        let determinant = aa * bb - ab * ab;
        (determinant > 1e-9 * aa * bb).then(|| Self {
            log_linear: (ay * bb - by * ab) / determinant,
            linear: (by * aa - ay * ab) / determinant,
        })
    }

    /// Returns the fitted time for n agents.
    #[must_use]
    pub fn at(&self, n: f64) -> f64 {
        n * (self.log_linear * libm::log(n) + self.linear)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_finds_what_was_put_in() {
        let exact = Fit { log_linear: 2.5, linear: -0.75 };
        let sizes = [1000.0, 2000.0, 5000.0, 9000.0];
        let fit = Fit::of(sizes.iter().map(|&n| (n, exact.at(n)))).unwrap();
        assert!((fit.log_linear - 2.5).abs() < 1e-9 && (fit.linear + 0.75).abs() < 1e-9);
        assert_eq!(Fit::of([(1000.0, 1.0), (1000.0, 2.0)].into_iter()), None);
    }
}
