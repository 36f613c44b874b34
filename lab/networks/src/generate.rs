//! Generators of links: lattices, trees and random networks.
//!
//! They take numbers and return links, independently of specifications: [`Spec`](crate::Spec) calls
//! them. Those of random networks end early once they are [`Stopped`]; what they return then is no
//! network. `petgraph` 0.8 offers no such generators: its unstable `generate` feature enumerates all
//! graphs of a size.

use crate::graph::{self, Graph};
use crate::random::Generator;
use crate::shape::Shape;

/// The links of a network under construction.
pub(crate) type LinkList = Vec<(u32, u32)>;

/// Whether the network is no longer wanted.
pub(crate) type Stopped<'a> = &'a dyn Fn() -> bool;

/// Generates the graph of a shape of fewer than 2^32 nodes.
pub(crate) fn graph(shape: &Shape) -> Graph {
    Graph::new(shape.nodes() as u32, &of_shape(shape))
}

/// Generates the links of a shape of fewer than 2^32 nodes.
fn of_shape(shape: &Shape) -> LinkList {
    let nodes = shape.nodes() as u32;
    match *shape {
        Shape::Complete(_) => complete(nodes),
        // As those of a torus with one row: one node has no link to itself, and two share one.
        Shape::Ring(_) => of_shape(&Shape::torus(1, nodes)),
        Shape::Tree { children, .. } => {
            (1..nodes).map(|node| ((u64::from(node - 1) / children) as u32, node)).collect()
        }
        Shape::Lattice { rows, columns } => {
            let (height, width) = (rows.length as u32, columns.length as u32);
            let mut links = LinkList::new();
            for node in 0..nodes {
                let (row, column) = (node / width, node % width);
                if column + 1 < width {
                    links.push((node, node + 1));
                } else if columns.closed {
                    links.push((node + 1 - width, node));
                }
                if row + 1 < height {
                    links.push((node, node + width));
                } else if rows.closed {
                    links.push((column, node));
                }
            }
            links
        }
        Shape::Hypercube(dimension) => (0..nodes)
            .flat_map(|word| {
                let zeros = (0..dimension).filter(move |bit| word >> bit & 1 == 0);
                zeros.map(move |bit| (word, word | 1 << bit))
            })
            .collect(),
    }
}

/// Generates a link between every two nodes.
fn complete(nodes: u32) -> LinkList {
    (0..nodes).flat_map(|b| (0..b).map(move |a| (a, b))).collect()
}

/// Generates a ring with a chord from each node to the one `chord` places further, of at most half the
/// ring: chords of half the ring are made once.
pub(crate) fn chordal(nodes: u32, chord: u32) -> LinkList {
    let mut links = of_shape(&Shape::Ring(nodes.into()));
    let chords = if chord == nodes - chord { chord } else { nodes };
    let further = |node: u32| ((u64::from(node) + u64::from(chord)) % u64::from(nodes)) as u32;
    links.extend((0..chords).map(|node| (node, further(node))));
    links
}

/// Generates a uniformly random labelled tree: a random sequence of `nodes - 2` nodes is the code
/// of exactly one tree (H. Prüfer, Archiv der Mathematik und Physik 27, 1918).
pub(crate) fn uniform(nodes: u32, random: &mut Generator, stopped: Stopped<'_>) -> LinkList {
    if nodes < 2 {
        return LinkList::new();
    }
    let code = (2..nodes).take_while(|_| !stopped());
    let code: Vec<u32> = code.map(|_| random.below(nodes.into()) as u32).collect();
    if stopped() { LinkList::new() } else { decode(nodes, &code) }
}

/// Returns the tree of a code, in linear time.
///
/// Each number in the code is linked to the smallest leaf left, which is then removed; the two
/// nodes that remain are linked. The smallest leaf is found without a heap: `scan` passes over
/// every node once, and the only leaf that can appear behind it is the one that has just become a
/// leaf, which is then the smallest.
fn decode(nodes: u32, code: &[u32]) -> LinkList {
    let mut waiting = vec![0_u32; nodes as usize];
    for &node in code {
        waiting[node as usize] += 1;
    }
    let mut leaves_after = {
        let mut scan = 0;
        move |waiting: &[u32]| {
            while waiting[scan as usize] > 0 {
                scan += 1;
            }
            scan += 1;
            scan - 1
        }
    };
    let mut links = LinkList::with_capacity(nodes as usize - 1);
    let mut highest_leaf = leaves_after(&waiting);
    let mut leaf = highest_leaf;
    for &node in code {
        links.push((leaf, node));
        waiting[node as usize] -= 1;
        if waiting[node as usize] == 0 && node < highest_leaf {
            leaf = node;
        } else {
            highest_leaf = leaves_after(&waiting);
            leaf = highest_leaf;
        }
    }
    // The highest node is never the smallest leaf of three: it is one of the last two.
    links.push((leaf, nodes - 1));
    links
}

