//! An election between programs that meet over the loopback interface. Here each is a thread, with
//! connections of its own.

mod common;

use common::network_for;
use std::{
    net::TcpStream,
    ops::ControlFlow,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};
use suffrage_algorithms::Algorithm;
use suffrage_distributed::{Hosts, Lost, MeetingError, Secret, Team, Terms, elect};
use suffrage_model::Id;
use suffrage_net::free;
use suffrage_networks::{Ids, Ports, Spec, wiring::Wiring};
use suffrage_simulator::{
    Experiment, Outcome, Pace, Schedule, Simulator,
    blocks::{Election, ElectionIds, ElectionNetwork},
};

const PATIENCE: Duration = Duration::from_secs(30);

fn addresses(count: usize) -> String {
    let all = free::addresses(count).expect("free ports");
    all.iter().map(|address| format!("{address}\n")).collect()
}

fn secret(text: &str) -> Secret {
    Secret::read(text.as_bytes()).expect("long enough")
}

fn unexpected(lost: &Lost) -> ! {
    panic!("{lost}")
}

fn go_on(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn algorithm(name: &str) -> &'static Algorithm {
    Algorithm::named(name).expect("in the catalogue")
}

fn experiment<'a>(wiring: &'a Wiring, ids: &'a [Id], pace: Pace) -> Experiment<'a> {
    Experiment { schedule: Schedule::Rounds(pace), ..Experiment::new(wiring, ids) }
}

fn rounds<'a>(wiring: &'a Wiring, ids: &'a [Id]) -> Election<'a> {
    Election::new(ElectionNetwork::Wired(wiring), ElectionIds::Listed(ids))
}

fn meet(
    list: &str,
    host: u32,
    workers: u32,
    terms: &Terms,
    patience: Duration,
) -> Result<Team, MeetingError> {
    let hosts = Hosts::read(list, host).expect("a list");
    hosts.meet(workers, terms, &secret("a secret of the tests"), patience, unexpected)
}

/// Holds an election among hosts, and returns what each of them has.
fn hold(
    algorithm: &Algorithm,
    election: &Election<'_>,
    hosts: u32,
    workers: u32,
) -> Vec<Option<Outcome>> {
    hold_at(&addresses(hosts as usize), algorithm, election, workers)
}

/// Holds an election among the hosts of a list.
fn hold_at(
    list: &str,
    algorithm: &Algorithm,
    election: &Election<'_>,
    workers: u32,
) -> Vec<Option<Outcome>> {
    thread::scope(|scope| {
        let start = |host| {
            scope.spawn(move || {
                // They need not start at the same time.
                thread::sleep(Duration::from_millis(30 * u64::from(host)));
                let terms = Terms::of(algorithm, election, workers);
                let team = meet(list, host, workers, &terms, PATIENCE).expect("all come");
                elect(algorithm, election, team, &mut go_on).expect("possible")
            })
        };
        let threads: Vec<_> = (0..).zip(list.lines()).map(|(host, _)| start(host)).collect();
        threads.into_iter().map(|thread| thread.join().expect("an outcome")).collect()
    })
}

#[test]
fn hosts_have_the_outcome_of_one_core() {
    let spec: Spec = "barabasi-albert:400:3".parse().expect("a specification");
    let graph = spec.build(1).expect("a network").wire(Ports::Random, 1);
    for (name, wiring) in [
        ("echo-extinction", graph),
        ("humblet", Wiring::complete(60)),
        ("fokkink-pang-a", Wiring::ring(50)),
    ] {
        let ids = Ids::Random.assign(wiring.nodes(), 2);
        for (pace, hosts, workers) in
            [(Pace::Unit, 2, 1), (Pace::Uniform(6), 3, 1), (Pace::PerLink(6), 2, 2)]
        {
            let experiment = experiment(&wiring, &ids, pace);
            let one = Simulator::of(algorithm(name), experiment.clone()).run().expect("possible");
            let election = Election::of(&experiment).expect("in rounds");
            let mut outcomes = hold(algorithm(name), &election, hosts, workers).into_iter();
            assert_eq!(outcomes.next(), Some(Some(one)), "{name}, {pace:?}");
            assert!(outcomes.all(|outcome| outcome.is_none()), "only the first host reports");
        }
    }
}

