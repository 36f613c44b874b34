//! Tenure within small budgets, with and without reductions. `cargo xtask explore` has larger ones.

use crate::{rings, three};
use std::num::NonZero;
use tenure_exploration::{Budget, ExplorationReport, Explorer};
use tenure_model::{Peer, Ratio, Recoverable, Setting, Term};
use tenure_protocol::{
    bully::Bully,
    tenure::{Alarm, INVARIANTS, Tenure},
};

/// Members that claim an office at small terms.
fn members(members: u32, budget: Budget) -> Explorer<Tenure> {
    let clocks = Ratio { fastest: 5, slowest: 4 };
    let setting = Setting { me: Peer(0), members, heartbeat: 2, lease: 8, stop: 0, clocks };
    let terms = budget.terms.min(Term(2 << 32));
    let explorer = Explorer::new(members).setting(setting).invariants(INVARIANTS);
    explorer.ordering(Alarm::is_ordered).budget(Budget { terms, tenures: 3, ..budget })
}

/// At most two messages under way, delivered in any order or lost.
fn any(rings: u8) -> Budget {
    Budget { rings, under_way: 2, duplicates: 0, ..Budget::default() }
}

/// Messages in the order of sending. One may overtake, one may be lost, and one may be duplicated.
fn order(rings: u8) -> Budget {
    Budget { rings, losses: 1, overtakings: 1, duplicates: 1, ..Budget::default() }
}

/// What reductions preserve.
fn essence(report: &ExplorationReport) -> (bool, bool, u64, u64, u8) {
    let ExplorationReport { complete, violation, greatest_term, terms, tenures, .. } = report;
    (*complete, violation.is_some(), *greatest_term, *terms, *tenures)
}

#[test]
fn reductions_preserve_what_is_found() {
    for explorer in [
        || members(2, any(1)),
        || members(2, Budget { crashes: 1, ..any(0) }),
        || members(2, order(1)),
        || members(2, Budget { crashes: 1, losses: 0, ..order(0) }),
        || members(2, Budget { departures: 1, duplicates: 0, ..order(1) }),
        || members(2, Budget { losses: 0, duplicates: 0, ..order(1) }).clients(1).witness(0),
    ] {
        let (reduced, full) = (explorer().run(), explorer().full().run());
        assert_eq!(essence(&reduced), essence(&full));
        assert!(reduced.violation.is_none(), "{:#?}", reduced.violation);
        assert!(reduced.configurations < full.configurations, "{reduced:?} {full:?}");
        assert!(reduced.greatest_term > 0);
    }
}

#[test]
fn reductions_preserve_the_shortest_execution_that_breaks_a_promise() {
    fn length<P: Recoverable>(explorer: &Explorer<P>) -> Option<usize> {
        Some(explorer.run().violation?.execution.len())
    }
    let reduced = length(&three::<Bully>(rings(4)));
    assert_eq!(reduced, length(&three::<Bully>(rings(4)).full()));
    assert!(reduced.is_some());
}

/// A regression test. Once a request with another rank was not another attempt: the answer to the
/// earlier request was taken for an answer to the later one, and if the later one was lost, both
/// participants waited without end. This test found the error.
#[test]
fn from_every_configuration_of_two_members_the_office_is_filled() {
    for budget in [any(1), order(2), Budget { crashes: 1, overtakings: 0, ..order(1) }] {
        // The lease as long as it is owed, two heartbeats, and two round trips.
        let report = members(2, budget).filled_within(11 + 2 * 2 + 2 * 2).run();
        assert!(report.complete && report.violation.is_none(), "{report:#?}");
    }
}

/// A regression test. Once renewals did not name the lease that they know to be over: a vote stayed with
/// a candidate that did not hear of it and kept renewing.
#[test]
fn from_every_configuration_the_office_is_filled_although_one_does_not_hear_another() {
    let clients = || members(2, Budget { losses: 0, duplicates: 0, ..order(2) }).clients(1);
    for explorer in [clients(), members(3, any(0))] {
        let report = explorer.filled_within(11 + 2 * 2 + 2 * 2).one_way_cuts().run();
        println!("{:?} {} {:?}", report.complete, report.configurations, report.longest_vacancy);
        assert!(report.complete && report.violation.is_none(), "{report:#?}");
    }
}

