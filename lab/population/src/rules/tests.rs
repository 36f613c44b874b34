use super::*;
use crate::{
    engine::oracle,
    ensemble::Silent,
    experiment::{EngineKind, MeetingModel},
    meetings::LinkMeetings,
};
use std::sync::atomic::AtomicBool;
use suffrage_numbers::statistics::{Moments, ks_distance_from};

const MAJORITY: &str = "\
# Three-state approximate majority.
init A 60%
init B 40%
A + B >> A + U   # the initiator keeps its opinion
U + A >> 2*A
U + B >> 2*B
output A yes
output B no
";

fn experiment(rules: &Rules, agents: Option<u64>) -> RulesExperiment<'_> {
    RulesExperiment {
        rules,
        initial: rules.population(agents).unwrap(),
        model: MeetingModel::Uniform,
        most: u64::MAX,
        trials: 1,
        seed: 1,
        consecutive: false,
        threads: 2,
    }
}

fn run(experiment: &RulesExperiment<'_>) -> Vec<RulesEnding> {
    experiment.run(&Silent, &AtomicBool::new(false)).unwrap()
}

fn graph(spec: &str) -> MeetingModel {
    let network = spec.parse::<suffrage_networks::Spec>().unwrap().build(1).unwrap();
    MeetingModel::Graph(LinkMeetings::of(&network))
}

#[test]
fn a_file_is_read_as_it_is_documented() {
    let rules: Rules = MAJORITY.parse().unwrap();
    assert_eq!(rules.states(), ["A", "B", "U"]);
    assert_eq!(rules.outputs(), ["yes", "no", "U"]);
    let after = |i, j| match rules.outcomes(i, j) {
        [only] => only.after,
        several => panic!("{several:?}"),
    };
    assert_eq!([after(0, 1), after(1, 0)], [(0, 2), (2, 0)], "a reaction is for both orders");
    assert_eq!([after(2, 0), after(0, 2), after(2, 1)], [(0, 0), (0, 0), (1, 1)]);
    assert_eq!([after(0, 0), after(2, 2)], [(0, 0), (2, 2)], "others do not change");
    assert_eq!(rules.population(Some(11)), Ok(vec![7, 4, 0]));
    let ordered: Rules = "init L 5\nL, L -> L, F".parse().unwrap();
    assert_eq!(ordered.population(None), Ok(vec![5, 0]));
    let inputs: Rules =
        "input x L\ninput y F\ninit x 1\ninit y 100%\nF, F -> F, F".parse().unwrap();
    assert_eq!(inputs.population(Some(10)), Ok(vec![1, 9]), "shares are of the rest");
}

#[test]
fn shares_sum_to_the_number_of_agents() {
    let thirds: Rules = "init A 33.333333%\ninit B 33.333333%\ninit C 33.333334%".parse().unwrap();
    for agents in [1, 2, 3, 10, 100, 1 << 44] {
        assert_eq!(thirds.population(Some(agents)).unwrap().iter().sum::<u64>(), agents);
    }
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    let says = |text: &str, words: &[&str]| {
        let error = text.parse::<Rules>().unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{text}: {error}");
    };
    says("init A 3\n\nA B", &["line 3", "`A B` is no statement", "A, B -> C, D"]);
    says("init A 3\nA -> B, C", &["line 2", "`A` is not two agents"]);
    says("A + B + C >> A + B", &["line 1", "not two agents"]);
    says("A, B -> C, D\nB + A >> D + D", &["line 2", "line 1 already defines", "initiator A"]);
    says("A, B -> C, D 60% | B, B 50%", &["line 1", "sum to more than 100 %"]);
    says("A, B -> C, D 0%", &["line 1", "`0%` is no probability"]);
    says("A, B -> C, D half%", &["line 1", "`half%` is no probability"]);
    says("init A 50%\ninit B 40%", &["sum to 90 %"]);
    says("init A 120%", &["line 1", "more than 100%"]);
    says("init A lots", &["line 1", "`lots` is no number of agents"]);
    says("A, A -> A, B", &["no agents", "init A 60%"]);
    says("input x A\ninit y 3", &["line 2", "no input `y`", "x"]);
    says("init A 1\ninit A 2", &["line 2", "`init A` is there already"]);
    says("A, -> A, B", &["line 1", "missing"]);
    let wrong = "output a yes\ninit A 1\ninit B 1\nA, B -> A, A";
    says(wrong, &["line 1", "no state `a`", "A, B"]);
    says("init A\u{1b}[31m 1", &["line 1", "`A\\u{1b}[31m` is no name", "no `\\u{1b}`"]);
    says("A, B C -> A, B", &["`B C` is more than one name"]);
    let states: String = (0..1025).map(|i| format!("output s{i} x\n")).collect();
    says(&states, &["line 1025", "`s1024`", "1024"]);
    let counted: Rules = "init A 3".parse().unwrap();
    assert!(counted.population(Some(4)).unwrap_err().to_string().contains("counts 3 agents"));
    let shared: Rules = "init A 100%".parse().unwrap();
    assert!(shared.population(None).unwrap_err().to_string().contains("--agents"));
}

