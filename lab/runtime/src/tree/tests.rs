use super::*;
use suffrage_networks::{Ports, Spec};

#[test]
fn every_node_but_the_root_has_a_parent_that_knows_it() {
    for spec in ["complete:9", "complete:1", "ring:1", "ring:2", "ring:7", "grid:3x4", "star:5"] {
        for ports in [Ports::Rotation, Ports::Random] {
            let wiring = spec.parse::<Spec>().unwrap().build(3).unwrap().wire(ports, 3);
            let tree = Tree::of(&wiring);
            assert_eq!(tree.parent(0), None);
            for node in 1..wiring.nodes() {
                let up = wiring.across(node, tree.parent(node).unwrap());
                assert!(tree.children(up.node).contains(&up.port), "{spec}, {node}");
                let mut above = node;
                while let Some(port) = tree.parent(above) {
                    above = wiring.across(above, port).node;
                }
                assert_eq!(above, 0);
            }
            let children: usize = (0..wiring.nodes()).map(|n| tree.children(n).len()).sum();
            assert_eq!(children + 1, wiring.nodes() as usize);
        }
    }
}
