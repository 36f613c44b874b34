//! A course that a checker wrote is run step by step, drawn, and judged.

use crate::common::{Said, refusal, says, suffrage_in};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/golden").join(name)
}

/// The course of a deadlock: as published, an algorithm of three processes waits for ever.
fn deadlock() -> Value {
    serde_json::from_str(&std::fs::read_to_string(golden("deadlock.json")).unwrap()).unwrap()
}

/// A ring of two, on which process 0 leads after its token has come around.
fn ring_of_two(steps: Value) -> Value {
    json!({
        "suffrage-course": 1, "algorithm": "chang-roberts", "property": null,
        "network": [[[1, 1], [1, 0]], [[0, 1], [0, 0]]], "ids": [1, 2], "capacity": null,
        "faults": {"loss": 1, "duplicate": 1, "crash": 1}, "steps": steps,
    })
}

/// Replays a course, with more words.
fn replay(course: &Value, words: &str) -> Said {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("c.json"), course.to_string()).unwrap();
    let line = format!("replay c.json {words}");
    suffrage_in(folder.path(), line.split_whitespace())
}

#[test]
fn a_deadlock_is_drawn_as_the_golden_file_shows() {
    let said = suffrage_in(&golden(""), ["replay", "deadlock.json"]);
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    let path = golden("deadlock.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        std::fs::write(&path, &said.out).unwrap();
    }
    assert_eq!(said.out, std::fs::read_to_string(path).unwrap(), "UPDATE_GOLDEN=1 rewrites it");
}

#[test]
fn the_report_says_whether_the_property_was_broken() {
    let mut course = deadlock();
    let report = replay(&course, "--format json");
    let report: Value = serde_json::from_str(&report.out).unwrap();
    assert_eq!(
        (&report["reproduced"], &report["property"]),
        (&json!(true), &json!("exactly-one-leader"))
    );
    assert_eq!(report["violations"][0]["step"], 9);
    course["property"] = json!("at-most-one-leader");
    let said = replay(&course, "");
    assert_eq!(said.code, 1, "it breaks others");
    says(&said.out, &["NOT REPRODUCED: the course is to break at-most-one-leader"]);
}

#[test]
fn a_course_that_is_to_go_around_and_does_not_is_not_reproduced() {
    let steps = json!([{"wake": 0}, {"deliver": [1, 1]}, {"deliver": [0, 1]}]);
    let mut course = ring_of_two(steps);
    course["property"] = json!("termination");
    course["around"] = json!(1);
    let said = replay(&course, "");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    says(
        &said.out,
        &["from step 2 to step 3", "NOT REPRODUCED: the course is to break termination"],
    );
    course["steps"] = json!([{"wake": 0}, {"duplicate": [1, 1]}, {"lose": [1, 1]}]);
    says(
        &refusal(replay(&course, ""), "faults"),
        &["step 2: steps that go around for ever", "no duplicates: faults are counted"],
    );
}

#[test]
fn what_is_claimed_for_networks_without_faults_is_not_judged_on_others() {
    let mut course = ring_of_two(json!([{"wake": 0}, {"lose": [1, 1]}]));
    course["property"] = json!("message-bound");
    says(&replay(&course, "").out, &["NOT JUDGED: message-bound is claimed for networks without"]);
    let report: Value = serde_json::from_str(&replay(&course, "--format json").out).unwrap();
    assert_eq!(report["reproduced"], json!(null));
    course["steps"] = json!([{"wake": 0}]);
    says(&replay(&course, "").out, &["NOT REPRODUCED: the course is to break message-bound"]);
}

#[test]
fn a_course_that_stops_on_the_way_breaks_nothing() {
    let steps = json!([{"wake": 0}, {"deliver": [1, 1]}]);
    let said = replay(&ring_of_two(steps), "");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    says(&said.out, &["Every property held.", "the course ends where more could happen"]);
}

