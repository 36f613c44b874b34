//! Compares the closed form with the direct engine and the oracle.

use super::*;
use crate::{
    engine::{
        TrialEngine,
        direct::{Packed, Reference, TrialTail, WatchUntil},
        oracle,
    },
    meetings::{Meetings, SelfMeetings},
    protocols::{
        DeclarationRule, Fratricide, FratricideRole, Infection, NumberedEpidemic, SelfTerminating,
    },
    random::RandomStream,
    trial::{Field, Trial},
};
use std::sync::atomic::AtomicBool;
use suffrage_numbers::statistics::{Moments, ks_distance, ks_distance_from};

fn run(mut engine: impl TrialEngine, seed: u64, trials: u64) -> Vec<Trial> {
    let go = AtomicBool::new(false);
    (0..trials).map(|t| engine.trial(&mut RandomStream::of_trial(seed, t), &go).unwrap()).collect()
}

fn times(trials: &[Trial], field: Field) -> Vec<u64> {
    trials.iter().filter_map(|trial| field.of(trial)).collect()
}

/// Probability of a false alarm below 10^-4 for each comparison.
const SAME: f64 = 2.23;

#[test]
fn the_leader_alone_is_what_the_direct_engine_shows_of_it() {
    let fields = [
        Field::CompletedAt,
        Field::LeaderDeclaredAt,
        Field::Conversions,
        Field::FollowersMet,
        Field::LeaderOk,
    ];
    for (rule, margin, min_interactions, agents) in [
        (DeclarationRule::Text, 4, 25, 2),
        (DeclarationRule::Text, 1, 0, 3),
        (DeclarationRule::Text, 1, 0, 30),
        (DeclarationRule::AtLeast, 2, 0, 100),
        (DeclarationRule::Difference, 1, 0, 400),
        (DeclarationRule::Text, 4, 0, 2000),
    ] {
        let protocol = SelfTerminating { margin: margin.into(), rule, min_interactions };
        let direct =
            run(Packed::new(protocol, Meetings::among(agents), TrialTail::Skipped), 1, 3000);
        let alone = run(EventualLeader::new(protocol, agents.into()), 2, 3000);
        for field in fields {
            let distance = ks_distance(&times(&direct, field), &times(&alone, field));
            assert!(distance < SAME, "{field:?} {protocol:?} n = {agents}: {distance}");
        }
    }
}

/// The same in the model with self-meetings.
#[test]
fn a_leader_that_meets_itself_is_followed_exactly() {
    for (rule, margin, min_interactions, agents) in [
        (DeclarationRule::Text, 1, 0, 2),
        (DeclarationRule::Text, 4, 25, 3),
        (DeclarationRule::AtLeast, 2, 0, 40),
    ] {
        let protocol = SelfTerminating { margin: margin.into(), rule, min_interactions };
        let direct =
            run(Packed::new(protocol, SelfMeetings::among(agents), TrialTail::Skipped), 21, 3000);
        let alone =
            run(EventualLeader::new(protocol, agents.into()).with_self_meetings(), 22, 3000);
        for field in
            [Field::CompletedAt, Field::LeaderDeclaredAt, Field::FollowersMet, Field::LeaderOk]
        {
            let distance = ks_distance(&times(&direct, field), &times(&alone, field));
            assert!(distance < SAME, "{field:?} {protocol:?} n = {agents}: {distance}");
        }
    }
    let n = 1000.0;
    let spread = run(EpidemicSpread { agents: 1000, self_meetings: true }, 23, 4000);
    let times = times(&spread, Field::CompletedAt);
    let moments = Moments::of(times.iter().map(|&t| t as f64)).unwrap();
    let expected = n * oracle::harmonic(999);
    assert!((moments.mean - expected).abs() < 4.0 * moments.error, "{moments:?} {expected}");
}

