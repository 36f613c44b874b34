//! Compares the oracle with itself, independent programs and the engines.

use super::*;
use crate::{
    engine::{
        TrialEngine,
        closed_form::EventualLeader,
        direct::{Packed, TrialTail},
    },
    meetings::Meetings,
    protocols::{DeclarationRule, NumberedEpidemic, SelfTerminating},
    random::RandomStream,
    trial::Trial,
};
use std::{collections::BTreeMap, sync::atomic::AtomicBool};
use suffrage_numbers::statistics::{ks_distance_from, ks_distance_to};

static GO: AtomicBool = AtomicBool::new(false);

/// Probability of a false alarm below 10^-4 for each comparison.
const SAME: f64 = 2.23;

fn run(mut engine: impl TrialEngine, seed: u64, trials: u64) -> Vec<Trial> {
    (0..trials).map(|t| engine.trial(&mut RandomStream::of_trial(seed, t), &GO).unwrap()).collect()
}

#[test]
fn theorems_in_closed_form() {
    for agents in [2_u32, 3, 10, 1000] {
        let n = f64::from(agents);
        let h = harmonic(u64::from(agents) - 1);
        let oracle = Oracle::of(&NumberedEpidemic::default(), agents);
        assert!((oracle.completed_at.mean - (n - 1.0) * h).abs() < 1e-9 * n * h);
        let sum: f64 = (1..agents).map(|k| 1.0 / conversion_rate(agents.into(), k.into())).sum();
        assert!((oracle.completed_at.mean - sum).abs() < 1e-9 * sum);
        assert!((oracle.conversions.mean - h).abs() < 1e-9);
        assert!((oracle.followers_met.mean - (1.0 - 2.0 / n) * h).abs() < 1e-9);
        assert_eq!(oracle.leader_ok, None);
        let anonymous = fratricide(u64::from(agents));
        assert!((anonymous.mean - (n - 1.0) * (n - 1.0)).abs() < 1e-6 * n);
    }
}

#[test]
fn the_distribution_has_the_moments() {
    for agents in [2_u32, 3, 50] {
        let cdf = completion_cdf(agents);
        let mean: f64 = cdf.iter().map(|p| 1.0 - p).sum();
        assert!((mean - completion(agents.into()).mean).abs() < 1e-6, "{agents}: {mean}");
    }
}

/// The distribution has the mean and deviation of the sums, also at the oracle's limit.
#[test]
fn the_distribution_reaches_ten_thousand_agents() {
    let cdf = completion_cdf(MAX_AGENTS);
    assert!(cdf.is_sorted() && (cdf[cdf.len() - 1] - 1.0).abs() < 1e-11);
    let mean: f64 = cdf.iter().map(|p| 1.0 - p).sum();
    let square: f64 = (0..).zip(&cdf).map(|(t, p)| f64::from(2 * t + 1) * (1.0 - p)).sum();
    let exact = completion(MAX_AGENTS.into());
    assert!((mean / exact.mean - 1.0).abs() < 1e-9, "{mean}");
    assert!(((square - mean * mean).sqrt() / exact.deviation - 1.0).abs() < 1e-8);
    let alone = run(EventualLeader::new(NumberedEpidemic::default(), MAX_AGENTS.into()), 41, 4000);
    let direct = run(
        Packed::new(NumberedEpidemic::default(), Meetings::among(MAX_AGENTS), TrialTail::Skipped),
        42,
        400,
    );
    for trials in [alone, direct] {
        let times: Vec<_> = trials.iter().filter_map(|trial| trial.completed_at).collect();
        let distance = ks_distance_from(&times, &cdf);
        assert!(distance < SAME, "{distance}");
    }
}

/// Returns the declaration's distribution interaction by interaction: followers, conversions,
/// followers met by the leader, and their probability. Shares no code with the oracle.
fn declared_by(protocol: &SelfTerminating, agents: u32, times: usize) -> Vec<f64> {
    let pairs = f64::from(agents * (agents - 1)) / 2.0;
    let mut now = BTreeMap::from([((1, 0, 0_u32), 1.0)]);
    let (mut declared, mut cdf) = (0.0, vec![0.0]);
    for _ in 0..times {
        let mut next = BTreeMap::new();
        for ((followers, conversions, met), probability) in now {
            let meets = f64::from(followers - 1) / pairs;
            let (by_all, by_leader) = (
                f64::from(followers * (agents - followers)) / pairs,
                f64::from(agents - followers) / pairs,
            );
            let mut add = |state, p: f64| *next.entry(state).or_insert(0.0) += probability * p;
            add((followers, conversions, met), 1.0 - meets - by_all);
            if followers < agents {
                add((followers + 1, conversions + 1, met), by_leader);
                add((followers + 1, conversions, met), by_all - by_leader);
            }
            if meets > 0.0 {
                let enough = protocol.followers_to_declare(conversions).unwrap();
                if u64::from(met) + 1 >= enough {
                    declared += probability * meets;
                } else {
                    add((followers, conversions, met + 1), meets);
                }
            }
        }
        now = next;
        cdf.push(declared);
    }
    cdf
}

