//! The shapes of networks that are made.

use std::collections::BTreeMap;
use suffrage_model::{NetworkClass, Port};
use suffrage_networks::{Ports, Spec, SpecError, Topology};

fn build(spec: &str, seed: u64) -> Topology {
    let spec: Spec = spec.parse().unwrap_or_else(|error| panic!("{error}"));
    spec.build(seed).unwrap_or_else(|error| panic!("{error}"))
}

fn neighbours(topology: &Topology) -> Vec<Vec<u32>> {
    let wiring = topology.wire(Ports::Rotation, 0);
    (0..wiring.nodes())
        .map(|node| {
            let ports = (0..wiring.degree(node)).map(Port);
            let mut list: Vec<u32> = ports.map(|port| wiring.across(node, port).node).collect();
            list.sort_unstable();
            list
        })
        .collect()
}

/// How many nodes there are of each degree.
fn degrees(topology: &Topology) -> Vec<(u32, usize)> {
    let mut count = BTreeMap::new();
    (0..topology.nodes()).for_each(|node| *count.entry(topology.degree(node)).or_default() += 1);
    count.into_iter().collect()
}

/// Simple, connected, as large as its specification says, and consistent.
fn assert_sound(topology: &Topology, spec: &str) {
    let lists = neighbours(topology);
    let ends: usize = lists.iter().map(Vec::len).sum();
    assert_eq!(ends as u64, 2 * topology.links(), "{spec}");
    for (node, list) in (0..).zip(&lists) {
        assert!(list.is_sorted_by(|a, b| a < b), "{spec}: parallel links at {node}");
        assert!(!list.contains(&node), "{spec}: a loop at {node}");
        assert_eq!(list.len() as u32, topology.degree(node));
    }
    let mut reached = vec![false; lists.len()];
    reached[0] = true;
    let mut frontier = vec![0_u32];
    while let Some(node) = frontier.pop() {
        for &next in &lists[node as usize] {
            if !std::mem::replace(&mut reached[next as usize], true) {
                frontier.push(next);
            }
        }
    }
    assert!(reached.into_iter().all(|reached| reached), "{spec} is connected");
    assert_eq!(topology.source(), spec);
    assert_eq!(Some(topology.kind()), spec.split(':').next());
}

#[test]
fn every_network_has_its_nodes_links_and_degrees() {
    type Shape<'a> = (&'a str, u32, u64, &'a [(u32, usize)]);
    let shapes: [Shape<'_>; 37] = [
        ("complete:1", 1, 0, &[(0, 1)]),
        ("complete:2", 2, 1, &[(1, 2)]),
        ("complete:7", 7, 21, &[(6, 7)]),
        ("ring:3", 3, 3, &[(2, 3)]),
        ("ring:9", 9, 9, &[(2, 9)]),
        ("chordal:4:2", 4, 6, &[(3, 4)]),
        ("chordal:5:2", 5, 10, &[(4, 5)]),
        ("chordal:8:4", 8, 12, &[(3, 8)]),
        ("chordal:12:5", 12, 24, &[(4, 12)]),
        ("path:1", 1, 0, &[(0, 1)]),
        ("path:2", 2, 1, &[(1, 2)]),
        ("path:6", 6, 5, &[(1, 2), (2, 4)]),
        ("star:1", 1, 0, &[(0, 1)]),
        ("star:6", 6, 5, &[(1, 5), (5, 1)]),
        ("tree:1:5", 5, 4, &[(1, 2), (2, 3)]),
        ("tree:2:7", 7, 6, &[(1, 4), (2, 1), (3, 2)]),
        ("tree:3:6", 6, 5, &[(1, 4), (3, 2)]),
        ("tree:random:1", 1, 0, &[(0, 1)]),
        ("tree:random:2", 2, 1, &[(1, 2)]),
        ("grid:1x1", 1, 0, &[(0, 1)]),
        ("grid:1x4", 4, 3, &[(1, 2), (2, 2)]),
        ("grid:4x5", 20, 31, &[(2, 4), (3, 10), (4, 6)]),
        ("torus:1x1", 1, 0, &[(0, 1)]),
        ("torus:2x2", 4, 4, &[(2, 4)]),
        ("torus:1x5", 5, 5, &[(2, 5)]),
        ("torus:5x2", 10, 15, &[(3, 10)]),
        ("torus:3x4", 12, 24, &[(4, 12)]),
        ("hypercube:0", 1, 0, &[(0, 1)]),
        ("hypercube:1", 2, 1, &[(1, 2)]),
        ("hypercube:5", 32, 80, &[(5, 32)]),
        ("regular:1:0", 1, 0, &[(0, 1)]),
        ("regular:2:1", 2, 1, &[(1, 2)]),
        ("regular:5:4", 5, 10, &[(4, 5)]),
        ("erdos-renyi:1:0", 1, 0, &[(0, 1)]),
        ("erdos-renyi:6:1", 6, 15, &[(5, 6)]),
        ("barabasi-albert:2:1", 2, 1, &[(1, 2)]),
        ("barabasi-albert:4:3", 4, 6, &[(3, 4)]),
    ];
    for (spec, nodes, links, expected) in shapes {
        let topology = build(spec, 1);
        assert_eq!((topology.nodes(), topology.links()), (nodes, links), "{spec}");
        assert_eq!(degrees(&topology), expected, "{spec}");
        assert_sound(&topology, spec);
    }
}

