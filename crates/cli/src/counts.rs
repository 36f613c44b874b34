//! Counts on the command line: whole numbers, also with an exponent.

/// Parses a whole number such as `1000` or `1e12`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    if !digits(number) || !digits(exponent) {
        return Err("write a whole number such as 1000 or 1e12".to_owned());
    }
    let power = exponent.parse().ok().and_then(|exponent| 10_u64.checked_pow(exponent));
    let value = number.parse::<u64>().ok().zip(power);
    value.and_then(|(number, power)| number.checked_mul(power)).ok_or_else(|| limit(u64::MAX))
}

/// Parses a whole number below 2^32.
pub(crate) fn count32(text: &str) -> Result<u32, String> {
    u32::try_from(count(text)?).map_err(|_| limit(u32::MAX.into()))
}

/// Parses a whole number above 0.
pub(crate) fn positive(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("write a whole number from 1 on".to_owned()),
        number => Ok(number),
    }
}

fn limit(most: u64) -> String {
    format!("the largest number here is {most}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_may_have_an_exponent() {
        assert_eq!([count("17"), count("1e3"), count("25E1")], [Ok(17), Ok(1000), Ok(250)]);
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        assert_eq!((count32("4e9"), positive("1")), (Ok(4_000_000_000), Ok(1)));
    }

    #[test]
    fn what_is_not_a_count_is_told_what_to_write_or_the_limit() {
        for wrong in ["", "-1", "+1", "1.5", "1e", "e3", "1e-3", "1e1.0", "ten"] {
            assert!(count(wrong).unwrap_err().contains("such as 1000 or 1e12"), "{wrong}");
        }
        for large in ["1e30", "1e20", "99e18", "18446744073709551616", "1e99999999999"] {
            assert!(count(large).unwrap_err().contains("18446744073709551615"), "{large}");
        }
        assert!(count32("5e9").unwrap_err().contains("4294967295"));
        assert!(positive("0").unwrap_err().contains("from 1 on"));
    }
}
