//! `suffrage check`.

use crate::common::{json, line, refused, says, suffrage_in};
use serde_json::Value as Json;

fn ends(code: i32, words: &str) -> String {
    let said = line(words);
    assert_eq!(said.code, code, "{words}: {}", said.err);
    said.out
}

#[test]
fn what_was_explored_is_reported_under_stable_keys() {
    let report = json("check dolev-klawe-rodeh --nodes 3");
    let keys = [
        "algorithm",
        "nodes",
        "instances",
        "explored",
        "states",
        "transitions",
        "terminal",
        "messages",
        "causal_depth",
        "winners",
        "verdict",
        "counterexample",
    ];
    for key in keys {
        assert!(report.get(key).is_some(), "{key}");
    }
    assert_eq!(report["instances"], 14, "two orders, seven sets of initiators");
    assert_eq!((&report["messages"]["min"], &report["messages"]["max"]), (&6.into(), &12.into()));
    assert_eq!(report["verdict"], "holds");
    assert_eq!(report["counterexample"], Json::Null);
}

#[test]
fn full_exploration_has_more_configurations_and_the_same_answers() {
    let [reduced, full] =
        ["", "--full"].map(|flag| json(&format!("check afek-gafni --nodes 3 {flag}")));
    assert!(full["states"].as_u64() > reduced["states"].as_u64());
    for key in ["terminal", "messages", "by_phase", "by_kind", "causal_depth", "winners", "verdict"]
    {
        assert_eq!(full[key], reduced[key], "{key}");
    }
}

#[test]
fn instances_that_are_alike_are_explored_once() {
    let report = json("check chang-roberts --nodes 4 --all-ids --all-initiators");
    assert_eq!((&report["explored"], &report["instances"]), (&16.into(), &90.into()));
    let each = json("check chang-roberts --nodes 4 --all-ids --all-initiators --full");
    assert_eq!((&each["explored"], &each["instances"]), (&90.into(), &90.into()));
    for key in ["terminal", "messages", "bound", "winners", "worst_case"] {
        assert_eq!(each[key], report[key], "{key}");
    }
    let text = ends(0, "check chang-roberts --nodes 4 --all-ids --all-initiators");
    says(&text, &["all 90 instances", "16 themselves; the others are alike"]);
}

#[test]
fn the_result_does_not_depend_on_the_threads() {
    let [one, three] =
        [1, 3].map(|threads| ends(0, &format!("check humblet --nodes 4 --threads {threads}")));
    assert_eq!(one, three);
}

#[test]
fn a_broken_property_comes_with_its_shortest_course_and_the_course_breaks_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    let said = run("check villadangos@published --nodes 3 --save deadlock.jsonl");
    assert_eq!(said.code, 1, "{}", said.err);
    says(
        &said.out,
        &["exactly-one-leader: nothing is", "6 steps; no execution with fewer", "p1 gets message1"],
    );
    let again = run("replay deadlock.jsonl");
    assert_eq!(again.code, 1, "{}", again.err);
    says(&again.out, &["BROKEN: exactly-one-leader at step 6"]);
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
fn every_instance_that_fails_can_be_counted() {
    let text = ends(1, "check villadangos@published --nodes 4 --keep-going --format json");
    let report: Json = serde_json::from_str(&text).unwrap();
    assert_eq!((&report["failing"], &report["of"]), (&216.into(), &360.into()));
}

#[test]
fn a_fault_is_explored_wherever_it_can_strike() {
    let text = ends(1, "check all-to-all --nodes 3 --fault duplicate:1");
    assert!(text.contains("at-most-one-leader"), "{text}");
    let text = ends(0, "check lelann --nodes 3 --fault crash:1");
    assert!(text.contains("safe on every schedule"), "{text}");
}

#[test]
fn capacity_one_deadlocks_echo_extinction_on_a_triangle() {
    let text = ends(1, "check echo-extinction --topology complete:3 --capacity 1");
    assert!(text.contains("wait to send"), "{text}");
}

