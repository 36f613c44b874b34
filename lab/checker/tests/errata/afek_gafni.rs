//! Afek and Gafni's algorithm B: what is printed of it, its ending, and the room it needs.

use crate::search::{catalogued, count, everything, golden, shortest, smallest};
use suffrage_algorithms::printed::{DeadGivesUp, PseudoCode};
use suffrage_algorithms::{Algorithm, Claimed, Property, complete};
use suffrage_checker::{Arrangements, Family, InitiatorSets, Specification};
use suffrage_model::{Id, Process};
use suffrage_networks::wiring::{Adjacency, Wiring};

#[test]
fn two_are_elected_where_a_node_does_not_defend_itself() {
    let specification = Specification::<PseudoCode>::these(&[])
        .always("at most one elected", |now| now.processes().filter(|p| p.elected).count() <= 1);
    let found = smallest(&specification, 2, everything::<PseudoCode>);
    let said = golden::<PseudoCode>("afek-gafni-two-elected", &found);
    assert_eq!(said, (2, "at most one elected".into(), 6));
}

#[test]
fn identity_0_does_not_win() {
    // Identities from 0 on, and one initiator.
    let from_0 = |nodes: u32| {
        let Arrangements::Orders(wiring, _) = everything::<PseudoCode>(nodes).arrangements else {
            panic!("complete networks differ in their orders")
        };
        let ids = (0..nodes).map(|id| Id::new(id.into())).collect();
        let arrangements = Arrangements::One(wiring, ids);
        let initiators = InitiatorSets::These(vec![0]);
        Family { arrangements, initiators, ..everything::<PseudoCode>(nodes) }
    };
    let elected = "a leader is elected";
    let specification = || {
        Specification::<PseudoCode>::these(&[])
            .finally(elected, |end| end.processes().any(|p| p.elected))
    };
    let found = shortest(&specification(), &from_0(2)).expect("0 is not elected");
    let said = golden::<PseudoCode>("afek-gafni-identity-0", &found);
    assert_eq!(said, (2, elected.into(), 2));
    // In its place 1 is elected, and so is 0 by the repaired form.
    let from_1 =
        Family { initiators: InitiatorSets::These(vec![0]), ..everything::<PseudoCode>(2) };
    assert!(shortest(&specification(), &from_1).is_none());
    for nodes in 2..=4 {
        let report = catalogued("afek-gafni", &[], &from_0(nodes));
        assert_eq!((report.failing, report.winners), (0, [Id::new(0)].into()));
    }
}

/// A killed candidate sends its own pair back. The ordinary part has the same pair, and sends it to its
/// father, the candidate, which sends it back: without end.
#[test]
fn a_killed_candidate_and_an_ordinary_part_send_a_pair_to_and_fro_for_ever() {
    // Among three it ends where every message is delivered: no bound on messages holds.
    let bounded = [Property::MessageBound];
    let specification = || Specification::<PseudoCode>::these(&bounded).about(&PseudoCode::CLAIMS);
    assert!(shortest(&specification(), &everything::<PseudoCode>(2)).is_none());
    let ring_3_1_2 = |initiators| {
        let Arrangements::Orders(wiring, _) = everything::<PseudoCode>(3).arrangements else {
            panic!("complete networks differ in their orders")
        };
        let arrangements = Arrangements::One(wiring, [3, 1, 2].map(Id::new).into());
        let initiators = InitiatorSets::These(initiators);
        Family { arrangements, initiators, ..everything::<PseudoCode>(3) }
    };
    let found = shortest(&specification(), &ring_3_1_2(vec![0, 1])).expect("it goes on forever");
    let said = golden::<PseudoCode>("afek-gafni-for-ever", &found);
    assert_eq!(said.0, 3);
    assert_eq!(said.1, "termination");
    assert!(found.execution.loop_start.is_some());
}

#[test]
fn a_level_is_more_than_what_was_captured_where_one_serves_both_parts() {
    let own = "a level is what was captured";
    let specification = Specification::<PseudoCode>::these(&[])
        .always(own, |now| now.processes().all(|p| p.traversed == 0 || p.level == p.traversed));
    let found = smallest(&specification, 2, everything::<PseudoCode>);
    let said = golden::<PseudoCode>("afek-gafni-one-level", &found);
    assert_eq!(said, (4, own.into(), 7));
}

