//! What is expected of randomized algorithms, estimated by many elections that differ in their seeds.
//!
//! The mean of many elections is close to normal. A test fails if it is so far from what it should be,
//! in standard errors, as the mean of a true claim is with a probability of at most one in a million.
//! The seeds are fixed, so a test that holds always holds.

use crate::common::{network, network_for};
use std::ops::ControlFlow;
use suffrage_algorithms::{
    Algorithm, Announced, Anonymous, Claimed, Custom, Guarantee, Parameters, RANDOMIZED, ROUNDS,
    ring::{FokkinkPangA, ItaiRodeh},
};
use suffrage_model::{Id, NetworkClass, Phase};
use suffrage_networks::{Ids, wiring::Wiring};
use suffrage_simulator::{Experiment, Fault, Outcome, Pace, Schedule, Simulator, Trials};

/// The distance in standard errors that a normal variable exceeds on one side with a probability of
/// one in a million, and on two sides together.
const ONE_SIDED: f64 = 4.753;
const TWO_SIDED: f64 = 4.892;

/// The mean of the election's messages over trials in which all wake at the start, and its standard
/// error.
fn mean(row: &'static Algorithm, wiring: &Wiring, schedule: &Schedule, trials: u64) -> (f64, f64) {
    mean_of(|outcome| outcome.messages.of(Phase::Election), row, wiring, schedule, trials)
}

/// The mean of a figure over trials in which all wake at the start, and its standard error.
fn mean_of(
    figure: impl Fn(&Outcome) -> u64 + Sync,
    row: &'static Algorithm,
    wiring: &Wiring,
    schedule: &Schedule,
    trials: u64,
) -> (f64, f64) {
    mean_with(Ids::Random, figure, row, wiring, schedule, trials)
}