#[test]
fn faults_are_drawn_and_named() {
    let lost = replay(&ring_of_two(json!([{"wake": 0}, {"lose": [1, 1]}])), "");
    assert_eq!(lost.code, 1);
    says(
        &lost.out,
        &["token(1) of step 1 to p1 is lost", "├──────×┊", "BROKEN: exactly-one-leader"],
    );
    let steps = json!([{"wake": 0}, {"duplicate": [1, 1]}, {"crash": 1}, {"deliver": [1, 1]}]);
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
fn the_trace_of_a_course_is_a_schedule() {
    let folder = tempfile::tempdir().unwrap();
    let steps = json!([{"wake": 0}, {"duplicate": [1, 1]}, {"deliver": [1, 1]}, {"lose": [1, 1]},
        {"deliver": [0, 1]}, {"deliver": [1, 1]}, {"deliver": [0, 1]}]);
    std::fs::write(folder.path().join("c.json"), ring_of_two(steps).to_string()).unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    let first = run("replay c.json --trace t.jsonl --format json");
    assert_eq!((first.code, first.err.as_str()), (0, ""), "{}", first.out);
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
    // A trace is no course.
    says(
        &refusal(run("replay t.jsonl"), "trace"),
        &["t.jsonl: this is a trace", "--schedule replay:FILE"],
    );
}

#[test]
fn what_is_no_course_is_refused_with_what_is_wrong() {
    let refused = |key: &str, value: Value| {
        let mut course = deadlock();
        course[key] = value;
        refusal(replay(&course, ""), key)
    };
    for (key, value, parts) in [
        ("suffrage-course", json!(2), ["in version 2", "reads version 1"]),
        ("algorithm", json!("humblett"), ["no algorithm `humblett`", "`humblet`"]),
        ("property", json!("peace"), ["no property `peace`", "exactly-one-leader"]),
        ("network", json!([[[0, 0]]]), ["`network`: port 0 of node 0", "leads to itself"]),
        ("network", json!([[[1, 0]], [[0, 0]], []]), ["`network`", "node 2 cannot be reached"]),
        ("ids", json!([1, 2]), ["`ids`: 3 nodes have 3 ids", "not 2"]),
        ("ids", json!([1, 2, 1]), ["`ids`: 1 is there twice", ""]),
        ("capacity", json!(0), ["`capacity`", "the least is 1"]),
        ("colour", json!("red"), ["unknown field `colour`", "not a course"]),
        ("steps", json!([{"wake": 0, "alarm": 0}]), ["step 1: a step has one of", "overtakes"]),
        ("steps", json!([{}]), ["step 1: a step has one of", ""]),
        ("steps", json!([{"wake": 0, "overtakes": 1}]), ["step 1", "with deliver alone"]),
        ("steps", json!([{"deliver": [1, 1], "overtakes": 1}]), ["step 1", "\"no_fifo\":true"]),
        ("steps", json!([{"wake": 0}, {"lose": [1, 1]}]), ["step 2: more losses", "`loss`"]),
        ("around", json!(9), ["`around`: 9 steps before those that go around", "9 steps in all"]),
        ("steps", json!([{"wake": 3}]), ["its step 1 names a process", "3 processes"]),
        ("steps", json!([{"deliver": [1, 1]}]), ["its step 1 delivers", "no such message"]),
        ("ids", json!("1, 2, 3"), ["not a course", "line 1"]),
    ] {
        let said = refused(key, value);
        says(&said, &["c.json: "]);
        says(&said, &parts);
    }
    let mut large = deadlock();
    large["network"] = json!(vec![json!([]); 65]);
    says(&refusal(replay(&large, ""), "large"), &["at most 64 nodes; this has 65"]);
    // The algorithm does not run on this network.
    let mut misplaced = deadlock();
    misplaced["algorithm"] = json!("tree-wave");
    says(&refusal(replay(&misplaced, ""), "tree-wave"), &["c.json", "network of another kind"]);
    let folder = tempfile::tempdir().unwrap();
    says(
        &refusal(suffrage_in(folder.path(), ["replay", "nowhere"]), "nowhere"),
        &["cannot read nowhere"],
    );
}
