//! Stars, balanced trees and uniformly random trees.

use super::Links;
use crate::random::Generator;

/// Generates a star: node 0 is linked to every other node.
pub(crate) fn star(nodes: u32) -> Links {
    (1..nodes).map(|leaf| (0, leaf)).collect()
}

/// Generates a balanced tree: the parent of node `i` is node `(i - 1) / children`.
pub(crate) fn balanced(children: u32, nodes: u32) -> Links {
    (1..nodes).map(|node| ((node - 1) / children, node)).collect()
}

/// Generates a uniformly random labelled tree: a random sequence of `nodes - 2` nodes is the code
/// of exactly one tree (H. Prüfer, Archiv der Mathematik und Physik 27, 1918).
pub(crate) fn uniform(nodes: u32, random: &mut Generator) -> Links {
    if nodes < 2 {
        return Links::new();
    }
    let code: Vec<u32> = (2..nodes).map(|_| random.below(nodes.into()) as u32).collect();
    decode(nodes, &code)
}

/// Returns the tree of a code, in linear time.
///
/// Each number in the code is linked to the smallest leaf left, which is then removed; the two
/// nodes that remain are linked. The smallest leaf is found without a heap: `scan` passes over
/// every node once, and the only leaf that can appear behind it is the one that has just become a
/// leaf, which is then the smallest.
fn decode(nodes: u32, code: &[u32]) -> Links {
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
    let mut links = Links::with_capacity(nodes as usize - 1);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks a code whose tree was worked out by hand.
    #[test]
    fn a_code_has_its_tree() {
        assert_eq!(decode(6, &[3, 3, 3, 4]), [(0, 3), (1, 3), (2, 3), (3, 4), (4, 5)]);
        assert_eq!(decode(5, &[4, 0, 4]), [(1, 4), (2, 0), (0, 4), (3, 4)]);
        assert_eq!(decode(2, &[]), [(0, 1)]);
    }

    #[test]
    fn different_codes_have_different_trees() {
        let mut trees = std::collections::BTreeSet::new();
        for code in 0..5_u32.pow(3) {
            let mut tree = decode(5, &[code / 25, code / 5 % 5, code % 5]);
            tree.iter_mut().for_each(|link| *link = (link.0.min(link.1), link.0.max(link.1)));
            tree.sort_unstable();
            trees.insert(tree);
        }
        assert_eq!(trees.len(), 125);
    }

    #[test]
    fn all_trees_of_four_nodes_are_equally_likely() {
        let mut random = Generator::new(3, "test");
        let mut count = std::collections::BTreeMap::new();
        for _ in 0..16_000 {
            let mut tree = uniform(4, &mut random);
            tree.iter_mut().for_each(|link| *link = (link.0.min(link.1), link.0.max(link.1)));
            tree.sort_unstable();
            *count.entry(tree).or_insert(0_u32) += 1;
        }
        assert_eq!(count.len(), 16, "4^2 labelled trees");
        let deviation = |&seen: &u32| (f64::from(seen) - 1000.0).powi(2) / 1000.0;
        let chi_square: f64 = count.values().map(deviation).sum();
        // 15 degrees of freedom: exceeded by chance once in a thousand.
        assert!(chi_square < 37.7, "{chi_square}");
    }
}
