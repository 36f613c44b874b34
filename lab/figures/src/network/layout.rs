//! The positions of the nodes of a drawn network.

use std::collections::{BTreeMap, VecDeque};
use std::f64::consts::TAU;
use suffrage_networks::Topology;
use suffrage_networks::random::Key;
use suffrage_networks::wiring::Wiring;

/// Rounds of the layout by forces.
const ROUNDS: i32 = 40;

/// Returns the position of each node, and where the positions are from: the file; a circle, for rings
/// and complete networks; or forces between all pairs.
pub(super) fn positions(
    topology: Option<&Topology>,
    wiring: &Wiring,
    links: &BTreeMap<(u32, u32), u64>,
) -> (Vec<[f64; 2]>, &'static str) {
    let nodes = wiring.nodes();
    let mut given: Vec<_> = (0..nodes).map(|node| topology?.position(node)).collect();
    if given.iter().any(Option::is_some) {
        let neighbours = neighbours(nodes, links);
        complete(&mut given, &neighbours);
        // Upwards in the file is downwards on a page.
        let all = given.into_iter().map(|place| place.map_or([0.0, 0.0], |[x, y]| [x, -y]));
        return (all.collect(), "positions: as in the file");
    }
    let is_complete = wiring.links() == u64::from(nodes) * u64::from(nodes - 1) / 2;
    // A cycle whose nodes have other numbers is brought in a circle by forces.
    let next = |node: u32| {
        links.contains_key(&(node.min((node + 1) % nodes), node.max((node + 1) % nodes)))
    };
    let is_ring = wiring.links() == u64::from(nodes) && (0..nodes).all(next);
    if is_complete || is_ring || nodes < 3 {
        return (circle(nodes), "positions: in a circle");
    }
    (by_forces(nodes, links), "positions: by forces")
}

fn neighbours(nodes: u32, links: &BTreeMap<(u32, u32), u64>) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); nodes as usize];
    for &(a, b) in links.keys().filter(|(a, b)| a != b) {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    neighbours
}

/// Places a node without a position in the middle of its neighbours that have one, a little aside.
fn complete(given: &mut [Option<[f64; 2]>], neighbours: &[Vec<u32>]) {
    let known = given.iter().flatten();
    let (low, high) = known.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), [x, _]| {
        (low.min(*x), high.max(*x))
    });
    let aside = ((high - low) / 40.0).max(1e-6);
    while given.iter().any(Option::is_none) {
        let before = given.to_vec();
        for (node, place) in given.iter_mut().enumerate().filter(|(_, place)| place.is_none()) {
            let near = neighbours[node].iter().filter_map(|&other| before[other as usize]);
            let near: Vec<[f64; 2]> = near.collect();
            if !near.is_empty() {
                let mean = |axis: usize| {
                    near.iter().map(|place| place[axis]).sum::<f64>() / near.len() as f64
                };
                let turn = node as f64 * 2.4;
                *place =
                    Some([mean(0) + aside * libm::cos(turn), mean(1) + aside * libm::sin(turn)]);
            }
        }
        if before == *given {
            // No neighbour anywhere has a position: networks are connected, so this is the end.
            return;
        }
    }
}

fn circle(nodes: u32) -> Vec<[f64; 2]> {
    let place = |node| {
        let turn = TAU * f64::from(node) / f64::from(nodes);
        [libm::sin(turn), -libm::cos(turn)]
    };
    (0..nodes).map(place).collect()
}

/// Pairs of nodes pull and push each other until they are as far apart as they are in the network
/// (J. X. Zheng, S. Pawar, D. F. M. Goodman, "Graph drawing by stochastic gradient descent", IEEE
/// Transactions on Visualization and Computer Graphics 25, 2019).
fn by_forces(nodes: u32, links: &BTreeMap<(u32, u32), u64>) -> Vec<[f64; 2]> {
    let neighbours = neighbours(nodes, links);
    let mut pairs: Vec<(u32, u32, f64)> = Vec::new();
    for node in 0..nodes {
        let distances = distances(node, &neighbours);
        let later = (node + 1..nodes).map(|other| (node, other, distances[other as usize].into()));
        pairs.extend(later);
    }
    let longest = pairs.iter().map(|&(.., distance)| distance).fold(1.0, f64::max);
    let key = Key::new(1, "layout");
    let unit = |number: u64| (key.at(number).bits() >> 11) as f64 / (1_u64 << 53) as f64;
    let mut place: Vec<[f64; 2]> =
        (0..u64::from(nodes)).map(|node| [unit(2 * node), unit(2 * node + 1)]).collect();
    let decay = libm::log(longest * longest / 0.1) / f64::from(ROUNDS - 1);
    for round in 0..ROUNDS {
        // Another order in each round, so that no pair is always the last.
        let order = Key::new(round as u64 + 2, "layout");
        for last in (1..pairs.len()).rev() {
            let other = (u128::from(order.at(last as u64).bits()) * (last as u128 + 1)) >> 64;
            pairs.swap(last, other as usize);
        }
        let step = longest * longest * libm::exp(-decay * f64::from(round));
        for &(a, b, distance) in &pairs {
            let ([ax, ay], [bx, by]) = (place[a as usize], place[b as usize]);
            let (dx, dy) = (ax - bx, ay - by);
            let apart = (dx * dx + dy * dy).sqrt().max(1e-9);
            let share = (step / (distance * distance)).min(1.0);
            let pull = share * (apart - distance) / (2.0 * apart);
            place[a as usize] = [ax - pull * dx, ay - pull * dy];
            place[b as usize] = [bx + pull * dx, by + pull * dy];
        }
    }
    place
}

/// The number of links from a node to each other one.
fn distances(from: u32, neighbours: &[Vec<u32>]) -> Vec<u32> {
    let mut distance = vec![u32::MAX; neighbours.len()];
    distance[from as usize] = 0;
    let mut reached = VecDeque::from([from]);
    while let Some(node) = reached.pop_front() {
        for &other in &neighbours[node as usize] {
            if distance[other as usize] == u32::MAX {
                distance[other as usize] = distance[node as usize] + 1;
                reached.push_back(other);
            }
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage_networks::{Ports, Spec};

    #[test]
    fn neighbours_are_nearer_than_others_in_a_grid() {
        let topology = "grid:6x7".parse::<Spec>().unwrap().build(1).unwrap();
        let wiring = topology.wire(Ports::Rotation, 1);
        let links = super::super::links(&wiring);
        let (place, _) = positions(Some(&topology), &wiring, &links);
        let apart = |a: u32, b: u32| {
            let ([ax, ay], [bx, by]) = (place[a as usize], place[b as usize]);
            ((ax - bx).powi(2) + (ay - by).powi(2)).sqrt()
        };
        let longest = links.keys().map(|&(a, b)| apart(a, b)).fold(0.0, f64::max);
        assert!(longest < 1.6, "links have about the length 1: {longest}");
        assert!(apart(0, 41) > 5.0 && apart(6, 35) > 5.0, "the grid is unfolded");
        assert_eq!(place, positions(None, &wiring, &links).0);
    }

    #[test]
    fn nodes_without_positions_are_near_their_neighbours() {
        let mut given = vec![Some([0.0, 0.0]), None, None, Some([10.0, 0.0])];
        complete(&mut given, &[vec![1], vec![0, 2], vec![1, 3], vec![2]]);
        let [x1, x2] = [given[1].unwrap()[0], given[2].unwrap()[0]];
        assert!(x1 < 2.0 && x2 > 8.0, "{x1} {x2}");
    }
}
