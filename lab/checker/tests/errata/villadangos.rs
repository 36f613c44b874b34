//! The two repairs of Villadangos and others' algorithm, alone and together.

use crate::{
    printed::Villadangos,
    search::{catalogued, count, everything, golden, shortest, smallest},
};
use suffrage_algorithms::{Property, complete};
use suffrage_checker::{Arrangements, Family, Specification, Wake};
use suffrage_model::{Id, Process};
use suffrage_networks::wiring::Wiring;

/// The form as printed has no announcement: its leader alone ends.
fn specification<P: Process>() -> Specification<'static, P> {
    Specification::these(&[
        Property::AtMostOneLeader,
        Property::IrrevocableStatus,
        Property::ExactlyOneLeader,
        Property::Termination,
        Property::PossibleMessages,
    ])
}

#[test]
fn as_published_three_nodes_deadlock() {
    let found = smallest(
        &specification::<complete::Villadangos<false>>(),
        2,
        everything::<Villadangos<false, false>>,
    );
    let said = golden::<complete::Villadangos<false>>("villadangos", &found);
    assert_eq!(said, (3, "exactly-one-leader".into(), 6));
}

#[test]
fn repair_a_alone_is_not_enough_for_three_nodes() {
    let found = smallest(
        &specification::<Villadangos<true, false>>(),
        2,
        everything::<Villadangos<true, false>>,
    );
    let said = golden::<Villadangos<true, false>>("villadangos-repair-a", &found);
    assert_eq!(said, (3, "exactly-one-leader".into(), 9));
}

#[test]
fn repair_b_alone_is_not_enough_for_three_nodes() {
    let found = smallest(
        &specification::<Villadangos<false, true>>(),
        2,
        everything::<Villadangos<false, true>>,
    );
    let said = golden::<Villadangos<false, true>>("villadangos-repair-b", &found);
    assert_eq!(said, (3, "exactly-one-leader".into(), 6));
}

/// How many instances deadlock at n = 2, 3, 4 and 5.
fn failing<P: Process>(family: impl Fn(u32) -> Family) -> [u64; 4] {
    [2, 3, 4, 5].map(|nodes| count(&specification::<P>(), &family(nodes)).failing)
}

/// How many pairs of a ring and a set of initiators deadlock. Processes know their places, so each pair
/// is explored with every rotation of the places: all of them deadlock, or none.
fn pairs<P: Process>(family: impl Fn(u32) -> Family) -> [u64; 4] {
    let failing = failing::<P>(family);
    let each = |(failing, nodes): (u64, u64)| {
        assert_eq!(failing % nodes, 0);
        failing / nodes
    };
    let mut by_size = failing.into_iter().zip(2..).map(each);
    [(); 4].map(|()| by_size.next().expect("four sizes"))
}

#[test]
fn so_many_pairs_of_a_ring_and_a_set_of_initiators_deadlock() {
    let at_start =
        |nodes| Family { wake: Wake::AtStart, ..everything::<complete::Villadangos>(nodes) };
    assert_eq!([2, 3, 4, 5].map(|nodes| at_start(nodes).len()), [3, 14, 90, 744]);
    let published = [0, 5, 54, 564];
    assert_eq!(pairs::<complete::Villadangos<false>>(at_start), published);
    assert_eq!(pairs::<Villadangos<false, true>>(at_start), published);
    assert_eq!(pairs::<Villadangos<true, false>>(at_start), [0, 1, 17, 243]);
    assert_eq!(pairs::<Villadangos<true, true>>(at_start), [0; 4]);
    assert_eq!(pairs::<complete::Villadangos>(at_start), [0; 4]);
}

#[test]
fn the_same_pairs_deadlock_where_initiators_wake_at_any_moment() {
    let any_time = everything::<complete::Villadangos>;
    assert_eq!(pairs::<complete::Villadangos<false>>(any_time), [0, 5, 54, 564]);
    assert_eq!(pairs::<Villadangos<false, true>>(any_time), [0, 5, 54, 564]);
    assert_eq!(pairs::<Villadangos<true, false>>(any_time), [0, 1, 17, 243]);
    assert_eq!(pairs::<Villadangos<true, true>>(any_time), [0; 4]);
}

#[test]
fn on_rings_sorted_downwards_repair_a_alone_is_enough() {
    let sorted = |wake| {
        move |nodes: u32| {
            let ids = (1..=nodes).rev().map(|id| Id::new(id.into())).collect();
            let arrangements = Arrangements::One(Wiring::complete(nodes), ids);
            Family { arrangements, wake, ..everything::<complete::Villadangos>(nodes) }
        }
    };
    let at_start = sorted(Wake::AtStart);
    assert_eq!(failing::<complete::Villadangos<false>>(&at_start), [0, 2, 8, 22]);
    assert_eq!(failing::<Villadangos<false, true>>(&at_start), [0, 2, 8, 22]);
    assert_eq!(failing::<Villadangos<true, false>>(&at_start), [0; 4]);
    let any_time = sorted(Wake::AnyTime);
    assert_eq!(failing::<Villadangos<true, false>>(&any_time), [0; 4]);
    assert_eq!(count(&specification::<Villadangos<true, false>>(), &any_time(6)).failing, 0);
}

#[test]
fn repaired_it_needs_neither_fifo_nor_room() {
    for nodes in 1..=4 {
        for capacity in [None, Some(1), Some(2)] {
            let family = Family { capacity, ..everything::<complete::Villadangos>(nodes) };
            assert_eq!(catalogued("villadangos", &[], &family).failing, 0);
            assert!(shortest(&specification::<complete::Villadangos>(), &family).is_none());
        }
    }
}
