//! `suffrage check`.

use crate::common::{json, line, says, suffrage_in};
use serde_json::Value as Json;

fn ends(code: i32, words: &str) -> String {
    let said = line(words);
    assert_eq!(said.code, code, "{words}: {}", said.err);
    said.out
}

#[test]
fn the_result_does_not_depend_on_the_threads() {
    let [one, three] =
        [1, 3].map(|threads| ends(0, &format!("check humblet --nodes 4 --threads {threads}")));
    assert_eq!(one, three);
    let [all, one] = ["", "--threads 1"]
        .map(|threads| json(&format!("check humblet --nodes 5..12 --sample 400 {threads}")));
    assert_eq!(all, one, "the seed says everything");
}

#[test]
fn the_schedule_with_the_most_messages_can_be_saved_and_has_so_many() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| -> Json {
        let said = suffrage_in(folder.path(), words.split(' '));
        assert_eq!(said.code, 0, "{}", said.err);
        serde_json::from_str(&said.out).unwrap()
    };
    let report = run("check humblet --nodes 4 --save worst.json --format json");
    let replayed = run("replay worst.json --format json");
    assert_eq!(replayed["messages"], report["messages"]["max"]);
    assert_eq!(replayed["violations"], Json::Array(Vec::new()));
}

#[test]
fn a_long_exploration_says_beforehand_how_long_it_takes() {
    let said = line("check echo-extinction --topology complete:5 --memory 1MiB --force");
    says(&said.err, &["an estimated", "configurations: about", "Ctrl-C stops"]);
    assert_eq!(line("check afek-gafni --nodes 3").err, "");
}

#[test]
fn a_long_reproduction_says_beforehand_how_long_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let said = assert_cmd::Command::cargo_bin("suffrage")
        .unwrap()
        .args(["reproduce", "margin", "--threads", "2"])
        .current_dir(folder.path())
        // It takes an hour, and says so at once.
        .timeout(std::time::Duration::from_secs(3))
        .output()
        .unwrap();
    let said = String::from_utf8(said.stderr).unwrap();
    says(&said, &["2,000 trials of each sort: about 60 minutes on 2 threads", "Ctrl-C stops"]);
    assert_eq!(line("reproduce theorems --trials 2").err, "");
}
