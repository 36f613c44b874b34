//! Time: the exact greatest over all schedules, pinned beside what is claimed.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-checker --test exploration time
//! ```

use crate::common::{found, is_golden};
use std::fmt::Write;
use suffrage_algorithms::complete::{AfekGafni, Villadangos};
use suffrage_algorithms::graph::EchoExtinction;
use suffrage_algorithms::ring::{ChangRoberts, DolevKlaweRodeh, LeLann};
use suffrage_algorithms::tree::TreeWave;
use suffrage_algorithms::{
    Algorithm, Announced, Bound, CATALOGUE, Claimed, Claims, Custom, Ending, FORMS, Property, Time,
};
use suffrage_checker::{CheckReport, Checker, Family, Options, RandomInstances, Sampler, Wake};

const FULL: Options = Options { full: true, memory: 1 << 30, costs: true };

#[test]
fn the_greatest_time_of_two_and_three_processes() {
    let mut table =
        String::from("algorithm nodes wake | greatest depth | nearest: units claimed\n");
    for row in CATALOGUE {
        for (nodes, wake) in [(2, Wake::AnyTime), (3, Wake::AtStart), (3, Wake::AnyTime)] {
            if !row.network.has_size(nodes) {
                continue;
            }
            let family = Family { wake, ..Family::everything(row.network, nodes).unwrap() };
            let report = found(row, &family, FULL, 2);
            let costs = report.costs.unwrap();
            let greatest = costs.greatest_time.expect("everything was explored");
            // A message that comes too late is one more than the chain that led to it.
            let late = u64::from(row.claims.ending == Ending::LateMessages);
            assert!(greatest <= costs.greatest_depth + late, "{}", row.name);
            let (units, claimed) = report.longest.expect("every row has a claim");
            assert!(units <= claimed, "{}: {units} units of {claimed}", row.name);
            let when = if wake == Wake::AtStart { "start" } else { "any" };
            let _ = writeln!(
                table,
                "{} {nodes} {when} | {greatest} {} | {units} {claimed}",
                row.name, costs.greatest_depth,
            );
        }
    }
    is_golden("time.txt", &table);
}

/// The time of most instances is not looked for, because their depth shows that it cannot matter. The
/// report is the same as if each instance were looked at alone.
#[test]
fn the_greatest_time_of_a_family_is_that_of_its_instances() {
    for row in CATALOGUE.iter().chain(FORMS) {
        let family = Family::everything(row.network, 3).unwrap();
        let report = found(row, &family, FULL, 2);
        let alone: Vec<_> = (0..report.instances)
            .map(|number| found(row, &Family::one(&report.family.get(number)), FULL, 1))
            .collect();
        let time =
            |report: &CheckReport| report.costs.as_ref().and_then(|costs| costs.greatest_time);
        if report.failing == 0 {
            assert_eq!(time(&report), alone.iter().map(time).max().flatten(), "{}", row.name);
        }
        let longest = alone.iter().filter_map(|report| report.longest);
        let nearest = longest.reduce(|a, b| if b.0 * a.1 > a.0 * b.1 { b } else { a });
        assert_eq!(report.longest, nearest, "{}", row.name);
    }
}

/// The claims about a process, and about its time this.
fn with_time<P: Claimed>(election: Bound, announcement: Bound) -> Custom<P> {
    let time = Some(Time { election, announcement });
    Custom::claimed("custom").with_claims(Claims { time, ..P::CLAIMS })
}

/// Holds three processes on every schedule to a bound on time that is too small, and gives the
/// violation.
fn refuted<P: Claimed>(subject: &Custom<P>) -> String {
    let family = Family::everything(P::NETWORK, 3).expect("a small family");
    let report =
        Checker::new(subject, &family).full(true).run().expect("a family that can be explored");
    let (_, found) = report.counterexample.expect("the bound is too small");
    assert_eq!(found.violation.property, Property::TimeBound, "{}", found.violation);
    assert!(report.longest.is_none_or(|(units, claimed)| units <= claimed));
    found.violation.detail
}

#[test]
fn a_bound_on_time_that_is_too_small_is_refuted() {
    let n_less = || Bound::at_most("n - 1", |s| s.nodes - 1);
    let n = || Bound::at_most("n", |s| s.nodes);
    assert_eq!(
        refuted(&with_time::<Announced<LeLann>>(n_less(), n())),
        "it takes 6 units of time, where at most n - 1 + n = 5 are claimed",
    );
    refuted(&with_time::<Announced<ChangRoberts>>(n(), n_less()));
    refuted(&with_time::<DolevKlaweRodeh>(n(), n()));
    refuted(&with_time::<Announced<Villadangos>>(n(), Bound::at_most("0", |_| 0)));
    refuted(&with_time::<AfekGafni>(n(), Bound::at_most("3", |_| 3)));
    refuted(&with_time::<TreeWave>(
        Bound::at_most("D", |s| s.diameter),
        Bound::at_most("1", |_| 1),
    ));
    refuted(&with_time::<EchoExtinction>(n(), n()));
}

#[test]
fn without_full_exploration_the_causal_depth_is_an_upper_limit() {
    let row = Algorithm::named("afek-gafni").unwrap();
    let family = Family::everything(row.network, 3).unwrap();
    let report = found(row, &family, Options::default(), 1);
    let costs = report.costs.unwrap();
    assert_eq!(costs.greatest_time, None);
    assert!(report.longest.is_some_and(|(units, _)| units <= costs.greatest_depth));
}

#[test]
fn bounded_links_have_no_time() {
    let row = Algorithm::named("tree-wave").unwrap();
    let family = Family { capacity: Some(1), ..Family::everything(row.network, 3).unwrap() };
    let report = found(row, &family, FULL, 1);
    assert_eq!((report.costs.unwrap().greatest_time, report.longest), (None, None));
}

#[test]
fn random_runs_are_held_to_the_bound_and_come_near_it() {
    let row = Algorithm::named("lelann").unwrap();
    let instances = RandomInstances::new(row.network, 8..=16);
    let report = Sampler::new(row, &instances).samples(200).run().unwrap();
    assert!(report.violation.is_none());
    let (units, claimed) = report.longest.unwrap();
    assert!(2 * units > claimed, "{units} of {claimed}");

    let n = || Bound::at_most("n - 1", |s| s.nodes - 1);
    let wrong = with_time::<Announced<LeLann>>(n(), n());
    let report = Sampler::new(&wrong, &instances).samples(200).run().unwrap();
    let failure = report.violation.expect("the bound is too small");
    assert_eq!(failure.violation.property, Property::TimeBound);
}
