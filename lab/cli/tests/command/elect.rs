//! `suffrage elect`: its reports are reproducible, and every algorithm runs.

use crate::common::{json, line, refused, says};
use serde_json::Value;

#[test]
fn the_same_command_says_the_same() {
    for words in [
        "elect humblet --nodes 200 --ports random --schedule uniform:10 --initiators 9",
        "elect --topology erdos-renyi:60:0.1 --schedule random --wake spread:40 --format json",
        "elect afek-gafni --nodes 40 --schedule pareto:1.5 --trials 9 --format json",
    ] {
        let (first, second) = (line(words), line(words));
        assert_eq!((first.code, &first.out), (0, &second.out), "{words}");
        let other = line(&format!("{words} --seed 2"));
        assert_ne!(first.out, other.out, "{words}");
    }
}

#[test]
fn threads_change_nothing() {
    let with = |threads: u32| {
        let said = line(&format!(
            "elect echo-extinction --topology regular:20:3 --schedule uniform:5 --trials 40 \
             --threads {threads} --format json"
        ));
        assert_eq!(said.code, 0);
        said.out
    };
    assert_eq!(with(1), with(2));
    assert_eq!(with(1), with(7));
}

#[test]
fn a_broken_property_is_named_and_can_be_seen_again() {
    for words in [
        "elect villadangos@published --nodes 6 --schedule random --trials 20",
        "elect humblet --nodes 60 --ports random --fault loss:0.2 --trials 5",
    ] {
        let said = line(&format!("{words} --format json"));
        assert_eq!(said.code, 1, "{words}");
        let summary: Value = serde_json::from_str(&said.out).unwrap();
        for failure in summary["failures"].as_array().unwrap().iter().take(4) {
            let command = failure["replay"].as_str().unwrap();
            let again = command.strip_prefix("suffrage ").unwrap();
            let said = line(&format!("{again} --format json"));
            assert_eq!(said.code, 1, "{again}");
            let report: Value = serde_json::from_str(&said.out).unwrap();
            assert_eq!(report["violations"], failure["violations"], "{again}");
            assert_eq!(report["replay"], failure["replay"]);
        }
    }
}

#[test]
fn every_algorithm_has_a_network_of_every_size() {
    let catalogue: Value = serde_json::from_str(&line("algorithms --format json").out).unwrap();
    for row in catalogue.as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        let conditions = match row["timing"].as_str().unwrap() {
            "rounds" => "--schedule rounds --initiators 1",
            // All processes start in the same round.
            "simultaneous rounds" => "--schedule rounds",
            _ => "--schedule synchronous --initiators 1",
        };
        let words = format!("elect {name} {conditions}");
        // A hypercube has a power of two of nodes.
        let third = if row["network"].as_str().unwrap().contains("hypercube") { 4 } else { 3 };
        for nodes in [1, 2, third, 16] {
            let report = json(&format!("{words} --nodes {nodes}"));
            assert_eq!(report["network"]["nodes"], nodes, "{name}");
            assert_eq!(report["agreed"], true, "{name} on {nodes}");
        }
        assert_eq!(json(&words)["network"]["nodes"], 16);
    }
}

#[test]
fn under_a_synchronizer_algorithms_in_rounds_need_no_rounds() {
    for name in ["flood-max", "least-element-lists", "random-referees", "time-slice"] {
        let rounds = json(&format!("elect {name} --nodes 12 --schedule rounds"));
        for schedule in ["random", "uniform:7", "newest"] {
            let alpha = json(&format!("elect {name}@alpha --nodes 12 --schedule {schedule}"));
            assert_eq!(alpha["leader"], rounds["leader"], "{name} {schedule}");
            let (of_alpha, of_rounds) = (&alpha["messages"], &rounds["messages"]);
            for phase in ["election", "announcement"] {
                assert_eq!(of_alpha[phase], of_rounds[phase], "{name} {schedule}");
            }
            assert_eq!(of_rounds["synchronizer"], Value::Null);
            let count = |key: &str| of_alpha[key].as_u64().unwrap();
            let counted = count("election") + count("announcement");
            assert_eq!(count("total"), counted + count("synchronizer"), "{name} {schedule}");
            assert_eq!(alpha["bound"]["ratio"], rounds["bound"]["ratio"], "{name} {schedule}");
        }
    }
    let why = refused("elect flood-max --nodes 4 --schedule random");
    says(&why, &["runs in rounds", "`flood-max@alpha` needs no rounds"]);
}

#[test]
fn a_hint_says_that_links_hold_too_little() {
    let hint = "echo-extinction needs links that hold max(n-1, 1) = 3 messages on 4 nodes";
    for words in [
        "elect echo-extinction --topology complete:4",
        "elect echo-extinction --topology complete:4 --trials 3",
        "elect echo-extinction --topology complete:4 --initiators nodes:0",
        "compare --algorithms echo-extinction --topology complete:4 --trials 2",
        "check echo-extinction --topology complete:4 --initiators nodes:0",
        "check echo-extinction --nodes 4 --sample 8",
        "cluster echo-extinction --topology complete:4 --transport channels --initiators nodes:0",
    ] {
        let hints = |capacity: u32| {
            let said = line(&format!("{words} --capacity {capacity}"));
            assert!(said.code < 2, "{words}: {}", said.err);
            said.err.replace('\n', " ").matches(hint).count()
        };
        assert_eq!((hints(2), hints(3)), (1, 0), "{words}");
    }
}
