use super::*;
use suffrage_model::Multiplicity;

fn numbers(ids: Ids, nodes: u32) -> Vec<u64> {
    ids.assign(nodes, 3).into_iter().map(Id::get).collect()
}

#[test]
fn layouts_are_what_their_names_say() {
    assert_eq!(numbers(Ids::Ascending, 4), [1, 2, 3, 4]);
    assert_eq!(numbers(Ids::Descending, 4), [4, 3, 2, 1]);
    assert_eq!(numbers(Ids::BitReversed, 8), [1, 5, 3, 7, 2, 6, 4, 8]);
    // 0 to 4 in three bits backwards: 0, 4, 2, 6, 1.
    assert_eq!(numbers(Ids::BitReversed, 5), [1, 4, 3, 5, 2]);
}

#[test]
fn every_layout_is_a_permutation() {
    for ids in Ids::ALL {
        for nodes in 1..70 {
            let mut all = numbers(ids, nodes);
            all.sort_unstable();
            assert!(all.into_iter().eq(1..=u64::from(nodes)), "{ids} on {nodes}");
        }
        assert_eq!(ids.to_string().parse::<Ids>().unwrap(), ids);
    }
    for by_chance in [Ids::Random, Ids::Scattered] {
        assert_ne!(by_chance.assign(50, 1), by_chance.assign(50, 2));
    }
}

#[test]
fn homonyms_are_as_many_as_asked_for_and_asymmetric() {
    for (nodes, most) in (1..40).flat_map(|nodes| (1..=nodes).map(move |most| (nodes, most))) {
        for seed in 0..4 {
            let ids = Ids::Homonyms(most).assign(nodes, seed);
            assert_eq!(period(&ids), None, "{ids:?}");
            let multiplicity = Multiplicity::of(&mut ids.clone()).0;
            assert!(multiplicity <= most, "{most} of {nodes}: {ids:?}");
            assert!(multiplicity > 1 || most == 1 || nodes < 3, "{most} of {nodes}: {ids:?}");
        }
    }
    assert_eq!("homonyms:3".parse::<Ids>().unwrap(), Ids::Homonyms(3));
    assert_eq!(Ids::Homonyms(3).to_string(), "homonyms:3");
    assert!(["homonyms", "homonyms:0", "homonyms:x"].iter().all(|no| no.parse::<Ids>().is_err()));
}

#[test]
fn an_unknown_layout_is_refused_with_the_known_ones() {
    let error = "sorted".parse::<Ids>().unwrap_err().to_string();
    assert!(error.contains("`sorted`") && error.contains("bit-reversed"), "{error}");
}