/// A sense of direction, as the literature has it for chordal rings.
#[test]
fn ports_of_a_chordal_ring_are_in_the_order_of_the_distance_around_it() {
    for (spec, distances) in [("chordal:12:5", &[1, 5, 7, 11][..]), ("chordal:8:4", &[1, 4, 7])] {
        let wiring = build(spec, 1).wire(Ports::Rotation, 1);
        for node in 0..wiring.nodes() {
            let to = (0..wiring.degree(node)).map(|port| wiring.across(node, Port(port)).node);
            let expected = distances.iter().map(|distance| (node + distance) % wiring.nodes());
            assert!(to.eq(expected), "{spec}, node {node}");
        }
    }
}

#[test]
fn random_networks_are_simple_and_connected() {
    let specs = [
        "tree:random:3",
        "tree:random:200",
        "regular:3:2",
        "regular:100:2",
        "regular:4:3",
        "regular:6:3",
        "regular:60:3",
        "regular:61:4",
        "regular:40:19",
        "regular:41:20",
        "regular:40:30",
        "regular:12:11",
        "erdos-renyi:2:0.3",
        "erdos-renyi:5:0.3",
        "erdos-renyi:200:0.03",
        "erdos-renyi:30:0.999",
        "barabasi-albert:50:1",
        "barabasi-albert:200:4",
        "barabasi-albert:20:18",
    ];
    for spec in specs {
        for seed in 0..20 {
            assert_sound(&build(spec, seed), spec);
        }
    }
}

/// Of the 19355 labelled cubic networks on 8 nodes, 35 are two separate cliques: without a check
/// of connection, one in 550.
#[test]
fn small_regular_networks_are_connected() {
    for seed in 0..4000 {
        assert_sound(&build("regular:8:3", seed), "regular:8:3");
    }
}

#[test]
fn regular_networks_are_regular_and_trees_are_trees() {
    for seed in 0..20 {
        for (nodes, degree) in [(8, 3), (9, 2), (30, 14), (30, 15), (30, 27), (500, 3)] {
            let topology = build(&format!("regular:{nodes}:{degree}"), seed);
            assert_eq!(degrees(&topology), [(degree, nodes)]);
        }
        assert!(build("tree:random:300", seed).fits(NetworkClass::Tree));
        let scale_free = build("barabasi-albert:100:3", seed);
        assert_eq!(scale_free.links(), 6 + 96 * 3);
        assert!((0..100).all(|node| scale_free.degree(node) >= 3));
    }
}

