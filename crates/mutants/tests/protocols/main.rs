//! Random walks find what is seeded into tenure, and find nothing in tenure as it is (the walks of
//! `suffrage-protocols`).

extern crate alloc;

mod faults;
#[allow(dead_code)] // The walks of the protocols ask it for more.
#[path = "../../../protocols/tests/walks/world.rs"]
mod world;

use faults::FAULTS;
use suffrage_process::recovery::Recoverable;
use world::{CLIMATES, walk};

/// Walks until a promise is broken: how many walks it took, and what was seen.
type Fate = fn() -> Option<(u64, String)>;

include!(concat!(env!("OUT_DIR"), "/protocols.rs"));

/// The most walks in each climate that a mutant is given.
const WALKS: u64 = 2000;

fn fate<P: Recoverable>() -> Option<(u64, String)> {
    (0..WALKS).find_map(|seed| {
        let found = |climate| walk::<P>(climate, seed, 600, |_| Ok(())).err();
        CLIMATES.iter().find_map(|(_, climate)| found(*climate)).map(|why| (seed + 1, why))
    })
}

#[test]
fn walks_find_nothing_in_tenure_as_it_is() {
    assert_eq!(fate::<suffrage_protocols::tenure::Tenure>(), None);
}

#[test]
fn walks_find_every_fault() {
    let mut escaped = Vec::new();
    for (fault, fate) in FAULTS.iter().zip(MUTANTS) {
        match fate() {
            Some((walks, why)) if fault.seen.iter().any(|seen| why.contains(seen)) => {
                println!("{}: walk {walks}", fault.name);
            }
            Some((walks, why)) => escaped.push(format!("{}: walk {walks}, {why}", fault.name)),
            None => escaped.push(format!("{}: nothing is seen", fault.name)),
        }
    }
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
}
