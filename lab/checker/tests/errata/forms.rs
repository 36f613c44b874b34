//! Printed forms of the other algorithms, and the catalogue beside them.

use crate::search::{catalogued, everything, golden, shortest, smallest};
use suffrage_algorithms::printed::{DolevKlaweRodeh, EchoExtinction, SleepersDefend};
use suffrage_algorithms::{Algorithm, CATALOGUE, Property, complete, ring};
use suffrage_checker::{Arrangements, Family, Specification};

#[test]
fn humblet_elects_no_leader_where_sleepers_defend_themselves() {
    let found =
        smallest(&Specification::<SleepersDefend>::election(), 1, everything::<SleepersDefend>);
    let said = golden::<SleepersDefend>("humblet-sleepers-defend", &found);
    assert_eq!(said, (2, "exactly-one-leader".into(), 2));
}

#[test]
fn humblet_lets_two_nodes_of_three_reach_level_1() {
    let own = "at most n/(l+1) nodes reach level 1";
    let specification = Specification::<complete::Humblet>::these(&[]).always(own, |now| {
        let reached = now.processes().filter(|p| format!("{p:?}").contains("level: 1"));
        2 * reached.count() <= now.ids().len()
    });
    let found = smallest(&specification, 1, everything::<complete::Humblet>);
    let said = golden::<complete::Humblet>("humblet-level-1-twice", &found);
    assert_eq!(said, (3, own.into(), 6));
}

#[test]
fn dolev_klawe_rodeh_as_printed_goes_round_for_ever_alone() {
    let found =
        smallest(&Specification::<DolevKlaweRodeh>::election(), 1, everything::<DolevKlaweRodeh>);
    let said = golden::<DolevKlaweRodeh>("dolev-klawe-rodeh-alone", &found);
    assert_eq!(said, (1, "termination".into(), 3));
}

#[test]
fn dolev_klawe_rodeh_as_printed_leaves_the_winner_waiting() {
    let found =
        shortest(&Specification::<DolevKlaweRodeh>::election(), &everything::<DolevKlaweRodeh>(2));
    let found = found.expect("it deadlocks");
    let said = golden::<DolevKlaweRodeh>("dolev-klawe-rodeh", &found);
    assert_eq!(said, (2, "exactly-one-leader".into(), 6));
}

#[test]
fn dolev_klawe_rodeh_sends_8_messages_among_two() {
    let report = catalogued("dolev-klawe-rodeh", &[], &everything::<ring::DolevKlaweRodeh>(2));
    assert_eq!(report.costs.expect("everything is explored").messages.max, 8);
}

#[test]
fn echo_extinction_as_printed_elects_no_leader_alone() {
    let found =
        smallest(&Specification::<EchoExtinction>::election(), 1, everything::<EchoExtinction>);
    let said = golden::<EchoExtinction>("echo-extinction-alone", &found);
    assert_eq!(said, (1, "exactly-one-leader".into(), 1));
}

#[test]
fn echo_extinction_as_printed_tells_who_has_ended() {
    let row = Algorithm::named("echo-extinction").expect("a row");
    let found = shortest(
        &Specification::<EchoExtinction>::of(&row.claims),
        &everything::<EchoExtinction>(2),
    );
    let found = found.expect("the leader floods twice");
    let said = golden::<EchoExtinction>("echo-extinction", &found);
    assert_eq!(said, (2, "silent-ending".into(), 6));
}

#[test]
fn tokens_on_a_ring_leave_the_others_without_an_end() {
    let halted = [Property::EveryoneHalted];
    let found =
        smallest(&Specification::<ring::LeLann>::these(&halted), 1, everything::<ring::LeLann>);
    let said = golden::<ring::LeLann>("lelann-no-end", &found);
    assert_eq!(said, (2, "everyone-halted".into(), 3));
    let found = smallest(
        &Specification::<ring::ChangRoberts>::these(&halted),
        1,
        everything::<ring::ChangRoberts>,
    );
    let said = golden::<ring::ChangRoberts>("chang-roberts-no-end", &found);
    assert_eq!(said, (2, "everyone-halted".into(), 3));
}

/// The repaired forms on the same families and on all up to n = 3; docs/reference/verified.md has larger ones.
#[test]
fn the_catalogue_keeps_every_promise_in_networks_of_up_to_three() {
    for row in CATALOGUE {
        for nodes in 1..=3 {
            let family = Family::everything(row.network, nodes).expect("so few can be listed");
            assert_eq!(catalogued(row.name, &[], &family).failing, 0, "{} {nodes}", row.name);
        }
    }
    for name in ["humblet", "afek-gafni"] {
        let family = Family {
            arrangements: Arrangements::every_ports_of_complete(3),
            ..everything::<complete::Humblet>(3)
        };
        assert_eq!(catalogued(name, &[], &family).failing, 0, "{name}");
    }
}
