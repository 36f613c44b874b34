use super::*;
use crate::{ensemble::Silent, protocols::SelfTerminating};
use std::sync::atomic::AtomicBool;

fn report(experiment: &PopulationExperiment, each: bool) -> PopulationReport {
    let outcome = experiment.run(&Silent, &AtomicBool::new(false)).unwrap();
    PopulationReport::new(experiment, outcome, each)
}

fn election(agents: u64) -> PopulationExperiment {
    PopulationExperiment::new(NamedProtocol::SelfTerminating(SelfTerminating::default()), agents)
}

#[test]
fn json_has_the_documented_keys() {
    let report = report(&PopulationExperiment { trials: 3, ..election(50) }, true);
    let json: serde_json::Value = serde_json::to_value(&report).unwrap();
    for key in [
        "protocol",
        "agents",
        "margin",
        "rule",
        "min_interactions",
        "engine",
        "exact_for",
        "trials",
        "finished",
        "seed",
        "summary",
        "results",
    ] {
        assert!(json.get(key).is_some(), "{key}");
    }
    assert_eq!(json["rule"], "text");
    assert_eq!(json["engine"], "direct");
    assert_eq!(json["exact_for"][0], "completed_at");
    for key in Field::ALL.map(Field::name) {
        assert!(json["results"][2].get(key).is_some(), "{key}");
        assert!(json["summary"].get(key).is_some(), "{key}");
    }
    let trial: Trial = serde_json::from_value(json["results"][1].clone()).unwrap();
    assert_eq!(Some(&trial), report.results.as_ref().map(|trials| &trials[1]));
}

#[test]
fn a_single_trial_is_shown_as_such() {
    let one = report(&election(50), false);
    assert_eq!(one.results.as_ref().map(Vec::len), Some(1));
    let text = one.to_string();
    assert!(text.contains("one trial, seed 1; times in interactions\n"), "{text}");
    assert!(text.ends_with("all right in the end               yes\n"), "{text}");
}

#[test]
fn text_says_what_was_run_and_what_came_out() {
    let text = report(&PopulationExperiment { trials: 100, ..election(50) }, false).to_string();
    assert!(text.starts_with(
        "self-terminating among 50 agents, rule text, margin 4, at least 25 interactions\n\
             engine direct, exact for completed_at, "
    ));
    assert!(
        text.contains("100 trials, seed 1; times in interactions\n")
            && text.contains("first declaration correct")
    );
    let engine = Some(EngineKind::Oracle);
    let exact = report(&PopulationExperiment { engine, ..election(50) }, false).to_string();
    assert!(exact.contains("exact expectations") && exact.contains("leader's declaration"));
}

#[test]
fn digits_come_in_groups() {
    let cases = [
        (0.0, "0"),
        (999.0, "999"),
        (1000.0, "1,000"),
        (7484.47, "7,484.47"),
        (-12_345_678.9, "-12,345,679"),
        (1e12, "1,000,000,000,000"),
    ];
    for (x, text) in cases {
        assert_eq!(number(x), text);
    }
    assert_eq!(percent(0.99458), "99.458 %");
}
