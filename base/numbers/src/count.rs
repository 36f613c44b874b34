//! Numbers as text: counts, also with an exponent, digits in groups, and fractions with few digits.

/// The reason why a text is not a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// The text is not a whole number.
    #[error("write a whole number such as 1000 or 1e12")]
    Form,
    /// The number is above 2^64 - 1.
    #[error("the largest number here is {}", u64::MAX)]
    TooLarge,
}

/// Parses a count: a whole number such as `1000`, also with an exponent, as in `1e12`.
///
/// Signs, points and blanks are refused.
///
/// ```
/// use suffrage_numbers::{CountError, parse_count};
///
/// assert_eq!(parse_count("25e3"), Ok(25_000));
/// assert_eq!(parse_count("-5"), Err(CountError::Form));
/// assert_eq!(parse_count("1e30"), Err(CountError::TooLarge));
/// ```
///
/// # Errors
/// If it is not a whole number, or does not fit into 64 bits.
pub fn parse_count(text: &str) -> Result<u64, CountError> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    if !digits(number) || !digits(exponent) {
        return Err(CountError::Form);
    }
    let power = exponent.parse().ok().and_then(|exponent| 10_u64.checked_pow(exponent));
    let value = number.parse::<u64>().ok().zip(power);
    value.and_then(|(number, power)| number.checked_mul(power)).ok_or(CountError::TooLarge)
}

/// Formats digits in groups of three.
///
/// ```
/// assert_eq!(suffrage_numbers::grouped("1234567", ','), "1,234,567");
/// ```
#[must_use]
pub fn grouped(digits: &str, separator: char) -> String {
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// Formats a number so that it is read again as the same one: with an exponent where that saves more than four
/// characters.
///
/// ```
/// use suffrage_numbers::short;
///
/// assert_eq!([0.05, 1e-300, 2500.0, 1e300].map(short), ["0.05", "1e-300", "2500", "1e300"]);
/// ```
#[must_use]
pub fn short(number: f64) -> String {
    let (plain, exponent) = (number.to_string(), format!("{number:e}"));
    if plain.len() > exponent.len() + 4 { exponent } else { plain }
}

/// Formats a number with its noun, its digits in groups of three.
///
/// ```
/// use suffrage_numbers::counted;
///
/// assert_eq!([counted(1, "node"), counted(2_000, "node")], ["1 node", "2,000 nodes"]);
/// assert_eq!(counted(3, "process"), "3 processes");
/// ```
#[must_use]
pub fn counted(number: u64, what: &str) -> String {
    let s = match number {
        1 => "",
        _ if what.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {what}{s}", grouped(&number.to_string(), ','))
}

#[cfg(test)]
mod tests;
