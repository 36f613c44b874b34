//! Whole experiments: engines agree, threads do not matter, the documented rates hold.

mod history;
mod plan;
mod run;

use crate::engine::oracle::harmonic;
use crate::{
    ensemble::Silent,
    experiment::{
        EngineKind, MeetingModel, NamedProtocol, PopulationExperiment, Question, TrialSample,
    },
    ids::PopulationIds,
    meetings::LinkMeetings,
    protocols::{DeclarationRule, SelfTerminating},
    report::PopulationReport,
    trial::TrialsSummary,
    trial::{Field, Trial},
};
use std::sync::atomic::AtomicBool;
use suffrage_numbers::statistics::{Moments, ks_distance};

fn trials(experiment: &PopulationExperiment) -> Vec<Trial> {
    match experiment.run(&Silent, &AtomicBool::new(false)).unwrap().sample {
        TrialSample::Trials(trials) => trials,
        other => panic!("trials, not {other:?}"),
    }
}

fn election(
    rule: DeclarationRule,
    min_interactions: u32,
    agents: u64,
    trials: u64,
) -> PopulationExperiment {
    let protocol = SelfTerminating { margin: 4.into(), rule, min_interactions };
    PopulationExperiment {
        trials,
        ..PopulationExperiment::new(NamedProtocol::SelfTerminating(protocol), agents)
    }
}

/// Checks the rate of correct first declarations among 1000 agents in 4000 trials. The expected
/// rates are those of 100,000 trials, the bounds four standard errors; a false alarm has
/// probability 10^-4.
#[test]
fn the_rules_succeed_as_often_as_documented() {
    for (rule, least, rate) in [
        (DeclarationRule::Printed, 0, 0.00048),
        (DeclarationRule::Text, 0, 0.99482),
        (DeclarationRule::AtLeast, 0, 0.99234),
        (DeclarationRule::Difference, 0, 0.87897),
        (DeclarationRule::Text, 25, 0.99989),
    ] {
        let summary = TrialsSummary::of(&trials(&election(rule, least, 1000, 4000)));
        let first_ok = summary.first_ok.unwrap().rate;
        let error = (rate * (1.0 - rate) / 4000.0_f64).sqrt();
        assert!((first_ok - rate).abs() < 4.0 * error, "{rule:?} {least}: {first_ok}");
    }
}

#[test]
fn results_are_the_same_for_any_number_of_threads() {
    for engine in [EngineKind::Direct, EngineKind::Batched, EngineKind::ClosedForm] {
        let with = |threads| {
            let experiment = election(DeclarationRule::Text, 25, 3000, 40);
            trials(&PopulationExperiment {
                engine: Some(engine),
                threads: Some(threads),
                ..experiment
            })
        };
        let one = with(1);
        assert!([2, 5, 64].map(with).iter().all(|many| *many == one), "{engine}");
    }
}

/// The command's engines, chosen by name, at a size where batches are worthwhile.
#[test]
fn engines_agree_on_the_leader() {
    let of = |engine, seed, trials_wanted| {
        let experiment = election(DeclarationRule::Text, 0, 200_000, trials_wanted);
        trials(&PopulationExperiment { engine: Some(engine), seed, ..experiment })
    };
    let samples = [
        of(EngineKind::Direct, 1, 60),
        of(EngineKind::Batched, 2, 150),
        of(EngineKind::ClosedForm, 3, 2000),
    ];
    let times = |trials: &[Trial], field: Field| -> Vec<u64> {
        trials.iter().filter_map(|trial| field.of(trial)).collect()
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
    let experiment = election(DeclarationRule::Text, 25, 1_000_000_000_000, 1);
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
    let ids = Some(PopulationIds::given(&macs).unwrap());
    let experiment = PopulationExperiment { ids, ..election(DeclarationRule::Text, 25, 3, 1) };
    let outcome = experiment.run(&Silent, &AtomicBool::new(false)).unwrap();
    let report = PopulationReport::new(&experiment, outcome, false);
    assert_eq!(report.leader, Some(0x0200_5e10_00ff));
}

/// A path of two is a pair, and a complete graph has all pairs, so that exact results are known on
/// these graphs.
#[test]
fn elections_on_graphs_are_exact() {
    let graph = |spec: &str| {
        let network = spec.parse::<suffrage_networks::Spec>().unwrap().build(1).unwrap();
        MeetingModel::Graph(LinkMeetings::of(&network))
    };
    let on = |spec, agents, count| {
        let experiment = election(DeclarationRule::Text, 0, agents, count);
        trials(&PopulationExperiment { model: graph(spec), ..experiment })
    };
    assert!(on("path:2", 2, 50).iter().all(|trial| trial.completed_at == Some(1)));
    // On a ring of n the believers in the maximum are an arc, which grows by one with probability
    // 2 / n: n(n-1)/2 interactions, of deviation about n sqrt(n) / 2.
    let ring = on("ring:60", 60, 2000);
    let mean = ring.iter().filter_map(|trial| trial.completed_at).sum::<u64>() as f64 / 2000.0;
    assert!((mean - 1770.0).abs() < 4.0 * 230.0 / 2000_f64.sqrt(), "{mean}");
    assert!(ring.iter().all(|trial| trial.final_ok.is_some() && trial.told_at.is_some()));
    // All pairs, as links.
    let complete = on("erdos-renyi:40:1", 40, 3000);
    let pairs =
        trials(&PopulationExperiment { seed: 2, ..election(DeclarationRule::Text, 0, 40, 3000) });
    for field in Field::ALL {
        let of = |trials: &[Trial]| -> Vec<u64> {
            trials.iter().filter_map(|trial| field.of(trial)).collect()
        };
        assert!(ks_distance(&of(&complete), &of(&pairs)) < 2.23, "{field:?}");
    }
}

#[test]
fn everyone_is_told_after_the_declaration_as_an_epidemic_spreads() {
    let trials = trials(&election(DeclarationRule::Text, 25, 1000, 4000));
    let news: Vec<f64> = trials
        .iter()
        .filter(|trial| trial.first_ok == Some(true))
        .map(|trial| (trial.told_at.unwrap() - trial.declared_at.unwrap()) as f64)
        .collect();
    let moments = Moments::of(news.iter().copied()).unwrap();
    let expected = 999.0 * harmonic(999);
    assert!((moments.mean - expected).abs() < 4.0 * moments.error, "{moments:?} {expected}");
}
