use super::{BreadthSearch, Whole};
use crate::{Ports, Spec, wiring::Wiring};

fn wired(spec: &str, seed: u64) -> Wiring {
    let spec: Spec = spec.parse().unwrap();
    spec.build(seed).unwrap().wire(Ports::Rotation, seed)
}

#[test]
fn diameters_are_those_of_the_families() {
    for (spec, diameter) in [
        ("path:1", 0),
        ("path:10", 9),
        ("star:10", 2),
        ("tree:2:15", 6),
        ("grid:4x5", 7),
        ("grid:300x300", 598),
        ("hypercube:4", 4),
        ("torus:4x6", 5),
        ("torus:5x7", 5),
        ("complete:7", 1),
        ("ring:9", 4),
    ] {
        assert_eq!(wired(spec, 1).diameter(), diameter, "{spec}");
    }
    assert_eq!(Wiring::complete(1).diameter(), 0);
    assert_eq!(Wiring::ring(1).diameter(), 0);
}

#[test]
fn it_is_the_greatest_of_the_distances_from_every_node() {
    for spec in [
        "erdos-renyi:40:0.1",
        "erdos-renyi:60:0.08",
        "erdos-renyi:9:0.4",
        "regular:30:3",
        "regular:50:4",
        "regular:200:3",
        "barabasi-albert:80:1",
        "barabasi-albert:80:2",
        "barabasi-albert:300:2",
    ] {
        for seed in 0..40 {
            let wiring = wired(spec, seed);
            let mut search = Whole::new(&wiring);
            let from = |node| search.run(node).radius;
            let greatest = (0..wiring.nodes()).map(from).max();
            assert_eq!(Some(wiring.diameter()), greatest, "{spec}, seed {seed}");
        }
    }
}

#[test]
fn that_of_a_large_network_that_grew_is_found() {
    let wiring = wired("barabasi-albert:100000:2", 1);
    assert_eq!(wiring.diameter(), 10);
}

#[test]
fn where_all_nodes_are_alike_one_is_searched() {
    assert_eq!(wired("torus:400x300", 1).diameter(), 350);
    assert_eq!(wired("hypercube:16", 1).diameter(), 16);
}
