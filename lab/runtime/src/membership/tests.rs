use super::*;
use std::collections::BTreeSet;
use suffrage_networks::{Ids, Ports, Spec};

fn cluster(spec: &str, ports: Ports, seed: u64) -> Membership {
    let topology = spec.parse::<Spec>().unwrap().build(1).unwrap();
    let ids = Ids::Random.assign(topology.nodes(), seed);
    Membership::new("lab", topology.wire(ports, seed), ids).unwrap()
}

#[test]
fn digests_tell_networks_ports_and_identities_apart() {
    let all = [
        cluster("complete:5", Ports::Rotation, 1),
        cluster("complete:5", Ports::Random, 1),
        cluster("complete:5", Ports::Rotation, 2),
        cluster("complete:6", Ports::Rotation, 1),
        cluster("ring:5", Ports::Rotation, 1),
        cluster("path:5", Ports::Rotation, 1),
        cluster("path:5", Ports::Random, 1),
    ];
    let digests: BTreeSet<_> =
        all.iter().map(|cluster| format!("{:?}", cluster.digest())).collect();
    assert_eq!(digests.len(), all.len());
    assert_eq!(cluster("path:5", Ports::Random, 1).digest(), all[6].digest());
}

#[test]
fn what_does_not_fit_is_refused() {
    let ids = |numbers: &[u64]| numbers.iter().copied().map(Id::new).collect();
    let new = |name: &str, numbers| Membership::new(name, Wiring::ring(3), ids(numbers));
    assert_eq!(new("", &[1, 2, 3]).unwrap_err(), MembershipError::Name(0));
    assert_eq!(new("a", &[1, 2]).unwrap_err(), MembershipError::Ids { ids: 2, nodes: 3 });
}
