//! Networks in the form that an algorithm wants.

use suffrage_model::NetworkClass::{
    self, Complete, Connected, Hypercube, Mesh, OrientedComplete, OrientedHypercube, OrientedRing,
    OrientedTorus, Ring, Torus, Tree,
};
use suffrage_model::{End, Port};
use suffrage_networks::random::Generator;
use suffrage_networks::wiring::{Adjacency, Wiring};
use suffrage_networks::{FileOptions, Note, Ports, Spec, Topology, read_from};

fn made(spec: &str) -> Topology {
    spec.parse::<Spec>().and_then(|spec| spec.build(3)).expect("a network")
}

fn read(text: &str) -> Topology {
    read_from(text.as_bytes(), "net.txt", FileOptions::default()).expect("a network")
}

#[test]
fn a_wiring_given_by_lists_fits_by_its_links_too() {
    let fits = |lists: &[Vec<u32>]| {
        let wiring = Wiring::stored(Adjacency::new(lists));
        let all = [Tree, Ring, OrientedRing, Complete, OrientedComplete];
        all.into_iter().filter(|&network| wiring.fits(network)).collect::<Vec<_>>()
    };
    assert_eq!(fits(&[vec![]]), [Tree, Complete, OrientedComplete]);
    assert_eq!(fits(&[vec![1], vec![0]]), [Tree, Complete, OrientedComplete]);
    // Port 0 leads around, but not from node i to node i + 1.
    assert_eq!(fits(&[vec![2, 1], vec![0, 2], vec![1, 0]]), [Ring, OrientedRing, Complete]);
    assert_eq!(fits(&[vec![2, 1], vec![2, 0], vec![1, 0]]), [Ring, Complete]);
    assert_eq!(fits(&[vec![1, 3], vec![2, 0], vec![1, 3], vec![0, 2]]), [Ring]);
    assert_eq!(fits(&[vec![1, 2], vec![0], vec![0]]), [Tree]);
}

#[test]
fn networks_fit_by_what_they_are_not_by_what_they_are_called() {
    let all: [(&str, &[NetworkClass]); 17] = [
        ("complete:1", &[Tree, Ring, Complete]),
        ("complete:2", &[Tree, Ring, Complete]),
        ("complete:3", &[Ring, Complete]),
        ("complete:4", &[Complete]),
        ("ring:1", &[Ring]),
        ("ring:2", &[Ring]),
        ("ring:3", &[Ring, Complete]),
        ("ring:4", &[Ring]),
        ("path:1", &[Tree, Ring, Complete]),
        ("path:2", &[Tree, Ring, Complete]),
        ("path:3", &[Tree]),
        ("star:5", &[Tree]),
        ("torus:1x5", &[Ring]),
        ("torus:2x2", &[Ring]),
        ("hypercube:2", &[Ring]),
        ("regular:5:4", &[Complete]),
        ("grid:3x3", &[]),
    ];
    for (spec, fitting) in all {
        for network in [Tree, Ring, Complete, Connected] {
            let expected = network == Connected || fitting.contains(&network);
            assert_eq!(made(spec).fits(network), expected, "{spec} as {network:?}");
            assert_eq!(made(spec).fit(network).is_ok(), expected);
        }
        assert_eq!(made(spec).fits(OrientedRing), made(spec).fits(Ring));
        assert_eq!(made(spec).fits(OrientedComplete), made(spec).fits(Complete));
    }
}

#[test]
fn a_ring_in_a_file_is_oriented_and_labels_follow() {
    let ring = read("c d\na c\nb d\ne b\na e\n").fit(OrientedRing).unwrap();
    // c is the first node; d, mentioned before a, is the smaller of its neighbours.
    let around: Vec<_> = (0..5).map(|node| ring.label(node).unwrap()).collect();
    assert_eq!(around, ["c", "d", "b", "e", "a"]);
    assert_eq!(ring.node_named("e"), Some(3));
    assert_eq!((ring.kind(), ring.links(), ring.source()), ("ring", 5, "net.txt"));
    assert_eq!(ring.notes().last(), Some(&Note::Oriented));
    let wiring = ring.wire(Ports::Rotation, 0);
    for node in 0..5 {
        assert_eq!(wiring.across(node, Port::NEXT).node, (node + 1) % 5);
    }
}

