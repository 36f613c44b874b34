extern crate std;

use super::*;

#[test]
fn the_hyperbola_gives_what_the_definition_says() {
    assert_eq!([0, 1, 2, 3, 4, 5, 6].map(divisor_sum), [0, 1, 3, 5, 8, 10, 14]);
    for n in 0..=2000 {
        assert_eq!(divisor_sum(n), (1..=n).map(|i| n / i).sum::<u64>());
    }
    // Known values at powers of ten (OEIS A057494).
    assert_eq!([100, 1_000_000].map(divisor_sum), [482, 13_970_034]);
}

/// Checks Afek and Gafni's lemma 2 for every `n` up to 200,000: `4 D(n) - 2n - 2 < 4 n ln n`.
/// From 80 on an estimate, checked against the exact sum here, gives the same for all others:
/// with `u` the whole part of the root,
/// `D(n) <= 2 n H_u - u^2 < n ln n + (2 gamma - 1) n + 3 sqrt(n) + 1`.
#[test]
fn attempts_to_capture_cost_less_than_4_n_ln_n_from_three_nodes_on() {
    const GAMMA: f64 = 0.577_215_664_901_532_9;
    let attempts = |n: u64| (4 * divisor_sum(n) - 2 * n - 2) as f64;
    let published = |n: u64| 4.0 * n as f64 * (n as f64).ln();
    assert!(attempts(2) > published(2));
    for n in 3..=200_000 {
        assert!(attempts(n) < published(n), "{n}");
        if n < 80 {
            continue;
        }
        let (x, root) = (n as f64, (n as f64).sqrt());
        let estimate = x * x.ln() + (2.0 * GAMMA - 1.0) * x + 3.0 * root + 1.0;
        assert!(divisor_sum(n) as f64 <= estimate, "{n}");
        assert!(4.0 * estimate - 2.0 * x - 2.0 < published(n), "{n}");
    }
}
