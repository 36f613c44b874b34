use super::*;

/// The examples of Wikipedia's article "Percentile", section "The nearest-rank method".
#[test]
fn quantiles_are_those_of_the_published_examples() {
    let five = [15, 20, 35, 40, 50];
    for (percent, value) in [(5, 15), (30, 20), (40, 20), (50, 35), (100, 50)] {
        assert_eq!(quantile(&five, percent, 100), Some(value), "{percent}");
    }
    let ten = [3, 6, 7, 8, 8, 10, 13, 15, 16, 20];
    let counted: Distribution = ten.into_iter().rev().collect();
    for (percent, value) in [(25, 7), (50, 8), (75, 15), (100, 20)] {
        assert_eq!(quantile(&ten, percent, 100), Some(value), "{percent}");
        assert_eq!(counted.quantile(percent, 100), Some(value), "{percent}");
    }
    assert_eq!(quantile::<u64>(&[], 1, 2), None);
}

#[test]
fn quantiles_are_nearest_ranks() {
    let all: Distribution = (1..=100).rev().collect();
    assert_eq!((all.quantile(95, 100), all.quantile(1, 2)), (Some(95), Some(50)));
    assert_eq!((all.min(), all.max(), all.sum()), (Some(1), Some(100), 5050));
    let two: Distribution = [3, 9].into_iter().collect();
    assert_eq!((two.quantile(1, 2), two.quantile(95, 100)), (Some(3), Some(9)));
    assert_eq!(Distribution::default().quantile(1, 2), None);
}

#[test]
fn the_deviation_is_exact_where_values_are_large_and_near_each_other() {
    let far = 1_u64 << 60;
    let all: Distribution = [far, far + 1, far + 2].into_iter().collect();
    assert_eq!(all.deviation(), Some(1.0));
    let wide: Distribution = [0, u64::MAX, u64::MAX, 0].into_iter().collect();
    let expected = u64::MAX as f64 / 2.0 * (4.0_f64 / 3.0).sqrt();
    assert!((wide.deviation().unwrap() / expected - 1.0).abs() < 1e-12);
    assert_eq!([7].into_iter().collect::<Distribution>().deviation(), None);
}

#[test]
fn parts_in_any_order_are_the_whole() {
    let values = |from: u64| (from..500).step_by(3).map(|x| x * x % 97);
    let whole: Distribution = (0..3).flat_map(values).collect();
    let mut parts = Distribution::default();
    for from in [2, 0, 1] {
        parts.merge(&values(from).collect());
    }
    assert_eq!(parts, whole);
    let text = serde_json::to_string(&whole).unwrap();
    assert_eq!(serde_json::from_str::<Distribution>(&text).unwrap(), whole);
}

/// Values of R's `qt(0.975, n)`, and of the table of upper critical values of Student's distribution in the
/// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
#[test]
fn student_is_that_of_the_tables() {
    for (freedom, quantile) in [
        (1, 12.7062),
        (10, 2.228_139),
        (11, 2.200_985),
        (15, 2.131_450),
        (30, 2.042_272),
        (100, 1.983_972),
        (1_000_000, 1.959_966),
    ] {
        assert!((student(freedom) - quantile).abs() < 1e-4, "{freedom}: {}", student(freedom));
    }
    let up_to_30 = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    let others = [(40, 2.021), (50, 2.009), (60, 2.0), (80, 1.990), (100, 1.984)];
    for (freedom, quantile) in (1..).zip(up_to_30).chain(others) {
        assert!((student(freedom) - quantile).abs() <= 5.1e-4, "{freedom}: {}", student(freedom));
    }
    assert_eq!(student(0), f64::INFINITY);
}

