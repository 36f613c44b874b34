//! `suffrage tenure`: its reports, that they are reproducible, and its errors.

use crate::common::{json, line, suffrage_in};
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn the_result_does_not_depend_on_the_threads() {
    let run = |threads| {
        line(&format!(
            "tenure simulate --faults all --duration 30s --trials 6 --seed 3 --threads {threads}"
        ))
        .out
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn a_script_is_simulated_and_traced() {
    let folder = tempfile::tempdir().unwrap();
    let script = "at 2s for 1s crash leader";
    fs::write(folder.path().join("script.txt"), script).unwrap();
    let words = "tenure simulate --duration 5s --faults script.txt --trace run.jsonl --save s.txt";
    let said = suffrage_in(folder.path(), words.split_whitespace());
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.contains("crash"), "{}", said.out);
    let trace = fs::read_to_string(folder.path().join("run.jsonl")).unwrap();
    let mut lines = trace.lines();
    let first: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(
        (&first["suffrage-recovery-trace"], &first["protocol"]),
        (&2.into(), &"tenure".into())
    );
    let events: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |event: &str| events.iter().filter(|line| line["event"] == event).count();
    assert_eq!((count("crash"), count("holds"), count("start")), (1, 2, 6));
    let saved = fs::read_to_string(folder.path().join("s.txt")).unwrap();
    assert_eq!(saved, "at 2s for 1s crash leader\n");
}

#[test]
fn a_run_under_faults_is_replayed_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let there = |words: &str| suffrage_in(folder.path(), words.split_whitespace());
    let faults = "tenure simulate --duration 20s --faults all --seed 3";
    assert_eq!(there(&format!("{faults} --trace run.jsonl")).code, 0);
    let said = there("replay run.jsonl --trace again.jsonl");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for part in ["p0", "member", "holds office 0 at term", "fault begins:", "★ becomes the leader"]
    {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("run.jsonl"), read("again.jsonl"));
    let json = there("replay run.jsonl --format json");
    let facts: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&facts["seed"], &facts["violations"]), (&3.into(), &Value::Array(vec![])));
    // A line that is not what happens, a line too many, one too few, and a header of another format.
    let good = read("run.jsonl");
    let half = good[..good.len() / 2].rfind('\n').unwrap() + 1;
    for (text, why) in [
        (good.replacen("\"event\":\"holds\"", "\"event\":\"loses\"", 1), "is another one here"),
        (format!("{good}{{}}\n"), "it has ended"),
        (good[..half].to_owned(), "is another one here"),
        (good.replacen("trace\":2", "trace\":1", 1), "version 1 of this format"),
        (good.replacen("\"members\":5", "\"members\":0", 1), "at least one member"),
        (good.replacen("\"profile\":\"lan\"", "\"profile\":\"man\"", 1), "no delay profile"),
    ] {
        fs::write(folder.path().join("bad.jsonl"), text).unwrap();
        let said = there("replay bad.jsonl");
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{why}");
        assert!(said.err.contains("bad.jsonl") && said.err.contains(why), "{}", said.err);
    }
}

/// Whatever kind of run it is, it is read once.
#[cfg(unix)]
#[test]
fn a_run_is_replayed_from_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let there = |words: &str| suffrage_in(folder.path(), words.split_whitespace());
    for made in ["tenure simulate --duration 5s", "elect chang-roberts --nodes 8"] {
        assert_eq!(there(&format!("{made} --trace run.jsonl")).code, 0);
        let mut pipe = Command::new("cat")
            .arg(folder.path().join("run.jsonl"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let piped = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
            .args(["replay", "/dev/stdin"])
            .stdin(pipe.stdout.take().unwrap())
            .output()
            .unwrap();
        assert!(pipe.wait().unwrap().success());
        assert!(piped.status.success(), "{made}: {}", String::from_utf8_lossy(&piped.stderr));
        assert_eq!(String::from_utf8(piped.stdout).unwrap(), there("replay run.jsonl").out);
    }
}

#[test]
fn a_replay_shows_the_promise_that_a_run_breaks() {
    let folder = tempfile::tempdir().unwrap();
    let there = |words: &str| suffrage_in(folder.path(), words.split_whitespace());
    let faults = "tenure simulate --protocol bully --faults split --seed 1 --duration 1000s";
    assert_eq!(there(&format!("{faults} --trace run.jsonl")).code, 1);
    let said = there("replay run.jsonl");
    assert_eq!((said.code, said.err.as_str()), (1, ""));
    assert!(said.out.contains("BROKEN"), "{}", said.out);
}

#[test]
fn faults_beyond_the_model_are_reported_as_such() {
    let words = "tenure simulate --faults clock-beyond,split,crash --every 500ms --trials 30 \
                 --duration 60s";
    let said = line(words);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(!said.out.contains("BROKEN"), "{}", said.out);
}

#[test]
fn messages_do_not_grow_with_the_offices() {
    let rows = json(
        "tenure scale --members 3 --trials 1 --member-series 3 --client-series 1,2 \
         --office-series 1,20",
    );
    let rate = |row: usize| rows[row]["messages_per_second"].as_f64().unwrap();
    assert_eq!(rate(3), rate(4));
    assert_eq!(rate(2) - rate(1), rate(1) - rate(0));
}

const FIGURES: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/tenure-figures.md"));

/// The small rows; `figures_are_as_the_document_says` has all.
#[test]
fn figures_of_small_clusters_are_as_the_document_says() {
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let known: Vec<String> = FIGURES.lines().map(plain).collect();
    let said = line(
        "tenure scale --trials 3 --seed 1 --member-series 3,5,7 --client-series 0,1,10 \
         --office-series 1,10",
    );
    assert_eq!(said.out.lines().count(), 1 + 8);
    for row in said.out.lines() {
        assert!(known.contains(&plain(row)), "cargo xtask tenure: {row}");
    }
}

#[test]
#[ignore = "takes minutes"]
fn figures_are_as_the_document_says() {
    let blocks: Vec<&str> = FIGURES.split("```console\n$ suffrage ").skip(1).collect();
    assert_eq!(blocks.len(), 4);
    for block in blocks {
        let (command, shown) = block.split_once('\n').unwrap();
        let shown = shown.split("\n```").next().unwrap();
        let said = line(command);
        let out: Vec<&str> = said.out.lines().map(str::trim_end).collect();
        assert_eq!(out.join("\n"), shown, "cargo xtask tenure: {command}");
    }
}