#[test]
fn a_seed_is_a_network() {
    for spec in ["tree:random:100", "regular:100:3", "erdos-renyi:100:0.1", "barabasi-albert:100:2"]
    {
        assert_eq!(neighbours(&build(spec, 5)), neighbours(&build(spec, 5)), "{spec}");
        assert_ne!(neighbours(&build(spec, 5)), neighbours(&build(spec, 6)), "{spec}");
    }
}

/// What a published seed stands for may never change.
#[test]
fn a_seed_is_the_same_network_for_ever() {
    let fingerprint = |spec| {
        let lists = neighbours(&build(spec, 1));
        lists
            .concat()
            .into_iter()
            .fold(0_u64, |sum, node| sum.wrapping_mul(31).wrapping_add(node.into()))
    };
    let specs = ["tree:random:50", "regular:50:3", "erdos-renyi:50:0.1", "barabasi-albert:50:2"];
    assert_eq!(
        specs.map(fingerprint),
        [
            9_791_566_586_630_596_247,
            1_637_666_807_363_776_817,
            2_088_646_340_977_827_060,
            7_711_384_504_956_217_912
        ]
    );
}

/// There are 4 labelled connected graphs of 3 nodes: each path has probability p^2 (1 - p), the
/// triangle p^3.
#[test]
fn connected_networks_of_three_nodes_have_their_probabilities() {
    let mut count = BTreeMap::new();
    for seed in 0..4000 {
        let lists = neighbours(&build("erdos-renyi:3:0.4", seed));
        *count.entry(lists).or_insert(0_u32) += 1;
    }
    assert_eq!(count.len(), 4);
    let (path, triangle) = (0.4 * 0.4 * 0.6, 0.4 * 0.4 * 0.4);
    let all = 3.0 * path + triangle;
    let chi_square: f64 = count
        .iter()
        .map(|(lists, &seen)| {
            let links: usize = lists.iter().map(Vec::len).sum();
            let expected = 4000.0 * if links == 6 { triangle } else { path } / all;
            (f64::from(seen) - expected).powi(2) / expected
        })
        .sum();
    // 3 degrees of freedom: exceeded by chance once in a thousand.
    assert!(chi_square < 16.3, "{chi_square}");
}

/// The number of links of G(n, p) is binomial; at this p nearly all are connected.
#[test]
fn random_networks_have_as_many_links_as_expected() {
    let mean =
        (0..50).map(|seed| build("erdos-renyi:300:0.05", seed).links() as f64).sum::<f64>() / 50.0;
    // 44850 pairs: 2242.5 expected, standard deviation of the mean 46.2 / sqrt(50) = 6.5.
    assert!((mean - 2242.5).abs() < 4.0 * 6.5, "{mean}");
}

/// Of 2-regular networks only cycles are connected: 3 labelled ones on 4 nodes. Of cubic ones on 6
/// nodes there are 70: 10 are bipartite (K3,3), 60 are prisms.
#[test]
fn regular_networks_are_near_uniform() {
    let mut cycles = BTreeMap::new();
    let mut bipartite = 0;
    for seed in 0..3000 {
        *cycles.entry(neighbours(&build("regular:4:2", seed))).or_insert(0_u32) += 1;
        let cubic = neighbours(&build("regular:6:3", seed));
        bipartite +=
            u32::from(cubic[0].iter().all(|&a| cubic[a as usize] == cubic[cubic[0][0] as usize]));
    }
    assert_eq!(cycles.len(), 3);
    // 1000 expected of each, standard deviation 26.
    assert!(cycles.values().all(|&seen| (870..1130).contains(&seen)), "{cycles:?}");
    // 3000 / 7 = 429 if uniform, standard deviation 19. On so few nodes it is not exactly so.
    assert!((340..520).contains(&bipartite), "{bipartite}");
}

