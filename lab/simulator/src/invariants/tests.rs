use crate::{
    Experiment, Outcome, Schedule,
    run::{RunWatch, run},
};
use suffrage_algorithms::{Invariant, Property, ring::LeLann};
use suffrage_model::{Id, Process, Status};
use suffrage_networks::wiring::Wiring;

/// Runs an election in which five tokens go once around a ring of five, with a bound on their
/// number and an invariant that no process leads.
fn held_to(schedule: Schedule, capacity: Option<u32>, most: usize) -> Outcome {
    let few = Invariant::<LeLann>::new("few-tokens", move |now| {
        let tokens = now.messages().len();
        (tokens > most).then(|| format!("{tokens} tokens are under way"))
    });
    let no_leader = Invariant::<LeLann>::new("no-leader", |now| {
        let leads = now.nodes().find(|(_, node)| node.process.status() == Status::Leader);
        leads.map(|(node, _)| format!("{node} leads"))
    });
    let (wiring, ids) = (Wiring::ring(5), [3, 1, 4, 5, 2].map(Id::new));
    let experiment = Experiment { schedule, capacity, ..Experiment::new(&wiring, &ids) };
    let watch = RunWatch { invariants: true, ..RunWatch::default() };
    run(None, vec![few, no_leader], None, &experiment, watch).expect("it is possible")
}

fn broken(outcome: &Outcome) -> Vec<(&'static str, u64, &str)> {
    let monitor = outcome.violations.iter().filter_map(|breach| match breach.violation.property {
        Property::Invariant(name) => Some((name, breach.at, breach.violation.detail.as_str())),
        _ => None,
    });
    monitor.collect()
}

#[test]
fn a_broken_invariant_is_named_with_the_first_tick_at_which_it_breaks() {
    let outcome = held_to(Schedule::Synchronous, None, 5);
    assert_eq!(broken(&outcome), [("no-leader", 5, "1 leads")]);
    let outcome = held_to(Schedule::Synchronous, None, 4);
    let few = ("few-tokens", 0, "5 tokens are under way");
    assert_eq!(broken(&outcome), [few, ("no-leader", 5, "1 leads")]);
}

#[test]
fn messages_that_wait_for_room_are_under_way() {
    let outcome = held_to(Schedule::Newest, Some(1), 4);
    assert!(broken(&outcome).contains(&("few-tokens", 0, "5 tokens are under way")));
}
