use super::*;

fn twice_of<const N: usize>(numbers: [u64; N]) -> Option<u64> {
    twice(&numbers.map(Id::new)).map(Id::get)
}

#[test]
fn the_least_identity_that_two_have_is_found_near_and_far() {
    assert_eq!(twice_of([]), None);
    assert_eq!(twice_of([0]), None);
    assert_eq!(twice_of([5, 3, 127, 3, 5, 64, 5]), Some(3));
    assert_eq!(twice_of([5, 3, 127, 0, 4, 64, 63]), None);
    // The last that fits a word for each identity, and the first that does not.
    for far in [127, 128, u64::MAX] {
        assert_eq!(twice_of([far, far]), Some(far));
        assert_eq!(twice_of([far, far - 1]), None);
    }
}

#[test]
fn labels_are_symmetric_where_a_rotation_maps_them_to_themselves() {
    let by_definition = |labels: &[Id]| {
        (1..labels.len()).find(|&turn| {
            let (left, right) = labels.split_at(turn);
            labels == [right, left].concat()
        })
    };
    for nodes in 1..=8 {
        for number in 0..3_u64.pow(nodes) {
            let digit = |place| Id::new(number / 3_u64.pow(place) % 3);
            let labels: Vec<Id> = (0..nodes).map(digit).collect();
            assert_eq!(period(&labels), by_definition(&labels), "{labels:?}");
        }
    }
    assert_eq!(period(&[]), None);
}

#[test]
fn what_does_not_fit_is_said() {
    let ring = Wiring::ring(3);
    let suits = |network, ids: &[u64], capacity| {
        let ids: Vec<Id> = ids.iter().copied().map(Id::new).collect();
        ring.suits(network, &ids, capacity)
    };
    let fits = NetworkClass::OrientedRing;
    assert_eq!(suits(fits, &[1, 2, 3], None), Ok(()));
    assert_eq!(suits(fits, &[1, 2, 3], Some(1)), Ok(()));
    assert_eq!(
        suits(NetworkClass::Tree, &[1, 2, 3], None),
        Err(Unsuited::Network(NetworkClass::Tree))
    );
    assert_eq!(suits(fits, &[1, 2], None), Err(Unsuited::Ids { ids: 2, nodes: 3 }));
    assert_eq!(suits(fits, &[1, 2, 1], None), Err(Unsuited::SameId(Id::new(1))));
    let homonyms = NetworkClass::HomonymRing;
    assert_eq!(suits(homonyms, &[1, 2, 1], None), Ok(()));
    assert_eq!(suits(homonyms, &[1, 1, 1], None), Err(Unsuited::Symmetric(1)));
    assert_eq!(suits(fits, &[1, 2, 3], Some(0)), Err(Unsuited::NoRoom));
    assert_eq!(ring.has(2), Ok(()));
    assert_eq!(ring.has(3), Err(Unsuited::UnknownProcess { node: 3, nodes: 3 }));
}
