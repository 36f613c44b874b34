//! A process of one's own is proved like those of the catalogue: its file is compiled against symbols in place of
//! `suffrage`.

extern crate suffrage_proofs as suffrage;

#[allow(dead_code)]
#[path = "../../../lab/suffrage/examples/as_far/process.rs"]
mod process;

use process::{AsFar, INVARIANTS};
use suffrage::proof::{Report, prove};

fn proved(invariants: &[(&'static str, &'static str)], properties: &[&str]) -> Report {
    prove::<AsFar>(invariants, properties).expect("it does no more than compare")
}

#[test]
fn as_far_elects_the_smallest_initiator_whatever_the_number_of_processes() {
    let properties = [
        "at-most-one-leader",
        "winner-by-rule",
        "agreement",
        "irrevocable-status",
        "possible-messages",
        "silent-ending",
        "exactly-one-leader",
        "announced",
    ];
    let report = proved(INVARIANTS, &properties);
    let failed: Vec<_> = report.failures().collect();
    assert!(failed.is_empty(), "{failed:#?}");
    for property in properties {
        assert!(report.conditions.iter().any(|of| of.shows == property), "{property} is not shown");
    }
}

#[test]
fn without_an_invariant_on_which_it_rests_a_property_is_not_proved() {
    let safe = |name: &str| !["alone", "outlived", "smallest-survives"].contains(&name);
    let without: Vec<_> = INVARIANTS.iter().copied().filter(|(name, _)| safe(name)).collect();
    let report = proved(&without, &["at-most-one-leader"]);
    let failed: Vec<_> = report.failures().map(|of| of.shows.as_str()).collect();
    assert!(failed.contains(&"at-most-one-leader"), "{failed:?}");
}
