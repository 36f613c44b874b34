use super::*;
use crate::ensemble::Silent;

#[test]
fn theorems_hold_in_simulation() {
    let never = AtomicBool::new(false);
    for (agents, trials) in [(3, 5000), (100, 5000), (1000, 2000)] {
        let theorems = Theorems::run(agents, trials, 1, 2, &Silent, &never).unwrap();
        for comparison in theorems.comparisons.iter().filter(|comparison| comparison.exact) {
            // Six exact comparisons on three populations: a false alarm in 800 seeds.
            assert!(comparison.standard_errors.abs() < 4.0, "{comparison:?}");
        }
        for about in theorems.comparisons.iter().filter(|comparison| !comparison.exact) {
            assert!((about.measured.mean / about.expected - 1.0).abs() < 0.1, "{about:?}");
        }
    }
}

/// In the model of the proofs: of the `n^2` ordered pairs, those of the leader, agent 0, with one of
/// `i` followers, itself among them; the paper's probability has the leader's meeting with itself
/// twice, as the leader's counter has.
#[test]
fn theorem_3_counts_the_leaders_meeting_with_itself_twice() {
    for n in 2..=60_u32 {
        let (mut meetings, mut counted) = (0.0, 0.0);
        for followers in 1..n {
            let pairs = || (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            let met = |&(a, b): &(u32, u32)| (a == 0 && b < followers) || (b == 0 && a < followers);
            let converts = |&(a, b): &(u32, u32)| (a < followers) != (b < followers);
            let rounds = f64::from(n * n) / pairs().filter(converts).count() as f64;
            let of_all = |count: usize| count as f64 / f64::from(n * n) * rounds;
            meetings += of_all(pairs().filter(met).count());
            counted += of_all(pairs().filter(met).map(|(a, b)| 1 + usize::from(a == b)).sum());
        }
        let harmonic: f64 = (1..n).map(|i| f64::from(i).recip()).sum();
        assert!((meetings - (1.0 - f64::from(n).recip()) * harmonic).abs() < 1e-9, "{n}");
        assert!((counted - harmonic).abs() < 1e-9, "{n}");
    }
}

#[test]
fn too_few_trials_show_nothing() {
    let stopped = AtomicBool::new(true);
    assert_eq!(Theorems::run(100, 10, 1, 1, &Silent, &stopped), None);
}
