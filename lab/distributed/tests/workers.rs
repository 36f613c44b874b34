//! An election on one core and by workers: the same outcome.

use common::network_for;
use serde::{Deserialize, Serialize};
mod common;

use std::ops::ControlFlow;
use suffrage_algorithms::{Algorithm, Custom};
use suffrage_distributed::{
    Checkpoint, Checkpoints, ElectError, Storage, Team, Terms, check, elect, elect_stored, read,
};
use suffrage_model::{Id, Kind, Message, Net, NetworkClass, Port, Process, Status, Timing};
use suffrage_networks::{
    FileOptions, Ids, Ports, Spec,
    parts::{EdgeList, PartRequest},
    read_file,
    wiring::Wiring,
};
use suffrage_simulator::{
    Experiment, Outcome, Pace, Schedule, Simulator, Wakes,
    blocks::{Election, ElectionIds, ElectionNetwork},
};
use tempfile::TempDir;

fn hold(algorithm: &Algorithm, experiment: &Experiment<'_>, workers: u32) -> Option<Outcome> {
    let election = Election::of(experiment).expect("in rounds");
    elect(algorithm, &election, Team::of_threads(workers), &mut go_on).expect("possible")
}

fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn every_algorithm_has_the_same_outcome_with_any_number_of_workers() {
    for (number, algorithm) in (0..).zip(Algorithm::all()) {
        let wiring = network_for(algorithm.network);
        let ids = Ids::Random.assign(wiring.nodes(), 5);
        // All three paces in turn, for every three algorithms.
        for (place, pace) in
            [Pace::Unit, Pace::Uniform(5), Pace::PerLink(5)].into_iter().enumerate()
        {
            let schedule = Schedule::Rounds(pace);
            if place > 0 && algorithm.timing.in_rounds() {
                break;
            }
            let wakes = match place {
                0 => Wakes::All,
                _ => Wakes::At(vec![(0, 3), (4, 12), (4, 0), (9, 1)]),
            };
            let event_limit = 10_000;
            let experiment =
                Experiment { schedule, wakes, event_limit, ..Experiment::new(&wiring, &ids) };
            let one = Simulator::of(algorithm, experiment.clone()).run().expect("possible");
            for workers in [1 + (number + place as u32) % 3, 2] {
                let many = hold(algorithm, &experiment, workers);
                let schedule = &experiment.schedule;
                assert_eq!(many.as_ref(), Some(&one), "{} {schedule} {workers}", algorithm.name);
            }
        }
    }
}

#[test]
fn every_algorithm_goes_on_from_the_middle_with_another_number_of_workers() {
    let mut middles = 0;
    for (number, algorithm) in (0..).zip(Algorithm::all()) {
        let wiring = network_for(algorithm.network);
        let ids = Ids::Random.assign(wiring.nodes(), 5);
        let in_rounds = algorithm.timing.in_rounds();
        let paces = [Pace::Unit, Pace::Uniform(5), Pace::PerLink(5)];
        let pace = if in_rounds { Pace::Unit } else { paces[number % 3] };
        let together = algorithm.timing == Timing::SimultaneousRounds;
        let wakes = (!together).then(|| vec![(0, 3), (4, 12), (4, 0), (9, 1)]);
        let election = Election {
            pace,
            wakes,
            event_limit: 10_000,
            ..Election::new(ElectionNetwork::Wired(&wiring), ElectionIds::Listed(&ids))
        };
        let whole = elect(algorithm, &election, Team::of_threads(1), &mut go_on).expect("possible");
        let whole = whole.expect("the first worker is here");
        let folder = TempDir::new().expect("a directory");
        let terms = Terms::of(algorithm, &election, 2);
        let every = (whole.time / 2).clamp(1, 500);
        let directory = folder.path().to_owned();
        let save = Some(Checkpoints { directory, every, terms: terms.clone() });
        let storage = Storage { save, resume: None };
        let most = whole.delivered * 3 / 4;
        let mut stop = |delivered| match delivered < most {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        };
        let team = Team::of_threads(2);
        let stopped = elect_stored(algorithm, &election, team, &storage, &mut stop);
        assert!(stopped.expect("possible").is_some());
        let other = Terms::of(algorithm, &election, 3);
        let Ok(checkpoint) = Checkpoint::find(folder.path(), &other) else { continue };
        middles += 1;
        let storage = Storage { save: None, resume: Some(checkpoint) };
        for workers in [1, 3] {
            let team = Team::of_threads(workers);
            let ended = elect_stored(algorithm, &election, team, &storage, &mut go_on);
            let ended = ended.expect("possible");
            let outcome = ended.map(|ended| ended.outcome);
            assert_eq!(outcome.as_ref(), Some(&whole), "{} {pace:?} {workers}", algorithm.name);
        }
    }
    assert!(middles > 40, "{middles} were stored before they were stopped");
}

/// A process of one's own: the largest identity goes around, and what it passes on its way has lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Mine {
    id: Id,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Claim(Id);

impl Message for Claim {
    const KINDS: &'static [Kind] = &[Kind::election("claim").ids(1)];

