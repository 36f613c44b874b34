use super::*;

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

/// Values of R's `qt(0.975, n)`.
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
}
