use super::*;

fn assert_every_port_leads_there_and_back(wiring: &Wiring) {
    let mut links = std::collections::BTreeSet::new();
    for node in 0..wiring.nodes() {
        for port in (0..wiring.degree(node)).map(Port) {
            let end = wiring.across(node, port);
            assert_eq!(wiring.across(end.node, end.port), End { node, port }, "{wiring:?}");
            assert!(links.insert(wiring.link(node, port)), "a link's number is its own");
        }
    }
    if let Some(dense) = wiring.dense_links() {
        assert!(links.iter().all(|&link| link < dense as u64));
    }
}

#[test]
fn every_port_leads_there_and_back() {
    for nodes in 1..=40 {
        for seed in 0..4 {
            assert_every_port_leads_there_and_back(&Wiring::complete(nodes));
            assert_every_port_leads_there_and_back(&Wiring::complete_shuffled(nodes, seed));
            assert_every_port_leads_there_and_back(&Wiring::ring(nodes));
            assert_every_port_leads_there_and_back(&Wiring::ring_shuffled(nodes, seed));
        }
    }
}

#[test]
fn a_complete_network_reaches_every_other_node_once() {
    for wiring in [Wiring::complete(33), Wiring::complete_shuffled(33, 5)] {
        for node in 0..33 {
            let mut reached: Vec<_> =
                (0..32).map(|port| wiring.across(node, Port(port)).node).collect();
            reached.sort_unstable();
            assert!(reached.into_iter().eq((0..33).filter(|&other| other != node)));
        }
    }
}

#[test]
fn shuffled_ports_differ_from_node_to_node_and_from_seed_to_seed() {
    let order = |node, seed| -> Vec<u32> {
        let wiring = Wiring::complete_shuffled(100, seed);
        (0..99).map(|p| (wiring.across(node, Port(p)).node + 100 - node) % 100).collect()
    };
    assert_ne!(order(0, 1), order(1, 1));
    assert_ne!(order(0, 1), order(0, 2));
}

#[test]
fn on_an_oriented_ring_next_and_previous_are_as_their_names_say() {
    let ring = Wiring::ring(5);
    assert_eq!(ring.across(4, Port::NEXT), End { node: 0, port: Port::PREVIOUS });
    assert_eq!(ring.across(0, Port::PREVIOUS), End { node: 4, port: Port::NEXT });
}
