//! Random networks: independent links, and preferential attachment.

use super::{Links, lattice};
use crate::graph;
use crate::random::Generator;

/// The number of random networks that are drawn to find a connected one.
pub(crate) const TRIES: u32 = 200;

/// Generates a network in which every two nodes are linked with the same probability, independently
/// (E. N. Gilbert, Annals of Mathematical Statistics 30, 1959), given that the network is
/// connected: others are drawn again, so the distribution is exactly the conditional one. Returns
/// `None` after [`TRIES`] draws.
///
/// One draw takes time linear in nodes and links.
pub(crate) fn connected(nodes: u32, probability: f64, random: &mut Generator) -> Option<Links> {
    if probability >= 1.0 {
        return Some(lattice::complete(nodes));
    }
    (0..TRIES)
        .map(|_| independent(nodes, probability, random))
        .find(|links| graph::connected(nodes, links))
}

/// Draws pairs `(a, b)` with `a < b`, ordered by `b` and then `a`; the gaps between those that are
/// linked are geometric (V. Batagelj, U. Brandes, "Efficient generation of large random networks",
/// Physical Review E 71, 2005).
fn independent(nodes: u32, probability: f64, random: &mut Generator) -> Links {
    let mut links = Links::new();
    let pairs = u64::from(nodes) * u64::from(nodes - 1) / 2;
    let no_link = libm::log1p(-probability);
    // The pair is number `next` of all; `row` is the number of the first pair of `b`.
    let (mut next, mut row, mut b) = (0_u64, 0_u64, 1_u32);
    loop {
        // In (0, 1], on a grid of 2^-53: the logarithm is finite.
        let uniform = ((random.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let gap = libm::floor(libm::log(uniform) / no_link);
        // Beyond all pairs; also where the gap is infinite.
        if gap >= (pairs - next) as f64 {
            return links;
        }
        next += gap as u64;
        if next >= pairs {
            return links;
        }
        while next - row >= u64::from(b) {
            row += u64::from(b);
            b += 1;
        }
        links.push(((next - row) as u32, b));
        next += 1;
    }
}

/// Generates a network by preferential attachment (A.-L. Barabási, R. Albert, Science 286, 1999):
/// each new node links to `many` different earlier ones, each chosen with a probability
/// proportional to its links.
///
/// The paper leaves the start open. Here it is the complete network of `many + 1` nodes, the
/// smallest in which every node has `many` links; so no node ever has fewer, and the whole is
/// connected. A node drawn twice is drawn again.
pub(crate) fn preferential(nodes: u32, many: u32, random: &mut Generator) -> Links {
    let mut links = lattice::complete(many + 1);
    let mut chosen_by = vec![0_u32; nodes as usize];
    for node in many + 1..nodes {
        let earlier = links.len() as u64;
        for _ in 0..many {
            let other = loop {
                // A random end of a random link: a node with twice the links is met twice as
                // often.
                let end = random.below(2 * earlier);
                let (a, b) = links[(end / 2) as usize];
                let other = if end.is_multiple_of(2) { a } else { b };
                if chosen_by[other as usize] != node {
                    break other;
                }
            };
            chosen_by[other as usize] = node;
            links.push((other, node));
        }
    }
    links
}