#[test]
fn reports_do_not_depend_on_the_threads() {
    let explore = |threads| members(2, order(2)).threads(NonZero::new(threads).unwrap()).run();
    let alone = explore(1);
    assert!(alone.complete, "{alone:#?}");
    assert_eq!(alone, explore(2));
}

#[test]
fn a_layer_may_be_abstract() {
    use tenure_protocol::tenure::Msg;
    let at_once = |msg: &Msg| matches!(msg, Msg::Renew { .. } | Msg::Ack { .. });
    let budget = Budget { losses: 0, overtakings: 0, duplicates: 0, ..order(2) };
    let report = members(5, Budget { terms: Term(5 << 32), ..budget }).at_once(at_once).run();
    assert!(report.complete && report.violation.is_none(), "{report:#?}");
    assert!(report.held > 0);
}

/// A regression test. Once a member that had lost its record asked the others what they had promised as soon as it came
/// up. Its last grant could arrive after that, and begin a tenure with the vote of a member that promised its term after
/// it had answered. So the floor was too low, and when its quarantine was over, the member voted for a smaller term.
#[test]
fn no_term_goes_back_if_the_last_grant_of_a_lost_record_comes_late() {
    let budget = Budget { crashes: 1, lost_records: 1, terms: Term(u64::MAX), ..rings(8) };
    let explorer = members(3, budget).clients(1).witness(0).witness(1).full().budget(budget);
    let lost = [
        "participant 0 gets Renew { boot: 1, number: 1, over: 0 } from participant 3",
        "participant 1 gets Renew { boot: 1, number: 1, over: 0 } from participant 3",
        "participant 3 gets Ack { boot: 1, number: 1, epoch: 4194305, able: true } from participant 0",
        "participant 3 gets Ack { boot: 1, number: 1, epoch: 4194305, able: true } from participant 1",
        "participant 0 gets Request(Case { office: Office(0), term: Term(3), epoch: 4194305 }, Candidate(0), 0, Unknown) from participant 3",
        "participant 0 crashes",
        "participant 0 comes up without its record",
    ];
    let asked = "participant 1 gets Learn { boot: 2, store: 2, look: 0 } from participant 0";
    let early = [&lost[..], &[asked]].concat();
    let (number, possible) = explorer.follow(&early).expect_err("it asks in quarantine");
    assert_eq!(number, lost.len());
    assert!(!possible.iter().any(|step| step.contains("Learn")), "{possible:#?}");

    let late = [
        "participant 1 gets Request(Case { office: Office(0), term: Term(3), epoch: 4194305 }, Candidate(0), 0, Unknown) from participant 3",
        "participant 3 gets Grant(Case { office: Office(0), term: Term(3), epoch: 4194305 }, 0, false) from participant 0",
        "participant 3 gets Grant(Case { office: Office(0), term: Term(3), epoch: 4194305 }, 0, false) from participant 1",
        "participant 3's alarm Renewal(1) rings",
        "participant 2's alarm Renewal(1) rings",
        "participant 0's alarm Quarantine rings",
        asked,
        "participant 2 gets Learn { boot: 2, store: 2, look: 0 } from participant 0",
        "participant 0 gets Promised { boot: 2, highest: Term(3), founded: None } from participant 1",
        "participant 0 gets Promised { boot: 2, highest: Term(0), founded: None } from participant 2",
        "participant 2's alarm Beat rings",
        "participant 0 gets Renew { boot: 1, number: 2, over: 0 } from participant 2",
        "participant 2 gets Ack { boot: 1, number: 2, epoch: 8388609, able: true } from participant 0",
        "participant 0 gets Request(Case { office: Office(0), term: Term(2), epoch: 8388609 }, Candidate(0), 0, Unknown) from participant 2",
        "participant 2 gets Refuse(Case { office: Office(0), term: Term(2), epoch: 8388609 }, Term(3)) from participant 0",
    ];
    let report = explorer.follow(&[&lost[..], &late].concat()).expect("every step can happen");
    assert!(report.violation.is_none(), "{:#?}", report.violation);
}