#[test]
fn every_ring_is_oriented_whatever_its_numbers_are() {
    for seed in 0..50 {
        let random = "regular:30:2".parse::<Spec>().unwrap().build(seed).unwrap();
        let wiring = random.wire(Ports::Rotation, 0);
        let mut text = String::new();
        for (node, port) in (0..30).flat_map(|node| [(node, Port(0)), (node, Port(1))]) {
            text += &format!("{node} {}\n", wiring.across(node, port).node);
        }
        let ring = read(&text).fit(Ring).unwrap();
        for node in 0..30 {
            let number = |node| ring.label(node).unwrap().parse::<u32>().unwrap();
            let (here, next) = (number(node), number((node + 1) % 30));
            let linked = [Port(0), Port(1)].map(|port| wiring.across(here, port).node);
            assert!(linked.contains(&next), "{here} and {next} are neighbours");
        }
    }
}

#[test]
fn one_and_two_nodes_are_rings() {
    for (text, nodes) in [("graph { only }", 1), ("graph { a -- b }", 2)] {
        let ring = read(text).fit(OrientedRing).unwrap();
        assert_eq!((ring.nodes(), ring.links(), ring.kind()), (nodes, u64::from(nodes), "ring"));
        assert_eq!(ring.degree(0), 2);
        assert!(ring.label(0).is_some());
    }
}

#[test]
fn a_complete_network_in_a_file_becomes_implicit() {
    let complete = read("a b\nb c\nc a\nd a\nd b\nc d\n").fit(Complete).unwrap();
    assert_eq!((complete.kind(), complete.nodes(), complete.links()), ("complete", 4, 6));
    assert_eq!(complete.label(3), Some("d"));
    assert_eq!(complete.wire(Ports::Random, 1).dense_links(), None, "nothing is stored");
}

#[test]
fn a_misfit_says_why() {
    let cases = [
        (
            made("grid:2x3"),
            Ring,
            "grid:2x3 is a grid of 6 nodes and 7 links; the algorithm wants a ring: node 1 has 3 links, every node of a ring has 2",
        ),
        (
            made("chordal:8:3"),
            Ring,
            "chordal:8:3 is a chordal ring of 8 nodes and 16 links; the algorithm wants a ring: node 0 has 4 links, every node of a ring has 2",
        ),
        (
            read("a b\nb c\nc d\n"),
            OrientedRing,
            "net.txt is a tree of 4 nodes and 3 links; the algorithm wants a ring: node 0 (a) has 1 link, every node of a ring has 2",
        ),
        (
            made("ring:5"),
            Tree,
            "ring:5 is a ring of 5 nodes and 5 links; the algorithm wants a tree: it has 5 links, a tree of 5 nodes has 4",
        ),
        (
            made("ring:1"),
            Tree,
            "ring:1 is a ring of 1 node and 1 link; the algorithm wants a tree: its node is linked to itself",
        ),
        (
            made("ring:2"),
            Complete,
            "ring:2 is a ring of 2 nodes and 2 links; the algorithm wants a complete network: its two nodes share two links",
        ),
        (made("erdos-renyi:2:1"), Connected, ""),
        (
            made("hypercube:3"),
            OrientedComplete,
            "hypercube:3 is a hypercube of 8 nodes and 12 links; the algorithm wants a complete network: it has 12 of the 28 links between 8 nodes",
        ),
    ];
    for (network, wanted, message) in cases {
        let said = network.fit(wanted).err().map(|misfit| misfit.to_string()).unwrap_or_default();
        assert_eq!(said, message);
    }
}

/// A file of these links, whose nodes have names in a random order of their own.
fn renamed(nodes: u32, links: &[(u32, u32)], seed: u64) -> Topology {
    let mut names: Vec<u32> = (0..nodes).collect();
    Generator::new(seed, "names").shuffle(&mut names);
    let line = |&(a, b): &(u32, u32)| format!("x{} x{}\n", names[a as usize], names[b as usize]);
    read(&links.iter().map(line).collect::<String>())
}

/// The words of this many bits, linked where they differ in one.
fn cube(dimension: u32) -> Vec<(u32, u32)> {
    let all = (0..1 << dimension).flat_map(|a| (0..dimension).map(move |bit| (a, a ^ 1 << bit)));
    all.filter(|(a, b)| a < b).collect()
}