#[test]
fn completion_has_its_exact_distribution() {
    for agents in [2_u32, 3, 10, 200, 1000] {
        let cdf = oracle::completion_cdf(agents);
        let n = u64::from(agents);
        let epidemic = NumberedEpidemic::default();
        for trials in [
            run(EpidemicSpread { agents: n, self_meetings: false }, 3, 4000),
            run(EventualLeader::new(epidemic, n), 4, 4000),
            run(Packed::new(epidemic, Meetings::among(agents), TrialTail::Skipped), 5, 4000),
            run(
                Reference::new(
                    Infection,
                    Meetings::among(agents),
                    |i| i == 0,
                    WatchUntil::new(true, n),
                ),
                6,
                4000,
            ),
        ] {
            let distance = ks_distance_from(&times(&trials, Field::CompletedAt), &cdf);
            assert!(distance < SAME, "n = {agents}: {distance}");
        }
    }
}

#[test]
fn blocks_of_stages_keep_mean_and_deviation() {
    for agents in [5000, 100_000, 10_000_000] {
        let exact = oracle::completion(agents);
        for trials in [
            run(EpidemicSpread { agents, self_meetings: false }, 7, 1000),
            run(EventualLeader::new(NumberedEpidemic::default(), agents), 8, 1000),
        ] {
            let times = times(&trials, Field::CompletedAt);
            let moments = Moments::of(times.iter().map(|&t| t as f64)).unwrap();
            assert!((moments.mean - exact.mean).abs() < 4.0 * moments.error, "{agents}");
            // The distribution is a sum of two Gumbel ones: kurtosis 4.2, so that the relative
            // error of the deviation is sqrt(3.2 / 4 / 1000).
            assert!((moments.deviation / exact.deviation - 1.0).abs() < 4.0 * 0.0283, "{agents}");
        }
    }
}

#[test]
fn anonymous_elections_agree() {
    for agents in [2_u32, 3, 10, 60] {
        let one = WatchUntil::new(FratricideRole::Leader, 1);
        let direct = run(
            Reference::new(Fratricide, Meetings::among(agents), |_| FratricideRole::Leader, one),
            9,
            3000,
        );
        let drawn = run(OneLeaderLeft(agents.into()), 10, 3000);
        let field = Field::CompletedAt;
        assert!(ks_distance(&times(&direct, field), &times(&drawn, field)) < SAME, "{agents}");
    }
    let large = run(OneLeaderLeft(1 << 20), 11, 3000);
    let moments = Moments::of(times(&large, Field::CompletedAt).iter().map(|&t| t as f64)).unwrap();
    let expected = f64::from((1 << 20) - 1).powi(2);
    assert!((moments.mean - expected).abs() < 4.0 * moments.error, "{moments:?}");
}

#[test]
fn the_leader_is_right_as_often_as_the_oracle_says() {
    for (rule, margin, agents) in [
        (DeclarationRule::Text, 1, 100),
        (DeclarationRule::AtLeast, 2, 500),
        (DeclarationRule::Difference, 4, 1000),
    ] {
        let protocol = SelfTerminating { margin: margin.into(), rule, min_interactions: 0 };
        let exact = oracle::Oracle::of(&protocol, agents);
        let trials = run(EventualLeader::new(protocol, agents.into()), 12, 40_000);
        let right = trials.iter().filter(|trial| trial.leader_ok == Some(true)).count();
        let rate = right as f64 / 40_000.0;
        let p = exact.leader_ok.unwrap();
        assert!((rate - p).abs() < 4.0 * (p * (1.0 - p) / 40_000.0).sqrt(), "{rate} {p}");
        let declared = times(&trials, Field::LeaderDeclaredAt);
        let moments = Moments::of(declared.iter().map(|&t| t as f64)).unwrap();
        let expected = exact.leader_declared_at.unwrap();
        assert!((moments.mean - expected).abs() < 4.0 * moments.error, "{moments:?} {expected}");
    }
}

#[test]
#[should_panic(expected = "freeze")]
fn a_leader_that_others_can_freeze_is_refused() {
    let _ = EventualLeader::new(
        SelfTerminating { rule: DeclarationRule::Printed, ..SelfTerminating::default() },
        10,
    );
}
