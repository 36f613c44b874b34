//! Compares the batched engines with the direct engine, the closed form and the oracle.

use super::*;
use crate::{
    engine::{
        TrialEngine,
        closed_form::EventualLeader,
        direct::{Packed, Reference, TrialTail, WatchUntil},
        oracle,
    },
    meetings::Meetings,
    protocol::PopulationProtocol,
    protocols::{
        DeclarationRule, Fratricide, FratricideRole, Infection, NumberedEpidemic, SelfTerminating,
    },
    random::RandomStream,
    trial::{Field, Trial},
};
use std::sync::atomic::AtomicBool;
use suffrage_numbers::statistics::{Moments, ks_distance, ks_distance_from};

/// Probability of a false alarm below 10^-4 for each comparison.
const SAME: f64 = 2.23;

fn run(mut engine: impl TrialEngine, seed: u64, trials: u64) -> Vec<Trial> {
    let go = AtomicBool::new(false);
    (0..trials).map(|t| engine.trial(&mut RandomStream::of_trial(seed, t), &go).unwrap()).collect()
}

fn times(trials: &[Trial], field: Field) -> Vec<u64> {
    trials.iter().filter_map(|trial| field.of(trial)).collect()
}

fn infection(agents: u64) -> StateCounts<bool> {
    let table = MeetingTable::reachable(&Infection, &[true, false]).unwrap();
    StateCounts::new(table, &[1, agents - 1], Goal::Count { state: 0, count: agents })
}

fn fratricide(agents: u64) -> StateCounts<FratricideRole> {
    let table = MeetingTable::reachable(&Fratricide, &[FratricideRole::Leader]).unwrap();
    StateCounts::new(table, &[agents], Goal::Count { state: 0, count: 1 })
}

#[test]
fn infections_have_their_exact_distribution() {
    for agents in [2_u32, 3, 5, 40, 300] {
        let cdf = oracle::completion_cdf(agents);
        let engine = infection(agents.into());
        for engine in [engine.clone(), engine.always_in_batches()] {
            let times = times(&run(engine, 21, 4000), Field::CompletedAt);
            let distance = ks_distance_from(&times, &cdf);
            assert!(distance < SAME, "n = {agents}: {distance}");
        }
    }
}

#[test]
fn anonymous_elections_are_those_of_the_direct_engine() {
    for agents in [2_u32, 3, 8, 50] {
        let one = WatchUntil::new(FratricideRole::Leader, 1);
        let direct = run(
            Reference::new(Fratricide, Meetings::among(agents), |_| FratricideRole::Leader, one),
            22,
            3000,
        );
        for engine in [fratricide(agents.into()), fratricide(agents.into()).always_in_batches()] {
            let batched = run(engine, 23, 3000);
            let field = Field::CompletedAt;
            let distance = ks_distance(&times(&direct, field), &times(&batched, field));
            assert!(distance < SAME, "n = {agents}: {distance}");
        }
    }
}

#[test]
fn large_infections_have_the_oracles_moments() {
    for agents in [20_000, 1_000_000] {
        let exact = oracle::completion(agents);
        let trials = run(infection(agents), 24, 400);
        let times = times(&trials, Field::CompletedAt);
        let moments = Moments::of(times.iter().map(|&t| t as f64)).unwrap();
        assert!((moments.mean - exact.mean).abs() < 4.0 * moments.error, "{moments:?} {exact:?}");
        assert!((moments.deviation / exact.deviation - 1.0).abs() < 4.0 * 0.045, "{moments:?}");
    }
}

/// Approximate majority (D. Angluin, J. Aspnes, D. Eisenstat, 2008): a protocol in which the order
/// of the two agents matters and no state is final from the start.
#[derive(Clone, Copy, Debug)]
struct Majority;

impl PopulationProtocol for Majority {
    type State = i8;
    type Output = i8;

    fn interact(&self, initiator: &mut i8, responder: &mut i8) {
        match (*initiator, *responder) {
            (0, _) => {}
            (x, 0) => *responder = x,
            (x, y) if x != y => *responder = 0,
            _ => {}
        }
    }

    fn output(&self, state: &i8) -> i8 {
        *state
    }
}

#[test]
fn a_protocol_with_roles_is_that_of_the_direct_engine() {
    let agents = 60;
    let start = |i: u32| if i < 42 { 1 } else { -1 };
    let watch = WatchUntil::new(1, u64::from(agents));
    let mut direct = Reference::new(Majority, Meetings::among(agents), start, watch);
    let table = MeetingTable::reachable(&Majority, &[1, -1]).unwrap();
    let goal = Goal::Count { state: 0, count: agents.into() };
    let mut batched = StateCounts::new(table, &[42, 18], goal).always_in_batches();
    let go = AtomicBool::new(false);
    let mut samples = [Vec::new(), Vec::new()];
    let mut lost = 0;
    for trial in 0..3000 {
        // Where the minority wins there is no end: the direct engine is not asked then.
        let end = batched.trial(&mut RandomStream::of_trial(25, trial), &go).unwrap().completed_at;
        lost += u32::from(end.is_none());
        samples[0].extend(end);
    }
    assert!(lost < 5, "70 % against 30 %: the minority wins with a probability below 10^-4");
    for trial in 0..2000 {
        samples[1].extend(
            direct.trial(&mut RandomStream::of_trial(26, trial), &go).unwrap().completed_at,
        );
    }
    let distance = ks_distance(&samples[0], &samples[1]);
    assert!(distance < SAME, "{distance}");
}