#[test]
fn families_are_named() {
    let family = |words: &str| {
        let report = json(&format!("check {words}"));
        (report["of"].as_u64().unwrap(), report["family"].as_str().unwrap().to_owned())
    };
    assert_eq!(family("humblet --nodes 3 --all-ports --all-initiators").0, 56);
    assert_eq!(family("tree-wave --nodes 4 --all-graphs").0, 16);
    assert_eq!(family("tree-wave --nodes 4 --all-shapes").0, 2);
    assert_eq!(family("lelann --nodes 4 --all-ids").0, 6);
    let (of, words) = family("echo-extinction --topology path:3 --initiators 1");
    assert_eq!((of, words.as_str()), (1, "path:3, ids ascending, initiators 1"));
}

#[test]
fn what_cannot_be_explored_is_refused_and_says_why() {
    for (words, why) in [
        ("humblet --nodes 40", "too large: an estimated"),
        ("humblet --nodes 65", "the limit for exploration is 64"),
        ("echo-extinction --nodes 9 --all-graphs", "too many to list"),
        ("lelann --all-ports", "sense of direction"),
        ("lelann --fault loss:0", "at most 0 times is no fault"),
        ("lelann --fault loss:20%", "strikes at most, as in loss:1"),
        ("lelann --fault crash:1@4", "as in crash:1"),
        ("lelann --fault loss:256", "from 1 to 255"),
        ("lelann --fault fire", "unknown fault `fire`"),
        ("lelann --fault loss:1 --fault loss:2", "contradict each other"),
        ("lelann --fault no-fifo --fault loss:1", "one of these at a time"),
        ("lelann --memory 3", "write a number with MiB or GiB"),
        ("lelann --property beauty", "there is no property `beauty`"),
        ("lelann --ids nowhere.txt", "no such file"),
        ("lelann --topology star:4", "ring"),
        ("lelann --nodes 3 --initiators 4", "3 nodes only"),
        ("unknown", "unknown"),
    ] {
        says(&refused(&format!("check {words}")), &[why]);
    }
}

#[test]
fn where_memory_ends_it_says_what_was_explored() {
    let said =
        line("check echo-extinction --topology complete:4 --memory 1MiB --force --threads 1");
    assert_eq!(said.code, 2);
    says(&said.err, &["takes more than the memory allowed or free", "explored until then"]);
}

#[test]
fn a_network_is_shown_unless_it_is_complete_or_the_ring() {
    // A triangle with a tail has as many links as nodes.
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tail.txt"), "0 1\n1 2\n0 2\n2 3\n").unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' ')).out;
    says(&run("check echo-extinction --topology tail.txt"), &["links 0-1 0-2 1-2 2-3"]);
    for whole in ["complete:3", "ring:4"] {
        let text = run(&format!("check echo-extinction --topology {whole}"));
        assert!(text.contains("instance 1: ids 1 2 3") && !text.contains("links 0-1"), "{text}");
    }
}

#[test]
fn a_fault_that_is_named_twice_is_one_and_must_be_possible() {
    let [once, twice] = ["", "--fault no-fifo"].map(|again| {
        let words = "check lelann --nodes 3 --property at-most-one-leader --fault no-fifo";
        json(&format!("{words} {again}"))
    });
    assert_eq!(once["faults"], twice["faults"]);
    says(&refused("check lelann --nodes 4 --fault crash:99"), &["crash:99", "4 nodes only"]);
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

#[test]
fn a_sample_says_what_it_drew_and_that_it_proves_nothing() {
    let text = ends(0, "check humblet --nodes 5..12 --sample 400");
    says(
        &text,
        &["a sample, 5 to 12 nodes", "400 of 400", "probability at least", "proves nothing"],
    );
    let report = json("check humblet --nodes 5..12 --sample 400");
    assert_eq!((&report["verdict"], &report["samples"]), (&"not-violated".into(), &400.into()));
    let again = json("check humblet --nodes 5..12 --sample 400 --threads 1");
    assert_eq!(report, again, "the seed says everything");
}

#[test]
fn what_a_sample_finds_is_shrunk_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    let said = run("check villadangos@published --nodes 6..12 --sample 1e4 --save found.jsonl");
    assert_eq!(said.code, 1, "{}", said.err);
    says(&said.out, &["exactly-one-leader", "6 steps; no run with fewer", "found by", "p2"]);
    let again = run("replay found.jsonl");
    assert_eq!(again.code, 1, "{}", again.err);
    says(&again.out, &["BROKEN: exactly-one-leader at step 6"]);
}

