use super::*;

/// The arrangements, in which all nodes initiate.
fn awake(arrangements: Arrangements) -> Family {
    let initiators = InitiatorSets::These((0..arrangements.nodes()).collect());
    let everything = Family::everything(NetworkClass::OrientedRing, 1).unwrap();
    Family { arrangements, initiators, ..everything }
}

/// The number of orders up to renamings of the nodes, with these initiators fixed.
fn orders(wiring: &Wiring, initiators: &[u32]) -> u64 {
    let initiators = InitiatorSets::These(initiators.to_vec());
    let arrangements = Arrangements::Orders(wiring.clone(), Orders::Every);
    Family { initiators, ..awake(arrangements) }.len()
}

#[test]
fn there_are_as_many_graphs_as_the_encyclopedia_says() {
    // OEIS A001187 and A000272: labelled connected graphs, labelled trees.
    let graphs = [1, 1, 4, 38, 728];
    let trees = [1, 1, 3, 16, 125];
    for nodes in 1..=5_u32 {
        let all = |network| {
            let family = awake(Arrangements::all(network, nodes).unwrap());
            let seen: BTreeSet<String> = (0..family.len())
                .map(|number| format!("{:?}", family.get(number).wiring))
                .collect();
            assert_eq!(seen.len() as u64, family.len(), "each once");
            family.len()
        };
        assert_eq!(all(NetworkClass::Connected), graphs[nodes as usize - 1]);
        assert_eq!(all(NetworkClass::Tree), trees[nodes as usize - 1]);
    }
}

#[test]
fn there_are_as_many_shapes_as_the_encyclopedia_says() {
    // OEIS A001349 and A000055: connected graphs, trees.
    for (nodes, graphs, trees) in
        [(1, 1, 1), (2, 1, 1), (3, 2, 1), (4, 6, 2), (5, 21, 3), (6, 112, 6)]
    {
        let shapes = |network| awake(Arrangements::shapes(network, nodes).unwrap()).len();
        assert_eq!(shapes(NetworkClass::Connected), graphs);
        assert_eq!(shapes(NetworkClass::Tree), trees);
    }
    assert_eq!(awake(Arrangements::shapes(NetworkClass::Tree, 7).unwrap()).len(), 11);
}

#[test]
fn every_set_of_initiators_comes_once() {
    let family = Family::everything(NetworkClass::OrientedRing, 4).unwrap();
    assert_eq!(family.len(), 6 * 15);
    let seen: BTreeSet<_> = (0..family.len())
        .map(|number| {
            let Instance { ids, initiators, .. } = family.get(number);
            assert_eq!(ids[0], Id::new(4));
            (ids, initiators)
        })
        .collect();
    assert_eq!(seen.len(), 90);
}

#[test]
fn orders_that_differ_by_an_automorphism_count_once() {
    // A path of three: its mirror image keeps the ports of the ends, and changes those of the
    // middle, so that all six orders differ.
    let path = Wiring::stored(Adjacency::new(&[vec![1], vec![0, 2], vec![1]]));
    assert_eq!(orders(&path, &[0, 1, 2]), 6);
    // Two nodes are alike.
    let two = Wiring::stored(Adjacency::new(&[vec![1], vec![0]]));
    assert_eq!(orders(&two, &[0, 1]), 1);
    assert_eq!(orders(&Wiring::ring(5), &[0, 1, 2, 3, 4]), 24);
    assert_eq!(orders(&Wiring::complete(5), &[0, 1, 2, 3, 4]), 24);
    assert_eq!(orders(&Wiring::hypercube(3), &[0, 1, 2, 3, 4, 5, 6, 7]), 5040);
}

#[test]
fn an_automorphism_that_moves_an_initiator_makes_no_orders_alike() {
    assert_eq!(orders(&Wiring::ring(5), &[0, 1]), 120);
    assert_eq!(orders(&Wiring::ring(4), &[0, 2]), 12, "half a turn keeps both");
    assert_eq!(orders(&Wiring::complete(3), &[0, 1]), 6);
    // Every port numbering of a complete network, and which identities initiate.
    let ports = Arrangements::every_ports_of_complete(3);
    for (initiators, ways) in [(vec![0], 3), (vec![1, 2], 3), (vec![0, 1, 2], 1)] {
        let initiators = InitiatorSets::These(initiators);
        assert_eq!(Family { initiators, ..awake(ports.clone()) }.len(), 8 * ways);
    }
    // Every graph of three nodes, and every node as the initiator.
    let graphs = Arrangements::all(NetworkClass::Connected, 3).unwrap();
    let family = Family { initiators: InitiatorSets::These(vec![2]), ..awake(graphs) };
    let seen: BTreeSet<u64> =
        (0..family.len()).map(|number| family.get(number).ids[2].get()).collect();
    assert_eq!((family.len(), seen), (4 * 3, BTreeSet::from([1, 2, 3])));
}

