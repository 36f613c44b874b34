//! Random experiments: none panics, all add up, and without faults all elect.

use crate::common::{network_for, random_ids, room, row, schedules, some_of};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};
use suffrage_algorithms::CATALOGUE;
use suffrage_model::{NetworkClass, Phase};
use suffrage_networks::wiring::Wiring;
use suffrage_simulator::{
    Amount, Experiment, Fault, FifoMethod, Outcome, Pace, Property, Schedule, Simulator, Wakes,
};

/// The same cases every time.
fn config(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(1984),
        ..Config::default()
    }
}

/// What an experiment is made of.
#[derive(Clone, Debug)]
struct Parts {
    algorithm: &'static str,
    nodes: u32,
    initiators: Vec<(u64, u32)>,
    schedule: Schedule,
    fifo: FifoMethod,
    capacity: Option<u32>,
    faults: Vec<Fault>,
    seed: u64,
}

impl Parts {
    fn run(&self) -> (Wiring, Outcome) {
        let Self { algorithm, nodes, seed, .. } = *self;
        let row = row(algorithm);
        let wiring = match row.network {
            NetworkClass::Complete if seed % 2 == 0 => Wiring::complete_shuffled(nodes, seed),
            network => network_for(network, nodes),
        };
        let ids = random_ids(nodes, seed);
        let experiment = Experiment {
            wakes: Wakes::At(self.initiators.clone()),
            schedule: self.schedule.clone(),
            fifo: self.fifo,
            capacity: self.capacity,
            faults: self.faults.clone(),
            seed,
            event_limit: 20_000,
            ..Experiment::new(&wiring, &ids)
        };
        let outcome = Simulator::of(row, experiment).run();
        let outcome = outcome.unwrap_or_else(|error| panic!("{self:?}: {error}"));
        (wiring, outcome)
    }
}

fn schedule() -> impl Strategy<Value = Schedule> {
    prop_oneof![
        prop::sample::select(schedules().to_vec()),
        (1..2000_u32).prop_map(Schedule::Uniform),
        (1..2000_u32).prop_map(Schedule::PerLink),
        (1..2000_u32).prop_map(|most| Schedule::Rounds(Pace::Uniform(most))),
        (1..2000_u32).prop_map(|most| Schedule::Rounds(Pace::PerLink(most))),
        (0.01..500.0).prop_map(Schedule::Exponential),
        (0.05..9.0).prop_map(Schedule::Pareto),
    ]
}

fn fault(nodes: u32) -> impl Strategy<Value = Fault> {
    prop_oneof![
        Just(Fault::NoFifo),
        (0.0..=1.0).prop_map(|p| Fault::Loss(Amount::Probability(p))),
        // More would multiply for ever where messages cause several others.
        (0.0..=0.2).prop_map(|p| Fault::Duplicate(Amount::Probability(p))),
        (0..nodes, 0..60_u64).prop_map(|(node, at)| Fault::Crash { node, at }),
    ]
}

fn parts() -> impl Strategy<Value = Parts> {
    let algorithm = prop::sample::select(CATALOGUE.iter().map(|row| row.name).collect::<Vec<_>>());
    (algorithm, 1..=24_u32, schedule(), any::<u64>()).prop_flat_map(
        |(algorithm, nodes, schedule, seed)| {
            // Some classes have no network of every size.
            let sizes = (1..=nodes).rev();
            let has_size = |&nodes: &u32| row(algorithm).network.has_size(nodes);
            let nodes = sizes.into_iter().find(has_size).unwrap_or(nodes);
            let count = 1..=nodes;
            let faults = prop::collection::vec(fault(nodes), 0..=2);
            let ticks = prop::collection::vec(0..50_u64, nodes as usize);
            let capacity = prop::option::of(1..=4_u32);
            let fifo = prop_oneof![Just(FifoMethod::Cheapest), Just(FifoMethod::InFlight)];
            (count, faults, ticks, capacity, fifo).prop_map(
                move |(count, mut faults, ticks, capacity, fifo)| {
                    if !schedule.can_reorder() {
                        faults.retain(|fault| *fault != Fault::NoFifo);
                    }
                    if let [one, other] = *faults
                        && one.contradicts(&other)
                    {
                        faults.pop();
                    }
                    let initiators = ticks.into_iter().zip(some_of(nodes, count, seed)).collect();
                    let schedule = schedule.clone();
                    Parts { algorithm, nodes, initiators, schedule, fifo, capacity, faults, seed }
                },
            )
        },
    )
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn nothing_panics_and_everything_adds_up(parts in parts()) {
        let (_, outcome) = parts.run();
        let total = outcome.messages.total();
        let phases = [Phase::Election, Phase::Announcement].map(|p| outcome.messages.of(p));
        prop_assert_eq!(total, phases.iter().sum::<u64>());
        prop_assert!(outcome.late <= outcome.delivered);
        prop_assert!(outcome.delivered + outcome.lost <= total);
        prop_assert!(u64::from(outcome.causal_depth) <= outcome.time);
        prop_assert!(outcome.peak_in_flight <= total);
        prop_assert!(outcome.woken <= parts.initiators.len() as u64);
        let endless = outcome.violations.iter().any(|v| v.violation.property == Property::Termination);
        if parts.capacity.is_none() && !endless {
            prop_assert_eq!(outcome.delivered + outcome.lost, total);
        }
        if parts.faults.is_empty() {
            prop_assert_eq!(outcome.lost, 0);
        }
        prop_assert!(outcome.violations.iter().all(|v| v.at <= outcome.time));
        // Twice the same, and nothing said twice.
        prop_assert_eq!(&parts.run().1, &outcome);
        let mut broken: Vec<_> = outcome.violations.iter().map(|v| v.violation.property).collect();
        broken.sort_unstable();
        broken.dedup();
        prop_assert_eq!(broken.len(), outcome.violations.len());
    }

    #[test]
    fn without_faults_everyone_elects(parts in parts()) {
        let row = row(parts.algorithm);
        // Extinction needs room for many waves.
        let capacity = parts.capacity.filter(|&capacity| capacity >= room(row, parts.nodes));
        let (wiring, outcome) = Parts { faults: vec![], capacity, ..parts }.run();
        prop_assert_eq!(&outcome.violations, &[]);
        prop_assert!(outcome.agreed && outcome.halted && outcome.leader.is_some());
        prop_assert_eq!(outcome.delivered, outcome.messages.total());
        prop_assert!(outcome.leader.is_some_and(|leader| leader.node < wiring.nodes().into()));
    }
}