#[test]
fn random_transitions_have_what_is_left_for_no_change() {
    let text = "init A 9\nA + B >> 2*A 50% | 2*B 25%\nB, B -> A, B 12.5% | A, B 12.5% | B, B 5%";
    let rules: Rules = text.parse().unwrap();
    let of = |i, j| {
        let outcomes = rules.outcomes(i, j).iter();
        outcomes.map(|outcome| (outcome.after, outcome.weight / 1_000_000)).collect::<Vec<_>>()
    };
    assert_eq!(of(0, 1), [((0, 0), 50), ((1, 1), 25), ((0, 1), 25)]);
    assert_eq!(of(1, 0), [((0, 0), 50), ((1, 1), 25), ((1, 0), 25)], "a reaction turned round");
    assert_eq!(of(1, 1), [((0, 1), 25), ((1, 1), 75)], "equal results are one");
    assert_eq!(of(0, 0), [((0, 0), 100)]);
}

/// An epidemic in which an infection fails three times out of four is one in which only every fourth
/// meeting counts: both engines, with rare changes and with many at once.
#[test]
fn random_transitions_happen_with_their_probabilities() {
    let rules: Rules = "init I 1\ninit H 100%\nI + H >> 2*I 25%".parse().unwrap();
    let certain: Rules = "init I 1\ninit H 100%\nI + H >> 2*I".parse().unwrap();
    let mean = |rules, model, agents: u64| {
        let trials = if agents > 1000 { 200 } else { 1500 };
        let experiment = RulesExperiment { model, trials, ..experiment(rules, Some(agents)) };
        Moments::of(run(&experiment).iter().map(|ending| ending.interactions as f64)).unwrap()
    };
    let expected = mean(&certain, MeetingModel::Uniform, 80);
    for model in [MeetingModel::Uniform, graph("erdos-renyi:80:1")] {
        let slow = mean(&rules, model, 80);
        let error = (slow.error).hypot(4.0 * expected.error);
        assert!((slow.mean - 4.0 * expected.mean).abs() < 4.0 * error, "{slow:?} {expected:?}");
    }
    let (slow, fast) = (
        mean(&rules, MeetingModel::Uniform, 20_000),
        mean(&certain, MeetingModel::Uniform, 20_000),
    );
    let error = slow.error.hypot(4.0 * fast.error);
    assert!((slow.mean - 4.0 * fast.mean).abs() < 4.0 * error, "{slow:?} {fast:?}");
}

/// In one meeting of each, a coin is a head with its probability, however many are thrown at once.
#[test]
fn results_of_many_meetings_at_once_are_multinomial() {
    let rules: Rules = "init C 100%\nC, C -> H, D 30% | T, D 20% | D, D 50%".parse().unwrap();
    let experiment = RulesExperiment { trials: 400, ..experiment(&rules, Some(20_000)) };
    let endings = run(&experiment);
    let share = |state: usize| {
        let count = |ending: &RulesEnding| ending.counts[state] as f64;
        Moments::of(endings.iter().map(count)).unwrap()
    };
    assert_eq!(rules.states(), ["C", "H", "D", "T"]);
    for (state, p) in [(1, 0.3), (3, 0.2)] {
        let (n, heads) = (10_000.0_f64, share(state));
        assert!((heads.mean - n * p).abs() < 5.0 * heads.error, "{heads:?}");
        let deviation = (n * p * (1.0 - p)).sqrt();
        assert!((heads.deviation / deviation - 1.0).abs() < 0.2, "{heads:?}");
    }
}

