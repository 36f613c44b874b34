//! Executions of members that an explorer finds, as pages.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::ops::ControlFlow;
use suffrage::diagram::TenureDiagram;
use suffrage::page::RunPage;
use suffrage::tenure::exploration::{Budget, Explorer};
use suffrage::tenure::model::{Memory, Peer, Recoverable, Term};
use suffrage::tenure::protocol::ballot_election::BallotElection;
use suffrage::tenure::protocol::bully::{Bully, Msg};
use suffrage::tenure::simulation::{ClusterEvent, Nanos, SimulationWatch};

fn content(diagram: TenureDiagram) -> Value {
    let page = RunPage::of_steps(diagram, "an execution".to_owned()).unwrap();
    serde_json::from_str(&page.content()).unwrap()
}

/// The steps of the first execution that breaks a promise, in words, and the content of its page.
fn explored<P: Recoverable>(threads: usize) -> (Vec<String>, Value) {
    let mut diagram = TenureDiagram::of_steps(3);
    let explorer = Explorer::<P>::new(3).budget(Budget { rings: 4, ..Budget::default() });
    let explorer = explorer.threads(NonZero::new(threads).unwrap());
    let report = explorer.run_showing(&mut |_| ControlFlow::Continue(()), &mut diagram);
    (report.violation.unwrap().execution, content(diagram))
}

fn holds_every_step<P: Recoverable>() {
    let (execution, page) = explored::<P>(1);
    assert_eq!(explored::<P>(2), (execution.clone(), page.clone()), "threads decide nothing");
    let run = &page["run"];
    let (events, messages) = (run["events"].as_array().unwrap(), &run["messages"]);
    let words = |number: usize| events[number][4].as_str().unwrap();
    assert_eq!(run["clock"], "step");
    // All members come up in step 1, and each further step is one of the execution.
    assert!((0..3).all(|one| events[one][0] == 1.0 && words(one).contains("starts")));
    let steps: BTreeSet<_> =
        events.iter().map(|event| event[0].as_f64().unwrap() as usize).collect();
    assert_eq!(steps, (1..=execution.len() + 1).collect());
    for (step, said) in (2..).zip(&execution) {
        let event = events.iter().position(|event| event[0] == f64::from(step)).unwrap();
        let is_of = format!("participant {}", events[event][1]);
        assert!(said.starts_with(&is_of), "{said}: {}", events[event]);
        // An arrow begins where its message is sent.
        let arrives = said.contains(" gets ");
        let message = events[event][2].as_u64().filter(|_| arrives);
        assert_eq!(message.is_some(), arrives, "{said}");
        if let Some(message) = message {
            let message = &messages[message as usize];
            let sent = message[3].as_u64().unwrap() as usize;
            assert!(sent < event && words(sent).contains("sends"), "{}", words(sent));
            assert_eq!(events[sent][1], message[1]);
        }
    }
    // In the end there are two, or one whose term is old.
    let last = words(events.len() - 1);
    assert!(last.contains("holds office 0 at term"), "{last}");
    // Every state is shown that a step has left.
    assert!(events.iter().all(|event| event[6].as_i64() >= Some(0)));
}

#[test]
fn a_page_has_every_step_of_an_execution() {
    holds_every_step::<Bully>();
    holds_every_step::<BallotElection>();
}

#[test]
fn a_message_that_arrives_again_was_sent_once() {
    let mut diagram = TenureDiagram::of_steps(2);
    let (one, other, asks) = (Peer(0), Peer(1), Msg::AreYouNormal(Term(3)));
    let events: [ClusterEvent<'_, Bully>; 7] = [
        ClusterEvent::Start(one, Memory::New),
        ClusterEvent::Send(one, other, &asks),
        ClusterEvent::Start(other, Memory::Kept),
        ClusterEvent::Receive(one, other, &asks),
        ClusterEvent::Receive(one, other, &asks),
        ClusterEvent::Send(one, other, &asks),
        ClusterEvent::Lose(one, other, &asks),
    ];
    for (step, event) in [1, 1, 2, 3, 4, 4, 5].into_iter().zip(events) {
        SimulationWatch::event(&mut diagram, Nanos(step), event);
    }
    let record = BTreeMap::new();
    SimulationWatch::<Bully>::state(&mut diagram, Nanos(5), other, None, &record);
    let page = content(diagram);
    let (messages, events) = (&page["run"]["messages"], &page["run"]["events"]);
    let ends: Vec<_> = (0..3).map(|number| &messages[number]).collect();
    // Its kind, from, to, the events in which it is sent and ends, and whether it is lost or a copy.
    for (message, is) in
        ends.iter().zip([[0, 0, 1, 0, 2, 0], [0, 0, 1, 0, 3, 2], [0, 0, 1, 3, 4, 1]])
    {
        assert_eq!(
            message.as_array().unwrap()[..6],
            json!(is).as_array().unwrap()[..],
            "{message}"
        );
    }
    assert_eq!(
        events[3][4],
        "p1 gets are-you-normal(3) of step 1, again · sends are-you-normal(3) to p1"
    );
    assert_eq!(events[4][4], "are-you-normal(3) of step 4 to p1 is lost");
    assert_eq!(page["about"]["outcome"], "5 steps, 2 messages");
    assert_eq!(page["run"]["states"], json!(["Member { record: nothing }"]));
}
