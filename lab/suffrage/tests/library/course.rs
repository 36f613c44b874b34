//! Submissions of the course in Rust are processes of this library as they are.

use suffrage::prelude::*;

#[path = "../../../../docs/learn/course/solutions/assignment-6.rs"]
#[allow(unreachable_pub, reason = "a submission is compiled alone")]
mod any_network;
#[path = "../../../../docs/learn/course/solutions/assignment-1.rs"]
#[allow(unreachable_pub, reason = "a submission is compiled alone")]
mod one_way;

const BOUND: Bound = Bound::at_most("4 n^2", |of| 4 * of.nodes * of.nodes);
const CLAIMS: Claims = Claims {
    rule: Rule::SmallestInitiator,
    election: BOUND,
    announcement: BOUND,
    ..Claims::UNANNOUNCED
};

#[test]
fn a_submission_is_simulated() {
    let process = Custom::<any_network::Election>::new("any-network").with_claims(CLAIMS);
    let network = "grid:5x6".parse::<Spec>().unwrap().build(7).unwrap();
    let (wiring, ids) = (network.wire(Ports::Random, 7), Ids::Random.assign(30, 7));
    let outcome = Simulator::new(&process, &wiring, &ids).seed(7).run().unwrap();
    assert!(outcome.agreed && outcome.violations.is_empty(), "{:?}", outcome.violations);
}

/// One that does not panic at messages which no schedule brings, since reductions try those.
#[test]
fn a_submission_is_checked() {
    let process = Custom::<one_way::Election>::new("one-way").with_claims(CLAIMS);
    let family = Family::everything(NetworkClass::OrientedRing, 3).unwrap();
    let report = Checker::new(&process, &family).run().unwrap();
    assert!(report.instances > 0 && report.failing == 0, "{:?}", report.counterexample);
}
