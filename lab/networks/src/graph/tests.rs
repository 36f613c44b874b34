use super::*;
use crate::ports::Ports;

fn rotated(graph: &Graph) -> Vec<u32> {
    graph.in_order_of_ports(0, PortArrangement::new(Ports::Rotation, 1))
}

fn shuffled(graph: &Graph, seed: u64) -> Vec<u32> {
    graph.in_order_of_ports(0, PortArrangement::new(Ports::Random, seed))
}

#[test]
fn loops_and_parallel_links_vanish() {
    let graph = Graph::new(4, &[(2, 1), (1, 2), (3, 3), (0, 1), (2, 1)]);
    let lists: Vec<_> = (0..4).map(|node| graph.neighbours(node)).collect();
    assert_eq!(lists, [&[1][..], &[0, 2], &[1], &[]]);
    assert_eq!((graph.nodes(), graph.links()), (4, 2));
}

#[test]
fn rotation_begins_after_the_node_itself() {
    let graph = Graph::new(4, &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    assert_eq!(rotated(&graph), [1, 2, 3, 2, 3, 0, 3, 0, 1, 0, 1, 2]);
}

#[test]
fn components_are_named_by_their_smallest_node() {
    assert_eq!(components(6, &[(5, 1), (4, 2), (1, 3)]), [0, 1, 2, 1, 2, 1]);
    assert!(connected(1, &[]));
    assert!(connected(3, &[(0, 2), (2, 1), (1, 0)]));
    assert!(!connected(3, &[(0, 2), (2, 0)]));
}

#[test]
fn a_node_is_shuffled_the_same_whatever_the_others_are() {
    let star: Vec<_> = (1..20).map(|leaf| (0, leaf)).collect();
    let (small, large) = (Graph::new(20, &star), {
        let mut links = star.clone();
        links.extend((20..40).map(|leaf| (1, leaf)));
        Graph::new(40, &links)
    });
    assert_eq!(shuffled(&small, 5)[..19], shuffled(&large, 5)[..19]);
    assert_ne!(shuffled(&small, 5), rotated(&small));
    assert_ne!(shuffled(&small, 5), shuffled(&small, 6));
}

#[test]
fn nodes_are_shuffled_independently() {
    let links: Vec<_> = (0..20).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let lists = shuffled(&Graph::new(20, &links), 1);
    let turns: std::collections::BTreeSet<Vec<u32>> = (0..)
        .zip(lists.chunks(19))
        .map(|(node, list)| list.iter().map(|other| (other + 20 - node) % 20).collect())
        .collect();
    assert_eq!(turns.len(), 20, "no two nodes have the same order, as seen from themselves");
}
