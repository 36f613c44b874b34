use super::*;

#[test]
fn counts_may_have_an_exponent() {
    let all = ["17", "1e3", "25E1", "18446744073709551615"].map(parse_count);
    assert_eq!(all, [Ok(17), Ok(1000), Ok(250), Ok(u64::MAX)]);
}

#[test]
fn what_is_no_count_is_refused() {
    for wrong in ["", "-1", "+1", "1.5", "1e", "e3", "1e-3", "1e1.0", "ten", " 1"] {
        assert_eq!(parse_count(wrong), Err(CountError::Form), "{wrong}");
    }
    for large in ["1e30", "1e20", "99e18", "18446744073709551616", "1e99999999999"] {
        assert_eq!(parse_count(large), Err(CountError::TooLarge), "{large}");
    }
}
