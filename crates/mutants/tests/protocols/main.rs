//! Random walks and simulated runs find what is seeded into tenure, and find nothing in tenure as it is (the walks of
//! `suffrage-protocols`).

extern crate alloc;

mod faults;
#[allow(dead_code)] // The walks of the protocols ask it for more.
#[path = "../../../protocols/tests/walks/world.rs"]
mod world;

use faults::FAULTS;
use std::time::Duration;
use suffrage_process::recovery::Recoverable;
use suffrage_recovery::simulation::{Faults, Kind, Nanos, Simulation};
use world::{CLIMATES, walk};

/// Walks, or simulates, until a promise is broken: how many it took, and what was seen.
type Fate = fn() -> Option<(u64, String)>;

include!(concat!(env!("OUT_DIR"), "/protocols.rs"));

/// The most walks in each climate that a mutant is given.
const WALKS: u64 = 600;

fn walks<P: Recoverable>() -> Option<(u64, String)> {
    (0..WALKS).find_map(|seed| {
        let found = |climate| walk::<P>(climate, seed, 600, |_| Ok(())).err();
        CLIMATES.iter().find_map(|(_, climate)| found(*climate)).map(|why| (seed + 1, why))
    })
}

/// The most simulated runs that a mutant is given.
const RUNS: u64 = 3_000;

fn runs<P: Recoverable>() -> Option<(u64, String)> {
    (0..RUNS).find_map(|seed| {
        let simulation = Simulation::<P>::new()
            .members(3 + seed as u32 % 3)
            .standers(seed as u32 / 3 % 3)
            .stop(Duration::from_millis(seed % 2 * 100))
            .duration(Duration::from_secs(40))
            .faults(Faults::Random {
                kinds: Kind::ALL.to_vec(),
                every: Nanos::seconds(1),
                longest: Nanos::seconds(2),
            })
            .seed(seed);
        let report = simulation.run().expect("the numbers fit together");
        report.violations.first().map(|violation| (seed + 1, violation.breach.to_string()))
    })
}

#[test]
fn walks_find_every_fault() {
    let mut escaped = Vec::new();
    for (fault, fate) in FAULTS.iter().zip(MUTANTS) {
        match fate() {
            Some((walks, why)) if fault.seen.iter().any(|seen| why.contains(seen)) => {
                println!("{}: after {walks}: {why}", fault.name);
            }
            Some((walks, why)) => escaped.push(format!("{}: after {walks}, {why}", fault.name)),
            None => escaped.push(format!("{}: nothing is seen", fault.name)),
        }
    }
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
}
