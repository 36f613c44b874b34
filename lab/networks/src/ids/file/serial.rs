//! Serial numbers with letters, and names, ordered as strings.

use crate::names::Names;

/// The kind of characters at one place of all serial numbers of one form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Digits,
    /// Digits or upper-case letters.
    Upper,
    /// Digits or lower-case letters.
    Lower,
    Sign(u8),
}

impl Place {
    const fn of(byte: u8) -> Self {
        match byte {
            b'0'..=b'9' => Self::Digits,
            b'A'..=b'Z' => Self::Upper,
            b'a'..=b'z' => Self::Lower,
            sign => Self::Sign(sign),
        }
    }

    fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, two) if one == two => Some(one),
            (Self::Digits, case @ (Self::Upper | Self::Lower))
            | (case @ (Self::Upper | Self::Lower), Self::Digits) => Some(case),
            _ => None,
        }
    }
}

/// Returns whether a text can be a serial number: letters, digits and a few signs, with at least
/// one digit, and at least one character that is not part of a decimal number.
pub(super) fn is_serial(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte);
    text.bytes().all(allowed)
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic() || b"-_/:".contains(&byte))
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
}

pub(super) fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_alphabetic() || "-_.'".contains(c);
    text.chars().all(allowed)
        && text.starts_with(char::is_alphabetic)
        && text.ends_with(|c: char| c.is_alphabetic() || c == '.')
}

/// Returns the ranks of names or of serial numbers from 1, equal ones for equal texts; `lines` are
/// their line numbers.
///
/// # Errors
/// The line of the first serial number whose form differs from the numbers before it, and the reason.
pub(super) fn ranks(all: &Names, lines: &[u64]) -> Result<Vec<u64>, (u64, String)> {
    let mut form: Vec<Place> = all.get(0).bytes().map(Place::of).collect();
    // Names have no digits, whose number of places would matter.
    let serials = all.iter().zip(lines).filter(|_| !is_name(all.get(0)));
    for (text, &line) in serials {
        let same: Option<Vec<Place>> = match text.len() == form.len() {
            true => form.iter().zip(text.bytes()).map(|(p, b)| p.and(Place::of(b))).collect(),
            false => None,
        };
        form = same.ok_or_else(|| {
            let what = format!(
                "`{text}` has another form than `{}` in line {}: ids with letters are ordered as \
                 strings, and need the same length, the same signs at the same places, and letters \
                 of one case (write SN-09 beside SN-10, not SN-9)",
                all.get(0),
                lines[0]
            );
            (line, what)
        })?;
    }
    let mut ranks = vec![0; all.len() as usize];
    let mut rank = 0;
    let mut before = None;
    for &place in all.sorted() {
        if before.replace(all.get(place)) != Some(all.get(place)) {
            rank += 1;
        }
        ranks[place as usize] = rank;
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks_of(all: &[&str]) -> Result<Vec<u64>, u64> {
        let lines: Vec<u64> = (1..=all.len() as u64).collect();
        ranks(&all.iter().copied().collect(), &lines).map_err(|(line, _)| line)
    }

    #[test]
    fn serial_numbers_of_one_form_are_ordered_as_strings() {
        assert_eq!(ranks_of(&["SN-010", "SN-002", "SN-100"]), Ok(vec![2, 1, 3]));
        assert_eq!(ranks_of(&["C02X", "9F3B", "C02A"]), Ok(vec![3, 1, 2]));
        assert_eq!(ranks_of(&["00a2", "0012", "00a2"]), Ok(vec![2, 1, 2]));
    }

    #[test]
    fn other_forms_are_refused() {
        assert_eq!(ranks_of(&["SN-9", "SN-10"]), Err(2));
        assert_eq!(ranks_of(&["SN-01", "SN-02", "SN_03"]), Err(3));
        assert_eq!(ranks_of(&["A1", "11", "b1"]), Err(3));
        assert_eq!(ranks_of(&["17", "A17"]), Err(2));
    }

    #[test]
    fn a_serial_number_has_a_digit_and_no_odd_signs() {
        for text in ["SN-001", "C02XK1ABJG5H", "a/b.c_1", "1-2"] {
            assert!(is_serial(text), "{text}");
        }
        for text in ["two", "", "-1", "+1", "é1", "1 2", "1\u{7}", ":1", "1.5"] {
            assert!(!is_serial(text), "{text}");
        }
    }
}
