//! Runs from files are replayed step by step, drawn, and judged.

use crate::common::{Said, refusal, says, suffrage_in};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/golden").join(name)
}

/// A header and events.
#[derive(Clone)]
struct Run(Value, Vec<Value>);

impl Run {
    fn text(&self) -> String {
        [&self.0].into_iter().chain(&self.1).map(|line| format!("{line}\n")).collect()
    }
}

fn deadlock() -> Run {
    let text = std::fs::read_to_string(golden("deadlock.jsonl")).unwrap();
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

fn breaks(property: &str) -> Value {
    json!({"property": property, "detail": "as the file says"})
}

/// Replays a text, with further arguments.
fn replay_text(text: &str, words: &str) -> Said {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("r.jsonl"), text).unwrap();
    let line = format!("replay r.jsonl {words}");
    suffrage_in(folder.path(), line.split_whitespace())
}

fn replay(run: &Run, words: &str) -> Said {
    replay_text(&run.text(), words)
}

#[test]
fn a_deadlock_is_drawn_as_the_golden_file_shows() {
    let said = suffrage_in(&golden(""), ["replay", "deadlock.jsonl"]);
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    let path = golden("deadlock.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        std::fs::write(&path, &said.out).unwrap();
    }
    assert_eq!(said.out, std::fs::read_to_string(path).unwrap(), "UPDATE_GOLDEN=1 rewrites it");
}

#[test]
fn the_report_says_whether_the_property_was_broken() {
    let mut run = deadlock();
    let report = replay(&run, "--format json");
    let report: Value = serde_json::from_str(&report.out).unwrap();
    assert_eq!(
        (&report["reproduced"], &report["property"]),
        (&json!(true), &json!("exactly-one-leader"))
    );
    assert_eq!(report["violations"][0]["step"], 9);
    run.0["breaks"] = breaks("at-most-one-leader");
    let said = replay(&run, "");
    assert_eq!(said.code, 1, "it breaks others");
    says(&said.out, &["NOT REPRODUCED: the run is to break at-most-one-leader"]);
}

#[test]
fn a_loop_that_does_not_come_back_is_not_reproduced() {
    let mut run = ring_of_two(json!([["wake", 0], ["deliver", [1, 1]], ["deliver", [0, 1]]]));
    run.0["breaks"] = breaks("termination");
    run.0["loop_start"] = json!(1);
    let said = replay(&run, "");
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    says(&said.out, &["from step 2 to step 3", "NOT REPRODUCED: the run is to break termination"]);
    run.1 = events(json!([["wake", 0], ["duplicate", [1, 1]], ["lose", [1, 1]]]));
    says(&refusal(replay(&run, ""), "faults"), &["action 2: a loop", "no duplicates"]);
}

#[test]
fn what_is_claimed_for_networks_without_faults_is_not_judged_on_others() {
    let mut run = ring_of_two(json!([["wake", 0], ["lose", [1, 1]]]));
    run.0["breaks"] = breaks("message-bound");
    says(&replay(&run, "").out, &["NOT JUDGED: message-bound is claimed for networks without"]);
    let report: Value = serde_json::from_str(&replay(&run, "--format json").out).unwrap();
    assert_eq!(report["reproduced"], json!(null));
    run.1 = events(json!([["wake", 0]]));
    says(&replay(&run, "").out, &["NOT REPRODUCED: the run is to break message-bound"]);
}

