//! Ctrl-C and closed pipes: finished results are printed, and no command panics.
#![cfg(unix)]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn start(folder: &Path, words: &str) -> Child {
    Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(words.split(' '))
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends SIGINT and waits for the end.
fn interrupt(child: Child) -> (Option<i32>, String, String) {
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

/// Waits until `so` holds.
fn until(so: impl Fn() -> bool) {
    let start = Instant::now();
    while !so() {
        assert!(start.elapsed() < Duration::from_secs(20), "it never came to be");
        sleep(Duration::from_millis(5));
    }
}

/// Waits until a command catches SIGINT: an earlier one would end it at once.
fn listening(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    if !Path::new(&status).exists() {
        return sleep(Duration::from_secs(1));
    }
    until(|| {
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 2 != 0)
    });
}

#[test]
fn an_interrupted_run_reports_what_it_has_and_keeps_its_trace() {
    let folder = tempfile::tempdir().unwrap();
    // Ten million messages, each written to the trace.
    let words = "elect lelann --nodes 3000 --trace t.jsonl --format json";
    let child = start(folder.path(), words);
    let written = || {
        let files = std::fs::read_dir(folder.path()).unwrap().flatten();
        files.map(|file| file.metadata().map_or(0, |data| data.len())).sum::<u64>() > 10_000
    };
    until(written);
    let (code, out, err) = interrupt(child);
    assert_eq!(code, Some(130), "{err}");
    assert!(err.contains("interrupted") && err.contains("t.jsonl"), "{err}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert!(report["interrupted_after"].as_u64().unwrap() > 0);
    assert_eq!(report["leader"], Value::Null);
    assert_eq!(report["violations"], serde_json::json!([]));
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(files.len(), 1);
    let trace = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    assert!(trace.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn finished_rows_survive() {
    let folder = tempfile::tempdir().unwrap();
    let words =
        "compare --algorithms lelann --topology ring --nodes 10,2000 --trials 10000 --format json";
    let mut child = start(folder.path(), words);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    // The first row has come, with all its seeds; the second takes hours.
    let mut text = String::new();
    while !text.contains("\"failures\"") {
        assert!(out.read_line(&mut text).unwrap() > 0);
    }
    let (code, _, err) = interrupt_after(child, Duration::from_millis(200));
    out.read_to_string(&mut text).unwrap();
    assert_eq!(code, Some(130));
    assert!(err.contains("1 of 2 rows were finished"), "{err}");
    let rows: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!(rows[0]["trials"], 10_000);
}

/// Programs such as `timeout` send two signals at once: the second does not end what the first has
/// begun to save.
#[test]
fn a_second_signal_destroys_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..5 {
        let words = "compare --algorithms lelann --topology ring --nodes 10,2000 --trials 10000 \
                     --format json";
        let mut child = start(folder.path(), words);
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while !text.contains("ring:10") {
            assert!(out.read_line(&mut text).unwrap() > 0);
        }
        let id = child.id().to_string();
        // One shell, so that almost no time passes between them.
        let twice = format!("kill -INT {id}; kill -INT {id}; kill -TERM {id}");
        assert!(Command::new("sh").args(["-c", &twice]).status().unwrap().success());
        out.read_to_string(&mut text).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let rows: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(rows.as_array().unwrap().len(), 1);
    }
}

/// Interrupts a command that has worked for this time.
fn interrupt_after(child: Child, time: Duration) -> (Option<i32>, String, String) {
    listening(&child);
    sleep(time);
    interrupt(child)
}

#[test]
fn finished_trials_are_summarized() {
    let folder = tempfile::tempdir().unwrap();
    let child = start(folder.path(), "elect lelann --nodes 40 --trials 100000000 --format json");
    let (code, out, err) = interrupt_after(child, Duration::from_millis(400));
    assert_eq!(code, Some(130));
    assert!(err.contains("the first"), "{err}");
    let summary: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(summary["trials"]["wanted"], 100_000_000);
    assert!(summary["trials"]["finished"].as_u64().unwrap() > 0);
    assert_eq!(summary["messages"]["max"], 41 * 40);
}

#[test]
fn trials_of_populations_are_kept_and_half_a_figure_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let words = "population self-terminating --agents 50 --trials 1e9 --format json";
    let (code, out, err) = interrupt_after(start(folder.path(), words), Duration::from_millis(400));
    assert_eq!(code, Some(130));
    assert!(err.contains("the first"), "{err}");
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["trials"], 1_000_000_000);
    let finished = report["finished"].as_u64().unwrap();
    assert!(finished > 0);
    assert_eq!(report["summary"]["completed_at"]["count"], finished);
    // One trial that takes minutes, beside trials that are over: those are kept.
    for words in [
        "population self-terminating --agents 1e12 --engine batched",
        "population two-way-epidemic --agents 1e13 --engine batched",
        "population self-terminating --agents 2e7 --engine direct --threads 1",
    ] {
        let child = start(folder.path(), words);
        let (code, out, err) = interrupt_after(child, Duration::from_millis(300));
        assert_eq!((code, out.as_str()), (Some(130), ""), "{words}");
        assert!(err.contains("before the first trial"), "{words}: {err}");
    }
    // An interrupted history is still a table.
    let words = "population self-terminating --agents 1e6 --history h.csv --interval 1000";
    let (code, _, _) = interrupt_after(start(folder.path(), words), Duration::from_secs(1));
    assert_eq!(code, Some(130));
    let history = folder.path().join("h.csv");
    let table = std::fs::read_to_string(&history).unwrap();
    assert!(table.lines().count() > 2 && table.ends_with('\n'));
    std::fs::remove_file(history).unwrap();
    let words = "reproduce figure-1 --trials 1000000";
    let (code, out, err) = interrupt_after(start(folder.path(), words), Duration::from_millis(400));
    assert_eq!((code, out.as_str()), (Some(130), ""));
    assert!(err.contains("nothing was written"), "{err}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    for words in
        ["algorithms", "elect", "compare --nodes 10,20,30 --trials 500", "completions bash", "man"]
    {
        let mut child = start(folder.path(), words);
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{words}");
        assert_eq!(output.status.code(), Some(0), "{words}");
    }
}

#[test]
fn an_interrupted_exploration_reports_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let words = "check dolev-klawe-rodeh --nodes 7 --all-ids --all-initiators --format json";
    let mut child = start(folder.path(), words);
    // It announces that it takes long.
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    assert!(err.read_line(&mut said).unwrap() > 0);
    assert!(said.contains("an estimated"), "{said}");
    let (code, out, _) = interrupt_after(child, Duration::from_secs(1));
    assert_eq!(code, Some(130));
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["verdict"], "interrupted");
    assert!(report["states"].as_u64().unwrap() > 0);
    assert!(report["instances"].as_u64() < report["of"].as_u64());
}

