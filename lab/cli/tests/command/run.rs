//! Runs from files are replayed step by step, drawn, and judged.

use crate::common::{says, suffrage_in};
use serde_json::{Value, json};
use std::path::Path;

/// A header and events.
#[derive(Clone)]
struct Run(Value, Vec<Value>);

impl Run {
    fn text(&self) -> String {
        [&self.0].into_iter().chain(&self.1).map(|line| format!("{line}\n")).collect()
    }
}

fn deadlock() -> Run {
    let path = "tests/transcripts/replay.in/deadlock.jsonl";
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    Run(lines.next().unwrap(), lines.collect())
}

fn ring_of_two(steps: Value) -> Run {
    let mut header = deadlock().0;
    header["algorithm"] = json!("chang-roberts");
    header["breaks"] = json!(null);
    header["nodes"] = json!(2);
    header["links"] = json!(2);
    header["ports"] = json!({"ring": {"nodes": 2}});
    header["ids"] = json!([1, 2]);
    header["faults"] = json!(["loss:1", "duplicate:1", "crash:1"]);
    Run(header, events(steps))
}

/// Events from pairs such as `["wake", 0]` and `["deliver", [1, 1]]`.
fn events(steps: Value) -> Vec<Value> {
    let event = |(at, step): (usize, &Value)| {
        let place = if step[1].is_array() { "to" } else { "node" };
        json!({"at": at + 1, "event": step[0], place: step[1], "on_link": true})
    };
    steps.as_array().unwrap().iter().enumerate().map(event).collect()
}

#[test]
fn a_file_that_is_cut_between_lines_has_not_passed() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    assert_eq!(run("elect lelann --nodes 3 --trace t.jsonl").code, 0);
    assert_eq!(run("replay t.jsonl").code, 0);
    let whole = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    let lines: Vec<_> = whole.lines().take(8).collect();
    std::fs::write(folder.path().join("cut.jsonl"), lines.join("\n") + "\n").unwrap();
    for words in ["replay cut.jsonl", "elect lelann --nodes 3 --schedule replay:cut.jsonl"] {
        let said = run(words);
        assert_eq!((said.code, said.err.as_str()), (1, ""), "{words}: {}", said.out);
    }
}

#[test]
fn every_event_of_a_replay_is_a_run_again() {
    let folder = tempfile::tempdir().unwrap();
    let steps = json!([
        ["wake", 0],
        ["duplicate", [1, 1]],
        ["deliver", [1, 1]],
        ["lose", [1, 1]],
        ["deliver", [0, 1]],
        ["deliver", [1, 1]],
        ["deliver", [0, 1]]
    ]);
    std::fs::write(folder.path().join("r.jsonl"), ring_of_two(steps).text()).unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    let first = run("replay r.jsonl --trace t.jsonl --format json");
    assert_eq!((first.code, first.err.as_str()), (0, ""), "{}", first.out);
    let replayed = run("replay t.jsonl --format json");
    // Without the command, which names the file.
    let facts = |text: &str| text.split_once("\"version\"").unwrap().1.to_owned();
    assert_eq!(facts(&replayed.out), facts(&first.out));
    let again = run(
        "elect chang-roberts --nodes 2 --ids ascending --schedule replay:t.jsonl --format json",
    );
    assert_eq!((again.code, again.err.as_str()), (0, ""));
    let [first, again] =
        [first, again].map(|said| serde_json::from_str::<Value>(&said.out).unwrap());
    assert_eq!(first["messages"], again["messages"]["total"]);
    assert_eq!(
        (&first["messages"], &first["lost"], &again["lost"]),
        (&json!(5), &json!(1), &json!(1))
    );
}

/// The same file is valid for `replay`, without other flags, and for `--schedule`.
#[test]
fn an_election_of_any_kind_is_replayed_from_its_file_alone() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    std::fs::write(folder.path().join("net.txt"), "a b\nb c\nc a\nc d\n").unwrap();
    for words in [
        "humblet --nodes 12 --ports random --schedule uniform:9 --wake spread:5 --seed 3",
        "humblet --nodes 12 --fault loss:0.1 --fault duplicate:0.1 --seed 4",
        "humblet --nodes 12 --schedule uniform:10 --fault no-fifo --seed 5",
        "tree-wave --nodes 12 --fault crash:3@6 --initiators 3",
        "dolev-klawe-rodeh --nodes 9 --ids bit-reversed --capacity 1",
        "echo-extinction --topology net.txt --schedule random",
        "echo-extinction --topology grid:3x4 --ports random --initiators nodes:2,5",
    ] {
        let first = run(&format!("elect {words} --trace t.jsonl --format json"));
        assert!(first.code < 2, "{words}: {}", first.err);
        let report: Value = serde_json::from_str(&first.out).unwrap();
        let said = run("replay t.jsonl --format json");
        assert_eq!((said.code, said.err.as_str()), (first.code, ""), "{words}");
        let again: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(again["messages"], report["messages"]["total"], "{words}");
        assert_eq!(again["causal_depth"], report["causal_depth"], "{words}");
        assert_eq!(again["leader"]["id"], report["leader"]["id"], "{words}");
        let drawn = run("replay t.jsonl");
        says(&drawn.out, &["p11".split_at(2).0, "wakes", "command", "suffrage elect"]);
    }
}