/// The number of random networks that are drawn to find a connected one.
pub(crate) const DRAWS: u32 = 200;

/// Generates a network in which every two nodes are linked with the same probability, independently
/// (E. N. Gilbert, Annals of Mathematical Statistics 30, 1959), given that the network is
/// connected: others are drawn again, so the distribution is exactly the conditional one. Returns
/// `None` after [`DRAWS`] draws.
///
/// One draw takes time linear in nodes and links.
pub(crate) fn erdos_renyi(
    nodes: u32,
    probability: f64,
    random: &mut Generator,
    stopped: Stopped<'_>,
) -> Option<LinkList> {
    if probability >= 1.0 {
        return Some(complete(nodes));
    }
    (0..DRAWS)
        .take_while(|_| !stopped())
        .map(|_| independent(nodes, probability, random, stopped))
        .find(|links| graph::connected(nodes, links))
}

/// Draws pairs `(a, b)` with `a < b`, ordered by `b` and then `a`; the gaps between those that are
/// linked are geometric (V. Batagelj, U. Brandes, "Efficient generation of large random networks",
/// Physical Review E 71, 2005).
fn independent(
    nodes: u32,
    probability: f64,
    random: &mut Generator,
    stopped: Stopped<'_>,
) -> LinkList {
    let mut links = LinkList::new();
    let pairs = u64::from(nodes) * u64::from(nodes - 1) / 2;
    let no_link = libm::log1p(-probability);
    // The pair is number `next` of all; `row` is the number of the first pair of `b`.
    let (mut next, mut row, mut b) = (0_u64, 0_u64, 1_u32);
    loop {
        // In (0, 1], on a grid of 2^-53: the logarithm is finite.
        let uniform = ((random.bits() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let gap = libm::floor(libm::log(uniform) / no_link);
        // Beyond all pairs; also where the gap is infinite.
        if gap >= (pairs - next) as f64 || stopped() {
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
pub(crate) fn preferential(
    nodes: u32,
    many: u32,
    random: &mut Generator,
    stopped: Stopped<'_>,
) -> LinkList {
    let mut links = complete(many + 1);
    let mut chosen_by = vec![0_u32; nodes as usize];
    for node in (many + 1..nodes).take_while(|_| !stopped()) {
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
pub(crate) fn regular(
    nodes: u32,
    degree: u32,
    random: &mut Generator,
    stopped: Stopped<'_>,
) -> Option<LinkList> {
    let complemented = degree > (nodes - 1) / 2;
    if degree == 2 && nodes > 2 {
        let mut order: Vec<u32> = (0..nodes).collect();
        random.shuffle(&mut order);
        let around = order.iter().copied().zip(order.iter().copied().cycle().skip(1));
        return Some(around.collect());
    }
    (0..TRIES).take_while(|_| !stopped()).find_map(|_| {
        let links = match complemented {
            true => complement(nodes, &steger_wormald(nodes, nodes - 1 - degree, random, stopped)?),
            false => steger_wormald(nodes, degree, random, stopped)?,
        };
        graph::connected(nodes, &links).then_some(links)
    })
}

/// Joins two random points of different nodes that are not linked yet, until none are left; returns
/// `None` if no such two are left before. Every node has `degree` points.
fn steger_wormald(
    nodes: u32,
    degree: u32,
    random: &mut Generator,
    stopped: Stopped<'_>,
) -> Option<LinkList> {
    let mut points: Vec<u32> =
        (0..nodes).flat_map(|node| std::iter::repeat_n(node, degree as usize)).collect();
    let mut network = RegularUnderConstruction {
        degree: degree as usize,
        linked: vec![Vec::new(); nodes as usize],
    };
    let mut links = LinkList::with_capacity(points.len() / 2);
    while !points.is_empty() {
        if stopped() {
            return None;
        }
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
struct RegularUnderConstruction {
    degree: usize,
    linked: Vec<Vec<u32>>,
}

impl RegularUnderConstruction {
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

fn complement(nodes: u32, links: &LinkList) -> LinkList {
    let mut present: LinkList = links.iter().map(|&(a, b)| (a.max(b), a.min(b))).collect();
    present.sort_unstable();
    let mut present = present.into_iter().peekable();
    complete(nodes).into_iter().filter(|&(a, b)| present.next_if_eq(&(b, a)).is_none()).collect()
}

#[cfg(test)]
mod tests;
