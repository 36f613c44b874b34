//! `suffrage check`.

use crate::common::{json, line, says, suffrage_in};
use serde_json::Value as Json;

fn ends(code: i32, words: &str) -> String {
    let said = line(words);
    assert_eq!(said.code, code, "{words}: {}", said.err);
    said.out
}

/// Where chance decides, a bound is one on an average, and the nearest election is one that draws.
#[test]
fn a_bound_on_an_average_says_so() {
    let text = ends(0, "check itai-rodeh --nodes 2");
    says(&text, &["  expected        4.000000 to 9.000000 messages"]);
    says(
        &text,
        &["bound           on average at most n H_k + 7 n + n; nearest: 9.000 of 19 (0.474)"],
    );
    let bound = &json("check itai-rodeh --nodes 2")["bound"];
    assert_eq!(
        (&bound["guarantee"], &bound["messages"]),
        (&"on average at most".into(), &19.into())
    );
    assert_eq!(bound["most"].as_f64(), Some(9.0));
}

#[test]
fn claims_about_chance_are_held_to_trials_and_samples_together() {
    let claims = |words: &str| -> Vec<String> {
        let report = json(words);
        let all = report["chances"].as_array().cloned().unwrap_or_default();
        assert!(all.iter().all(|one| one["refuted"] == false), "{words}: {all:?}");
        all.iter().map(|one| one["claim"].as_str().unwrap().to_owned()).collect()
    };
    let trials = "elect itai-rodeh --nodes 8 --trials 40 --ids ascending";
    assert_eq!(claims(trials), ["election-messages", "time"]);
    says(
        &line(trials).out,
        &["  chance          on average at most n H_k + 7 n election messages; mean / bound = 0."],
    );
    assert_eq!(claims("check random-referees --sample 64"), ["election-messages", "one-leader"]);
    assert_eq!(claims("check least-element-lists --sample 64"), ["election-messages"]);
    assert_eq!(claims("check flood-max --sample 64"), [""; 0]);
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
fn a_long_exploration_says_beforehand_how_large_it_may_be() {
    let said = line("check echo-extinction --topology complete:5 --memory 1MiB --force");
    says(&said.err, &["an estimated", "perhaps a tenth or ten times as many", "Ctrl-C stops"]);
    // The time that is left is not said before the rate was measured.
    assert!(!said.err.contains(": about"), "{}", said.err);
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
