//! Networks in the form that an algorithm wants.

use suffrage_process::NetworkClass::{
    self, Complete, Connected, OrientedComplete, OrientedRing, Ring, Tree,
};
use suffrage_process::Port;
use suffrage_topology::wiring::{Adjacency, Wiring};
use suffrage_topology::{FileOptions, Note, Ports, Spec, Topology, read_from};

fn made(spec: &str) -> Topology {
    spec.parse::<Spec>().and_then(|spec| spec.build(3)).expect("a network")
}

fn read(text: &str) -> Topology {
    read_from(text.as_bytes(), "net.txt", FileOptions::default()).expect("a network")
}

#[test]
fn a_wiring_given_by_lists_fits_by_its_links_too() {
    let fits = |lists: &[Vec<u32>]| {
        let wiring = Wiring::stored(Adjacency::new(lists));
        let all = [Tree, Ring, OrientedRing, Complete, OrientedComplete];
        all.into_iter().filter(|&network| wiring.fits(network)).collect::<Vec<_>>()
    };
    assert_eq!(fits(&[vec![]]), [Tree, Complete, OrientedComplete]);
    assert_eq!(fits(&[vec![1], vec![0]]), [Tree, Complete, OrientedComplete]);
    // Port 0 leads around, but not from node i to node i + 1.
    assert_eq!(fits(&[vec![2, 1], vec![0, 2], vec![1, 0]]), [Ring, OrientedRing, Complete]);
    assert_eq!(fits(&[vec![2, 1], vec![2, 0], vec![1, 0]]), [Ring, Complete]);
    assert_eq!(fits(&[vec![1, 3], vec![2, 0], vec![1, 3], vec![0, 2]]), [Ring]);
    assert_eq!(fits(&[vec![1, 2], vec![0], vec![0]]), [Tree]);
}

#[test]
fn networks_fit_by_what_they_are_not_by_what_they_are_called() {
    let all: [(&str, &[NetworkClass]); 17] = [
        ("complete:1", &[Tree, Ring, Complete]),
        ("complete:2", &[Tree, Ring, Complete]),
        ("complete:3", &[Ring, Complete]),
        ("complete:4", &[Complete]),
        ("ring:1", &[Ring]),
        ("ring:2", &[Ring]),
        ("ring:3", &[Ring, Complete]),
        ("ring:4", &[Ring]),
        ("path:1", &[Tree, Ring, Complete]),
        ("path:2", &[Tree, Ring, Complete]),
        ("path:3", &[Tree]),
        ("star:5", &[Tree]),
        ("torus:1x5", &[Ring]),
        ("torus:2x2", &[Ring]),
        ("hypercube:2", &[Ring]),
        ("regular:5:4", &[Complete]),
        ("grid:3x3", &[]),
    ];
    for (spec, fitting) in all {
        for network in [Tree, Ring, Complete, Connected] {
            let expected = network == Connected || fitting.contains(&network);
            assert_eq!(made(spec).fits(network), expected, "{spec} as {network:?}");
            assert_eq!(made(spec).fit(network).is_ok(), expected);
        }
        assert_eq!(made(spec).fits(OrientedRing), made(spec).fits(Ring));
        assert_eq!(made(spec).fits(OrientedComplete), made(spec).fits(Complete));
    }
}

#[test]
fn a_ring_in_a_file_is_oriented_and_labels_follow() {
    let ring = read("c d\na c\nb d\ne b\na e\n").fit(OrientedRing).unwrap();
    // c is the first node; d, mentioned before a, is the smaller of its neighbours.
    let around: Vec<_> = (0..5).map(|node| ring.label(node).unwrap()).collect();
    assert_eq!(around, ["c", "d", "b", "e", "a"]);
    assert_eq!(ring.node_named("e"), Some(3));
    assert_eq!((ring.kind(), ring.links(), ring.source()), ("ring", 5, "net.txt"));
    assert_eq!(ring.notes(), [Note::Oriented]);
    let wiring = ring.wire(Ports::Rotation, 0);
    for node in 0..5 {
        assert_eq!(wiring.across(node, Port::NEXT).node, (node + 1) % 5);
    }
}

#[test]
fn every_ring_is_oriented_whatever_its_numbers_are() {
    for seed in 0..50 {
        let random = "regular:30:2".parse::<Spec>().unwrap().build(seed).unwrap();
        let wiring = random.wire(Ports::Rotation, 0);
        let mut text = String::new();
        for (node, port) in (0..30).flat_map(|node| [(node, Port(0)), (node, Port(1))]) {
            text += &format!("{node} {}\n", wiring.across(node, port).node);
        }
        let ring = read(&text).fit(Ring).unwrap();
        for node in 0..30 {
            let number = |node| ring.label(node).unwrap().parse::<u32>().unwrap();
            let (here, next) = (number(node), number((node + 1) % 30));
            let linked = [Port(0), Port(1)].map(|port| wiring.across(here, port).node);
            assert!(linked.contains(&next), "{here} and {next} are neighbours");
        }
    }
}

#[test]
fn one_and_two_nodes_are_rings() {
    for (text, nodes) in [("only\n", 1), ("a b\n", 2)] {
        let ring = read(text).fit(OrientedRing).unwrap();
        assert_eq!((ring.nodes(), ring.links(), ring.kind()), (nodes, u64::from(nodes), "ring"));
        assert_eq!(ring.degree(0), 2);
        assert!(ring.label(0).is_some());
    }
}

#[test]
fn a_complete_network_in_a_file_becomes_implicit() {
    let complete = read("a b\nb c\nc a\nd a\nd b\nc d\n").fit(Complete).unwrap();
    assert_eq!((complete.kind(), complete.nodes(), complete.links()), ("complete", 4, 6));
    assert_eq!(complete.label(3), Some("d"));
    assert_eq!(complete.wire(Ports::Random, 1).dense_links(), None, "nothing is stored");
}

#[test]
fn a_misfit_says_why() {
    let cases = [
        (
            made("grid:2x3"),
            Ring,
            "grid:2x3 is a grid of 6 nodes and 7 links; the algorithm wants a ring: node 1 has 3 links, every node of a ring has 2",
        ),
        (
            read("a b\nb c\nc d\n"),
            OrientedRing,
            "net.txt is a tree of 4 nodes and 3 links; the algorithm wants a ring: node 0 (a) has 1 link, every node of a ring has 2",
        ),
        (
            made("ring:5"),
            Tree,
            "ring:5 is a ring of 5 nodes and 5 links; the algorithm wants a tree: it has 5 links, a tree of 5 nodes has 4",
        ),
        (
            made("ring:1"),
            Tree,
            "ring:1 is a ring of 1 node and 1 link; the algorithm wants a tree: its node is linked to itself",
        ),
        (
            made("ring:2"),
            Complete,
            "ring:2 is a ring of 2 nodes and 2 links; the algorithm wants a complete network: its two nodes share two links",
        ),
        (made("erdos-renyi:2:1"), Connected, ""),
        (
            made("hypercube:3"),
            OrientedComplete,
            "hypercube:3 is a hypercube of 8 nodes and 12 links; the algorithm wants a complete network: it has 12 of the 28 links between 8 nodes",
        ),
    ];
    for (network, wanted, message) in cases {
        let said = network.fit(wanted).err().map(|misfit| misfit.to_string()).unwrap_or_default();
        assert_eq!(said, message);
    }
}
