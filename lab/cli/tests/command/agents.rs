//! `suffrage cluster` and `suffrage node` with agents that meet by messages.

use crate::common::{Said, json, line, says};
use crate::node::{addresses, end, shared, start};
use serde_json::Value;
use std::time::Duration;

#[test]
fn agents_elect_over_every_transport() {
    for how in ["--transport channels", "--transport tcp", "--transport tls --processes"] {
        let report = json(&format!("cluster self-terminating --nodes 9 {how}"));
        assert_eq!((&report["leader"], &report["leaders"]), (&9.into(), &1.into()), "{how}");
        assert_eq!((&report["ended"], &report["halted"]), (&true.into(), &9.into()), "{how}");
        let declared = &report["declared"];
        assert_eq!((&declared["id"], &declared["right"]), (&9.into(), &true.into()), "{how}");
        assert!(declared["own_meetings"].as_u64() >= Some(25), "{how}");
        let (at, all) =
            (declared["meetings"].as_u64().unwrap(), report["meetings"].as_u64().unwrap());
        assert!(25 <= at && at <= all, "{how}");
        assert_eq!(report["simulated"]["declared_at"]["real"], at, "{how}");
        assert_eq!(report["simulated"]["trials"], 1000, "{how}");
        // Each meeting counts for two, unless the end came to the responder before the result did: an
        // agent waits for one result at most.
        let mean = report["meetings_per_agent"]["mean"].as_f64().unwrap();
        let of_all = (9.0 * mean).round() as u64;
        assert!((9.0 * mean - of_all as f64).abs() < 1e-9, "{how}");
        assert!((2 * all - 9..=2 * all).contains(&of_all), "{how}: {of_all} of {all}");
    }
}

#[test]
fn real_figures_stand_beside_simulated_ones() {
    let text = line("cluster self-terminating --nodes 5 --transport channels --initiators 1").out;
    says(
        &text,
        &[
            "self-terminating among 5 agents",
            "1 start, the others at their first meeting",
            "5, as all know",
            "correctly, by agent 5 at its meeting 25",
            "beside 1,000 simulated elections",
            "until declared",
            "quantile",
        ],
    );
    let text = line("cluster epidemic --nodes 5 --transport channels").out;
    says(&text, &["5, as all believe", "stopped from outside", "until all agreed"]);
    let text = line("cluster known-bounds --nodes 5 --transport channels").out;
    says(&text, &["5, as all know", "all have halted"]);
}

/// A follower that dies holds up no other; without its eventual leader an election never ends.
#[test]
fn the_dead_are_reported_and_hold_up_no_other() {
    for how in ["--transport tls", "--transport tcp"] {
        let words = format!("cluster self-terminating --nodes 9 --ids ascending {how}");
        let said = line(&format!("{words} --fault crash:2@0 --fault crash:3@20 --format json"));
        let report: Value = serde_json::from_str(&said.out).unwrap();
        // By chance an agent declares too early: seldom, and then the exit code says so.
        let early = report["declared"]["right"] == false;
        assert_eq!((said.code, said.err.as_str()), (i32::from(early), ""), "{how}");
        assert_eq!(report["died"], serde_json::json!([3, 4]), "{how}");
        assert_eq!((&report["leader"], &report["decided"]), (&9.into(), &7.into()), "{how}");
        assert_eq!((&report["ended"], &report["settled"]), (&false.into(), &true.into()), "{how}");
    }
    // After 0.4 s it has met others, and has seldom declared.
    let words = "cluster self-terminating --nodes 6 --ids ascending --timeout 3";
    let said = line(&format!("{words} --fault crash:5@40"));
    says(&said.out, &["1 agent: 6"]);
    if said.out.contains("never: no agent") {
        assert_eq!(said.code, 1, "{}", said.err);
        says(&said.err, &["gave up after 3 s"]);
        says(&said.out, &["6, as all believe", "0 of 5 have decided"]);
    }
    let said = line(&format!("{words} --processes --fault crash:5@40"));
    says(&said.err, &["node 6 has died"]);
    says(&said.out, &["1 agent: 6"]);
}

/// One agent starts a second after the others, which wait for it.
#[test]
fn an_agent_that_comes_late_takes_part() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(3);
    shared(folder.path(), "self-terminating", "complete", &addresses);
    let run = |id: &str| {
        let address = &addresses[id.parse::<usize>().unwrap() - 1];
        start(folder.path(), &["--id", id, "--listen", address, "--timeout", "30"])
    };
    let mut nodes = vec![run("1"), run("2")];
    std::thread::sleep(Duration::from_secs(1));
    nodes.push(run("3"));
    for node in nodes {
        let Said { code, out, err } = end(node);
        assert_eq!(code, 0, "{err}");
        let report: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((&report["leader"], &report["all_halted"]), (&3.into(), &true.into()));
        assert_eq!(report["leads"], report["id"] == 3);
        assert!(report["answered"].as_u64() > Some(0));
        assert_eq!(report["entries"], Value::Null, "without --steps");
    }
}

/// An agent that waits for one that never comes reports what it has seen.
#[test]
fn an_agent_that_gives_up_reports() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(2);
    shared(folder.path(), "epidemic", "complete", &addresses);
    let Said { code, out, err } = end(start(folder.path(), &["--timeout", "1"]));
    assert_eq!(code, 1, "{err}");
    says(&err, &["gave up after", "missing: node 2"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["leader"], &report["holds"]), (&Value::Null, &1.into()));
    assert_eq!((&report["initiated"], &report["halted"]), (&0.into(), &false.into()));
}
