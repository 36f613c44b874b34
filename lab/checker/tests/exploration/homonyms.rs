//! Rings on which several processes have the same label.

use std::collections::BTreeSet;
use suffrage_algorithms::{Algorithm, Claimed, ring::LyndonWord};
use suffrage_checker::{
    Checker, Family, Instance, InvalidInstance, Orders, RandomInstances, Specification,
};
use suffrage_model::{Id, Multiplicity, NetworkClass};
use suffrage_networks::wiring::{Unsuited, Wiring};

const CLASS: NetworkClass = NetworkClass::HomonymRing;

/// Whether no rotation but the full one maps the labels to themselves.
fn is_asymmetric(labels: &[Id]) -> bool {
    let turned = |by: usize| [&labels[by..], &labels[..by]].concat();
    (1..labels.len()).all(|by| turned(by) != labels)
}

#[test]
fn there_are_as_many_asymmetric_labellings_as_the_encyclopedia_says() {
    // OEIS A060223.
    for (nodes, labellings) in [(1, 1), (2, 1), (3, 4), (4, 18), (5, 108), (6, 778)] {
        let family = Family::everything(CLASS, nodes).expect("few nodes");
        let sets = (1 << nodes) - 1;
        assert_eq!(family.len(), labellings * sets, "{nodes}");
        let mut seen = BTreeSet::new();
        for number in (0..family.len()).step_by(sets as usize) {
            let labels = family.get(number).ids;
            assert!(is_asymmetric(&labels), "{labels:?}");
            let turns = (0..labels.len()).map(|by| [&labels[by..], &labels[..by]].concat());
            assert!(turns.clone().all(|turned| !seen.contains(&turned)), "{labels:?}");
            seen.extend(turns);
        }
        // All words whose letters are the labels from 1 on, without a gap.
        let all = (0..u64::from(nodes).pow(nodes)).filter(|number| {
            let letter = |place| number / u64::from(nodes).pow(place) % u64::from(nodes) + 1;
            let labels: Vec<Id> = (0..nodes).map(|place| Id::new(letter(place))).collect();
            let used: BTreeSet<Id> = labels.iter().copied().collect();
            is_asymmetric(&labels) && used.last().map(|last| last.get()) == Some(used.len() as u64)
        });
        assert_eq!(all.count(), seen.len(), "{nodes}");
    }
    assert!(Orders::asymmetric_labels(9).is_err());
}

/// Processes may be told any upper bound on the multiplicity.
#[test]
fn a_bound_that_is_larger_than_the_multiplicity_is_as_good() {
    fn holds<const MORE: u32>(most: u32) {
        for nodes in 1..=most {
            let family = Family::everything(CLASS, nodes).expect("few nodes");
            let claims = LyndonWord::<MORE>::CLAIMS;
            let specification = Specification::<LyndonWord<MORE>>::of(&claims);
            let specification = specification.invariants(LyndonWord::<MORE>::invariants());
            let report = Checker::new(&specification, &family).run().expect("it fits");
            assert_eq!((report.failing, report.incomplete), (0, None), "{nodes}");
        }
    }
    holds::<0>(3);
    holds::<1>(3);
    holds::<2>(3);
}

#[test]
fn samples_have_labels_of_every_multiplicity() {
    let instances = RandomInstances::new(CLASS, 2..=8);
    let mut seen = BTreeSet::new();
    for number in 0..500 {
        let labels = instances.get(1, number).ids;
        assert!(is_asymmetric(&labels), "{labels:?}");
        seen.insert(Multiplicity::of(&mut labels.clone()));
    }
    assert!((1..=4).all(|most| seen.contains(&Multiplicity(most))), "{seen:?}");
}

#[test]
fn labels_that_a_rotation_maps_to_themselves_are_refused() {
    let row = Algorithm::named("lyndon-word").expect("a row");
    let labels = [1, 2, 1, 2].map(Id::new).to_vec();
    let family = Family::one(&Instance::new(Wiring::ring(4), labels));
    let why: InvalidInstance = Unsuited::Symmetric(2).into();
    assert_eq!(Checker::new(row, &family).run().unwrap_err(), why);
}
