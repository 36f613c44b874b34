//! Random regular networks.

use super::{Links, lattice};
use crate::graph;
use crate::random::Generator;

/// The number of times that a random regular network is started again.
pub(crate) const TRIES: u32 = 1000;

/// Generates a random connected network in which each node has `degree` links; returns `None` after
/// [`TRIES`] networks that had no simple completion or were not connected.
///
/// Degree 2 is a uniformly random cycle, because few random 2-regular networks are connected. Up
/// to half of the possible degrees, it is made by the algorithm of A. Steger and N. Wormald
/// ("Generating random regular graphs quickly", Combinatorics, Probability and Computing 8, 1999):
/// its distribution is uniform in the limit of many nodes for degrees up to `n^(1/3 - ε)` (J. H.
/// Kim, V. H. Vu, STOC 2003), and not exactly uniform on few nodes. Networks that are not
/// connected are drawn again, which keeps the others' relative probabilities. Higher degrees are
/// the complements of lower ones.
///
/// Takes an expected time of `nodes * degree^2` at most, with `degree` counted in the complement
/// where that is taken.
pub(crate) fn connected(nodes: u32, degree: u32, random: &mut Generator) -> Option<Links> {
    let complemented = degree > (nodes - 1) / 2;
    if degree == 2 && nodes > 2 {
        let mut order: Vec<u32> = (0..nodes).collect();
        random.shuffle(&mut order);
        let around = order.iter().copied().zip(order.iter().copied().cycle().skip(1));
        return Some(around.collect());
    }
    (0..TRIES).find_map(|_| {
        let links = match complemented {
            true => complement(nodes, &steger_wormald(nodes, nodes - 1 - degree, random)?),
            false => steger_wormald(nodes, degree, random)?,
        };
        graph::connected(nodes, &links).then_some(links)
    })
}

/// Joins two random points of different nodes that are not linked yet, until none are left; returns
/// `None` if no such two are left before. Every node has `degree` points.
fn steger_wormald(nodes: u32, degree: u32, random: &mut Generator) -> Option<Links> {
    let mut points: Vec<u32> =
        (0..nodes).flat_map(|node| std::iter::repeat_n(node, degree as usize)).collect();
    let mut network = Partial { degree: degree as usize, linked: vec![Vec::new(); nodes as usize] };
    let mut links = Links::with_capacity(points.len() / 2);
    while !points.is_empty() {
        let (mut i, mut j) = network.suitable_points(&points, random)?;
        if i < j {
            (i, j) = (j, i);
        }
        let (a, b) = (points.swap_remove(i), points.swap_remove(j));
        network.link(a, b);
        links.push((a, b));
    }
    Some(links)
}

/// The network generated so far.
struct Partial {
    degree: usize,
    linked: Vec<Vec<u32>>,
}

impl Partial {
    fn link(&mut self, a: u32, b: u32) {
        for (from, to) in [(a, b), (b, a)] {
            let list = &mut self.linked[from as usize];
            list.reserve_exact(if list.is_empty() { self.degree } else { 0 });
            list.push(to);
        }
    }

    fn suitable(&self, a: u32, b: u32) -> bool {
        a != b && !self.linked[a as usize].contains(&b)
    }

    fn suitable_points(&self, points: &[u32], random: &mut Generator) -> Option<(usize, usize)> {
        // Nearly always one of the first pairs will do. Near the end few do, or none: count them.
        for _ in 0..64 {
            let mut point = || random.below(points.len() as u64) as usize;
            let (i, j) = (point(), point());
            if self.suitable(points[i], points[j]) {
                return Some((i, j));
            }
        }
        let pairs: Vec<(usize, usize)> = (0..points.len())
            .flat_map(|j| (0..j).map(move |i| (i, j)))
            .filter(|&(i, j)| self.suitable(points[i], points[j]))
            .collect();
        if pairs.is_empty() { None } else { Some(pairs[random.below(pairs.len() as u64) as usize]) }
    }
}

fn complement(nodes: u32, links: &Links) -> Links {
    let mut present: Links = links.iter().map(|&(a, b)| (a.max(b), a.min(b))).collect();
    present.sort_unstable();
    let mut present = present.into_iter().peekable();
    lattice::complete(nodes)
        .into_iter()
        .filter(|&(a, b)| present.next_if_eq(&(b, a)).is_none())
        .collect()
}