/// The last change of an epidemic is its completion, whose distribution the oracle knows.
#[test]
fn silence_comes_at_the_last_change() {
    let rules: Rules = "init I 1\ninit H 100%\nI + H >> 2*I".parse().unwrap();
    let cdf = oracle::completion_cdf(80);
    for (model, engine) in [
        (MeetingModel::Uniform, EngineKind::Batched),
        (graph("erdos-renyi:80:1"), EngineKind::Direct),
    ] {
        let experiment = RulesExperiment { model, trials: 3000, ..experiment(&rules, Some(80)) };
        assert_eq!(experiment.engine(), engine);
        let endings = run(&experiment);
        assert!(endings.iter().all(|ending| ending.silent && ending.counts == [80, 0]));
        let times: Vec<_> = endings.iter().map(|ending| ending.interactions).collect();
        // A false alarm has a probability below 10^-4.
        assert!(ks_distance_from(&times, &cdf) < 2.23, "{engine}");
        assert_eq!(run(&RulesExperiment { threads: 1, ..experiment }), endings);
    }
}

#[test]
fn large_populations_run_in_batches() {
    let rules: Rules = MAJORITY.parse().unwrap();
    let endings = run(&experiment(&rules, Some(100_000_000)));
    assert_eq!(endings[0].counts, [100_000_000, 0, 0], "the majority wins");
    assert!(endings[0].silent);
}

/// Both engines agree on the times of n / 2 annihilations, which are the only changes.
#[test]
fn silence_within_a_batch_is_not_rounded_up() {
    let rules: Rules = "init A 100%\nA, A -> B, B".parse().unwrap();
    let mean = |model| {
        let experiment = RulesExperiment { model, trials: 2000, ..experiment(&rules, Some(40)) };
        Moments::of(run(&experiment).iter().map(|ending| ending.interactions as f64)).unwrap()
    };
    let (batched, direct) = (mean(MeetingModel::Uniform), mean(graph("erdos-renyi:40:1")));
    let error = batched.error.hypot(direct.error);
    assert!((batched.mean - direct.mean).abs() < 4.0 * error, "{batched:?} {direct:?}");
}

#[test]
fn a_protocol_that_goes_on_for_ever_is_ended() {
    let rules: Rules = "init A 5\ninit B 5\nA, B -> B, B\nB, A -> A, A".parse().unwrap();
    let walk: Rules = "init L 1\ninit F 9\nL, F -> F, L".parse().unwrap();
    let ends = |rules, model, trials| {
        let experiment = RulesExperiment { model, most: 1000, trials, ..experiment(rules, None) };
        run(&experiment)
    };
    for ending in ends(&rules, MeetingModel::Uniform, 1) {
        assert!(ending.silent || ending.interactions == 1000);
    }
    let walking = &ends(&walk, graph("ring:10"), 1)[0];
    assert_eq!((walking.interactions, walking.silent), (1000, false));
    assert_eq!(walking.counts, [1, 9]);
    // Counts do not distinguish which agent carries the token.
    assert!(ends(&walk, MeetingModel::Uniform, 1)[0].silent);
}

#[test]
fn what_cannot_be_run_is_refused() {
    let rules: Rules = "init A 3".parse().unwrap();
    let refused = |experiment: RulesExperiment<'_>| experiment.check().unwrap_err().to_string();
    let three = experiment(&rules, None);
    assert!(refused(RulesExperiment { trials: 0, ..three.clone() }).contains("no trials"));
    let itself = RulesExperiment { model: MeetingModel::SelfMeetings, ..three.clone() };
    assert!(refused(itself).contains("--self-meetings"));
    let ring = RulesExperiment { model: graph("ring:4"), ..three.clone() };
    assert!(refused(ring).contains("4 nodes for 3 agents"));
    let one: Rules = "init A 1".parse().unwrap();
    assert!(refused(experiment(&one, None)).contains("at least two agents"));
    let all: Rules = "init A 100%".parse().unwrap();
    assert!(refused(experiment(&all, Some(1 << 45))).contains("17592186044416"));
}

#[test]
fn a_report_counts_outputs() {
    let rules: Rules = MAJORITY.parse().unwrap();
    let experiment = RulesExperiment { trials: 20, ..experiment(&rules, Some(1000)) };
    let report = RulesReport::new("majority", &experiment, &run(&experiment), true);
    assert_eq!((report.silent, report.outputs[0].by_all), (20, 20));
    let json: serde_json::Value = serde_json::to_value(&report).unwrap();
    assert_eq!(json["outputs"][0]["output"], "yes");
    assert_eq!(json["results"][19]["states"]["A"], 1000);
    let text = report.to_string();
    assert!(text.starts_with("majority among 1,000 agents\nengine batched"), "{text}");
    assert!(text.contains("agents that show yes               1,000 ± 0"), "{text}");
    assert!(text.contains("; all in 20 of 20"), "{text}");
}
