//! Families: threads, limits, port numberings.

use crate::common::{found, row};
use std::ops::ControlFlow;
use suffrage_checker::{
    Arrangements, Checker, Family, Forecaster, Incomplete, Instance, Options, Wake,
};
use suffrage_model::{Id, NetworkClass};
use suffrage_networks::wiring::Wiring;

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    for (name, nodes) in [("humblet", 3), ("villadangos@published", 3), ("lelann", 4)] {
        let family = Family::everything(row(name).network, nodes).unwrap();
        let reports = [1, 2, 3]
            .map(|threads| format!("{:?}", found(row(name), &family, Options::default(), threads)));
        assert_eq!(reports[0], reports[1], "{name}");
        assert_eq!(reports[0], reports[2], "{name}");
    }
}

#[test]
fn an_exploration_that_is_stopped_tells_of_the_first_instances() {
    let all = Family::everything(NetworkClass::OrientedRing, 5).unwrap();
    let family = Family { wake: Wake::AtStart, ..all };
    let checker = Checker::new(row("lelann"), &family).keep_going(true).threads(2);
    let report = checker.on_progress(|_| ControlFlow::Break(())).run().unwrap();
    assert_eq!(report.incomplete, Some(Incomplete::Stopped));
    assert!(report.instances < report.of);
    let before: u64 = (0..report.instances)
        .map(|number| {
            found(row("lelann"), &Family::one(&family.get(number)), Options::default(), 1).states
        })
        .sum();
    assert!(report.states >= before);
}

#[test]
fn where_memory_ends_the_report_says_what_was_explored() {
    let instance = Instance {
        wake: Wake::AtStart,
        ..Instance::new(Wiring::ring(12), (1..=12).map(Id::new).collect())
    };
    let options = Options { full: true, memory: 1 << 20, ..Options::default() };
    let report = found(row("chang-roberts"), &Family::one(&instance), options, 1);
    assert_eq!(report.incomplete, Some(Incomplete::OutOfMemory(0)));
    assert_eq!(report.instances, 0);
    assert!(report.states > 1000 && report.states < 742_912, "{}", report.states);
    assert!(report.costs.is_none() && report.counterexample.is_none());
}

#[test]
fn port_numberings_of_a_complete_network_are_explored() {
    let family = Family {
        arrangements: Arrangements::every_ports_of_complete(3),
        ..Family::everything(NetworkClass::Complete, 3).unwrap()
    };
    let all = found(row("humblet"), &family, Options::default(), 2);
    assert_eq!((all.instances, all.failing, all.incomplete), (8 * 7, 0, None));
    let one = Family::everything(NetworkClass::Complete, 3).unwrap();
    let one = found(row("humblet"), &one, Options::default(), 2);
    let (all, one) = (all.costs.unwrap().messages, one.costs.unwrap().messages);
    assert!(all.min <= one.min && one.max <= all.max, "one numbering is among all");
}

#[test]
fn the_worst_case_comes_with_an_execution_of_as_many_messages() {
    for name in ["humblet", "villadangos", "echo-extinction"] {
        let family = Family::everything(row(name).network, 3).unwrap();
        let report = found(row(name), &family, Options::default(), 2);
        let worst = report.worst.as_ref().unwrap();
        let most = report.costs.as_ref().unwrap().messages.max;
        let by_itself = |number| {
            let one = Family::one(&report.family.get(number));
            found(row(name), &one, Options::default(), 1)
        };
        let alone = by_itself(worst.instance);
        assert_eq!(alone.costs.unwrap().messages.max, most, "{name}");
        let (alone, here) = (alone.worst.unwrap().execution.instance, &worst.execution.instance);
        assert_eq!(
            (alone.ids, alone.initiators),
            (here.ids.clone(), here.initiators.clone()),
            "{name}"
        );
        let earlier =
            (0..worst.instance).map(|number| by_itself(number).costs.unwrap().messages.max);
        assert!(earlier.max().is_none_or(|messages| messages < most), "{name}: the first");
    }
}

#[test]
fn forecasts_of_several_families_explore_each_small_network_once() {
    // What was explored for the first family answers for the second.
    let mut forecaster = Forecaster::new(row("echo-extinction"), false, 1 << 30);
    let family = Family::everything(NetworkClass::Connected, 5).unwrap();
    let first = forecaster.forecast(&family);
    let known = forecaster.explored();
    assert_eq!(forecaster.forecast(&family), first);
    assert_eq!(forecaster.explored(), known);
    assert!(first.total > first.largest && known > 0);
}
