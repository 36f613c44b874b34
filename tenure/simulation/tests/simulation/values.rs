//! The values of leaderships, beside Tenure in a hostile world.

use crate::catalogue::{CLUSTERS, Run, seeds};
use tenure_model::Peer;
use tenure_protocol::ProtocolVisitor as _;
use tenure_protocol::tenure::Tenure;
use tenure_protocol::valued::Valued;
use tenure_simulation::{ClusterEvent, FaultKind, FaultScript, Nanos, Simulation, SimulationWatch};

#[test]
fn what_is_shown_was_set_is_never_older_and_is_the_newest_in_time_in_hundreds_of_hostile_runs() {
    for (members, clients, offices, stop) in CLUSTERS {
        for seed in 0..seeds() {
            let run = Run { kinds: &FaultKind::ALL, members, clients, offices, stop, seed };
            let report = run.visit::<Valued<Tenure>>();
            assert_eq!(
                report.violations,
                [],
                "{members} members, {clients} clients, {offices} offices, seed {seed}"
            );
            assert_eq!(report.first_rejection, None);
            assert!(report.values > 0);
            assert!(members + clients == 2 || report.value_delays.len() as u64 > report.values);
        }
    }
}

/// Notes what a participant shows.
struct Shown(Peer, Vec<(Nanos, Option<u64>)>);

impl SimulationWatch<Valued<Tenure>> for &mut Shown {
    fn event(&mut self, at: Nanos, event: ClusterEvent<'_, Valued<Tenure>>) {
        if let ClusterEvent::Shows(peer, _, shown) = event
            && peer == self.0
        {
            self.1.push((at, shown.map(|(_, change)| change)));
        }
    }
}

#[test]
fn a_member_that_restarts_asks_for_the_value_again() {
    let script: FaultScript = "at 2s for 300ms crash 2".parse().unwrap();
    let mut shown = Shown(Peer(2), Vec::new());
    let crashed_at = Nanos::seconds(2);
    for seed in 0.. {
        let run = Simulation::<Valued<Tenure>>::new().members(3).faults(script.clone()).seed(seed);
        let report =
            run.duration(Nanos::seconds(4).into()).watched(&mut shown, |_| true).unwrap().unwrap();
        assert_eq!(report.violations, []);
        // Another one leads on.
        if report.tenures == 1 {
            break;
        }
        shown.1.clear();
    }
    let (before, after): (Vec<_>, Vec<_>) = shown.1.iter().partition(|(at, _)| *at < crashed_at);
    let newest = before.iter().filter_map(|(_, change)| *change).max().unwrap();
    let (first, change) = after.into_iter().find(|(_, change)| change.is_some()).unwrap();
    assert!(change.unwrap() >= newest);
    assert!(first > Nanos::millis(2300) && first < Nanos::millis(2800), "{first}");
}
