//! Exact values, pinned.
//!
//! ```text
//! UPDATE_GOLDEN=1 cargo test -p suffrage-checker --test exploration exact
//! ```

use crate::common::{found, is_golden};
use std::fmt::Write;
use suffrage_algorithms::{Announced, CATALOGUE, ring::ChangRoberts};
use suffrage_checker::{CheckVerdict, Family, Instance, Options, Specification, Wake, explore};
use suffrage_model::Id;
use suffrage_networks::wiring::Wiring;

#[test]
fn the_exact_costs_of_three_and_four_processes() {
    let mut table = String::from(
        "algorithm nodes | instances states transitions terminal | messages min max | depth min \
         max\n",
    );
    for row in CATALOGUE {
        for nodes in [3, 4].into_iter().filter(|&nodes| row.network.has_size(nodes)) {
            let family = Family::everything(row.network, nodes).unwrap();
            let report = found(row, &family, Options::default(), 2);
            let costs = report.costs.unwrap();
            let _ = writeln!(
                table,
                "{} {nodes} | {} {} {} {} | {} {} | {} {}",
                row.name,
                report.instances,
                report.states,
                report.transitions,
                report.terminal,
                costs.messages.min,
                costs.messages.max,
                costs.least_depth.map_or("?".to_owned(), |depth| depth.to_string()),
                costs.greatest_depth,
            );
        }
    }
    is_golden("exact.txt", &table);
}

/// Another tool gives the same number of distinct configurations.
#[test]
fn chang_roberts_on_a_ring_of_twelve() {
    let instance = Instance {
        wake: Wake::AtStart,
        ..Instance::new(Wiring::ring(12), (1..=12).map(Id::new).collect())
    };
    let specification = Specification::<Announced<ChangRoberts>>::election();
    let options = Options { full: true, costs: false, ..Options::default() };
    let full = explore(&instance, &specification, &options).unwrap();
    assert!(matches!(full.verdict, CheckVerdict::Holds));
    assert_eq!((full.states, full.transitions), (742_912, 4_457_412));
    let reduced = explore(&instance, &specification, &Options::default()).unwrap();
    assert!(reduced.states < 1000, "{} states", reduced.states);
    assert_eq!(reduced.terminal, full.terminal);
}
