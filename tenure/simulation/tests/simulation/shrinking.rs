//! A failing run becomes the shortest schedule of faults that still fails.

use crate::landlord::*;
use std::time::Duration;
use tenure_simulation::promises::Promise;
use tenure_simulation::{FaultKind, Faults, Nanos, Shrunk, Simulation, shrink};

fn shrunk<const FLAW: u8>(promise: Promise) -> Shrunk {
    let simulation = |seed| {
        Simulation::<Landlord<FLAW>>::new()
            .heartbeat(Duration::from_millis(20))
            .lease(Duration::from_millis(100))
            .duration(Duration::from_secs(60))
            .faults(Faults::Random {
                kinds: FaultKind::ALL.to_vec(),
                every: Nanos::millis(300),
                longest: Nanos::millis(800),
            })
            .seed(seed)
    };
    let failing = (0..100).map(simulation).find(|s| s.run().unwrap().broken(promise).is_some());
    let failing = failing.expect("some seed fails");
    assert!(failing.script().unwrap().0.len() > 50);
    let shrunk = shrink(&failing, promise, |_| true).unwrap().expect("it fails");
    // The shrunk script can be replayed from its text.
    let again = failing
        .faults(shrunk.script.to_string().parse::<tenure_simulation::FaultScript>().unwrap());
    assert!(again.run().unwrap().broken(promise).is_some());
    shrunk
}

#[test]
fn a_term_that_is_not_written_needs_one_change_of_the_leader() {
    let shrunk = shrunk::<FORGETS_TERM>(Promise::EverNewer);
    assert_eq!(shrunk.script.0.len(), 1, "{}", shrunk.script);
}

#[test]
fn a_missing_quarantine_needs_one_crash() {
    let shrunk = shrunk::<NO_QUARANTINE>(Promise::One);
    assert!(shrunk.script.0.len() <= 2, "{}", shrunk.script);
    assert!(shrunk.runs < 300);
}

#[test]
fn a_run_that_does_not_fail_is_not_shrunk() {
    let simulation = Simulation::<Landlord<SOUND>>::new();
    assert!(shrink(&simulation, Promise::One, |_| true).unwrap().is_none());
}
