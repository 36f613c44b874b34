//! Networks given port by port: what they are is examined, and what is none is refused.

use suffrage_model::NetworkClass::{
    self, Complete, Connected, OrientedComplete, OrientedRing, Ring, Tree,
};
use suffrage_model::Port;
use suffrage_networks::wiring::{Adjacency, End, EndsError, Wiring};

const fn end(node: u32, port: u32) -> End {
    End { node, port: Port(port) }
}

/// The ends of a network, port by port.
fn ends_of(wiring: &Wiring) -> Vec<Vec<End>> {
    let ports = |node| (0..wiring.degree(node)).map(Port);
    (0..wiring.nodes())
        .map(|node| ports(node).map(|port| wiring.across(node, port)).collect())
        .collect()
}

fn stored(ends: &[Vec<End>]) -> Wiring {
    Wiring::stored(Adjacency::from_ends(ends).expect("a network"))
}

/// A simple graph from its neighbours.
fn graph(neighbours: &[&[u32]]) -> Wiring {
    let lists: Vec<_> = neighbours.iter().map(|list| list.to_vec()).collect();
    stored(&ends_of(&Wiring::stored(Adjacency::new(&lists))))
}

fn kinds(wiring: &Wiring) -> Vec<NetworkClass> {
    [Tree, Ring, OrientedRing, Complete, OrientedComplete]
        .into_iter()
        .filter(|&network| wiring.fits(network))
        .collect()
}

#[test]
fn a_network_given_by_its_ends_is_that_network() {
    for nodes in 1..=9 {
        for wiring in [
            Wiring::complete(nodes),
            Wiring::complete_shuffled(nodes, 5),
            Wiring::ring(nodes),
            Wiring::ring_shuffled(nodes, 5),
        ] {
            let copy = stored(&ends_of(&wiring));
            assert_eq!(ends_of(&copy), ends_of(&wiring));
            assert_eq!((copy.nodes(), copy.links()), (wiring.nodes(), wiring.links()));
        }
    }
}

#[test]
fn stored_rings_are_rings_and_oriented_ones_are_oriented() {
    for nodes in 1..=9 {
        let oriented = stored(&ends_of(&Wiring::ring(nodes)));
        assert!(oriented.fits(Ring) && oriented.fits(OrientedRing), "{nodes}");
        assert!(!oriented.fits(Tree) && oriented.fits(Connected));
        // Three nodes in a ring are all linked to each other, whatever the ports are called.
        assert_eq!(oriented.fits(Complete), nodes == 3);
    }
    let twisted = stored(&[
        vec![end(1, 0), end(2, 1)],
        vec![end(0, 0), end(2, 0)],
        vec![end(1, 1), end(0, 1)],
    ]);
    assert_eq!(kinds(&twisted), [Ring, Complete]);
    // Backwards is a direction as well.
    let backwards = stored(&[
        vec![end(3, 1), end(1, 0)],
        vec![end(0, 1), end(2, 0)],
        vec![end(1, 1), end(3, 0)],
        vec![end(2, 1), end(0, 0)],
    ]);
    assert_eq!(kinds(&backwards), [Ring, OrientedRing]);
}

#[test]
fn one_node_linked_to_itself_and_two_nodes_linked_twice_are_rings() {
    let one = stored(&[vec![end(0, 1), end(0, 0)]]);
    assert_eq!((kinds(&one), one.links()), (vec![Ring, OrientedRing], 1));
    let two = |a, b| stored(&[vec![end(1, a), end(1, b)], vec![end(0, a), end(0, b)]]);
    assert_eq!(kinds(&two(1, 0)), [Ring, OrientedRing]);
    assert_eq!(kinds(&two(0, 1)), [Ring]);
    // A single link is no ring.
    assert_eq!(kinds(&graph(&[&[1], &[0]])), [Tree, Complete, OrientedComplete]);
    assert_eq!(kinds(&stored(&[vec![]])), [Tree, Complete, OrientedComplete]);
}

#[test]
fn stored_complete_networks_are_complete_and_have_a_direction_in_one_order_only() {
    for nodes in 1..=9 {
        let rotation = stored(&ends_of(&Wiring::complete(nodes)));
        assert!(rotation.fits(Complete) && rotation.fits(OrientedComplete), "{nodes}");
        let shuffled = Wiring::complete_shuffled(nodes, 1);
        let same = ends_of(&shuffled) == ends_of(&Wiring::complete(nodes));
        let shuffled = stored(&ends_of(&shuffled));
        assert!(shuffled.fits(Complete));
        assert_eq!(shuffled.fits(OrientedComplete), same, "{nodes}");
    }
    // As many links as a complete network, but two of them between the same nodes.
    let doubled = stored(&[
        vec![end(1, 0), end(1, 1)],
        vec![end(0, 0), end(0, 1), end(2, 0)],
        vec![end(1, 2)],
    ]);
    assert_eq!(kinds(&doubled), []);
}

#[test]
fn trees_are_trees_and_two_triangles_are_no_ring() {
    assert_eq!(kinds(&graph(&[&[1, 2, 3], &[0], &[0], &[0]])), [Tree]);
    assert_eq!(kinds(&graph(&[&[1], &[0, 2], &[1]])), [Tree]);
    let two =
        Adjacency::new(&[vec![1, 2], vec![0, 2], vec![0, 1], vec![4, 5], vec![3, 5], vec![3, 4]]);
    assert!(!Wiring::stored(two).fits(Ring));
    assert!(!Wiring::stored(Adjacency::new(&[])).fits(Ring));
}

#[test]
fn ends_that_are_no_network_are_refused_with_the_port() {
    let refused = |ends: &[Vec<End>]| Adjacency::from_ends(ends).expect_err("no network");
    assert_eq!(refused(&[]), EndsError::Empty);
    for (ends, says) in [
        (vec![vec![end(1, 0)]], "port 0 of node 0 leads to port 0 of node 1, which is not there"),
        (vec![vec![end(0, 7)]], "port 0 of node 0 leads to port 7 of node 0, which is not there"),
        (vec![vec![end(0, 0)]], "port 0 of node 0 leads to itself"),
        (
            vec![vec![end(1, 0)], vec![end(0, 0), end(0, 0)]],
            "port 1 of node 1 leads to port 0 of node 0, which leads to port 0 of node 1 and not",
        ),
        (vec![vec![], vec![]], "node 1 cannot be reached from node 0"),
    ] {
        let said = refused(&ends).to_string();
        assert!(said.starts_with(says), "{said}");
    }
}