    fn kind(&self) -> usize {
        0
    }
}

impl Process for Mine {
    const NETWORK: NetworkClass = NetworkClass::OrientedRing;
    type Knows = Id;
    type Msg = Claim;

    fn new(id: Id, _: u32) -> Self {
        Self { id, status: Status::Undecided }
    }

    fn wake(&mut self, net: &mut impl Net<Claim>) {
        net.send(Port(0), Claim(self.id));
    }

    fn receive(&mut self, _: Port, Claim(id): Claim, net: &mut impl Net<Claim>) {
        if id == self.id {
            self.status = Status::Leader;
        } else if id > self.id {
            self.status = Status::Follower;
            net.send(Port(0), Claim(id));
        }
    }

    fn status(&self) -> Status {
        self.status
    }

    fn leader(&self) -> Option<Id> {
        None
    }

    fn halted(&self) -> bool {
        false
    }
}

#[test]
fn a_process_of_ones_own_is_elected_as_by_one_core_and_stored() {
    let (ring, ids) = (Wiring::ring(60), Ids::Random.assign(60, 4));
    let mine = Custom::<Mine>::new("mine");
    let schedule = Schedule::Rounds(Pace::Uniform(3));
    let experiment = Experiment { schedule, ..Experiment::new(&ring, &ids) };
    let one = Simulator::of(&mine, experiment.clone()).run().expect("possible");
    assert!(one.leader.is_some());
    let election = Election::of(&experiment).expect("in rounds");
    for workers in 1..=3 {
        let team = Team::of_threads(workers);
        let many = elect(&mine, &election, team, &mut go_on).expect("possible");
        assert_eq!(many.as_ref(), Some(&one), "{workers}");
    }
    let folder = TempDir::new().expect("a directory");
    let (directory, terms) = (folder.path().to_owned(), Terms::of(&mine, &election, 2));
    let save = Some(Checkpoints { directory, every: one.time / 2, terms: terms.clone() });
    let storage = Storage { save, resume: None };
    elect_stored(&mine, &election, Team::of_threads(2), &storage, &mut go_on).expect("possible");
    let resume = Some(Checkpoint::find(folder.path(), &terms).expect("half of it is stored"));
    let storage = Storage { save: None, resume };
    let ended = elect_stored(&mine, &election, Team::of_threads(3), &storage, &mut go_on);
    let ended = ended.expect("possible").expect("the first worker is here");
    assert_eq!(ended.outcome, one);
}

#[test]
fn more_workers_than_processes_are_no_harm() {
    let (ring, ids) = (Wiring::ring(2), Ids::Random.assign(2, 1));
    let schedule = Schedule::Rounds(Pace::Unit);
    let experiment = Experiment { schedule, ..Experiment::new(&ring, &ids) };
    let algorithm = Algorithm::named("lelann").expect("in the catalogue");
    let one = Simulator::of(algorithm, experiment.clone()).run().expect("possible");
    assert_eq!(hold(algorithm, &experiment, 5), Some(one));
}

#[test]
fn an_election_can_be_interrupted() {
    let (ring, ids) = (Wiring::ring(500), Ids::Random.assign(500, 1));
    let election = Election::new(ElectionNetwork::Wired(&ring), ElectionIds::Listed(&ids));
    let algorithm = Algorithm::named("lelann").expect("in the catalogue");
    let mut stop = |delivered| match delivered {
        0..2000 => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    let outcome = elect(algorithm, &election, Team::of_threads(2), &mut stop);
    let outcome = outcome.expect("possible").expect("the first worker is here");
    assert!(outcome.interrupted && outcome.delivered < 4000, "{}", outcome.delivered);
}

#[test]
fn what_is_for_one_worker_is_refused_before_workers_meet() {
    let (ring, ids) = (Wiring::ring(5), Ids::Random.assign(5, 1));
    let election = Election::new(ElectionNetwork::Wired(&ring), ElectionIds::Listed(&ids));
    let refused = |name, election: &Election<'_>| {
        let algorithm = Algorithm::named(name).expect("in the catalogue");
        check(algorithm, election, 2).expect_err("it is refused")
    };
    assert!(matches!(refused("humblet", &election), ElectError::Impossible(_)));
    let delayed = Election { pace: Pace::Uniform(3), ..election };
    let error = refused("time-slice", &delayed).to_string();
    assert!(error.contains("a message takes exactly one tick"), "{error}");
}

#[test]
fn what_knows_its_size_is_refused_where_that_has_no_32_bits() {
    let torus = Spec::unlimited("torus:100000x100000").expect("a specification");
    let torus = torus.implicit(Ports::Rotation, 1).expect("it is computed");
    let ids = Ids::Scattered.computed(torus.nodes(), 1).expect("no table");
    let election = Election::new(ElectionNetwork::Implicit(&torus), ElectionIds::Computed(&ids));
    let knows = |algorithm: &Algorithm| {
        let mut knows = false;
        algorithm.knows(&mut |what| knows |= what.contains("size") || what.contains("position"));
        knows
    };
    let any = Algorithm::all().filter(|row| row.network == NetworkClass::Connected);
    for algorithm in any.filter(|row| row.timing == Timing::Asynchronous) {
        let refused = matches!(check(algorithm, &election, 8), Err(ElectError::Knows { .. }));
        assert_eq!(refused, knows(algorithm), "{}", algorithm.name);
    }
}