#[test]
fn random_port_numberings_are_explored_each() {
    let report = json("check humblet --nodes 3 --ports random:5");
    assert_eq!((&report["of"], &report["verdict"]), (&5.into(), &"holds".into()));
    let report = json("check humblet --nodes 3 --ports random:5 --all-ids");
    assert_eq!(report["of"], 30, "every order on each numbering");
    says(&refused("check lelann --nodes 3 --ports random"), &["sense of direction"]);
}

#[test]
fn ranges_are_for_samples() {
    for (words, why) in [
        ("humblet --nodes 5..8", "a range is for --sample"),
        ("humblet --nodes 8..5 --sample 10", "write a number from 1 on, or a range"),
        ("humblet --nodes 5..65 --sample 10", "the limit for exploration is 64"),
        ("humblet --nodes 0", "write a number from 1 on"),
        ("humblet --sample 0", "from 1 on"),
        ("humblet --sample 10 --all-ids", "cannot be used with"),
        ("humblet --sample 10 --scheduler fair", "unknown scheduler `fair`"),
        ("humblet --ports random:0", "from 1 on"),
        ("echo-extinction --capacity 1..2", "a range is for --sample"),
    ] {
        says(&refused(&format!("check {words}")), &[why]);
    }
}

#[test]
fn notes_and_identities_are_as_elect_shows_them() {
    let folder = tempfile::tempdir().unwrap();
    let net = "a b 5\nb c 2\nc a 9\n";
    std::fs::write(folder.path().join("net.txt"), net).unwrap();
    std::fs::write(folder.path().join("ids.txt"), "SN-003\nSN-001\nSN-002\n").unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    let flags = "--topology net.txt --ids ids.txt";
    let elected = run(&format!("elect lelann {flags}"));
    says(&elected.out, &["SN-001"]);
    let checked = run(&format!("check lelann {flags}"));
    assert_eq!(checked.code, 0, "{}", checked.err);
    says(&checked.out, &["can win         id SN-001", "ids SN-003 SN-001 SN-002"]);
    let elected = run(&format!("elect lelann {flags} --format json"));
    let checked = run(&format!("check lelann {flags} --format json"));
    let [elected, checked] =
        [elected, checked].map(|said| serde_json::from_str::<Json>(&said.out).unwrap());
    assert!(!elected["network"]["notes"].as_array().unwrap().is_empty());
    assert_eq!(checked["notes"], elected["network"]["notes"]);
    assert_eq!(checked["written"].as_object().unwrap().len(), 3);
    // If every order of the identities is explored, none is from the file.
    let every = json("check lelann --nodes 3");
    assert_eq!((every.get("notes"), every.get("written")), (None, None));
}

#[test]
fn invariants_are_checked_and_chosen_by_name() {
    let all = ["all-seen", "homeward", "named"];
    assert_eq!(json("check lelann --nodes 3")["invariants"], serde_json::json!(all));
    let sampled = json("check lelann --nodes 4..8 --sample 50");
    assert_eq!(sampled["invariants"], serde_json::json!(all));
    let one = json("check lelann --nodes 3 --property homeward --full");
    assert_eq!(one["invariants"], serde_json::json!(["homeward"]));
    assert_eq!(json("check lelann --nodes 3 --fault loss:1")["invariants"], serde_json::json!([]));
    says(
        &ends(0, "check lelann --nodes 3"),
        &["in every configuration explored: all-seen, homeward, named"],
    );
    let said = refused("check lelann --nodes 3 --property disjoint");
    says(&said, &["lelann has no such invariant", "all-seen, homeward, named"]);
}
