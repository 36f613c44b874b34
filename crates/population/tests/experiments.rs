//! Experiments from the outside: engines agree, threads change nothing, the documented rates hold.

#![allow(clippy::unwrap_used)] // Helpers of tests are tests.

use std::sync::atomic::AtomicBool;
use suffrage_population::{
    ensemble::Silent,
    experiment::{EngineKind, Experiment, Protocol, Question, Sample},
    ids::Ids,
    protocols::{Rule, SelfTerminating},
    report::Report,
    statistics::{harmonic, ks_distance},
    summary::Summary,
    trial::{Field, Trial},
};

fn trials(experiment: &Experiment) -> Vec<Trial> {
    match experiment.run(&Silent, &AtomicBool::new(false)).unwrap().sample {
        Sample::Trials(trials) => trials,
        other => panic!("trials, not {other:?}"),
    }
}

fn election(rule: Rule, min_interactions: u32, agents: u64, trials: u64) -> Experiment {
    let protocol = SelfTerminating { margin: 4, rule, min_interactions };
    Experiment { trials, ..Experiment::new(Protocol::SelfTerminating(protocol), agents) }
}

/// How often the first declaration is correct among 1000 agents, in 4000 trials; the rates are
/// those of 100,000 trials, the bounds four standard errors. A false alarm has probability 10^-4.
#[test]
fn the_rules_succeed_as_often_as_documented() {
    for (rule, least, rate) in [
        (Rule::Printed, 0, 0.00048),
        (Rule::Text, 0, 0.99482),
        (Rule::AtLeast, 0, 0.99234),
        (Rule::Difference, 0, 0.87897),
        (Rule::Text, 25, 0.99989),
    ] {
        let summary = Summary::of(&trials(&election(rule, least, 1000, 4000)));
        let first_ok = summary.first_ok.unwrap().rate;
        let error = (rate * (1.0 - rate) / 4000.0_f64).sqrt();
        assert!((first_ok - rate).abs() < 4.0 * error, "{rule:?} {least}: {first_ok}");
    }
}

#[test]
fn results_are_the_same_for_any_number_of_threads() {
    for engine in [EngineKind::Direct, EngineKind::Batched, EngineKind::ClosedForm] {
        let with = |threads| {
            let experiment = election(Rule::Text, 25, 3000, 40);
            trials(&Experiment { engine: Some(engine), threads: Some(threads), ..experiment })
        };
        let one = with(1);
        assert!([2, 5, 64].map(with).iter().all(|many| *many == one), "{engine}");
    }
}

/// The command's engines, chosen by name, at a size where batches are worthwhile.
#[test]
fn engines_agree_on_the_leader() {
    let of = |engine, seed, trials_wanted| {
        let experiment = election(Rule::Text, 0, 200_000, trials_wanted);
        trials(&Experiment { engine: Some(engine), seed, ..experiment })
    };
    let samples = [
        of(EngineKind::Direct, 1, 60),
        of(EngineKind::Batched, 2, 150),
        of(EngineKind::ClosedForm, 3, 2000),
    ];
    let times = |trials: &[Trial], field: Field| -> Vec<u64> {
        trials.iter().filter_map(|trial| field.of(trial)).map(|x| x as u64).collect()
    };
    for field in [Field::CompletedAt, Field::LeaderDeclaredAt, Field::Conversions] {
        let exact = times(&samples[2], field);
        for sample in &samples[..2] {
            let distance = ks_distance(&times(sample, field), &exact);
            assert!(distance < 2.23, "{field:?}: {distance}");
        }
    }
}

#[test]
fn a_trillion_agents_elect_a_leader() {
    let experiment = election(Rule::Text, 25, 1_000_000_000_000, 1);
    let trial = trials(&experiment)[0];
    let expected = 1e12 * harmonic(999_999_999_999);
    // The standard deviation is 0.9 n: ten of them.
    assert!((trial.completed_at.unwrap() as f64 - expected).abs() < 9e12);
    assert_eq!(trial.leader_ok, Some(true));
    assert_eq!(experiment.plan().unwrap().question, Question::Leader);
}

#[test]
fn identities_name_the_leader() {
    let macs = [0x0200_5e10_0001, 0x0200_5e10_00ff, 0x0200_5e10_0080];
    let ids = Some(Ids::given(&macs).unwrap());
    let experiment = Experiment { ids, ..election(Rule::Text, 25, 3, 1) };
    let outcome = experiment.run(&Silent, &AtomicBool::new(false)).unwrap();
    let report = Report::new(&experiment, outcome, false);
    assert_eq!(report.leader, Some(0x0200_5e10_00ff));
}