#[test]
fn intervals_are_those_of_published_examples() {
    // Hours of sleep won by one drug over another: Student, "The probable error of a mean", Biometrika 6,
    // 1908. R's `t.test(extra ~ group, data = sleep, paired = TRUE)` has 0.7001142 to 2.4598858.
    let tenths = [12, 24, 13, 13, 0, 10, 18, 8, 46, 14];
    let sleep = Moments::of(tenths.iter().map(|&tenths| tenths as f64 / 10.0)).unwrap();
    let width = sleep.half_width().unwrap();
    assert!((sleep.mean - 1.58).abs() < 1e-9 && (width - 0.879_885_8).abs() < 2e-5, "{sleep:?}");
    // The same, counted in tenths.
    let counted: Distribution = tenths.into_iter().collect();
    assert!((counted.half_width().unwrap() - 10.0 * width).abs() < 1e-9);
    assert!((counted.variance().unwrap() - 151.288_888_888).abs() < 1e-6);
    // 195 measurements of heat flow (ZARR13.DAT), in the e-Handbook, 1.3.5.2: 9.258242 to 9.264679.
    let width = half_width(195, 0.022_789).unwrap();
    assert!((width - (9.264_679 - 9.258_242) / 2.0).abs() < 1e-6, "{width}");
    // Of three values, 1 to 3: 2 ± 4.3027 / sqrt(3).
    let three = Moments::of([1.0, 2.0, 3.0].into_iter()).unwrap();
    assert!((three.half_width().unwrap() - 2.484_165).abs() < 1e-5);
    assert_eq!(Moments::of([7.0].into_iter()).unwrap().half_width(), None);
}

#[test]
fn a_histogram_counts_each_value_once() {
    for (length, values) in [(1, 0..20), (2, 0..21), (2, 0..40), (3, 0..41)] {
        let all: Distribution = values.clone().collect();
        let (bins, found) = all.histogram(20);
        assert_eq!(found, length);
        assert!(bins.len() <= 20 && bins.windows(2).all(|two| two[0].0 + length == two[1].0));
        assert_eq!(bins.iter().map(|bin| bin.1).sum::<u64>(), values.count() as u64);
    }
    let far: Distribution = [0, u64::MAX].into_iter().collect();
    assert_eq!(far.histogram(1).0, [(0, 1), (u64::MAX, 1)]);
    assert_eq!(Distribution::default().histogram(20), (Vec::new(), 1));
}

#[test]
fn moments_are_those_of_the_sample() {
    let m = Moments::of([1.0, 2.0, 3.0, 6.0].into_iter()).unwrap();
    assert_eq!((m.count, m.mean, m.min, m.max), (4, 3.0, 1.0, 6.0));
    assert!((m.deviation * m.deviation - 14.0 / 3.0).abs() < 1e-12);
    assert_eq!(Moments::of(std::iter::empty()), None);
}

#[test]
fn wilsons_interval_has_its_published_values() {
    // R. G. Newcombe, "Two-sided confidence intervals for the single proportion", Statistics
    // in Medicine 17, 1998, table I, method 3.
    for (x, n, low, high) in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ] {
        let rate = Rate::of(x, n).unwrap();
        assert!((rate.low - low).abs() < 5e-5 && (rate.high - high).abs() < 5e-5, "{rate:?}");
    }
    assert_eq!(Rate::of(0, 0), None);
}

#[test]
fn the_distance_is_zero_of_equal_samples_and_large_of_different_ones() {
    let a: Vec<u64> = (0..1000).collect();
    let b: Vec<u64> = (100..1100).collect();
    assert_eq!(ks_distance(&a, &a), 0.0);
    assert!((ks_distance(&a, &b) - 0.1 * 500_f64.sqrt()).abs() < 1e-9);
    let uniform: Vec<f64> = (1..=1000).map(|i| f64::from(i) / 1000.0).collect();
    assert!(ks_distance_from(&a, &uniform) < 1e-9);
    let at = |x: u64| uniform.get(x as usize).copied().unwrap_or(1.0);
    assert!((ks_distance_to(&b, at) - ks_distance_from(&b, &uniform)).abs() < 1e-9);
    assert!(ks_distance_from(&b, &uniform) > 3.0);
}