#[test]
fn nodes_with_many_links_attract_more() {
    let top = (0..20).map(|seed| {
        let network = build("barabasi-albert:2000:1", seed);
        (0..2000).map(|node| network.degree(node)).max().unwrap()
    });
    // About sqrt(n) = 45 under preferential attachment, about log2(n) = 11 under uniform.
    assert!(top.min().unwrap() > 25);
}

#[test]
fn an_explicit_complete_network_is_wired_as_the_implicit_one() {
    for nodes in 1..30 {
        let explicit = build(&format!("erdos-renyi:{nodes}:1"), 0).wire(Ports::Rotation, 0);
        let implicit = build(&format!("complete:{nodes}"), 0).wire(Ports::Rotation, 0);
        for node in 0..nodes {
            assert_eq!(explicit.degree(node), implicit.degree(node));
            for port in (0..implicit.degree(node)).map(Port) {
                assert_eq!(explicit.across(node, port), implicit.across(node, port));
                assert_eq!(explicit.link(node, port), implicit.link(node, port));
            }
        }
    }
}

#[test]
fn random_ports_are_a_permutation_and_a_function_of_the_seed() {
    let network = build("regular:50:5", 1);
    let order = |ports, seed| -> Vec<u32> {
        let wiring = network.wire(ports, seed);
        (0..50)
            .flat_map(|node| (0..5).map(move |port| (node, Port(port))))
            .map(|(node, port)| {
                let end = wiring.across(node, port);
                assert_eq!(wiring.across(end.node, end.port).node, node);
                end.node
            })
            .collect()
    };
    assert_eq!(order(Ports::Random, 1), order(Ports::Random, 1));
    assert_ne!(order(Ports::Random, 1), order(Ports::Random, 2));
    assert_ne!(order(Ports::Random, 1), order(Ports::Rotation, 1));
    assert_eq!(order(Ports::Rotation, 1), order(Ports::Rotation, 2));
    for (node, ports) in order(Ports::Random, 1).chunks(5).enumerate() {
        let mut sorted = ports.to_vec();
        sorted.sort_unstable();
        let mut expected = order(Ports::Rotation, 1)[node * 5..node * 5 + 5].to_vec();
        expected.sort_unstable();
        assert_eq!(sorted, expected);
    }
}

/// Linear time: the time is printed, and asserted only against a quadratic algorithm.
#[test]
fn a_million_nodes_are_made_and_wired() {
    for spec in
        ["tree:random:1000000", "barabasi-albert:300000:3", "regular:300000:3", "star:1000000"]
    {
        let begin = std::time::Instant::now();
        let network = build(spec, 1);
        let wiring = network.wire(Ports::Random, 1);
        println!("{spec}: {:?}", begin.elapsed());
        assert!(begin.elapsed().as_secs() < 20);
        for node in (0..network.nodes()).step_by(997) {
            for port in (0..wiring.degree(node).min(100)).map(Port) {
                let end = wiring.across(node, port);
                let back = wiring.across(end.node, end.port);
                assert_eq!((back.node, back.port), (node, port));
            }
        }
    }
}

/// A network that is no longer wanted is not finished, whatever it is, nor are its ports numbered.
#[test]
fn a_network_that_is_stopped_is_none() {
    for spec in [
        "regular:50:3",
        "regular:50:40",
        "erdos-renyi:50:0.2",
        "barabasi-albert:50:2",
        "tree:random:50",
    ] {
        let spec: Spec = spec.parse().unwrap();
        // It is asked many times, and says yes at last.
        let asked = std::cell::Cell::new(0);
        let stopped = || asked.replace(asked.get() + 1) > 40;
        let text = spec.to_string();
        assert_eq!(spec.build_unless(1, &stopped).unwrap_err(), SpecError::Stopped { spec: text });
        let whole = spec.build_unless(1, &|| false).unwrap();
        assert!(whole.wire_unless(Ports::Rotation, 1, &|| true).is_none());
    }
}