#[test]
fn a_candidate_is_killed_whose_own_node_was_never_captured() {
    let own = "the node of a killed candidate has an owner";
    let free = |p: &complete::AfekGafni| {
        let state = format!("{p:?}");
        state.contains("Killed") && state.contains("owned: None")
    };
    let specification = Specification::<complete::AfekGafni>::these(&[])
        .always(own, move |now| !now.processes().any(free));
    // With three nodes under no numbering of the ports, with four under this one: 1 captures 2, 3
    // captures 4 and arrives at 2.
    let every_ports = Family {
        arrangements: Arrangements::every_ports_of_complete(3),
        ..everything::<complete::AfekGafni>(3)
    };
    assert!(shortest(&specification, &every_ports).is_none());
    let lists = [vec![1, 2, 3], vec![0, 2, 3], vec![3, 1, 0], vec![2, 0, 1]];
    let wiring = Wiring::stored(Adjacency::new(&lists));
    let ids = (1..=4).map(Id::new).collect();
    let initiators = InitiatorSets::These(vec![0, 2]);
    let arrangements = Arrangements::One(wiring, ids);
    let four = Family { initiators, arrangements, ..everything::<complete::AfekGafni>(4) };
    let found = shortest(&specification, &four).expect("with four nodes");
    let said = golden::<complete::AfekGafni>("afek-gafni-killed-and-free", &found);
    assert_eq!(said, (4, own.into(), 8));
}

/// The bound is lost at n = 32; up to n = 4 the printed answer costs nothing yet.
#[test]
fn a_dead_candidate_that_gives_up_is_within_the_bound_of_small_networks() {
    let row = Algorithm::named("afek-gafni").expect("a row");
    for nodes in 1..=4 {
        let report = count(
            &Specification::<DeadGivesUp>::of(&row.claims),
            &everything::<DeadGivesUp>(nodes),
        );
        assert_eq!(report.failing, 0);
    }
}

#[test]
fn no_election_of_up_to_four_sends_more_than_4_n_ln_n() {
    for (nodes, most) in [(1, 0), (2, 3), (3, 9), (4, 15)] {
        let report = catalogued("afek-gafni", &[], &everything::<complete::AfekGafni>(nodes));
        let [election, announcement] = report.costs.expect("everything is explored").by_phase;
        assert_eq!((election.max, announcement.max), (most, 3 * u64::from(nodes - 1)));
        let n = f64::from(nodes);
        assert!(most as f64 <= 4.0 * n * n.ln());
    }
}

#[test]
fn a_message_reaches_a_process_that_has_ended() {
    let late = late::<complete::AfekGafni>();
    let said = golden::<complete::AfekGafni>("afek-gafni-late", &late);
    assert_eq!(said, (3, "silent-ending".into(), 12));
}

#[test]
fn a_message_reaches_a_process_that_has_ended_in_humblets_too() {
    let late = late::<complete::Humblet>();
    let said = golden::<complete::Humblet>("humblet-late", &late);
    assert_eq!(said, (3, "silent-ending".into(), 5));
}

/// The shortest execution on which something arrives after the end. The rows of these algorithms
/// allow it, so they are held to what the row of another says of this alone.
fn late<P: Process>() -> Box<suffrage_checker::Counterexample> {
    let silent = Algorithm::named("all-to-all").expect("a row");
    let specification = Specification::<P>::these(&[Property::SilentEnding]).about(&silent.claims);
    smallest(&specification, 1, everything::<P>)
}

#[test]
fn room_for_one_message_costs_nothing_and_changes_nothing() {
    for nodes in 1..=4 {
        let [unbounded, one, two] = [None, Some(1), Some(2)].map(|capacity| {
            let family = Family { capacity, ..everything::<complete::AfekGafni>(nodes) };
            let report = catalogued("afek-gafni", &[], &family);
            assert_eq!(report.failing, 0);
            let costs = report.costs.expect("everything is explored");
            let kinds: Vec<_> = costs.by_kind.iter().map(|(_, extremes)| *extremes).collect();
            (report.winners, costs.messages, kinds, costs.least_depth, costs.greatest_depth)
        });
        assert_eq!(one, unbounded);
        assert_eq!(two, unbounded);
    }
}
