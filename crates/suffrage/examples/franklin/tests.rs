//! What the header promises, on every ring of up to 64 processes.

use crate::{FRANKLIN, Franklin};
use suffrage::algorithms::{Claimed, Parameters};
use suffrage::checker::{Checker, Family};
use suffrage::process::{Id, NetworkClass, Phase};
use suffrage::simulator::{Experiment, Outcome, Schedule, Simulator, Wakes};
use suffrage::topology::random::Generator;
use suffrage::topology::{Ids, wiring::Wiring};

const SCHEDULES: [Schedule; 5] = [
    Schedule::Synchronous,
    Schedule::Uniform(10),
    Schedule::Random,
    Schedule::Newest,
    Schedule::Oldest,
];

fn elect(experiment: &Experiment<'_>) -> Outcome {
    let outcome = Simulator::of(&FRANKLIN, experiment.clone()).run().unwrap();
    assert!(outcome.violations.is_empty(), "{experiment:?}: {:?}", outcome.violations);
    assert!(outcome.agreed && outcome.halted && outcome.late == 0, "{experiment:?}");
    outcome
}

/// The rounds that identities in this order around the ring take, as the header tells it.
fn rounds(mut active: Vec<Id>) -> u64 {
    let mut rounds = 1;
    while active.len() > 1 {
        let a = active.len();
        let beaten = |i: usize| active[i] < active[(i + 1) % a].max(active[(i + a - 1) % a]);
        active = (0..a).filter(|&i| !beaten(i)).map(|i| active[i]).collect();
        rounds += 1;
    }
    rounds
}

#[test]
fn the_largest_initiator_wins_in_as_many_rounds_on_every_schedule() {
    for n in 1..=64_u32 {
        for (seed, k) in (0..).zip([1, 2, n.div_ceil(2), n]) {
            let (wiring, ids) = (Wiring::ring_shuffled(n, seed), Ids::Random.assign(n, seed));
            let mut initiators: Vec<u32> = (0..n).collect();
            Generator::new(seed, "initiators").shuffle(&mut initiators);
            initiators.truncate(k as usize);
            initiators.sort_unstable();
            let active: Vec<Id> = initiators.iter().map(|&node| ids[node as usize]).collect();
            for schedule in SCHEDULES {
                let wakes = Wakes::At(initiators.iter().map(|&node| (0, node)).collect());
                let outcome =
                    elect(&Experiment { wakes, schedule, seed, ..Experiment::new(&wiring, &ids) });
                let sent = outcome.messages.of(Phase::Election);
                assert_eq!(outcome.leader.map(|leader| leader.id), active.iter().copied().max());
                assert_eq!(sent, 2 * u64::from(n) * rounds(active.clone()));
            }
        }
    }
}

#[test]
fn a_process_that_is_reached_before_it_wakes_has_lost() {
    for n in 1..=64 {
        for seed in 0..20 {
            let (wiring, ids) = (Wiring::ring_shuffled(n, seed), Ids::Random.assign(n, seed));
            let wakes = Wakes::At((0..n).map(|node| (u64::from(node) * seed / 2, node)).collect());
            for schedule in SCHEDULES {
                let wakes = wakes.clone();
                elect(&Experiment { wakes, schedule, seed, ..Experiment::new(&wiring, &ids) });
            }
        }
    }
}

#[test]
fn the_bound_is_met_where_each_round_leaves_as_many_as_it_can() {
    // Identities bit-reversed: of every two neighbours one is beaten, and that again and again.
    for log in 0..=6 {
        let n = 1 << log;
        let (wiring, ids) = (Wiring::ring(n), Ids::BitReversed.assign(n, 1));
        let outcome = elect(&Experiment::new(&wiring, &ids));
        let parameters = Parameters::new(n.into(), wiring.links(), n.into());
        let most = Franklin::CLAIMS.election.at(&parameters);
        assert_eq!(outcome.messages.of(Phase::Election), most);
    }
}

#[test]
fn every_schedule_of_four_processes_keeps_the_claims() {
    let family = Family::everything(NetworkClass::Ring, 4).unwrap();
    let report = Checker::new(&FRANKLIN, &family).run().unwrap();
    assert!(report.counterexample.is_none(), "{:?}", report.counterexample);
    assert_eq!(report.incomplete, None);
}