/// The same with identities of this layout. In random orders lost randomness does not show.
fn mean_with(
    layout: Ids,
    figure: impl Fn(&Outcome) -> u64 + Sync,
    row: &'static Algorithm,
    wiring: &Wiring,
    schedule: &Schedule,
    trials: u64,
) -> (f64, f64) {
    let figure_of = |_, seed| {
        let ids = layout.assign(wiring.nodes(), seed);
        let simulator = Simulator::new(row, wiring, &ids).schedule(schedule.clone()).seed(seed);
        let outcome = simulator.run()?;
        assert!(outcome.violations.is_empty(), "{}: {:?}", row.name, outcome.violations);
        Ok::<_, suffrage_simulator::SimulationError>(Some(figure(&outcome)))
    };
    let all = Trials::new(trials).seed(16).threads(2);
    let all = all.run(figure_of, |_| ControlFlow::Continue(())).expect("elections").results;
    let count = all.len() as f64;
    let mean = all.iter().map(|&one| one as f64).sum::<f64>() / count;
    let squares = all.iter().map(|&one| (one as f64 - mean).powi(2)).sum::<f64>();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

#[test]
fn no_mean_is_above_its_expected_bound() {
    let in_rounds = ROUNDS.iter().filter(|row| !row.claims.guarantee().is_sure());
    for row in RANDOMIZED.iter().chain(in_rounds) {
        assert_eq!(row.claims.election.guarantee, Guarantee::Expected, "{}", row.name);
        // Larger graphs of this kind have a diameter of 2; a test below has large diameters.
        let all = [(2, 2_000), (5, 2_000), (32, 500), (1_000, 30)];
        let sizes = if row.network == NetworkClass::Connected { &all[..3] } else { &all };
        for &(nodes, trials) in sizes {
            let wiring = network_for(row.network, nodes);
            let parameters = Parameters::new(nodes.into(), wiring.links(), nodes.into())
                .with_diameter(wiring.diameter().into());
            let bound = row.claims.election.at(&parameters) as f64;
            let schedules: &[_] = match row.timing.in_rounds() {
                true => &[Schedule::Rounds(Pace::Unit)],
                false => &[Schedule::Synchronous, Schedule::Uniform(10), Schedule::Newest],
            };
            for schedule in schedules {
                let (mean, error) = mean(row, &wiring, schedule, trials);
                assert!(
                    mean <= bound + ONE_SIDED * error,
                    "{}, {nodes} nodes, {schedule}: {mean} +- {error}, and not {bound}",
                    row.name
                );
            }
        }
    }
}

/// Ports are numbered by rotation here, as everywhere in this file.
#[test]
fn no_mean_is_above_its_expected_bound_where_identities_are_in_order() {
    let in_rounds = ROUNDS.iter().filter(|row| !row.claims.guarantee().is_sure());
    for row in RANDOMIZED.iter().chain(in_rounds) {
        let sparse = match row.network {
            NetworkClass::Connected => network("path:48"),
            class => network_for(class, 48),
        };
        let (nodes, links) = (u64::from(sparse.nodes()), sparse.links());
        let parameters =
            Parameters::new(nodes, links, nodes).with_diameter(sparse.diameter().into());
        let bound = row.claims.election.at(&parameters) as f64;
        let schedules: &[_] = match row.timing.in_rounds() {
            true => &[Schedule::Rounds(Pace::Unit)],
            false => &[Schedule::Synchronous, Schedule::Newest],
        };
        for layout in [Ids::Ascending, Ids::Descending, Ids::BitReversed] {
            for schedule in schedules {
                let sent = |outcome: &Outcome| outcome.messages.of(Phase::Election);
                let (mean, error) = mean_with(layout, sent, row, &sparse, schedule, 300);
                assert!(
                    mean <= bound + ONE_SIDED * error,
                    "{}, {layout:?}, {schedule}: {mean} +- {error}, and not {bound}",
                    row.name
                );
            }
        }
    }
}

#[test]
fn no_mean_time_is_above_its_expected_bound() {
    let mut held = 0;
    for row in RANDOMIZED {
        let Some(time) = &row.claims.time else { continue };
        for (nodes, trials) in [(2, 2_000), (5, 2_000), (32, 500), (1_000, 30)] {
            let wiring = network_for(row.network, nodes);
            let parameters = Parameters::new(nodes.into(), wiring.links(), nodes.into())
                .with_diameter(wiring.diameter().into());
            let bound = time.at(&parameters) as f64;
            for schedule in [Schedule::Synchronous, Schedule::Uniform(10), Schedule::Newest] {
                let units = |outcome: &Outcome| outcome.units.expect("a claim on time");
                let (mean, error) = mean_of(units, row, &wiring, &schedule, trials);
                assert!(
                    mean <= bound + ONE_SIDED * error,
                    "{}, {nodes} nodes, {schedule}: {mean} +- {error}, and not {bound}",
                    row.name
                );
                held += 1;
            }
        }
    }
    // itai-rodeh, fokkink-pang-a, probabilistic-franklin and tree-identify.
    assert_eq!(held, 4 * 4 * 3);
}

/// The checker's values (`lab/checker/tests/exploration/lots.rs` and docs/reference/verified.md): where all wake at the
/// start they do not depend on the schedule.
#[test]
fn the_means_are_those_that_the_checker_computes() {
    for (name, nodes, exact) in [
        ("itai-rodeh", 2, 7.0),
        ("itai-rodeh", 4, 14.082_539_682_5),
        ("fokkink-pang-a", 2, 7.0),
        ("fokkink-pang-a", 3, 10.1875),
        ("fokkink-pang-a", 4, 14.082_539_682_5),
        ("fokkink-pang-b", 2, 5.0),
        ("fokkink-pang-b", 3, 8.416_666_666_7),
        ("fokkink-pang-b", 4, 12.029_596_560_8),
        ("tree-identify", 2, 8.0),
        ("tree-identify", 5, 20.0),
    ] {
        let row = Algorithm::named(name).expect("a row");
        let wiring = network_for(row.network, nodes);
        for schedule in [Schedule::Synchronous, Schedule::Random] {
            let (mean, error) = mean(row, &wiring, &schedule, 20_000);
            assert!(
                (mean - exact).abs() <= TWO_SIDED * error,
                "{name}, {nodes} nodes, {schedule}: {mean} +- {error}, and not {exact}"
            );
        }
    }
}

/// On a path, whose diameter is large, a list of a process at the end is as long as the records of a
/// random order are many: `H_n` on average.
#[test]
fn least_element_lists_are_short_where_the_diameter_is_large() {
    let row = Algorithm::named("least-element-lists").expect("a row");
    for (spec, trials) in [("path:2", 2_000), ("path:50", 1_000), ("path:2000", 30)] {
        let path = network(spec);
        let (nodes, links) = (u64::from(path.nodes()), path.links());
        let parameters = Parameters::new(nodes, links, nodes);
        let bound = row.claims.election.at(&parameters) as f64;
        let (mean, error) = mean(row, &path, &Schedule::Rounds(Pace::Unit), trials);
        assert!(mean <= bound + ONE_SIDED * error, "{spec}: {mean} +- {error}, and not {bound}");
        // The bound counts every neighbour for every entry, and a farther one may be too late.
        assert!(3.0 * mean > bound, "{spec}: {mean} is far from {bound}");
    }
}

/// Itai and Rodeh's phases, modulo 4 or without end, change nothing on FIFO links, where Fokkink and
/// Pang leave them out.
#[test]
fn on_fifo_links_itai_and_rodeh_is_fokkink_and_pang_a_message_for_message() {
    fn runs<P: Claimed>(wiring: &Wiring, ids: &[Id], schedule: &Schedule, seed: u64) -> Outcome {
        let custom = Custom::<P>::claimed("a ring");
        let experiment =
            Experiment { schedule: schedule.clone(), seed, ..Experiment::new(wiring, ids) };
        let outcome = Simulator::of(&custom, experiment).run().expect("an election");
        assert_eq!(outcome.violations, []);
        outcome
    }
    for nodes in [1, 2, 3, 8, 32, 300] {
        let wiring = network_for(NetworkClass::OrientedRing, nodes);
        for seed in 0..20 {
            let ids = Ids::Random.assign(nodes, seed);
            for schedule in [Schedule::Synchronous, Schedule::Uniform(10), Schedule::Random] {
                let a = runs::<Announced<FokkinkPangA, Anonymous>>(&wiring, &ids, &schedule, seed);
                let modulo =
                    runs::<Announced<ItaiRodeh, Anonymous>>(&wiring, &ids, &schedule, seed);
                let endless =
                    runs::<Announced<ItaiRodeh<0, 0>, Anonymous>>(&wiring, &ids, &schedule, seed);
                let what =
                    |of: &Outcome| (of.leader, of.messages.total(), of.time, of.causal_depth);
                assert_eq!(what(&a), what(&modulo), "{nodes}, {schedule}, {seed}");
                assert_eq!(what(&modulo), what(&endless), "{nodes}, {schedule}, {seed}");
            }
        }
    }
}

/// Where messages overtake each other, a phase that is numbered without end tells old messages from
/// new ones; without a number an old one is taken for one of this phase.
#[test]
fn phases_without_end_need_no_fifo_links() {
    fn without_leader<P: Claimed>() -> usize {
        let custom = Custom::<P>::claimed("a ring");
        let nodes = 6;
        let wiring = network_for(NetworkClass::OrientedRing, nodes);
        let none = |seed: &u64| {
            let ids = Ids::Random.assign(nodes, *seed);
            let experiment = Experiment {
                schedule: Schedule::Random,
                faults: vec![Fault::NoFifo],
                seed: *seed,
                event_limit: 100_000,
                ..Experiment::new(&wiring, &ids)
            };
            let outcome = Simulator::of(&custom, experiment).run().expect("an election");
            outcome.leader.is_none()
        };
        (0..4_000).filter(none).count()
    }
    let counts = [
        without_leader::<Announced<ItaiRodeh<0, 0>, Anonymous>>(),
        without_leader::<Announced<ItaiRodeh, Anonymous>>(),
        without_leader::<Announced<FokkinkPangA, Anonymous>>(),
    ];
    println!("no leader without end, modulo 4, and without numbers: {counts:?}");
    assert!(counts[0] == 0 && counts[2] > 50, "{counts:?}");
}
