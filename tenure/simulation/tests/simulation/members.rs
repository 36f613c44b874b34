//! Tenure among members that change, in a hostile world.

use crate::catalogue::{Run, seeds};
use std::time::Duration;
use tenure_protocol::reconfiguration::{Reconfigurable, ReconfigurableMsg};
use tenure_protocol::{ProtocolVisitor as _, tenure::Tenure};
use tenure_simulation::promises::Promise;
use tenure_simulation::{
    ClusterEvent, FaultKind, FaultScript, Faults, Nanos, Simulation, SimulationReport,
    SimulationWatch,
};

/// Members and clients at the beginning, offices, and milliseconds for stopping.
const CLUSTERS: [(u32, u32, u32, u64); 5] =
    [(3, 2, 1, 0), (5, 1, 1, 100), (1, 2, 2, 50), (2, 1, 1, 0), (4, 3, 3, 20)];

#[test]
fn members_change_in_many_hostile_runs() {
    use FaultKind::{Crash, Loss, LostRecord, Membership, Split, Suspend};
    let all = [FaultKind::ALL.as_slice(), &[Membership]].concat();
    for kinds in [&all, [Crash, LostRecord, Suspend, Split, Loss, Membership].as_slice()] {
        for (members, clients, offices, stop) in CLUSTERS {
            for seed in 0..seeds() {
                let run = Run { kinds, members, clients, offices, stop, seed };
                let report = run.visit::<Reconfigurable>();
                let of = format!("{members} members, {clients} clients, seed {seed}");
                assert_eq!(report.violations, [], "{of}");
                assert_eq!(report.first_rejection, None, "{of}");
            }
        }
    }
}

/// The number of the newest members that processes tell each other.
#[derive(Default)]
struct Newest(u64);

impl SimulationWatch<Reconfigurable> for &mut Newest {
    fn event(&mut self, _: Nanos, event: ClusterEvent<'_, Reconfigurable>) {
        if let ClusterEvent::Send(_, _, ReconfigurableMsg::Members(configuration)) = event {
            self.0 = self.0.max(configuration.tag.number);
        }
    }
}

#[test]
fn no_office_is_lost_by_a_change_alone() {
    for (members, clients, offices, stop) in CLUSTERS {
        let (mut asked, mut changes) = (0, 0);
        for seed in 0..seeds() {
            let (kinds, every, longest) =
                (vec![FaultKind::Membership], Nanos::seconds(1), Nanos(1));
            let mut newest = Newest::default();
            let run = Simulation::new().members(members).clients(clients).offices(offices);
            let run = run.stop(Duration::from_millis(stop)).duration(Duration::from_secs(40));
            let run = run.faults(Faults::Random { kinds, every, longest }).seed(seed);
            let report = run.watched(&mut newest, |_| true).unwrap().unwrap();
            let of = format!("{members} members, {clients} clients, seed {seed}");
            assert_eq!(report.violations, [], "{of}");
            assert_eq!(report.tenures, u64::from(offices), "{of}");
            asked += report.script.0.len() as u64;
            changes += newest.0 / 2;
        }
        // Some ask for the members that there are, or while members change.
        assert!(changes > asked / 2, "{asked} times asked, {changes} changes");
    }
}

/// Three members become three others, and then these faults happen.
fn after_a_change(faults: &str, bound: u64, seed: u64) -> SimulationReport {
    let script: FaultScript = format!("at 1s members 3 4 5\n{faults}").parse().unwrap();
    Simulation::<Reconfigurable>::new()
        .members(3)
        .clients(3)
        .duration(Duration::from_secs(4))
        .faults(script)
        .within(Duration::from_millis(bound))
        .seed(seed)
        .run()
        .unwrap()
}

#[test]
fn what_is_soon_and_stable_depends_on_the_members_of_the_time() {
    for seed in 0..10 {
        // A leader among the old members loses the office.
        let split = after_a_change("at 2s split 0 1 2 | 3 4 5", 600, seed);
        assert_eq!((split.violations, split.vacant_at_the_end), (vec![], 0));
        // Two of the new members elect.
        let old = "at 2s crash 0\nat 2s crash 1\nat 2s crash 2\nat 3s crash leader";
        let elected = after_a_change(old, 600, seed);
        assert_eq!((elected.violations, elected.vacant_at_the_end), (vec![], 0));
        let late = after_a_change(old, 10, seed).broken(Promise::Soon).map(|broken| broken.at);
        assert!(late.is_some_and(|at| at > Nanos::seconds(2)), "{late:?}");
        // One of them and all old members do not.
        let vacant = after_a_change("at 2s crash 3\nat 2s crash 4", 10, seed);
        assert_eq!((vacant.violations, vacant.vacant_at_the_end), (vec![], 1));
    }
}

#[test]
fn members_that_cannot_change_are_not_asked_for_others() {
    let run = Simulation::<Tenure>::new();
    let script: FaultScript = "at 1s members only 2".parse().unwrap();
    let error = |faults: Faults| run.clone().faults(faults).run().unwrap_err().to_string();
    assert_eq!(
        error(script.into()),
        "at 1s members only 2: the members of this protocol never change"
    );
    let kinds = Faults::of(&[FaultKind::Membership]);
    assert_eq!(error(kinds.clone()), "membership: the members of this protocol never change");
    let many = Simulation::<Reconfigurable>::new().members(65).faults(kinds).run().unwrap_err();
    assert_eq!(many.to_string(), "65 members are too many to change them");
}
