//! Networks from lists of links, beside sets and a search that are too simple to be wrong.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use suffrage_model::{NetworkClass, Port};
use suffrage_networks::{FileError, FileFormat, FileOptions, Note, Ports, read_from};

/// The links between different nodes, each once, in both directions.
fn pairs(links: &[(u8, u8)]) -> BTreeSet<(u8, u8)> {
    links.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).filter(|(a, b)| a != b).collect()
}

/// The nodes that can be reached.
fn reach(from: u8, pairs: &BTreeSet<(u8, u8)>) -> BTreeSet<u8> {
    let mut reached = BTreeSet::from([from]);
    loop {
        let next = pairs.iter().filter(|(a, _)| reached.contains(a)).map(|&(_, b)| b);
        let grown: BTreeSet<u8> = reached.iter().copied().chain(next).collect();
        if grown == reached {
            return reached;
        }
        reached = grown;
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_network_is_what_its_links_say(
        links in prop::collection::vec((0..12_u8, 0..12_u8), 1..30),
        seed in any::<u64>(),
    ) {
        let text: String = links.iter().map(|(a, b)| format!("{a} {b}\n")).collect();
        let read = |largest_component| {
            read_from(text.as_bytes(), "net.txt", FileOptions { largest_component, format: Some(FileFormat::EdgeList.into()) })
        };
        let pairs = pairs(&links);
        let mut order: Vec<u8> = Vec::new();
        for node in links.iter().flat_map(|&(a, b)| [a, b]) {
            if !order.contains(&node) {
                order.push(node);
            }
        }
        let components: BTreeSet<BTreeSet<u8>> =
            order.iter().map(|&node| reach(node, &pairs)).collect();
        let largest = components.iter().map(BTreeSet::len).max().unwrap();
        // Of equal ones, that whose first node comes first.
        let chosen = order.iter().map(|&node| reach(node, &pairs)).find(|c| c.len() == largest).unwrap();

        match read(false) {
            Ok(_) => prop_assert_eq!(components.len(), 1),
            Err(FileError::Disconnected { components: told, .. }) => {
                prop_assert_eq!(told.count, components.len() as u64);
                let mut sizes: Vec<_> = components.iter().map(|c| c.len() as u32).collect();
                sizes.sort_unstable_by(|a, b| b.cmp(a));
                sizes.truncate(5);
                prop_assert_eq!(told.largest.iter().map(|(size, _)| *size).collect::<Vec<_>>(), sizes);
            }
            Err(error) => panic!("{error}"),
        }

        let net = read(true).unwrap();
        let named: BTreeMap<u8, u32> =
            (0..net.nodes()).map(|node| (net.label(node).unwrap().parse().unwrap(), node)).collect();
        prop_assert!(named.keys().eq(&chosen));
        // Numbers follow the order of the file.
        let numbers: Vec<u32> = order.iter().filter_map(|node| named.get(node).copied()).collect();
        prop_assert!(numbers.is_sorted());

        for ports in [Ports::Rotation, Ports::Random] {
            let wiring = net.wire(ports, seed);
            for (name, &node) in &named {
                let ends = (0..wiring.degree(node)).map(|port| wiring.across(node, Port(port)));
                let found: Vec<u32> = ends.clone().map(|end| end.node).collect();
                let mut sorted = found.clone();
                sorted.sort_unstable();
                let mut expected: Vec<u32> =
                    pairs.iter().filter(|(a, _)| a == name).map(|(_, b)| named[b]).collect();
                expected.sort_unstable();
                prop_assert_eq!(sorted, expected);
                for (port, end) in (0..).map(Port).zip(ends) {
                    let back = wiring.across(end.node, end.port);
                    prop_assert_eq!((back.node, back.port), (node, port));
                }
                if ports == Ports::Rotation {
                    let turn = |other: &u32| (other + net.nodes() - node) % net.nodes();
                    prop_assert!(found.is_sorted_by_key(turn));
                }
            }
        }

        let inside = |node: &u8| chosen.contains(node);
        let kept = links.iter().filter(|(a, _)| inside(a));
        let loops = kept.clone().filter(|(a, b)| a == b).count() as u64;
        let parallel = kept.count() as u64 - loops - net.links();
        let told = |wanted: fn(&Note) -> Option<u64>| net.notes().iter().find_map(wanted).unwrap_or(0);
        prop_assert_eq!(loops, told(|note| match note { Note::SelfLoops(n) => Some(*n), _ => None }));
        prop_assert_eq!(parallel, told(|note| match note { Note::ParallelLinks(n) => Some(*n), _ => None }));

        let (n, m) = (u64::from(net.nodes()), net.links());
        let of_degree_2 = (0..net.nodes()).all(|node| net.degree(node) == 2);
        prop_assert_eq!(net.fits(NetworkClass::Tree), m == n - 1);
        prop_assert_eq!(net.fits(NetworkClass::Complete), 2 * m == n * (n - 1));
        prop_assert_eq!(net.fits(NetworkClass::Ring), n <= 2 || of_degree_2);
    }
}
