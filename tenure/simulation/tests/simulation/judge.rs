//! A sound protocol keeps its promises; each flaw breaks the one that it should.

use crate::landlord::*;
use std::time::Duration;
use tenure_model::Ratio;
use tenure_simulation::promises::Promise;
use tenure_simulation::{FaultKind, FaultScript, Faults, Nanos, Simulation, SimulationReport};

/// Four tenants and a landlord, a short lease, twenty seconds.
fn small<const FLAW: u8>() -> Simulation<Landlord<FLAW>> {
    Simulation::new()
        .heartbeat(Duration::from_millis(20))
        .lease(Duration::from_millis(100))
        .stop(Duration::from_millis(30))
        .duration(Duration::from_secs(20))
}

fn often(kinds: &[FaultKind]) -> Faults {
    Faults::Random { kinds: kinds.to_vec(), every: Nanos::millis(300), longest: Nanos::millis(400) }
}

/// The first of some runs that breaks the promise.
fn broken<const FLAW: u8>(kinds: &[FaultKind], promise: Promise) -> Option<SimulationReport> {
    let runs = (1..=40).map(|seed| {
        let simulation = small::<FLAW>().clocks(Ratio { fastest: 12, slowest: 10 });
        simulation.faults(often(kinds)).seed(seed).run().unwrap()
    });
    runs.into_iter().find(|report| report.broken(promise).is_some())
}

#[test]
fn a_sound_protocol_is_safe_in_a_thousand_hostile_runs() {
    let mut events = 0;
    for seed in 0..1000 {
        let report = small::<SOUND>()
            .clocks(Ratio { fastest: 12, slowest: 10 })
            .faults(often(&FaultKind::ALL))
            .seed(seed)
            .run()
            .unwrap();
        for promise in [Promise::One, Promise::EverNewer, Promise::Tellable] {
            assert_eq!(report.broken(promise), None, "seed {seed}");
        }
        assert_eq!(report.rejected, 0);
        events += report.events;
    }
    assert!(events > 1_000_000, "{events}");
}

#[test]
fn without_faults_every_promise_is_kept() {
    for seed in 0..20 {
        let report = small::<SOUND>().seed(seed).run().unwrap();
        assert_eq!(report.violations, []);
        assert_eq!((report.tenures, report.needless), (1, 0));
        assert!(report.availability() > 0.99);
    }
}

#[test]
fn a_lease_that_is_counted_from_the_receipt_breaks_one() {
    assert!(
        broken::<COUNTS_FROM_RECEIPT>(&[FaultKind::Suspend, FaultKind::Delay], Promise::One)
            .is_some()
    );
    assert!(broken::<SOUND>(&[FaultKind::Suspend, FaultKind::Delay], Promise::One).is_none());
}

#[test]
fn a_landlord_that_lets_at_once_after_a_crash_breaks_one() {
    assert!(broken::<NO_QUARANTINE>(&[FaultKind::Crash], Promise::One).is_some());
    assert!(broken::<SOUND>(&[FaultKind::Crash], Promise::One).is_none());
}

#[test]
fn a_term_that_is_not_written_breaks_ever_newer() {
    assert!(broken::<FORGETS_TERM>(&[], Promise::EverNewer).is_none());
    let report = broken::<FORGETS_TERM>(&[FaultKind::Crash], Promise::EverNewer).unwrap();
    assert!(report.broken(Promise::EverNewer).unwrap().beyond.is_none());
}

#[test]
fn a_landlord_that_does_not_wait_for_the_end_of_the_work_breaks_one() {
    let report = broken::<IGNORES_STOP>(&[FaultKind::Split], Promise::One).unwrap();
    let violation = report.broken(Promise::One).unwrap();
    assert!(violation.breach.to_string().contains("still works"));
}

#[test]
fn a_landlord_that_ignores_the_rates_of_clocks_breaks_one() {
    assert!(
        broken::<IGNORES_CLOCKS>(&[FaultKind::Split, FaultKind::Clock], Promise::One).is_some()
    );
    assert!(broken::<SOUND>(&[FaultKind::Split, FaultKind::Clock], Promise::One).is_none());
}

#[test]
fn a_tenant_that_leaves_before_its_work_has_ended_breaks_one() {
    assert!(broken::<LEAVES_EARLY>(&[FaultKind::Resign], Promise::One).is_some());
    assert!(broken::<SOUND>(&[FaultKind::Resign], Promise::One).is_none());
}

#[test]
fn tenants_that_give_up_break_soon() {
    let report = broken::<GIVES_UP>(&[FaultKind::Suspend], Promise::Soon).unwrap();
    let violation = report.broken(Promise::Soon).unwrap();
    assert!(violation.at < Nanos::seconds(20));
    // Suspended landlords are not reached; the landlord is no majority. So the sound one breaks it
    // too where the landlord is away, and only there.
    assert!(broken::<SOUND>(&[FaultKind::Loss], Promise::Soon).is_none());
}

#[test]
fn a_tenant_that_gives_the_office_up_for_no_reason_breaks_stable() {
    let report = small::<FICKLE>().run().unwrap();
    assert!(report.broken(Promise::Stable).is_some());
    assert!(report.needless >= 10, "{}", report.needless);
}

#[test]
fn a_leader_that_is_named_before_it_leads_breaks_tellable() {
    let report = small::<NAMES_EARLY>().run().unwrap();
    assert!(report.broken(Promise::Tellable).is_some());
}

#[test]
fn a_clock_beyond_the_bound_is_reported_as_such() {
    let report =
        broken::<SOUND>(&[FaultKind::ClockBeyond, FaultKind::Split], Promise::One).unwrap();
    let beyond = report.broken(Promise::One).unwrap().beyond.clone().unwrap();
    assert!(beyond.contains("beyond the bound"), "{beyond}");
    assert_eq!(report.blamed(), None);
}

#[test]
fn the_loss_of_every_record_is_reported_as_such() {
    let script = "at 2s for 1s crash 0 lost";
    let simulation = Simulation::<tenure_protocol::tenure::Tenure>::new().members(1);
    let report = simulation.faults(script.parse::<FaultScript>().unwrap()).run().unwrap();
    let violation = report.broken(Promise::EverNewer).unwrap();
    assert_eq!(violation.beyond.as_deref(), Some("every member has lost its record"));
}

#[test]
fn an_old_record_is_reported_as_such() {
    let report = broken::<SOUND>(&[FaultKind::RestoredRecord], Promise::EverNewer).unwrap();
    let beyond = report.broken(Promise::EverNewer).unwrap().beyond.clone().unwrap();
    assert_eq!(beyond, "0 was given an old record");
}
