//! What the algorithms need of their links: how much room, and whether in the order of sending.

use crate::search::{catalogued, count, everything, golden, smallest};
use std::ops::RangeInclusive;
use suffrage_algorithms::{Algorithm, Property, complete, graph::EchoExtinction};
use suffrage_checker::{Arrangements, Family, FaultBudget, InitiatorSets, Specification};

fn echo(nodes: u32, capacity: u32) -> Family {
    Family { capacity: Some(capacity), ..everything::<EchoExtinction>(nodes) }
}

#[test]
fn echo_extinction_deadlocks_on_a_triangle_with_room_for_one_message() {
    let found = smallest(&Specification::<EchoExtinction>::election(), 1, |nodes| echo(nodes, 1));
    let said = golden::<EchoExtinction>("echo-extinction-capacity-1", &found);
    assert_eq!(said, (3, "exactly-one-leader".into(), 7));
}

#[test]
fn echo_extinction_needs_room_for_n_minus_1_messages() {
    let row = Algorithm::named("echo-extinction").expect("a row");
    let deadlocks = |capacity, initiators: Vec<u32>, nodes| {
        let initiators = InitiatorSets::These(initiators);
        let family = Family { initiators, ..echo(nodes, capacity) };
        count(&Specification::<EchoExtinction>::of(&row.claims), &family).failing
    };
    // By the number of initiators: how many of the labelled graphs and sets deadlock.
    let failing = |nodes: u32, capacity, of: RangeInclusive<u32>| {
        // A family has every place of its initiators.
        let mut by_initiators = vec![0; nodes as usize];
        for many in of {
            by_initiators[many as usize - 1] = deadlocks(capacity, (0..many).collect(), nodes);
        }
        by_initiators
    };
    assert_eq!(failing(3, 1, 1..=3), [0, 0, 1]);
    assert_eq!(failing(3, 2, 1..=3), [0, 0, 0]);
    assert_eq!(failing(4, 1, 1..=4), [0, 42, 80, 27]);
    // A process that waits has sent the tokens of more waves than there is room for.
    assert_eq!(failing(4, 2, 3..=4), [0, 0, 0, 7]);
    assert_eq!(failing(4, 3, 4..=4), [0, 0, 0, 0]);
}

#[test]
fn echo_extinction_on_a_complete_graph_costs_what_its_waves_can() {
    for n in 2..=4 {
        let report = catalogued("echo-extinction", &[], &everything::<EchoExtinction>(n));
        let [election, announcement] = report.costs.expect("everything is explored").by_phase;
        let n = u64::from(n);
        assert_eq!(election.max, (n - 1) * (n * n + 2) / 2);
        assert_eq!(announcement.max, n * (n - 1));
    }
}

/// Every promise but a silent ending: without FIFO, is there still one leader, and does
/// everything come to its end?
const ELECTS: [Property; 9] = [
    Property::AtMostOneLeader,
    Property::IrrevocableStatus,
    Property::ExactlyOneLeader,
    Property::Agreement,
    Property::EveryoneHalted,
    Property::Termination,
    Property::PossibleMessages,
    Property::WinnerByRule,
    Property::MessageBound,
];

fn without_fifo(family: Family) -> Family {
    Family { faults: FaultBudget { no_fifo: true, ..FaultBudget::default() }, ..family }
}

#[test]
fn humblet_needs_fifo_from_three_nodes_on() {
    let ports = |nodes| {
        without_fifo(Family {
            arrangements: Arrangements::every_ports_of_complete(nodes),
            ..everything::<complete::Humblet>(nodes)
        })
    };
    let found = smallest(&Specification::<complete::Humblet>::these(&ELECTS), 1, ports);
    let said = golden::<complete::Humblet>("humblet-without-fifo", &found);
    assert_eq!(said, (3, "possible-messages".into(), 6));
    // Where port p of node i leads to node i + p + 1, from four on.
    let rotation = |nodes| without_fifo(everything::<complete::Humblet>(nodes));
    let found = smallest(&Specification::<complete::Humblet>::these(&ELECTS), 1, rotation);
    assert_eq!(found.execution.instance.wiring.nodes(), 4);
}

#[test]
fn some_elect_without_fifo_and_some_need_it_from_two_nodes_on() {
    for (name, needs) in [
        ("all-to-all", false),
        ("afek-gafni", false),
        ("villadangos", false),
        ("lelann", true),
        ("chang-roberts", true),
        ("dolev-klawe-rodeh", true),
        ("ring-extinction", true),
        ("tree-wave", true),
        ("tree-extinction", true),
        ("echo-extinction", true),
        ("depth-first-extinction", true),
    ] {
        let row = Algorithm::named(name).expect("a name of the catalogue");
        let family = |nodes| Family::everything(row.network, nodes).expect("few");
        let breaks = |nodes| catalogued(name, &ELECTS, &without_fifo(family(nodes))).failing > 0;
        assert!(!breaks(1), "{name}");
        assert_eq!(breaks(2), needs, "{name}");
        assert!(needs || !breaks(3) && !breaks(4), "{name}");
    }
}
