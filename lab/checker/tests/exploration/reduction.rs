//! The reduced exploration finds what the full one finds.

use crate::common::{certain, found};
use suffrage_algorithms::Algorithm;
use suffrage_checker::{CheckReport, ExactCosts, Family, FaultBudget, Options, Wake};

/// All that must not depend on how much is explored.
fn essence(report: &CheckReport) -> String {
    let CheckReport { terminal, nearest, winners, failing, counterexample, .. } = report;
    // Only the full exploration finds the greatest time.
    let costs = report.costs.clone().map(|costs| ExactCosts { greatest_time: None, ..costs });
    let broken = counterexample.as_ref().map(|(_, found)| &found.violation.property);
    format!("{terminal} {costs:?} {nearest:?} {winners:?} {failing} {broken:?}")
}

/// Explores each instance of a family both ways. Gives the configurations met, reduced and full.
fn agree(row: &Algorithm, family: &Family) -> (u64, u64) {
    let mut states = (0, 0);
    for number in 0..family.len() {
        let one = Family::one(&family.get(number));
        let reduced = found(row, &one, Options::default(), 1);
        let full = found(row, &one, Options { full: true, ..Options::default() }, 1);
        assert_eq!(essence(&reduced), essence(&full), "{}: {:?}", row.name, family.get(number));
        // Where a promise is broken both end there, each in its own order.
        let holds = reduced.failing == 0;
        assert!(!holds || reduced.states <= full.states, "{}: {:?}", row.name, family.get(number));
        states.0 += reduced.states;
        states.1 += full.states;
    }
    states
}

/// Families of `nodes` nodes, one after another.
fn everywhere(nodes: u32, change: impl Fn(&mut Family)) {
    for row in certain() {
        let mut family = Family::everything(row.network, nodes).expect("few nodes");
        if family.is_empty() {
            // There is no hypercube of three nodes.
            family = Family::everything(row.network, nodes + 1).expect("few nodes");
        }
        change(&mut family);
        let (reduced, full) = agree(row, &family);
        assert!(nodes < 3 || reduced < full, "{}: nothing is left out", row.name);
    }
}

#[test]
fn with_processes_that_wake_at_any_time() {
    (1..=3).for_each(|nodes| everywhere(nodes, |_| ()));
}

#[test]
fn with_processes_that_wake_at_the_start() {
    (1..=3).for_each(|nodes| everywhere(nodes, |family| family.wake = Wake::AtStart));
}

#[test]
fn with_links_that_hold_one_message_or_two() {
    for capacity in [1, 2] {
        (1..=3).for_each(|nodes| {
            for row in certain() {
                let family = Family::everything(row.network, nodes).unwrap();
                agree(row, &Family { capacity: Some(capacity), ..family });
            }
        });
    }
}

#[test]
fn with_messages_that_overtake_each_other() {
    let faults = FaultBudget { no_fifo: true, ..FaultBudget::default() };
    (1..=3).for_each(|nodes| {
        for row in certain() {
            let family = Family::everything(row.network, nodes).unwrap();
            agree(row, &Family { faults, ..family });
        }
    });
}

#[test]
#[ignore = "takes minutes"]
fn with_four_processes() {
    everywhere(4, |_| ());
    everywhere(4, |family| family.wake = Wake::AtStart);
    everywhere(4, |family| family.capacity = Some(1));
}
