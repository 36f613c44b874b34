//! Every protocol of the catalogue in a hostile world.

use std::time::Duration;
use tenure_model::Recoverable;
use tenure_protocol::{CATALOGUE, ProtocolVisitor, tenure::Tenure};
use tenure_simulation::{FaultKind, Faults, Nanos, Simulation, SimulationReport};

/// Members, clients, offices, and milliseconds for stopping.
pub(crate) const CLUSTERS: [(u32, u32, u32, u64); 6] =
    [(3, 0, 1, 0), (5, 0, 1, 100), (3, 2, 2, 50), (2, 1, 1, 0), (4, 0, 3, 20), (1, 1, 1, 0)];

/// How many runs each cluster has.
pub(crate) fn seeds() -> u64 {
    std::env::var("SEEDS").map_or(50, |seeds| seeds.parse().unwrap())
}

pub(crate) struct Run<'a> {
    pub(crate) kinds: &'a [FaultKind],
    pub(crate) members: u32,
    pub(crate) clients: u32,
    pub(crate) offices: u32,
    pub(crate) stop: u64,
    pub(crate) seed: u64,
}

impl ProtocolVisitor for Run<'_> {
    type Output = SimulationReport;

    fn visit<P: Recoverable>(self) -> SimulationReport {
        Simulation::<P>::new()
            .members(self.members)
            .clients(self.clients)
            .offices(self.offices)
            .stop(Duration::from_millis(self.stop))
            .duration(Duration::from_secs(40))
            .faults(Faults::Random {
                kinds: self.kinds.to_vec(),
                every: Nanos::seconds(1),
                longest: Nanos::seconds(2),
            })
            .seed(self.seed)
            .run()
            .unwrap()
    }
}

#[test]
fn protocols_keep_their_promises_in_hundreds_of_hostile_runs() {
    for protocol in CATALOGUE.iter().filter(|protocol| protocol.faulty.is_none()) {
        let mut events = 0;
        for (members, clients, offices, stop) in CLUSTERS {
            for seed in 0..seeds() {
                let run = Run { kinds: &FaultKind::ALL, members, clients, offices, stop, seed };
                let report = protocol.visit(run);
                assert_eq!(
                    report.violations,
                    [],
                    "{}: {members} members, {clients} clients, {offices} offices, seed {seed}",
                    protocol.name
                );
                assert_eq!(report.first_rejection, None);
                events += report.events;
            }
        }
        assert!(events > 1_000_000);
    }
}

/// The member that is to lead next is the one whose disk has failed: it crashes when the lease of the
/// leader ends and it is to write a promise, and its own lease is waited for, too.
#[test]
fn the_time_for_an_election_counts_from_the_crash_that_a_failed_disk_causes() {
    let script = r#"
        at 11s for 2s failed-disk 3
        at 11s for 1s crash 4"#;
    let mut crashed = 0;
    for seed in 0..10 {
        let report = Simulation::<Tenure>::new()
            .stop(Duration::from_millis(100))
            .duration(Duration::from_secs(13))
            .faults(Faults::Script(script.parse().unwrap()))
            .seed(seed)
            .run()
            .unwrap();
        assert_eq!(report.violations, [], "seed {seed}");
        crashed += report.crashes - 1;
    }
    assert!(crashed > 0);
}

#[test]
fn each_kind_of_fault_by_itself_breaks_nothing() {
    for protocol in CATALOGUE.iter().filter(|protocol| protocol.faulty.is_none()) {
        for kind in FaultKind::ALL {
            for seed in 0..5 {
                let run =
                    Run { kinds: &[kind], members: 5, clients: 1, offices: 1, stop: 30, seed };
                let report = protocol.visit(run);
                assert_eq!(report.violations, [], "{}: {kind}, seed {seed}", protocol.name);
            }
        }
    }
}