#[test]
fn every_algorithm_has_the_outcome_of_one_core_on_two_and_three_hosts() {
    let all: Vec<_> = Algorithm::all().collect();
    // All at once, so that no two are the same.
    let mut free = addresses(5 * all.len()).lines().map(str::to_owned).collect::<Vec<_>>();
    let mut lists = |hosts: usize| free.split_off(free.len() - hosts).join("\n");
    let elections: Vec<_> = all.into_iter().map(|row| (row, [lists(2), lists(3)])).collect();
    thread::scope(|scope| {
        for (place, some) in elections.chunks(elections.len().div_ceil(4)).enumerate() {
            scope.spawn(move || {
                for (number, (algorithm, lists)) in (place..).zip(some) {
                    let wiring = network_for(algorithm.network);
                    let ids = Ids::Random.assign(wiring.nodes(), 5);
                    let pace = match number % 3 {
                        1 if !algorithm.timing.in_rounds() => Pace::Uniform(4),
                        2 if !algorithm.timing.in_rounds() => Pace::PerLink(4),
                        _ => Pace::Unit,
                    };
                    let experiment =
                        Experiment { event_limit: 2000, ..experiment(&wiring, &ids, pace) };
                    let one =
                        Simulator::of(*algorithm, experiment.clone()).run().expect("possible");
                    let election = Election::of(&experiment).expect("in rounds");
                    for list in lists {
                        let outcomes = hold_at(list, algorithm, &election, 1);
                        let name = algorithm.name;
                        assert_eq!(outcomes[0].as_ref(), Some(&one), "{name}, {pace:?}: {list}");
                        assert!(outcomes[1..].iter().all(Option::is_none), "{name}");
                    }
                }
            });
        }
    });
}

#[test]
fn hosts_that_would_hold_different_elections_refuse_each_other() {
    let (ring, ids) = (Wiring::ring(50), Ids::Random.assign(50, 2));
    let list = addresses(2);
    let seeds = thread::scope(|scope| {
        let start = |host: u32| {
            let (list, ring, ids) = (&list, &ring, &ids);
            scope.spawn(move || {
                let seed = 7 + u64::from(host);
                let terms =
                    Terms::of(algorithm("lelann"), &Election { seed, ..rounds(ring, ids) }, 1);
                meet(list, host, 1, &terms, PATIENCE).expect_err("they differ").to_string()
            })
        };
        [0, 1].map(start).map(|thread| thread.join().expect("an error"))
    });
    let differ = |here, there| format!("--seed differs: `{there}` there, `{here}` here");
    assert!(seeds[0].starts_with("host 1 (127.0.0.1:"), "{}", seeds[0]);
    assert!(seeds[0].contains(&differ(7, 8)), "{}", seeds[0]);
    assert!(seeds[1].starts_with("host 0 (127.0.0.1:"), "{}", seeds[1]);
    assert!(seeds[1].contains(&differ(8, 7)), "{}", seeds[1]);
}

#[test]
fn strangers_are_sent_away_and_a_host_that_does_not_come_is_named() {
    let (ring, ids) = (Wiring::ring(50), Ids::Random.assign(50, 2));
    let terms = Terms::of(algorithm("lelann"), &rounds(&ring, &ids), 1);
    let list = addresses(2);
    let address = list.lines().next().expect("a host").to_owned();
    let (here, stranger) = thread::scope(|scope| {
        let (list, terms) = (&list, &terms);
        let here = scope.spawn(move || meet(list, 0, 1, terms, Duration::from_secs(2)));
        let stranger = scope.spawn(move || {
            // One that says something else altogether, and one that knows another secret.
            thread::sleep(Duration::from_millis(300));
            let _ = TcpStream::connect(address).map(|mut stream| {
                std::io::Write::write_all(&mut stream, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            });
            let hosts = Hosts::read(list, 1).expect("a list");
            hosts.meet(1, terms, &secret("another secret altogether"), PATIENCE, unexpected)
        });
        (here.join().expect("an error"), stranger.join().expect("an error"))
    });
    let here = here.expect_err("nobody came").to_string();
    assert!(here.starts_with("host 1 (127.0.0.1:") && here.contains("within 2 seconds"), "{here}");
    assert!(here.contains("prove that"), "{here}");
    let stranger = stranger.expect_err("unknown").to_string();
    assert!(stranger.starts_with("host 0 (127.0.0.1:"), "{stranger}");
    assert!(stranger.contains("does not know the secret"), "{stranger}");
}

static LOST: Mutex<Option<Lost>> = Mutex::new(None);

fn remember(lost: &Lost) -> ! {
    *LOST.lock().expect("nobody panics") = Some(lost.clone());
    loop {
        thread::park();
    }
}

#[test]
fn a_host_that_has_gone_ends_the_election_of_the_others() {
    let list = addresses(2);
    for host in 0..2 {
        let list = list.clone();
        // Not joined: what it waits for will never come.
        thread::spawn(move || {
            let (ring, ids) = (Wiring::ring(2000), Ids::Descending.assign(2000, 2));
            let election = rounds(&ring, &ids);
            let terms = Terms::of(algorithm("lelann"), &election, 1);
            let hosts = Hosts::read(&list, host).expect("a list");
            let secret = secret("a secret of the tests");
            let team = hosts.meet(1, &terms, &secret, PATIENCE, remember).expect("both come");
            if host == 0 {
                let _ = elect(algorithm("lelann"), &election, team, &mut go_on);
            }
        });
    }
    let since = Instant::now();
    while LOST.lock().expect("nobody panics").is_none() {
        assert!(since.elapsed() < PATIENCE, "the loss is noticed");
        thread::sleep(Duration::from_millis(20));
    }
    let lost = LOST.lock().expect("nobody panics").clone().expect("a loss");
    assert!(lost.to_string().starts_with("host 1 (127.0.0.1:"), "{lost}");
    assert!(lost.to_string().contains("void on all hosts"), "{lost}");
}
