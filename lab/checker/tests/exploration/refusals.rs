//! Instances that cannot be.

use suffrage_algorithms::ring::DolevKlaweRodeh;
use suffrage_checker::{Instance, InvalidInstance, MAX_NODES, Options, Specification, explore};
use suffrage_model::{Id, NetworkClass};
use suffrage_networks::wiring::{Unsuited, Wiring};

fn ring(nodes: u32) -> Instance {
    Instance::new(Wiring::ring(nodes), (1..=u64::from(nodes)).map(Id::new).collect())
}

fn refused(instance: &Instance) -> InvalidInstance {
    let specification = Specification::<DolevKlaweRodeh>::election();
    explore(instance, &specification, &Options::default()).expect_err("it cannot be")
}

#[test]
fn an_instance_whose_parts_do_not_fit_is_refused_with_the_reason() {
    let other = Instance { wiring: Wiring::complete(3), ..ring(3) };
    assert_eq!(refused(&other), Unsuited::Network(NetworkClass::OrientedRing).into());
    let few = Instance { ids: vec![Id::new(1)], ..ring(3) };
    assert_eq!(refused(&few), Unsuited::Ids { ids: 1, nodes: 3 }.into());
    let same = Instance { ids: [7, 8, 7].map(Id::new).to_vec(), ..ring(3) };
    assert_eq!(refused(&same), Unsuited::SameId(Id::new(7)).into());
    let no_initiator = Instance { initiators: Vec::new(), ..ring(3) };
    assert_eq!(refused(&no_initiator), Unsuited::NoInitiator.into());
    let stranger = Instance { initiators: vec![0, 3], ..ring(3) };
    assert_eq!(refused(&stranger), Unsuited::UnknownProcess { node: 3, nodes: 3 }.into());
    assert_eq!(refused(&Instance { capacity: Some(0), ..ring(3) }), Unsuited::NoRoom.into());
    assert_eq!(refused(&ring(MAX_NODES + 1)), InvalidInstance::TooManyNodes(MAX_NODES + 1));
}
