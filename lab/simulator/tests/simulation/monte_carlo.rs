//! Elections that may err: how often they do, and what they cost.
//!
//! A test fails if what is counted is as far from what is claimed as a true claim is with a probability
//! of at most one in a million. The seeds are fixed, so a test that holds always holds.

use crate::common::{at_once, random_ids, some_of};
use std::ops::ControlFlow;
use suffrage_algorithms::{Algorithm, Custom, MONTE_CARLO, Parameters, complete::RandomReferees};
use suffrage_networks::wiring::Wiring;
use suffrage_simulator::{
    Experiment, Outcome, Pace, Schedule, SimulationError, Simulator, Subject, Trials, Wakes,
};

const IN_ROUNDS: Schedule = Schedule::Rounds(Pace::Unit);

/// The distance in standard deviations that a normal variable exceeds on one side with a probability
/// of one in a million, and on two sides together.
const ONE_SIDED: f64 = 4.753;
const TWO_SIDED: f64 = 4.892;

fn election<S: Subject>(subject: &S, nodes: u32, seed: u64) -> Result<Outcome, SimulationError> {
    // Random ports would hide that processes do not draw theirs.
    let wiring = match seed % 2 {
        0 => Wiring::complete(nodes),
        _ => Wiring::complete_shuffled(nodes, seed),
    };
    let ids = random_ids(nodes, seed);
    let experiment = Experiment { schedule: IN_ROUNDS, seed, ..Experiment::new(&wiring, &ids) };
    let outcome = Simulator::of(subject, experiment).run()?;
    assert_eq!(outcome.violations, [], "{nodes} nodes, seed {seed}");
    // Where none is a candidate it is over after one round.
    assert!(outcome.halted && outcome.late == 0 && outcome.units <= Some(2));
    Ok(outcome)
}

/// The number of elections in which `what` happens.
fn count<S: Subject + Sync>(
    subject: &S,
    nodes: u32,
    trials: u64,
    what: impl Fn(&Outcome) -> bool + Sync,
) -> u64 {
    let all = Trials::new(trials).seed(33).threads(2);
    let trial = |_, seed| election(subject, nodes, seed).map(|outcome| Some(what(&outcome)));
    let all = all.run(trial, |_| ControlFlow::Continue(())).expect("elections").results;
    all.into_iter().filter(|&happens| happens).count() as u64
}

fn is_above(found: u64, trials: u64, probability: f64) -> bool {
    let mean = probability * trials as f64;
    found as f64 > mean + ONE_SIDED * (mean * (1.0 - probability)).sqrt()
}

#[test]
fn no_more_elections_err_or_are_dear_than_is_claimed() {
    for row in MONTE_CARLO {
        for (nodes, trials) in [(2, 2_000), (3, 2_000), (5, 1_000), (32, 1_000), (1_000, 500)] {
            let wiring = Wiring::complete(nodes);
            let parameters = Parameters::new(nodes.into(), wiring.links(), nodes.into());
            let bound = row.claims.bound(&parameters);
            let rare = 1.0 / f64::from(nodes);
            let errors = count(row, nodes, trials, |outcome| outcome.leader.is_none());
            assert!(!is_above(errors, trials, rare), "{}, {nodes}: {errors} err", row.name);
            let dear = count(row, nodes, trials, |outcome| outcome.messages.total() > bound);
            assert!(!is_above(dear, trials, rare), "{}, {nodes}: {dear} are dear", row.name);
        }
    }
}

/// The checker's values: `lab/checker/tests/exploration/monte_carlo.rs`.
#[test]
fn as_many_elections_err_as_the_checker_computes() {
    fn errs<S: Subject + Sync>(subject: &S, nodes: u32, exact: f64) {
        let trials = 20_000;
        let errors = count(subject, nodes, trials, |outcome| outcome.leader.is_none()) as f64;
        let trials = trials as f64;
        let off = (errors - exact * trials).abs() / (trials * exact * (1.0 - exact)).sqrt();
        assert!(off <= TWO_SIDED, "{nodes}: {errors} of {trials}, and not {exact}");
    }
    errs(Algorithm::named("random-referees").expect("a row"), 2, 1.0 / 16.0);
    // Of two, each is a candidate with probability 1/2, and has one of two ranks: none is a candidate
    // with probability 1/4, and both with the same rank with 1/8.
    errs(&Custom::<RandomReferees<2, 1, 1>>::claimed("rash"), 2, 3.0 / 8.0);
}

/// On average some `4 L m` messages are sent, about two for each three of a million processes.
#[test]
fn most_processes_of_a_large_network_never_hear_of_the_election() {
    let row = Algorithm::named("random-referees").expect("a row");
    for nodes in [10_000_u32, 100_000, 1_000_000] {
        let outcome = election(row, nodes, 4).expect("a possible election");
        let parameters = Parameters::new(nodes.into(), 0, nodes.into());
        let sent = outcome.messages.total();
        println!("{nodes}: {sent} messages, at most {}", row.claims.bound(&parameters));
        assert!(sent <= row.claims.bound(&parameters) && outcome.leader.is_some());
        assert!(nodes < 1_000_000 || sent < u64::from(nodes), "{nodes}: {sent}");
    }
}

#[test]
fn an_election_in_which_not_all_start_together_is_refused() {
    let row = Algorithm::named("random-referees").expect("a row");
    let wiring = Wiring::complete(5);
    let ids = random_ids(5, 1);
    let with = |wakes| {
        let experiment =
            Experiment { schedule: IN_ROUNDS, wakes, ..Experiment::new(&wiring, &ids) };
        Simulator::of(row, experiment).run()
    };
    let late = Wakes::At((0..5).map(|node| (u64::from(node / 4), node)).collect());
    for wakes in [at_once(some_of(5, 4, 1)), late] {
        let refused = with(wakes).expect_err("not all start in the first round").to_string();
        assert!(refused.contains("all processes start in the same round"), "{refused}");
    }
    assert!(with(at_once(some_of(5, 5, 1))).is_ok());
}
