use super::*;
use crate::engine::oracle::harmonic;
use crate::{ensemble::Silent, protocols::DeclarationRule};

#[test]
fn shares_are_read_and_always_hit_the_leader() {
    let of = |text: &str, agents| text.parse::<Failures>().map(|failures| failures.of(agents));
    assert_eq!([of("0.1", 1000), of("10%", 1000), of("0.1%", 10)], [Ok(100), Ok(100), Ok(1)]);
    for wrong in ["0", "1", "100%", "-0.1", "x", "", "nan"] {
        assert_eq!(of(wrong, 10), Err(FailuresError), "{wrong}");
    }
}

#[test]
fn survivors_elect_the_highest_of_them() {
    let protocol = NamedProtocol::SelfTerminating(SelfTerminating::default());
    let experiment =
        PopulationExperiment { trials: 400, ..PopulationExperiment::new(protocol, 500) };
    let never = AtomicBool::new(false);
    let again = experiment.after_failures(Failures(0.4), &Silent, &never).unwrap();
    assert_eq!((again.failed, again.survivors, again.finished), (200, 300, 400));
    let summary = again.summary;
    assert!(summary.final_ok.unwrap().rate > 0.98 && summary.leader_ok.unwrap().rate > 0.95);
    // The epoch has to reach all, and then the identity at least some: between one epidemic and
    // two, one after the other.
    let epidemic = 299.0 * harmonic(299);
    let mean = summary.completed_at.unwrap().mean;
    assert!(mean > epidemic && mean < 2.0 * epidemic, "{mean} {epidemic}");
    let one = PopulationExperiment { threads: Some(1), ..experiment.clone() };
    assert_eq!(one.after_failures(Failures(0.4), &Silent, &never), Ok(again));
}

#[test]
fn what_has_no_survivors_or_no_ending_is_refused() {
    let never = AtomicBool::new(false);
    let refused = |protocol, agents, share| {
        PopulationExperiment::new(protocol, agents)
            .after_failures(Failures(share), &Silent, &never)
            .unwrap_err()
            .to_string()
    };
    let election = NamedProtocol::SelfTerminating(SelfTerminating::default());
    assert!(refused(election, 10, 0.9).contains("at least two agents, but there are 1"));
    assert!(refused(NamedProtocol::Anonymous, 10, 0.1).contains("self-terminating"));
    let printed = SelfTerminating { rule: DeclarationRule::Printed, ..SelfTerminating::default() };
    let printed = NamedProtocol::SelfTerminating(printed);
    let experiment = PopulationExperiment { trials: 20, ..PopulationExperiment::new(printed, 50) };
    let again = experiment.after_failures(Failures(0.5), &Silent, &never).unwrap();
    assert_eq!(again.finished, 20, "beliefs may freeze, and yet every trial ends");
}
