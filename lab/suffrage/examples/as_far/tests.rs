//! What the header promises, on every ring of up to 64 processes.

use crate::{AS_FAR, AsFar};
use suffrage::algorithms::{Announced, Claimed, Parameters};
use suffrage::checker::{Checker, Family, Specification};
use suffrage::model::{Id, NetworkClass};
use suffrage::networks::random::Generator;
use suffrage::networks::{Ids, wiring::Wiring};
use suffrage::simulator::{Experiment, Outcome, Schedule, Simulator, Wakes};

const SCHEDULES: [Schedule; 5] = [
    Schedule::Synchronous,
    Schedule::Uniform(10),
    Schedule::Random,
    Schedule::Newest,
    Schedule::Oldest,
];

fn elect(experiment: &Experiment<'_>) -> Outcome {
    let outcome = Simulator::of(&AS_FAR, experiment.clone()).run().unwrap();
    assert!(outcome.violations.is_empty(), "{experiment:?}: {:?}", outcome.violations);
    assert!(outcome.agreed && outcome.halted && outcome.late == 0, "{experiment:?}");
    outcome
}

#[test]
fn the_smallest_initiator_wins_on_every_schedule() {
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
                assert_eq!(outcome.leader.map(|leader| leader.id), active.iter().copied().min());
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
fn every_schedule_of_four_processes_keeps_the_claims_and_one_attains_the_bound() {
    let family = Family::everything(NetworkClass::Ring, 4).unwrap();
    let report = Checker::new(&AS_FAR, &family).run().unwrap();
    assert!(report.counterexample.is_none(), "{:?}", report.counterexample);
    assert_eq!(report.incomplete, None);
    // All four initiate, and the announcement takes twice four.
    let most = AsFar::CLAIMS.election.at(&Parameters::new(4, 4, 4));
    assert_eq!((most, report.costs.unwrap().messages.max), (20, 28));
}

#[test]
fn the_invariant_holds_in_every_configuration() {
    let family = Family::everything(NetworkClass::Ring, 3).unwrap();
    let invariants = Announced::<AsFar>::invariants();
    let specification = Specification::<Announced<AsFar>>::these(&[]).invariants(invariants);
    let report = Checker::new(&specification, &family).full(true).costs(false).run().unwrap();
    assert_eq!(report.failing, 0);
}
