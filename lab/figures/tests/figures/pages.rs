//! Pages have everything in them, and are the same for the same run.

use serde_json::Value;
use suffrage_algorithms::{Algorithm, CATALOGUE};
use suffrage_figures::page::{PageError, RunPage};
use suffrage_figures::run::{Run, RunHeader, RunRecorder};
use suffrage_networks::{Ids, Ports, Spec};
use suffrage_simulator::Simulator;

fn recorded(algorithm: &Algorithm, network: Spec) -> Run {
    let topology = network.build(1).unwrap();
    let wiring = topology.fit(algorithm.network).unwrap().wire(Ports::Rotation, 1);
    let ids = Ids::Random.assign(wiring.nodes(), 1);
    let header = RunHeader::new(algorithm.name, wiring.clone(), ids.clone());
    let mut recorder = RunRecorder::new(Vec::new(), &header).unwrap();
    Simulator::new(algorithm, &wiring, &ids).observer(&mut recorder).run().unwrap();
    Run::read("a run", recorder.finish().unwrap().as_slice()).unwrap()
}

/// The run that is embedded in a page.
fn content(html: &str) -> Value {
    let (_, rest) = html.split_once("<script type=\"application/json\" id=\"run\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_refers_to_nothing_outside_of_it() {
    for algorithm in CATALOGUE {
        let run = recorded(algorithm, Spec::natural(algorithm.network, 8));
        let html = RunPage::of_run(&run, None).unwrap().html();
        let name = algorithm.name;
        for outside in
            ["http://", "https://", " src=", "@import", "url(", "fetch(", "import ", "{{", "}}<"]
        {
            assert!(!html.contains(outside), "{name}: {outside}");
        }
        // The policy forbids to load anything, whatever a run says.
        assert!(html.contains("default-src 'none'"), "{name}");
        assert_eq!(html.matches("<script").count(), 3, "{name}");
        assert_eq!(
            html,
            RunPage::of_run(&run, None).unwrap().html(),
            "{name}: the same run, the same bytes"
        );
    }
}

#[test]
fn a_page_has_every_message_and_every_state_of_its_run() {
    for algorithm in CATALOGUE {
        let name = algorithm.name;
        let run = recorded(algorithm, Spec::natural(algorithm.network, 8));
        let outcome = run.replay(None).unwrap().outcome;
        let page = content(&RunPage::of_run(&run, None).unwrap().html());
        let events = page["run"]["events"].as_array().unwrap();
        let messages = page["run"]["messages"].as_array().unwrap();
        assert_eq!(messages.len() as u64, outcome.messages.total(), "{name}");
        let states = page["run"]["states"].as_array().unwrap();
        let first = page["run"]["first"].as_array().unwrap();
        assert_eq!(first.len(), run.header.ids.len(), "{name}: a first state for each process");
        // What reaches a process that has halted changes nothing.
        for event in events.iter().filter(|event| event[3] != "discard") {
            let state = event[6].as_u64().unwrap_or_else(|| panic!("{name}: no state in {event}"));
            assert!(states[state as usize].as_str().unwrap().contains(" { "), "{name}");
        }
        for (number, message) in messages.iter().enumerate() {
            let (sent, ends) = (message[3].as_u64().unwrap(), message[4].as_u64().unwrap());
            assert!(sent < ends, "{name}: causes come first");
            assert_eq!(events[sent as usize][1], message[1], "{name}: it is sent by its sender");
            assert_eq!(events[ends as usize][1], message[2], "{name}: it reaches its receiver");
            assert_eq!(events[ends as usize][2], number, "{name}");
        }
        assert_eq!(
            page["run"]["chain"].as_array().unwrap().len() as u32,
            outcome.causal_depth,
            "{name}"
        );
        let bound = page["about"]["bound"]["messages"].as_u64().unwrap();
        if algorithm.claims.guarantee().is_sure() {
            assert!(outcome.messages.total() <= bound, "{name}");
        }
    }
}

#[test]
fn a_page_has_the_invariants_that_its_run_was_held_to() {
    for algorithm in CATALOGUE {
        let name = algorithm.name;
        let run = recorded(algorithm, Spec::natural(algorithm.network, 8));
        let page = content(&RunPage::of_run(&run, None).unwrap().html());
        let shown = page["about"]["invariants"].as_array().unwrap();
        let names: Vec<_> = shown.iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, algorithm.invariants(), "{name}");
        for one in shown {
            assert!(one["broken"].is_null(), "{name}: {one}");
            let says = one["says"].as_str().unwrap();
            assert!(says.len() > 10, "{name}: {one}");
        }
    }
    // Where messages may be lost, nothing is claimed.
    let mut run = recorded(&CATALOGUE[0], Spec::natural(CATALOGUE[0].network, 8));
    run.header.faults = vec!["loss:1.0".parse().unwrap()];
    run.actions.truncate(1);
    let page = content(&RunPage::of_run(&run, None).unwrap().html());
    assert_eq!(page["about"]["invariants"], serde_json::json!([]));
}

#[test]
fn a_page_tells_the_idea_in_two_sentences_and_who_wins() {
    for algorithm in CATALOGUE {
        let name = algorithm.name;
        let run = recorded(algorithm, Spec::natural(algorithm.network, 8));
        let page = content(&RunPage::of_run(&run, None).unwrap().html());
        let idea = page["about"]["idea"].as_str().unwrap();
        let (idea, wins) =
            idea.split_once(" Who wins: ").unwrap_or_else(|| panic!("{name}: {idea}"));
        assert_eq!(wins, format!("{}.", algorithm.claims.rule.words()), "{name}");
        assert_eq!(idea.matches(". ").count(), 1, "{name}: {idea}");
        assert!(idea.ends_with('.') && !idea.contains(['\n', '`']), "{name}: {idea}");
        let told: String = algorithm.header.idea.split_whitespace().collect();
        let shown: String = idea.split_whitespace().collect();
        assert!(told.replace('`', "").starts_with(&shown), "{name}: {idea}");
    }
}

#[test]
fn counts_in_a_page_have_separators_and_their_noun() {
    let algorithm = Algorithm::named("chang-roberts").unwrap();
    for (nodes, size, messages) in
        [(1, "1 node, 1 link", "after 2 messages"), (1200, "1,200 nodes, 1,200 links", ",")]
    {
        let run = recorded(algorithm, Spec::Ring { nodes });
        let page = content(&RunPage::of_run(&run, None).unwrap().html());
        let facts = page["about"]["facts"].as_array().unwrap();
        assert!(facts.iter().any(|fact| fact[1] == size), "{facts:?}");
        let outcome = page["about"]["outcome"].as_str().unwrap();
        assert!(outcome.contains(messages), "{outcome}");
    }
}

#[test]
fn nothing_in_a_run_ends_the_element_that_holds_it() {
    let algorithm = Algorithm::named("lelann").unwrap();
    let mut run = recorded(algorithm, Spec::Ring { nodes: 3 });
    run.header.network = "</script><script>alert(1)</script>{{script}}".to_owned();
    let html = RunPage::of_run(&run, None).unwrap().html();
    assert_eq!(html.matches("<script").count(), 3);
    assert!(content(&html)["run"]["title"].as_str().unwrap().contains("</script>"));
}

#[test]
fn what_is_too_large_is_refused() {
    let algorithm = Algorithm::named("chang-roberts").unwrap();
    let run = recorded(algorithm, Spec::Ring { nodes: 2001 });
    let refused = RunPage::of_run(&run, None).map(drop);
    assert!(matches!(refused, Err(PageError::TooMuch { processes: 2001, .. })), "{refused:?}");
}
