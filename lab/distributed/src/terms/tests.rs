use super::*;
use suffrage_algorithms::Algorithm;
use suffrage_networks::{Ids, Spec, wiring::Wiring};
use suffrage_simulator::Pace;

#[test]
fn terms_differ_where_elections_do_and_say_where() {
    let algorithm = Algorithm::named("echo-extinction").unwrap();
    let graph = |seed| {
        let spec: Spec = "erdos-renyi:30:0.3".parse().unwrap();
        spec.build(seed).unwrap().wire(Ports::Rotation, 1)
    };
    let (one, other, ids) = (graph(1), graph(2), Ids::Random.assign(30, 1));
    let again = graph(1);
    let election =
        |wiring| Election::new(ElectionNetwork::Wired(wiring), ElectionIds::Listed(&ids));
    let terms = Terms::of(algorithm, &election(&one), 2);
    assert_eq!(terms.difference(&Terms::of(algorithm, &election(&again), 2)), None);
    let name = |there: &Terms| terms.difference(there).unwrap().name;
    assert_eq!(name(&Terms::of(algorithm, &election(&other), 2)), "the network");
    assert_eq!(name(&Terms::of(algorithm, &election(&one), 3)), "--workers");
    let seed = Election { seed: 9, ..election(&one) };
    assert_eq!(name(&Terms::of(algorithm, &seed, 2)), "--seed");
    let pace = Election { pace: Pace::Uniform(2), ..election(&one) };
    assert_eq!(name(&Terms::of(algorithm, &pace, 2)), "--schedule");
    let others = Ids::Random.assign(30, 2);
    let others = Election { ids: ElectionIds::Listed(&others), ..election(&one) };
    assert_eq!(name(&Terms::of(algorithm, &others, 2)), "the identities");
    let some = Election { wakes: Some(vec![(0, 3)]), ..election(&one) };
    assert_eq!(name(&Terms::of(algorithm, &some, 2)), "the initiators");
    assert_eq!(name(&terms.clone().with("--hosts", "a:1")), "--hosts");
}

#[test]
fn what_is_long_is_compared_and_not_sent() {
    let list = |last: &str| (0..20_000).map(|node| format!("{node},")).collect::<String>() + last;
    let of = |last| Terms(Vec::new()).with("the nodes that are named", list(last));
    assert_eq!(of("7").difference(&of("7")), None);
    assert!(of("7").difference(&of("8")).is_some());
    assert!(serde_json::to_vec(&of("7")).unwrap().len() < LONG);
    let short = Terms(Vec::new()).with("--hosts", "a:1").difference(&Terms(Vec::new())).unwrap();
    assert_eq!(short.here, "a:1");
}

#[test]
fn port_numberings_are_part_of_the_network() {
    let all = [
        Wiring::ring(6),
        Wiring::ring_shuffled(6, 1),
        Wiring::ring_shuffled(6, 2),
        Wiring::complete(6),
        Wiring::complete_shuffled(6, 1),
        Wiring::ring(7),
    ];
    let digests: Vec<_> = all.iter().map(|one| Sha256::of_network(one).to_string()).collect();
    for (place, digest) in digests.iter().enumerate() {
        assert!(!digests[..place].contains(digest), "{:?}", all[place]);
    }
}