#[test]
fn declarations_have_the_probabilities_of_single_times() {
    for (rule, margin, min_interactions, agents) in [
        (DeclarationRule::Text, 4, 25, 2),
        (DeclarationRule::Text, 1, 0, 3),
        (DeclarationRule::Text, 4, 0, 5),
        (DeclarationRule::AtLeast, 2, 0, 9),
        (DeclarationRule::Difference, 3, 10, 9),
    ] {
        let protocol = SelfTerminating { margin: margin.into(), rule, min_interactions };
        let series = DeclarationTime::of(&protocol, agents, &GO).unwrap();
        let exact = declared_by(&protocol, agents, 400);
        for (time, &probability) in (0..).zip(&exact) {
            let by = series.by(time);
            assert!((by - probability).abs() < 1e-8, "{protocol:?} {agents} {time}: {by}");
        }
    }
}

#[test]
fn declarations_of_many_agents_are_those_of_the_engines() {
    hold_declarations([(1000, 400, 4000), (MAX_AGENTS, 40, 4000)]);
}

#[test]
#[ignore = "takes minutes; part of `.ci/evidence`"]
fn declarations_of_many_agents_are_those_of_the_engines_in_many_trials() {
    hold_declarations([(1000, 20_000, 40_000), (MAX_AGENTS, 2000, 40_000)]);
}

fn hold_declarations(samples: [(u32, u64, u64); 2]) {
    let protocol = SelfTerminating { min_interactions: 0, ..SelfTerminating::default() };
    for (agents, direct, alone) in samples {
        let series = DeclarationTime::of(&protocol, agents, &GO).unwrap();
        let direct =
            run(Packed::new(protocol, Meetings::among(agents), TrialTail::Skipped), 43, direct);
        let alone = run(EventualLeader::new(protocol, agents.into()), 44, alone);
        for trials in [direct, alone] {
            let times: Vec<_> =
                trials.iter().filter_map(|trial| trial.leader_declared_at).collect();
            let distance = ks_distance_to(&times, |time| series.by(time));
            assert!(distance < SAME, "{agents}: {distance}");
        }
        // The mean, from the other dynamic programme, by summing 1 - P(T <= t).
        let step = u64::from(agents) / 40;
        let still_to_come = |k: u64| 1.0 - series.by(step * k + step / 2);
        let mean: f64 = (0..6000).map(|k| step as f64 * still_to_come(k)).sum();
        let exact = Oracle::of(&protocol, agents).leader_declared_at.unwrap();
        assert!((mean / exact - 1.0).abs() < 1e-4, "{agents}: {mean} {exact}");
        let median = series.quantile(0.5);
        assert!(series.by(median) >= 0.5 && series.by(median - 1) < 0.5);
    }
}

#[test]
fn who_never_declares_and_who_is_stopped_has_no_declaration() {
    let stopped = AtomicBool::new(true);
    assert_eq!(DeclarationTime::of(&SelfTerminating::default(), 1000, &stopped), None);
    assert_eq!(DeclarationTime::of(&NumberedEpidemic::default(), 1000, &GO), None);
}

/// Three agents by hand: after the first meeting, which need not be the leader's, stage 2 ends with
/// probability 2/3 of the events that matter. With m = 1 the text's rule requires more followers
/// met than conversions.
#[test]
fn three_agents_by_hand() {
    let protocol =
        SelfTerminating { margin: 1.into(), rule: DeclarationRule::Text, min_interactions: 0 };
    let oracle = Oracle::of(&protocol, 3);
    // Stage 1 ends by the leader's conversion. Stage 2: (1,0) meets two followers, each with
    // probability 1/3, and declares too early: 1/9.
    assert!((oracle.leader_ok.unwrap() - 8.0 / 9.0).abs() < 1e-12);
}

/// n = 1000 and 10000, m = 4: in per cent, from an independent program.
#[test]
fn rates_of_the_rules() {
    for (rule, min_interactions, agents, percent) in RATES {
        let protocol = SelfTerminating { margin: 4.into(), rule, min_interactions };
        let rate = 100.0 * Oracle::of(&protocol, agents).leader_ok.unwrap();
        assert!((rate - percent).abs() < 1e-4, "{rule:?} {agents}: {rate}");
    }
}
const RATES: [(DeclarationRule, u32, u32, f64); 5] = [
    (DeclarationRule::Text, 0, 1000, 99.4580),
    (DeclarationRule::AtLeast, 0, 1000, 99.2137),
    (DeclarationRule::Text, 25, 1000, 99.9912),
    (DeclarationRule::Text, 30, 2000, 99.998_631),
    (DeclarationRule::AtLeast, 0, 3335, 99.5050),
];

#[test]
fn harmonic_numbers_are_sums_of_reciprocals() {
    assert_eq!([harmonic(0), harmonic(1), harmonic(2)], [0.0, 1.0, 1.5]);
    for n in [256, 257, 1000, 99_999] {
        let sum: f64 = (1..=n).rev().map(|i| 1.0 / i as f64).sum();
        assert!((harmonic(n) - sum).abs() < 1e-13, "{n}");
    }
}
