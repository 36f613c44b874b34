//! Real networks: a dozen of the Internet Topology Zoo (S. Knight, H. X. Nguyen, N. Falkner,
//! R. Bowden, M. Roughan, IEEE JSAC 29(9), 2011), where they are at hand.

use std::path::PathBuf;
use suffrage_model::NetworkClass::{OrientedRing, Tree};
use suffrage_model::Port;
use suffrage_networks::{FileError, FileOptions, Note, Ports, Topology, read_file};

/// A file of the collection; `None`, and a message, where it is not there.
fn path(name: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/topologies");
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return None;
    }
    Some(folder.join(name).with_extension("graphml"))
}

fn read(name: &str) -> Option<Result<Topology, FileError>> {
    Some(read_file(path(name)?, FileOptions::default()))
}

#[test]
fn all_networks_are_read() {
    // Counted with another XML parser: name, nodes, links between different nodes, what it is, parallel links, loops.
    let zoo: [(&str, u32, u64, &str, u64, u64); 11] = [
        ("Abilene", 11, 14, "graph", 0, 0),
        ("Arpanet196912", 4, 4, "graph", 0, 0),
        ("Cesnet1993", 10, 9, "tree", 0, 0),
        ("Cogentco", 197, 243, "graph", 2, 0),
        ("Garr200112", 24, 26, "graph", 0, 0),
        ("Geant2012", 40, 61, "graph", 0, 0),
        ("Interoute", 110, 146, "graph", 10, 2),
        ("Kdl", 754, 895, "graph", 4, 0),
        ("Renater1999", 24, 23, "tree", 0, 0),
        ("Sanren", 7, 7, "ring", 0, 0),
        ("Telecomserbia", 6, 6, "ring", 0, 0),
    ];
    for (name, nodes, links, kind, parallel, loops) in zoo {
        let Some(net) = read(name) else { return };
        let net = net.unwrap_or_else(|error| panic!("{error}"));
        let (mut of_parallel, mut of_loops) = (0, 0);
        for note in net.notes() {
            match *note {
                Note::ParallelLinks(count) => of_parallel = count,
                Note::SelfLoops(count) => of_loops = count,
                note => panic!("{name}: {note}"),
            }
        }
        let found = (name, net.nodes(), net.links(), net.kind(), of_parallel, of_loops);
        assert_eq!(found, (name, nodes, links, kind, parallel, loops));
        assert_eq!(net.fits(Tree), kind == "tree");
        assert_eq!(net.fits(OrientedRing), kind == "ring");
        assert!((0..nodes).all(|node| net.node_named(net.label(node).unwrap()) == Some(node)));
    }
}

#[test]
fn a_network_in_four_parts_is_refused_or_cut() {
    let Some(refused) = read("DeutscheTelekom") else { return };
    let said = refused.unwrap_err().to_string();
    assert!(
        said.contains("DeutscheTelekom.graphml is not connected, it has 4 components:"),
        "{said}"
    );
    let options = FileOptions { largest_component: true, format: None };
    let net = read_file(path("DeutscheTelekom").unwrap(), options).unwrap();
    assert!(matches!(net.notes(), [Note::LargestComponent { of: 4, nodes: 30, of_nodes: 39 }]));
    println!("{said}\n{}", net.notes()[0]);
}

/// Each step along the oriented ring is a link of the file, by the names of its ends.
#[test]
fn rings_are_oriented_along_their_links() {
    for name in ["Sanren", "Telecomserbia"] {
        let Some(stored) = read(name) else { return };
        let stored = stored.unwrap();
        let ring = stored.clone().fit(OrientedRing).unwrap();
        let (links, around) = (stored.wire(Ports::Rotation, 0), ring.wire(Ports::Rotation, 0));
        let mut names = std::collections::BTreeSet::new();
        for node in 0..ring.nodes() {
            let next = around.across(node, Port::NEXT).node;
            let [a, b] =
                [node, next].map(|node| stored.node_named(ring.label(node).unwrap()).unwrap());
            assert!((0..2).any(|port| links.across(a, Port(port)).node == b), "{name}: {a} to {b}");
            names.insert(ring.label(node).unwrap().to_owned());
        }
        assert_eq!(names.len() as u32, stored.nodes());
    }
}
