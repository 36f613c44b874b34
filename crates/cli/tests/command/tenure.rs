//! `suffrage tenure`: its reports, that they are reproducible, and its errors.

use crate::common::{json, keys, line, refused, suffrage_in};
use serde_json::Value;
use std::fs;

#[test]
fn the_report_has_the_documented_keys() {
    let report = json("tenure simulate --faults all --duration 20s --trials 2");
    for key in [
        "protocol",
        "runs",
        "availability",
        "vacancy",
        "staleness",
        "needless",
        "messages_per_second",
        "bytes_per_second",
        "syncs_per_second",
        "violations",
        "beyond_the_model",
    ] {
        assert!(keys(&report).contains(&key), "{key}");
    }
    assert_eq!(report["vacancy"]["start"]["count"], 2);
    assert_eq!(report["violations"], Value::Array(vec![]));
}

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
    let script = r#"{"at": "2s", "for": "1s", "crash": {"peer": "leader"}}"#;
    fs::write(folder.path().join("script.jsonl"), script).unwrap();
    let words =
        "tenure simulate --duration 5s --faults script.jsonl --trace run.jsonl --save s.jsonl";
    let said = suffrage_in(folder.path(), words.split_whitespace());
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.contains("crash"), "{}", said.out);
    let trace = fs::read_to_string(folder.path().join("run.jsonl")).unwrap();
    let mut lines = trace.lines();
    let first: Value = serde_json::from_str(lines.next().unwrap()).unwrap();
    assert_eq!(
        (&first["suffrage-recovery-trace"], &first["protocol"]),
        (&1.into(), &"tenure".into())
    );
    let events: Vec<Value> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    let count = |event: &str| events.iter().filter(|line| line["event"] == event).count();
    assert_eq!((count("crash"), count("holds"), count("start")), (1, 2, 6));
    let saved = fs::read_to_string(folder.path().join("s.jsonl")).unwrap();
    assert_eq!(saved, "{\"at\":\"2s\",\"for\":\"1s\",\"crash\":{\"peer\":\"leader\"}}\n");
}

#[test]
fn round_trips_between_regions_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rtt"), "a b c\na 1 20 30\nb 20 1 25\nc 30 25 1\n").unwrap();
    let words = "tenure simulate --duration 5s --members 3 --profile rtt";
    let said = suffrage_in(folder.path(), words.split_whitespace());
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("regions:a,b,c"), "{}", said.out);
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
fn protocols_are_compared_in_scenarios() {
    let rows =
        json("tenure compare --protocols tenure --trials 2 --scenarios leader-crash,chained");
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["scenario"], "leader-crash");
    assert_eq!(rows[0]["vacancy"]["count"], 2);
    assert_eq!(rows[1]["vacancy"], Value::Null);
    let table =
        line("tenure compare --protocols tenure --trials 1 --scenarios quiet --format markdown");
    assert!(table.out.starts_with("| scenario | protocol |"), "{}", table.out);
}

#[test]
fn messages_do_not_grow_with_the_offices() {
    let rows = json(
        "tenure scale --members 3 --trials 1 --member-series 3 --stander-series 1,2 \
         --office-series 1,20",
    );
    let rate = |row: usize| rows[row]["messages_per_second"].as_f64().unwrap();
    assert_eq!(rate(3), rate(4));
    assert_eq!(rate(2) - rate(1), rate(1) - rate(0));
}

#[test]
fn what_cannot_be_used_is_refused() {
    for (words, why) in [
        ("simulate --protocol raft9", "there is no protocol `raft9`"),
        ("simulate --faults earthquake", "no kind of faults"),
        ("simulate --profile man", "no delay profile"),
        ("simulate --profile fixed:x", "no duration"),
        ("simulate --members 0", "at least one member"),
        ("simulate --members 3 --witnesses 4", "more than 3 members"),
        ("simulate --lease 10ms", "shorter than a heartbeat"),
        ("simulate --hours x", "write a number"),
        ("compare --scenarios x", "there is no scenario `x`"),
    ] {
        let message = refused(&format!("tenure {words}"));
        assert!(message.contains(why), "{words}: {message}");
    }
}
