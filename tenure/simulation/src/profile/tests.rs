use super::*;

fn drawn(profile: &Profile) -> Vec<u64> {
    let (delays, key) = (DelaySampler::new(profile), Key::new(1, "test"));
    let mut drawn: Vec<u64> = (0..100_000).map(|i| delays.draw(0, 1, key.at(i))).collect();
    drawn.sort_unstable();
    drawn
}

#[test]
fn a_log_normal_profile_has_its_quantiles() {
    let drawn = drawn(&Profile::LAN);
    // exp(0.5 z) for the quantiles 0.1587, 0.5, 0.8413 and 0.99865.
    for (quantile, factor) in [(0.1587, -0.5), (0.5, 0.0), (0.8413, 0.5), (0.99865, 1.5)] {
        let expected = 100_000.0 * f64::exp(factor);
        let found = drawn[(quantile * 1e5) as usize] as f64;
        assert!((found / expected - 1.0).abs() < 0.05, "{quantile}: {found}, {expected}");
    }
    assert!(drawn.last() <= Some(&Profile::LAN.longest().0));
}

#[test]
fn a_uniform_profile_stays_between_its_ends() {
    let drawn = drawn(&"uniform:1ms..3ms".parse().unwrap());
    assert!(drawn[0] >= 1_000_000 && drawn[99_999] <= 3_000_000);
    assert!((1_980_000..2_020_000).contains(&drawn[50_000]));
}

#[test]
fn profiles_are_read_as_they_are_written() {
    for text in ["lan", "wan", "fixed:1ms", "uniform:0s..5ms", "log-normal:3ms:30%"] {
        assert_eq!(text.parse::<Profile>().unwrap().to_string(), text);
    }
    for wrong in ["", "man", "fixed:1", "uniform:5ms..1ms", "log-normal:1ms", "fixed:2h"] {
        assert!(wrong.parse::<Profile>().is_err(), "{wrong}");
    }
}

#[test]
fn round_trips_between_regions_are_read_from_a_table() {
    let regions: Regions = "# ms\n  fra,iad\nfra, 0.5, 90\niad 88 0.4\n".parse().unwrap();
    let profile = Profile::Regions(regions);
    assert_eq!(profile.to_string(), "regions:fra,iad");
    let drawn = drawn(&profile);
    let median = drawn[50_000] as f64;
    assert!((median / 45e6 - 1.0).abs() < 0.01, "{median}");
    assert!(drawn.last() <= Some(&profile.longest().0));
}

#[test]
fn a_table_that_is_wrong_is_refused_with_its_line() {
    for (text, why) in [
        ("", "line 1: there is no line of names of regions"),
        ("a b\na 1 2\nc 1 2", "line 3: row 2 has to begin with b"),
        ("a b\na 1 2", "line 2: there is no row for b"),
        ("a b\na 1", "line 2: a has 1 round trips, not 2"),
        ("a\na x", "line 2: \"x\" is no number of milliseconds"),
    ] {
        assert_eq!(text.parse::<Regions>().unwrap_err().to_string(), why);
    }
}