#[test]
fn a_hypercube_in_a_file_gets_a_sense_of_direction_and_labels_follow() {
    for dimension in 1..=7 {
        for seed in 0..20 {
            let links = cube(dimension);
            let file = renamed(1 << dimension, &links, seed);
            assert!(file.fits(Hypercube) && file.fits(OrientedHypercube), "{dimension}, {seed}");
            let neighbours = |of: &Topology, node: u32| {
                let wiring = of.wire(Ports::Rotation, 0);
                let ports = (0..wiring.degree(node)).map(Port);
                let mut all: Vec<String> = ports
                    .map(|port| of.label(wiring.across(node, port).node).unwrap().to_owned())
                    .collect();
                all.sort_unstable();
                all
            };
            let fitted = file.clone().fit(OrientedHypercube).unwrap();
            assert_eq!((fitted.kind(), fitted.links()), ("hypercube", links.len() as u64));
            let wiring = fitted.wire(Ports::Rotation, 0);
            assert!(wiring.fits(OrientedHypercube) && wiring.fits(Hypercube));
            for node in 0..wiring.nodes() {
                for port in (0..dimension).map(Port) {
                    assert_eq!(wiring.across(node, port), End { node: node ^ 1 << port.0, port });
                }
                let before = file.node_named(fitted.label(node).unwrap()).unwrap();
                assert_eq!(neighbours(&fitted, node), neighbours(&file, before));
            }
            // Any other numbering of ports hides the direction.
            let hidden = fitted.wire(Ports::Random, seed);
            assert!(hidden.fits(Hypercube), "{dimension}, {seed}");
            assert!(dimension < 3 || !hidden.fits(OrientedHypercube), "{dimension}, {seed}");
        }
    }
}

#[test]
fn the_smallest_networks_are_hypercubes_too() {
    for spec in ["complete:1", "complete:2", "path:2", "ring:4", "hypercube:0", "torus:2x2"] {
        let fitted = made(spec).fit(OrientedHypercube).unwrap();
        assert!(fitted.wire(Ports::Rotation, 0).fits(OrientedHypercube), "{spec}");
        assert!(made(spec).wire(Ports::Rotation, 0).fits(Hypercube), "{spec}");
    }
    assert!(!Wiring::ring(4).fits(OrientedHypercube), "its ports lead around");
    assert!(!Wiring::ring(2).fits(Hypercube) && !made("ring:2").fits(Hypercube), "a double link");
    // The words are 0, 1, 3 and 2 around the ring, and forward is the smaller neighbour of node 0.
    let around = made("hypercube:2").fit(OrientedHypercube).unwrap().fit(OrientedRing).unwrap();
    assert_eq!((around.kind(), around.links()), ("ring", 4));
}

#[test]
fn what_is_no_hypercube_is_refused_in_one_sentence() {
    let refused = |topology: Topology| topology.fit(OrientedHypercube).unwrap_err().to_string();
    assert_eq!(
        refused(made("grid:3x4")),
        "grid:3x4 is a grid of 12 nodes and 17 links; the algorithm wants a hypercube: it has 12 \
         nodes, a hypercube has a power of two"
    );
    assert_eq!(
        refused(made("ring:8")),
        "ring:8 is a ring of 8 nodes and 8 links; the algorithm wants a hypercube: node 0 has 2 \
         links, every node of a hypercube of 8 has 3"
    );
    // Wagner's graph: a ring of eight with a link between opposite nodes.
    let wagner: Vec<_> =
        (0..8).map(|i| (i, (i + 1) % 8)).chain((0..4).map(|i| (i, i + 4))).collect();
    let why = "no words of bits name its nodes so that each link flips one";
    for seed in 0..10 {
        assert!(refused(renamed(8, &wagner, seed)).ends_with(why));
        // Two links of a hypercube that change ends, so that all degrees stay.
        let mut links = cube(5);
        links.retain(|link| ![(0, 1), (14, 15)].contains(link));
        links.extend([(0, 15), (1, 14)]);
        assert!(refused(renamed(32, &links, seed)).ends_with(why));
    }
}

/// The links of rows and columns. They may be closed to rings, the rows with a shift.
fn lattice(rows: u32, columns: u32, closed: bool, shift: u32) -> Vec<(u32, u32)> {
    let at = |row: u32, column: u32| row % rows * columns + column % columns;
    let nodes = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
    let mut links = Vec::new();
    for (i, j) in nodes {
        if j + 1 < columns {
            links.push((at(i, j), at(i, j + 1)));
        } else if closed {
            links.push((at(i, j), at(i + shift, 0)));
        }
        if i + 1 < rows || closed {
            links.push((at(i, j), at(i + 1, j)));
        }
    }
    links
}

