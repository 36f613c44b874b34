//! Formats numbers.

use suffrage_numbers::statistics::Moments;

/// Formats a whole number with its digits in groups of three, a fractional one with two decimals.
#[must_use]
pub fn number(x: f64) -> String {
    let decimals = if x.fract() == 0.0 || x.abs() >= 1e6 { 0 } else { 2 };
    let plain = format!("{:.decimals$}", x.abs());
    let (whole, rest) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut text = String::from(if x < 0.0 { "-" } else { "" });
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if !rest.is_empty() {
        text.push('.');
        text.push_str(rest);
    }
    text
}

/// Formats a number with its noun: `1 agent`, `2,000 agents`.
#[must_use]
pub fn counted(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {what}{s}", number(count as f64))
}

/// Formats a share in per cent, with three decimals.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.3} %", 100.0 * share)
}

/// Formats a mean with its 95 % confidence interval and the standard deviation; a single value alone.
pub(crate) fn mean(moments: &Moments) -> String {
    let mean = number(moments.mean);
    match moments.half_width() {
        Some(width) => {
            format!("{mean} ± {}, deviation {}", number(width), number(moments.deviation))
        }
        None => mean,
    }
}

/// Names the seeds of trials.
pub(crate) fn seeds(consecutive: bool, first: u64, trials: u64) -> String {
    if consecutive {
        format!("seeds {first} to {}", first.saturating_add(trials - 1))
    } else {
        format!("seed {first}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_groups() {
        let cases = [
            (0.0, "0"),
            (999.0, "999"),
            (1000.0, "1,000"),
            (7484.47, "7,484.47"),
            (-12_345_678.9, "-12,345,679"),
            (1e12, "1,000,000,000,000"),
        ];
        for (x, text) in cases {
            assert_eq!(number(x), text);
        }
        assert_eq!(percent(0.99458), "99.458 %");
    }
}