#[test]
fn each_class_of_orders_is_listed_once() {
    let paw = Adjacency::new(&[vec![1, 2], vec![0, 2], vec![0, 1, 3], vec![2]]);
    let square = vec![vec![1, 3], vec![0, 2], vec![1, 3], vec![0, 2]];
    let networks = [
        Arrangements::Orders(Wiring::ring(4), Orders::Every),
        Arrangements::Orders(Wiring::complete(4), Orders::Every),
        Arrangements::Orders(Wiring::hypercube(2), Orders::Every),
        Arrangements::Orders(Wiring::stored(paw), Orders::Every),
        Arrangements::Orders(Wiring::ring(4), Orders::asymmetric_labels(4).unwrap()),
        Arrangements::EveryPorts(square, Orders::Every),
        Arrangements::every_ports_of_complete(4),
        Arrangements::Trees(4),
        Arrangements::all(NetworkClass::Connected, 4).unwrap(),
    ];
    // The smallest of an instance under all numberings of its nodes.
    let class = |Instance { wiring, ids, initiators, .. }: Instance| {
        let renamed = |rank| {
            let to = permutation(4, rank);
            let mut nodes = vec![None; 4];
            for node in 0..4_u32 {
                let ends = (0..wiring.degree(node)).map(|port| {
                    let end = wiring.across(node, Port(port));
                    (to[end.node as usize], end.port.0)
                });
                let node = node as usize;
                let what = (ids[node], initiators.contains(&(node as u32)));
                nodes[usize::from(to[node])] = Some((what, ends.collect::<Vec<_>>()));
            }
            nodes
        };
        (0..24).map(renamed).min()
    };
    for arrangements in networks {
        for set in 1..16_u32 {
            let nodes = (0..4).filter(|node| set >> node & 1 == 1).collect();
            let initiators = InitiatorSets::These(nodes);
            let some = Family { initiators, ..awake(arrangements.clone()) };
            let every = some.told_apart(true);
            let classes = |family: &Family| -> BTreeSet<_> {
                let listing = family.listing();
                (0..listing.len()).map(|number| class(listing.get(number))).collect()
            };
            let (listed, all) = (classes(&some), classes(&every));
            assert_eq!(listed.len() as u64, some.len(), "each once: {arrangements:?}");
            assert_eq!(listed, all, "{arrangements:?}, {set:b}");
        }
    }
}

#[test]
fn random_port_numberings_are_numberings_of_the_same_network() {
    let ids = (1..=5).map(Id::new).collect();
    let of = Box::new(Arrangements::One(Wiring::complete(5), ids));
    let random = awake(Arrangements::RandomPorts { of, numberings: 50, seed: 9 });
    assert_eq!((random.len(), random.nodes()), (50, 5));
    let seen: BTreeSet<String> = (0..50)
        .map(|number| {
            let wiring = random.get(number).wiring;
            for node in 0..5 {
                let mut others: Vec<u32> =
                    (0..4).map(|port| wiring.across(node, Port(port)).node).collect();
                others.sort_unstable();
                assert!((0..5).filter(|&other| other != node).eq(others));
            }
            format!("{wiring:?}")
        })
        .collect();
    assert!(seen.len() > 45, "of 7,962,624 hardly one is drawn twice");
    assert_eq!(format!("{:?}", random.get(7).wiring), format!("{:?}", random.get(7).wiring));
}

#[test]
fn every_port_numbering_of_a_complete_network_comes_once() {
    let ports = awake(Arrangements::every_ports_of_complete(4));
    assert_eq!(ports.len(), 1296);
    let seen: BTreeSet<String> =
        (0..ports.len()).map(|number| format!("{:?}", ports.get(number).wiring)).collect();
    assert_eq!(seen.len(), 1296);
}