#[test]
fn networks_and_identities_without_a_table_give_the_same_outcome() {
    for (name, spec) in
        [("echo-extinction", "torus:9x8"), ("tree-wave", "tree:2:70"), ("humblet", "complete:40")]
    {
        let algorithm = Algorithm::named(name).expect("in the catalogue");
        let spec: Spec = spec.parse().expect("a specification");
        let wiring = spec.build(1).expect("a network").wire(Ports::Rotation, 1);
        let implicit = spec.implicit(Ports::Rotation, 1).expect("it is computed");
        let ids = Ids::Scattered.assign(wiring.nodes(), 2);
        let computed = Ids::Scattered.computed(wiring.nodes().into(), 2).expect("no table");
        let schedule = Schedule::Rounds(Pace::Uniform(4));
        let experiment = Experiment { schedule, ..Experiment::new(&wiring, &ids) };
        let one = Simulator::of(algorithm, experiment).run().expect("possible");
        let election = Election {
            pace: Pace::Uniform(4),
            ..Election::new(ElectionNetwork::Implicit(&implicit), ElectionIds::Computed(&computed))
        };
        for workers in 1..=3 {
            let team = Team::of_threads(workers);
            let many = elect(algorithm, &election, team, &mut go_on).expect("possible");
            assert_eq!(many.as_ref(), Some(&one), "{name} {workers}");
        }
    }
}

#[test]
fn files_that_are_read_in_parts_give_the_same_outcome_and_names() {
    let folder = TempDir::new().expect("a directory");
    let far = |node: u32| format!("{}-{} {} 2\n", node % 7, node, node / 2);
    let near = |node: u32| format!("{} {}-{} 2\n", node * node % 61, node % 7, node);
    let link = |node: u32| format!("{} {}-{} 2\n", node, node % 7, node);
    let tree: String = (1..60).map(|node| far(node) + &link(node)).collect();
    let graph: String = tree.clone() + "0 61 2\n" + &(1..60).map(near).collect::<String>();
    let options = FileOptions::default();
    for (name, text, class) in
        [("tree", tree, NetworkClass::Tree), ("graph", graph, NetworkClass::Connected)]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        let whole = read_file(&path, options).expect("a network");
        let wiring = whole.wire(Ports::Random, 3);
        let ids = Ids::Random.assign(wiring.nodes(), 5);
        let list = EdgeList::open(&path, options).expect("a network").expect("an edge list");
        let asked =
            PartRequest { ports: Ports::Random, seed: 3, diameter: true, ..PartRequest::default() };
        let all = Algorithm::all().filter(|row| row.network == class);
        for algorithm in all {
            for pace in [Pace::Unit, Pace::Uniform(5), Pace::PerLink(5)] {
                if algorithm.timing.in_rounds() && pace != Pace::Unit {
                    break;
                }
                let schedule = Schedule::Rounds(pace);
                let experiment = Experiment { schedule, ..Experiment::new(&wiring, &ids) };
                let one = Simulator::of(algorithm, experiment).run().expect("possible");
                for workers in 1..=3 {
                    let parts = read(&list, &asked, Team::of_threads(workers)).expect("read");
                    let election = Election {
                        pace,
                        ..Election::new(ElectionNetwork::Partial(&parts), ElectionIds::Listed(&ids))
                    };
                    let (team, storage) = (Team::of_threads(workers), Storage::default());
                    let ended = elect_stored(algorithm, &election, team, &storage, &mut go_on);
                    let ended = ended.expect("possible").expect("the first worker is here");
                    assert_eq!(ended.outcome, one, "{} {pace:?} {workers}", algorithm.name);
                    let named = [Some(one.busiest.node), one.leader.map(|leader| leader.node)];
                    for node in named.into_iter().flatten() {
                        let name = ended.names.get(&node).map(String::as_str);
                        assert_eq!(name, whole.label(node as u32), "{}", algorithm.name);
                    }
                }
            }
        }
    }
}

#[test]
fn parts_are_for_as_many_workers_as_have_read_them() {
    let folder = TempDir::new().expect("a directory");
    let path = folder.path().join("path");
    std::fs::write(&path, "a b\nb c\n").expect("written");
    let list = EdgeList::open(&path, FileOptions::default()).expect("a network").expect("a list");
    let parts = read(&list, &PartRequest::default(), Team::of_threads(2)).expect("read");
    let ids = Ids::Random.assign(3, 1);
    let election = Election::new(ElectionNetwork::Partial(&parts), ElectionIds::Listed(&ids));
    let algorithm = Algorithm::named("yo-yo").expect("in the catalogue");
    assert!(check(algorithm, &election, 2).is_ok());
    let refused = check(algorithm, &election, 3).expect_err("it is refused").to_string();
    assert!(refused.contains("read in 2 parts"), "{refused}");
}