#[test]
fn a_run_that_is_stopped_and_continued_has_the_same_distribution() {
    let agents = 400;
    let cdf = oracle::completion_cdf(agents);
    let go = AtomicBool::new(false);
    for mut engine in [infection(agents.into()), infection(agents.into()).always_in_batches()] {
        let times: Vec<u64> = (0..3000)
            .map(|trial| {
                let stream = &mut RandomStream::of_trial(27, trial);
                engine.restart();
                let mut until = 0;
                while !engine.run(until, stream, &go).unwrap() {
                    assert_eq!(engine.time(), until, "exactly there, not at the end of a batch");
                    assert_eq!(engine.counts().iter().sum::<u64>(), u64::from(agents));
                    until += 7;
                }
                engine.time()
            })
            .collect();
        let distance = ks_distance_from(&times, &cdf);
        assert!(distance < SAME, "{distance}");
    }
}

/// Stopped every few interactions, the engine cuts runs short and never hands over to the closed
/// form.
#[test]
fn an_election_that_is_stopped_and_continued_has_the_same_distribution() {
    let protocol =
        SelfTerminating { margin: 1.into(), rule: DeclarationRule::Text, min_interactions: 0 };
    let agents = 150;
    let alone = run(EventualLeader::new(protocol, agents), 33, 3000);
    let go = AtomicBool::new(false);
    let ranks = Ranks::new(protocol, agents, 5);
    for mut engine in [ranks.clone(), ranks.always_in_batches()] {
        let mut completed = Vec::new();
        let mut declared = Vec::new();
        for trial in 0..2000 {
            let stream = &mut RandomStream::of_trial(34, trial);
            engine.restart();
            let (mut until, mut complete, mut declares) = (0, None, None);
            while !engine.run(until, stream, &go).unwrap() {
                assert_eq!(engine.time(), until, "exactly there, not at the end of a batch");
                let standing = engine.standing();
                complete = complete.or((standing.hold_maximum == agents).then_some(until));
                declares = declares.or(standing.leader_declared.then_some(until));
                until += 11;
            }
            completed.push(complete.unwrap_or(until).next_multiple_of(11));
            declared.push(declares.unwrap_or(until).next_multiple_of(11));
        }
        for (sample, field) in
            [(&completed, Field::CompletedAt), (&declared, Field::LeaderDeclaredAt)]
        {
            let seen: Vec<_> =
                times(&alone, field).iter().map(|time| time.next_multiple_of(11)).collect();
            let distance = ks_distance(sample, &seen);
            assert!(distance < SAME, "{field:?}: {distance}");
        }
    }
}

#[test]
fn with_every_rank_apart_all_is_exact() {
    let fields = [
        Field::CompletedAt,
        Field::DeclaredAt,
        Field::LeaderDeclaredAt,
        Field::Conversions,
        Field::FollowersMet,
        Field::FirstOk,
        Field::LeaderOk,
    ];
    for (rule, margin, agents) in [
        (DeclarationRule::Text, 1, 2),
        (DeclarationRule::Text, 1, 6),
        (DeclarationRule::AtLeast, 1, 40),
        (DeclarationRule::Difference, 1, 120),
    ] {
        let protocol = SelfTerminating { margin: margin.into(), rule, min_interactions: 0 };
        let direct =
            run(Packed::new(protocol, Meetings::among(agents), TrialTail::Skipped), 28, 3000);
        let ranks = Ranks::new(protocol, agents.into(), agents);
        for engine in [ranks.clone(), ranks.always_in_batches()] {
            let batched = run(engine, 29, 3000);
            for field in fields {
                let distance = ks_distance(&times(&direct, field), &times(&batched, field));
                assert!(distance < SAME, "{field:?} {rule:?} n = {agents}: {distance}");
            }
        }
    }
}

#[test]
fn the_highest_are_followed_exactly() {
    let fields = [
        Field::CompletedAt,
        Field::LeaderDeclaredAt,
        Field::Conversions,
        Field::FollowersMet,
        Field::LeaderOk,
    ];
    let protocol =
        SelfTerminating { margin: 1.into(), rule: DeclarationRule::Text, min_interactions: 0 };
    for (agents, trials) in [(500, 3000), (20_000, 400)] {
        let alone = run(EventualLeader::new(protocol, agents), 30, 3000);
        for highest in [1, 2, 9] {
            let ranks = Ranks::new(protocol, agents, highest);
            for engine in [ranks.clone(), ranks.always_in_batches()] {
                let batched = run(engine, 31, trials);
                for field in fields {
                    let distance = ks_distance(&times(&alone, field), &times(&batched, field));
                    assert!(distance < SAME, "{field:?} n = {agents}, K = {highest}: {distance}");
                }
            }
        }
    }
}

#[test]
fn batches_large_enough_to_be_worthwhile_keep_the_moments() {
    let agents = 3_000_000;
    let exact = oracle::completion(agents);
    let trials = run(Ranks::new(NumberedEpidemic::default(), agents, 4), 32, 80);
    let times = times(&trials, Field::CompletedAt);
    let moments = Moments::of(times.iter().map(|&t| t as f64)).unwrap();
    assert!((moments.mean - exact.mean).abs() < 4.0 * moments.error, "{moments:?} {exact:?}");
    assert!((moments.deviation / exact.deviation - 1.0).abs() < 4.0 * 0.1, "{moments:?}");
}

#[test]
fn a_split_sums_to_the_sample() {
    let mut stream = RandomStream::of_trial(0, 0);
    let counts = [5, 0, 17, 3, 100];
    let mut taken = [0; 5];
    for draws in 0..=125 {
        split(&mut stream, &counts, 125, draws, &mut taken);
        assert_eq!(taken.iter().sum::<u64>(), draws);
        assert!(taken.iter().zip(&counts).all(|(t, c)| t <= c));
    }
    assert_eq!([pick(&counts, 4), pick(&counts, 5), pick(&counts, 124)], [0, 2, 4]);
}
