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
        let mut tree = uniform(4, &mut random, &|| false);
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
