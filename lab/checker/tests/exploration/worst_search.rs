//! The search for costly schedules, beside the exact extremes.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-checker --test exploration worst
//! ```

use crate::common::is_golden;
use std::{fmt::Write, ops::ControlFlow};
use suffrage_algorithms::CATALOGUE;
use suffrage_checker::{
    Arrangements, Checker, Family, FaultBudget, InitiatorSets, Objective, Wake, search_worst,
};

/// Every network of `nodes` nodes with every order of identities; all wake at the start.
fn instances(network: suffrage_model::NetworkClass, nodes: u32) -> Family {
    Family {
        arrangements: Arrangements::all(network, nodes).expect("few nodes"),
        initiators: InitiatorSets::These((0..nodes).collect()),
        wake: Wake::AtStart,
        capacity: None,
        faults: FaultBudget::default(),
        nodes_differ: false,
    }
}

#[test]
fn it_comes_near_to_the_exact_extremes_and_never_beyond_them() {
    let mut table =
        String::from("algorithm nodes | messages found of most | depth found of most\n");
    for row in CATALOGUE {
        for nodes in [3, 4].into_iter().filter(|&nodes| row.network.has_size(nodes)) {
            let family = instances(row.network, nodes);
            let (mut messages, mut depth) = ([0, 0], [0, 0]);
            for number in 0..family.len() {
                let instance = family.get(number);
                let report = Checker::new(row, &Family::one(&instance)).run().unwrap();
                let costs = report.costs.expect("all is explored");
                let search = |objective| {
                    let go_on = &mut |_| ControlFlow::Continue(());
                    let found = search_worst(row, &instance, objective, 4, 1, go_on);
                    let found = found.expect("an instance for the algorithm");
                    assert!(!found.execution.moves.is_empty() && !found.stopped);
                    found.cost
                };
                for (sums, found, most) in [
                    (&mut messages, search(Objective::Messages), costs.messages.max),
                    (&mut depth, search(Objective::Depth), costs.greatest_depth),
                ] {
                    assert!(found <= most, "{}: {found} of {most}", row.name);
                    sums[0] += found;
                    sums[1] += most;
                }
            }
            let ([m, most_m], [d, most_d]) = (messages, depth);
            // What waits in a process, as with Gallager, Humblet and Spira, hides the longest chains.
            let near = |found: u64, most: u64| 4 * found >= 3 * most;
            assert!(near(m, most_m) && near(d, most_d), "{}: {m} {d}", row.name);
            let _ = writeln!(table, "{} {nodes} | {m} {most_m} | {d} {most_d}", row.name);
        }
    }
    is_golden("worst_search.txt", &table);
}

#[test]
fn a_search_that_is_stopped_has_a_whole_run() {
    let row = CATALOGUE.iter().find(|row| row.name == "lelann").expect("a row");
    let instance = instances(row.network, 4).get(0);
    let stop = &mut |_| ControlFlow::Break(());
    let found = search_worst(row, &instance, Objective::Messages, 8, 1, stop).unwrap();
    // Four tokens and the announcement go around, on every schedule.
    assert!(found.stopped);
    assert_eq!(found.cost, 20);
}
