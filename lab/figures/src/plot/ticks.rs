//! The ticks of an axis.

use crate::plot::Axis;

/// The ticks of an axis, and its ends.
#[derive(Debug, PartialEq)]
pub(super) struct Ticks {
    pub(super) low: f64,
    pub(super) high: f64,
    /// The ticks with labels.
    pub(super) major: Vec<f64>,
    pub(super) minor: Vec<f64>,
}

/// Chooses ticks for values from `low` to `high`.
pub(super) fn ticks(axis: &Axis, (low, high): (f64, f64), from_zero: bool) -> Ticks {
    if axis.log { logarithmic(low, high) } else { linear(low, high, from_zero) }
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten.
fn linear(low: f64, high: f64, from_zero: bool) -> Ticks {
    let low = if from_zero && low > 0.0 { 0.0 } else { low };
    let (low, high) = if high > low { (low, high) } else { (low - 0.5, high + 0.5) };
    let rough = (high - low) / 5.0;
    let power = power_of_ten(libm::floor(libm::log10(rough)) as i32);
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|one| one * power);
    let step = step.clone().find(|step| *step >= rough * 0.999).unwrap_or(power * 10.0);
    let (first, last) = (libm::floor(low / step), libm::ceil(high / step));
    let major = (0..=(last - first) as i32).map(|number| (first + f64::from(number)) * step);
    let major: Vec<f64> = major.collect();
    Ticks { low: first * step, high: last * step, major, minor: Vec::new() }
}

/// Ticks at powers of ten, and small ones between them; with one power or none, labels between them.
fn logarithmic(low: f64, high: f64) -> Ticks {
    let (first, last) =
        (libm::floor(libm::log10(low)) as i32, libm::ceil(libm::log10(high)) as i32);
    let between = |digits: &[i32]| {
        let powers = (first - 1..=last).map(power_of_ten);
        let all =
            powers.flat_map(|power| digits.iter().map(move |digit| f64::from(*digit) * power));
        all.collect::<Vec<f64>>()
    };
    // The ends are at a digit, so that little is empty.
    let all = between(&[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let below = all.iter().copied().filter(|tick| *tick <= low * 1.0001).fold(low / 2.0, f64::max);
    let above =
        all.iter().copied().filter(|tick| *tick >= high * 0.9999).fold(high * 2.0, f64::min);
    let within = |ticks: Vec<f64>| -> Vec<f64> {
        ticks.into_iter().filter(|&tick| tick >= below * 0.9999 && tick <= above * 1.0001).collect()
    };
    let powers = within(between(&[1]));
    let few = if powers.len() >= 2 { powers } else { within(between(&[1, 2, 5])) };
    Ticks { low: below, high: above, major: few, minor: within(all) }
}

/// A power of ten, as its decimal is read: exactly rounded.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(log: bool, low: f64, high: f64) -> Ticks {
        ticks(&Axis { label: String::new(), log }, (low, high), true)
    }

    #[test]
    fn linear_ticks_are_round_and_enclose_the_values() {
        assert_eq!(of(false, 3.0, 97.0).major, [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(of(false, -1.0, 0.3).major, [-1.0, -0.5, 0.0, 0.5]);
        assert_eq!(of(false, 7.0, 7.0).major.first(), Some(&0.0));
    }

    #[test]
    fn logarithmic_ticks_are_powers_where_there_are_two() {
        let wide = of(true, 12.0, 2500.0);
        assert_eq!((wide.low, wide.high), (10.0, 3000.0));
        assert_eq!(wide.major, [10.0, 100.0, 1000.0]);
        assert_eq!(wide.minor.len(), 9 + 9 + 3);
        assert_eq!(of(true, 21.0, 78.0).major, [20.0, 50.0]);
    }
}