/// The finished part of any list is a complete document, even if a second signal follows the first.
#[test]
fn lists_of_results_are_whole_after_two_signals() {
    let folder = tempfile::tempdir().unwrap();
    for words in [
        "elect lelann --nodes 300 --trials 100000000 --format json",
        "compare --topology ring --nodes 10,3000 --trials 10000 --format json",
        "population self-terminating --agents 60 --trials 1e9 --each --format json",
        "population epidemic --agents 1e4 --trials 1e9 --engine batched --format json",
        "check dolev-klawe-rodeh --nodes 7 --all-ids --all-initiators --format json",
        "check lelann --nodes 5..9 --sample 1e9 --format json",
        "reproduce theorems --trials 1e9 --format json",
        "tenure compare --trials 1e6 --format json",
        "tenure scale --trials 1e6 --format json",
    ] {
        let child = start(folder.path(), words);
        listening(&child);
        let id = child.id().to_string();
        let twice = format!("kill -INT {id}; kill -TERM {id} 2>/dev/null || true");
        assert!(Command::new("sh").args(["-c", &twice]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{words}: {err}");
        assert!(err.contains("interrupted"), "{words}: {err}");
        let out = String::from_utf8(output.stdout).unwrap();
        // The document is empty or complete.
        assert!(out.is_empty() || serde_json::from_str::<Value>(&out).is_ok(), "{words}: {out}");
    }
}

/// Interrupts a trial of 10^9 agents, which takes more than a second to set up.
#[test]
fn a_population_of_many_agents_can_be_interrupted_while_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let words = "population epidemic --agents 1e8 --engine direct";
    let (code, out, err) = interrupt_after(start(folder.path(), words), Duration::from_millis(300));
    assert_eq!((code, out.as_str()), (Some(130), ""), "{err}");
    assert!(err.contains("interrupted before the first trial was finished"), "{err}");
}

#[test]
fn the_first_signal_ends_a_command_that_still_reads_or_builds() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for words in [
        "elect --topology fifo",
        "elect --nodes 5 --ids fifo",
        "run fifo",
        "plot fifo",
        "merge fifo",
        "replay fifo",
        "population --rules fifo --agents 9",
        "elect humblet --nodes 5 --schedule replay:fifo",
        "elect --topology barabasi-albert:5000000:4",
        "compare --topology barabasi-albert:5000000:4 --trials 2",
    ] {
        let child = start(folder.path(), words);
        listening(&child);
        let (code, _, err) = interrupt(child);
        assert_eq!(code, Some(130), "{words}: {err}");
    }
}