#[test]
fn meshes_and_tori_in_files_are_recognized_whatever_their_nodes_are_called() {
    for (rows, columns) in [(2, 2), (2, 5), (3, 3), (3, 4), (4, 4), (4, 7), (5, 5), (9, 6)] {
        for seed in 0..20 {
            let mesh = renamed(rows * columns, &lattice(rows, columns, false, 0), seed);
            assert!(mesh.fits(Mesh) && !mesh.fits(Torus), "{rows} x {columns}, {seed}");
            assert!(mesh.wire(Ports::Random, seed).fits(Mesh));
            assert_eq!(mesh.clone().fit(Mesh).unwrap().notes(), mesh.notes());
            if rows < 3 {
                continue;
            }
            let links = lattice(rows, columns, true, 0);
            let torus = renamed(rows * columns, &links, seed);
            assert!(torus.fits(Torus) && !torus.fits(Mesh), "{rows} x {columns}, {seed}");
            assert!(torus.wire(Ports::Random, seed).fits(Torus));
            let fitted = torus.clone().fit(OrientedTorus).unwrap();
            assert_eq!((fitted.kind(), fitted.links()), ("torus", links.len() as u64));
            let wiring = fitted.wire(Ports::Rotation, 0);
            assert!(wiring.fits(OrientedTorus) && wiring.fits(Torus));
            assert!(!fitted.wire(Ports::Random, seed).fits(OrientedTorus));
            // Labels follow: who was linked is linked.
            for node in 0..wiring.nodes() {
                let before = torus.node_named(fitted.label(node).unwrap()).unwrap();
                let names = |of: &Topology, node: u32| {
                    let wiring = of.wire(Ports::Rotation, 0);
                    let name = |port| of.label(wiring.across(node, Port(port)).node).unwrap();
                    let mut names: Vec<String> = (0..4).map(|port| name(port).to_owned()).collect();
                    names.sort_unstable();
                    names
                };
                assert_eq!(names(&fitted, node), names(&torus, before));
            }
        }
    }
}

#[test]
fn networks_like_meshes_and_tori_are_refused() {
    let refused =
        |topology: Topology, class: NetworkClass| topology.fit(class).unwrap_err().to_string();
    let no_torus = "its nodes cannot be put in three or more rows and columns that its links close \
                    to rings";
    for seed in 0..10 {
        // Each row goes on in the next one: one ring with chords.
        let twisted = renamed(35, &lattice(5, 7, true, 1), seed);
        assert!(refused(twisted, Torus).ends_with(no_torus));
        let mut bent = lattice(5, 5, true, 0);
        bent.retain(|link| ![(0, 1), (12, 13)].contains(link));
        bent.extend([(0, 13), (1, 12)]);
        assert!(refused(renamed(25, &bent, seed), Torus).ends_with(no_torus));
        let mut torn = lattice(4, 5, false, 0);
        torn.retain(|link| *link != (6, 7));
        assert!(!renamed(20, &torn, seed).fits(Mesh));
    }
    assert_eq!(
        refused(made("grid:4x4"), Torus),
        "grid:4x4 is a grid of 16 nodes and 24 links; the algorithm wants a torus: node 0 has 2 \
         links, every node of a torus has 4"
    );
    assert_eq!(
        refused(made("path:5"), Mesh),
        "path:5 is a path of 5 nodes and 4 links; the algorithm wants a mesh: its nodes cannot be \
         put in two or more rows and columns that have its links"
    );
    // Four rows and columns are the words of four bits; two are a ring.
    assert!(made("torus:4x4").fits(Hypercube) && made("hypercube:4").fits(OrientedTorus));
    let there_and_back = made("torus:4x4").fit(OrientedTorus).unwrap().fit(OrientedHypercube);
    assert!(there_and_back.unwrap().fit(OrientedTorus).is_ok());
    assert!(
        made("hypercube:2").fits(Mesh) && made("ring:4").fits(Mesh) && !made("ring:4").fits(Torus)
    );
    assert!(!made("torus:1x5").fits(Torus) && !made("torus:2x5").fits(Torus));
    assert!(Wiring::ring(4).fits(Mesh) && !Wiring::complete(4).fits(Mesh));
}
