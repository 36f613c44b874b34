//! Compares our checker with stateright on the same processes: both find the same number of
//! configurations and of steps between them, and reach the same verdict.

mod election;

use election::Election;
use stateright::{Checker, Model};
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, CATALOGUE};
use suffrage_checker::{
    Arrangements, CheckVerdict, Family, InitiatorSets, Instance, Options, Specification, Wake,
    explore,
};
use suffrage_model::{Id, NetworkClass, Process};
use suffrage_networks::wiring::Wiring;

/// The result of an engine for an instance.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    states: u64,
    transitions: u64,
    holds: bool,
}

struct Ours<'a>(&'a Instance);

impl AlgorithmVisitor for Ours<'_> {
    type Output = Finding;

    fn visit<P: Process>(self) -> Finding {
        let options = Options { full: true, costs: false, ..Options::default() };
        let find = |specification: Specification<'_, P>| {
            explore(self.0, &specification, &options).expect("the instance fits")
        };
        // Exploration stops at a broken property: without properties, everything is explored.
        let everything = find(Specification::these(&[]));
        let verdict = find(Specification::election()).verdict;
        Finding {
            states: everything.states,
            transitions: everything.transitions,
            holds: matches!(verdict, CheckVerdict::Holds),
        }
    }
}

struct Theirs<'a>(&'a Instance);

impl AlgorithmVisitor for Theirs<'_> {
    type Output = Finding;

    fn visit<P: Process>(self) -> Finding {
        let checker = Election::<P>::new(self.0.clone()).checker().spawn_bfs().join();
        Finding {
            states: checker.unique_state_count() as u64,
            // The first one is counted as generated, and no step leads to it.
            transitions: checker.state_count() as u64 - 1,
            holds: checker.discoveries().is_empty(),
        }
    }
}

fn both(algorithm: &Algorithm, instance: &Instance) -> Finding {
    let ours = algorithm.visit(Ours(instance));
    assert_eq!(ours, algorithm.visit(Theirs(instance)), "{} on {instance:?}", algorithm.name);
    ours
}

fn sum(algorithm: &Algorithm, family: &Family) -> (u64, u64) {
    let findings = (0..family.len()).map(|number| both(algorithm, &family.get(number)));
    findings.fold((0, 0), |(states, broken), finding| {
        (states + finding.states, broken + u64::from(!finding.holds))
    })
}

#[test]
fn every_algorithm_has_as_many_configurations_up_to_three_nodes() {
    let published = Algorithm::named("villadangos@published");
    for algorithm in CATALOGUE.iter().chain(published) {
        for nodes in 1..=3 {
            let family = Family::everything(algorithm.network, nodes).unwrap();
            let (states, broken) = sum(algorithm, &family);
            assert!(states >= family.len(), "{}", algorithm.name);
            assert_eq!(broken > 0, algorithm.faulty().is_some() && nodes > 2, "{}", algorithm.name);
        }
    }
}

#[test]
fn every_algorithm_has_as_many_configurations_where_all_four_wake_at_the_start() {
    for algorithm in CATALOGUE {
        let family = Family {
            initiators: InitiatorSets::These((0..4).collect()),
            wake: Wake::AtStart,
            ..Family::everything(algorithm.network, 4).unwrap()
        };
        sum(algorithm, &family);
    }
}

#[test]
fn every_algorithm_has_as_many_configurations_where_two_of_four_wake_at_any_time() {
    for algorithm in CATALOGUE {
        let all = Family::everything(algorithm.network, 4).unwrap();
        let (wiring, ids) = {
            let Instance { wiring, ids, .. } = all.get(all.len() - 1);
            (wiring, ids)
        };
        let family = Family {
            arrangements: Arrangements::One(wiring, ids),
            initiators: InitiatorSets::These(vec![1, 2]),
            ..all
        };
        assert!(sum(algorithm, &family).0 > 4, "{}", algorithm.name);
    }
}

#[test]
fn chang_roberts_has_as_many_configurations_on_a_ring_of_eight() {
    let algorithm = Algorithm::named("chang-roberts").unwrap();
    assert_eq!(algorithm.network, NetworkClass::OrientedRing);
    let ids = (1..=8).map(Id::new).collect();
    let instance = Instance { wake: Wake::AtStart, ..Instance::new(Wiring::ring(8), ids) };
    let finding = both(algorithm, &instance);
    assert!(finding.holds);
}
