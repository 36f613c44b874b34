//! A process of one's own is proved like those of the catalogue: its file is compiled against symbols in place of
//! `suffrage`.

extern crate suffrage_proofs as suffrage;

#[allow(dead_code, unreachable_pub)]
#[path = "../../../lab/suffrage/examples/as_far/process.rs"]
mod process;

use process::{AsFar, INVARIANTS};
use suffrage::proof::{Report, prove};

/// Everything that can be shown of a process.
const ALL: [&str; 9] = [
    "at-most-one-leader",
    "winner-by-rule",
    "agreement",
    "irrevocable-status",
    "possible-messages",
    "silent-ending",
    "exactly-one-leader",
    "sent-once",
    "announced",
];

fn proved(invariants: &[(&'static str, &'static str)], properties: &[&str]) -> Report {
    prove::<AsFar>(invariants, properties).expect("it does no more than compare")
}

#[test]
fn as_far_elects_the_smallest_initiator_whatever_the_number_of_processes() {
    let shown = ALL.map(|name| name).into_iter().filter(|name| *name != "sent-once");
    let report = proved(INVARIANTS, &shown.collect::<Vec<_>>());
    let failed: Vec<_> = report.failures().collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn what_does_not_follow_is_refused() {
    let report = proved(INVARIANTS, &ALL);
    let failed =
        report.failures().next().expect("a process passes the two identities of another on alike");
    assert_eq!(failed.shows, "sent-once");
    let without: Vec<_> = INVARIANTS.iter().copied().filter(|(name, _)| *name != "alone").collect();
    assert!(!proved(&without, &["at-most-one-leader"]).is_proved());
}