#[test]
fn a_run_that_stops_on_the_way_has_not_passed() {
    let said = replay(&ring_of_two(json!([["wake", 0], ["deliver", [1, 1]]])), "");
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    says(&said.out, &["UNFINISHED: no property was broken", "ends where more could happen"]);
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
fn faults_are_drawn_and_named() {
    let mut run = ring_of_two(json!([["wake", 0], ["lose", [1, 1]]]));
    // Otherwise the other one may still wake, and the run is unfinished.
    run.0["initiators"] = json!([0]);
    let lost = replay(&run, "");
    assert_eq!(lost.code, 1);
    says(
        &lost.out,
        &["token(1) of step 1 to p1 is lost", "├──────×┊", "BROKEN: exactly-one-leader"],
    );
    let steps = json!([["wake", 0], ["duplicate", [1, 1]], ["crash", 1], ["deliver", [1, 1]]]);
    let said = replay(&ring_of_two(steps), "");
    says(
        &said.out,
        &[
            "├──────+┊",
            "to p1 is doubled",
            "p1 crashes",
            "reaches p1, which has crashed",
            "† crashes",
        ],
    );
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

#[test]
fn what_is_too_large_to_draw_is_replayed_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    assert_eq!(run("elect humblet --nodes 200 --trace t.jsonl").code, 0);
    let said = run("replay t.jsonl");
    assert_eq!(said.code, 0);
    says(&said.out, &["200 processes and", "too many to draw", "Every property held."]);
}

#[test]
fn files_of_earlier_versions_are_refused_by_name() {
    let trace = "{\"suffrage-trace\":1,\"command\":\"suffrage elect lelann\"}\n";
    let course = "{\"suffrage-course\":1,\"algorithm\":\"lelann\",\"steps\":[\n{\"wake\":0}\n]}\n";
    let folder = tempfile::tempdir().unwrap();
    for (text, parts) in [
        (trace, ["a trace of an earlier version of suffrage", "suffrage elect lelann --trace"]),
        (course, ["a course of an earlier version of suffrage", "suffrage check --save FILE"]),
    ] {
        std::fs::write(folder.path().join("old"), text).unwrap();
        for words in ["replay old", "elect lelann --schedule replay:old"] {
            let said = suffrage_in(folder.path(), words.split(' '));
            says(&refusal(said, words), &parts);
        }
    }
}

#[test]
fn what_is_no_run_is_refused_with_what_is_wrong() {
    for (key, value, parts) in [
        ("suffrage-run", json!(2), ["in version 2", "reads version 1"]),
        ("algorithm", json!("humblett"), ["no algorithm `humblett`", "`humblet`"]),
        ("ports", json!({"ends": [[[0, 0]]]}), ["those of 1 nodes", "`nodes` is 3"]),
        ("ports", json!({"ends": [[[1, 0]], [[0, 0]], []]}), ["`ports`", "node 2 cannot be"]),
        ("ports", json!({"star": 3}), ["not the header of a run", "unknown variant `star`"]),
        ("links", json!(4), ["`ports` are those of 3 links", "`links` is 4"]),
        ("ids", json!([1, 2]), ["`ids`: 3 nodes have 3 ids", "not 2"]),
        ("ids", json!([1, 2, 1]), ["`ids`: 1 is there twice", ""]),
        ("ids", json!("1, 2, 3"), ["not the header of a run", "line 1"]),
        ("initiators", json!([3]), ["`initiators`: there is no node 3", "among 3"]),
        ("capacity", json!(0), ["`capacity`", "the least is 1"]),
        ("faults", json!(["fire"]), ["`faults`", "unknown fault `fire`"]),
        ("colour", json!("red"), ["unknown field `colour`", "not the header of a run"]),
        ("loop_start", json!(9), ["`loop_start`: 9 actions before the loop", "9 in all"]),
    ] {
        let mut run = deadlock();
        run.0[key] = value;
        let said = refusal(replay(&run, ""), key);
        says(&said, &["r.jsonl"]);
        says(&said, &parts);
    }
    for (event, parts) in [
        (json!({"at": 1, "event": "sleep", "node": 0}), ["line 2", "no event `sleep`"]),
        (json!({"at": 1, "event": "wake"}), ["line 2", "does not say where"]),
        (json!({"event": "wake", "node": 0}), ["line 2", "missing field `at`"]),
        (
            json!({"at": 1, "event": "deliver", "to": [1, 1], "overtakes": 1}),
            ["action 1: a message overtakes", "no-fifo"],
        ),
        (
            json!({"at": 1, "event": "lose", "to": [1, 1], "on_link": true}),
            ["action 1: more losses", "loss"],
        ),
        (json!({"at": 1, "event": "wake", "node": 3}), ["step 1 names a process", "3 processes"]),
        (
            json!({"at": 1, "event": "deliver", "to": [1, 1]}),
            ["step 1 delivers", "no such message"],
        ),
    ] {
        let run = Run(deadlock().0, vec![event]);
        says(&refusal(replay(&run, ""), "an event"), &parts);
    }
    // The algorithm does not run on this network.
    let mut misplaced = deadlock();
    misplaced.0["algorithm"] = json!("tree-wave");
    says(&refusal(replay(&misplaced, ""), "tree-wave"), &["r.jsonl", "network of another kind"]);
    let whole = deadlock().text();
    let cut = &whole[..whole.len() - 5];
    says(&refusal(replay_text(cut, ""), "cut"), &["r.jsonl, line 10", "not an event of a run"]);
    let folder = tempfile::tempdir().unwrap();
    says(
        &refusal(suffrage_in(folder.path(), ["replay", "nowhere"]), "nowhere"),
        &["cannot read nowhere"],
    );
}
