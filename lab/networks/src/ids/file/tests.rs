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

#[test]
fn ids_are_numbers_or_mac_addresses() {
    assert_eq!(parse("18446744073709551615"), Some(u64::MAX));
    assert_eq!(parse("0xFFFFffffFFFFffff"), Some(u64::MAX));
    assert_eq!(parse("0"), Some(0));
    for address in ["00:1B:21:3a:bc:DE", "00-1b-21-3a-bc-de", "001b.213a.bcde"] {
        assert_eq!(parse(address), Some(0x001b_213a_bcde), "{address}");
    }
    for wrong in [
        "",
        "0x",
        "-1",
        "+1",
        "1.5",
        "18446744073709551616",
        "0x1ffffffffffffffff",
        "aa:bb",
        "aa:bb:cc:dd:ee:fg",
        "aa:bb-cc:dd:ee:ff",
        "a:bb:cc:dd:ee:fff",
        "aabb.ccdd",
        "é:bb:cc:dd:ee:ff",
    ] {
        assert!(parse(wrong).is_none(), "{wrong}");
    }
}

#[test]
fn a_comment_is_no_part_of_a_label() {
    assert_eq!(without_comment(" 5 # gateway\n"), "5");
    assert_eq!(without_comment("#5"), "");
    assert_eq!(without_comment("Router #5 17 #"), "Router #5 17");
}
