//! A trace contains everything that is needed to repeat an election.

use crate::common::{Said, suffrage_in};
use serde_json::Value;
use std::path::Path;

fn elect(folder: &Path, words: &str) -> Said {
    suffrage_in(folder, format!("elect {words} --format json").split(' '))
}

fn without_schedule(said: &Said) -> Value {
    let mut report: Value = serde_json::from_str(&said.out).unwrap();
    let keys = report.as_object_mut().unwrap();
    for key in ["command", "specification", "schedule", "initiators", "replay"] {
        keys.remove(key);
    }
    report
}

#[test]
fn every_schedule_can_be_replayed() {
    let folder = tempfile::tempdir().unwrap();
    for schedule in [
        "synchronous",
        "uniform:7",
        "exponential:3",
        "pareto:1.2",
        "per-link:5",
        "random",
        "newest",
        "oldest",
    ] {
        for setting in [
            "humblet --nodes 20 --ports random --wake spread:9",
            "echo-extinction --topology torus:3x4 --initiators 5",
            "dolev-klawe-rodeh --nodes 15 --ids bit-reversed",
            "villadangos@published --nodes 6",
            "afek-gafni --nodes 9 --capacity 1",
            "tree-wave --nodes 12 --fault crash:3@6 --fault crash:5@0",
            "humblet --nodes 12 --fault loss:0.1 --fault duplicate:0.1 --seed 4",
        ] {
            let words = format!("{setting} --schedule {schedule} --trace t.jsonl");
            let first = elect(folder.path(), &words);
            let kept = setting.replace(" --wake spread:9", "").replace(" --initiators 5", "");
            let again = elect(folder.path(), &format!("{kept} --schedule replay:t.jsonl"));
            assert!(first.code < 2, "{words}: {}", first.err);
            assert_eq!((again.code, again.err.as_str()), (first.code, ""), "{words}");
            assert_eq!(without_schedule(&again), without_schedule(&first), "{words}");
        }
    }
}

#[test]
fn a_trace_says_what_it_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let words = "lelann --nodes 3 --seed 9 --trace t.jsonl";
    assert_eq!(elect(folder.path(), words).code, 0);
    let trace = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    let header: Value = serde_json::from_str(trace.lines().next().unwrap()).unwrap();
    assert_eq!(header["suffrage-run"], 1);
    assert_eq!(header["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(header["command"], "suffrage elect lelann --topology ring:3 --seed 9");
    for key in [
        "algorithm",
        "network",
        "seed",
        "schedule",
        "ids",
        "ports",
        "initiators",
        "capacity",
        "faults",
    ] {
        assert!(header.get(key).is_some(), "{key}");
    }
    for line in trace.lines().skip(1) {
        let event: Value = serde_json::from_str(line).unwrap();
        assert!(event["event"].is_string());
    }
    // No other file is left in the folder.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}
