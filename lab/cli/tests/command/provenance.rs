//! The JSON of every run has the command and the version that made it.

use crate::common::{line, suffrage_in};
use serde_json::Value;

/// A command of each sort, as JSON.
const RUNS: [&str; 11] = [
    "elect humblet --nodes 20 --schedule uniform:10",
    "elect lelann --nodes 9 --trials 5",
    "elect villadangos@published --nodes 6 --schedule random --trials 5",
    "compare --algorithms lelann,chang-roberts --topology ring --nodes 9 --trials 4",
    "check lelann --nodes 3",
    "check lelann --nodes 4..6 --sample 20",
    "cluster lelann --nodes 4 --transport channels",
    "cluster lelann --nodes 4 --transport channels --against-simulation",
    "population self-terminating --agents 50 --trials 5",
    "reproduce theorems --trials 2",
    "tenure simulate --trials 2",
];

fn reports(text: &str) -> Vec<Value> {
    match serde_json::from_str(text).unwrap() {
        Value::Array(reports) => reports,
        report => vec![report],
    }
}

#[test]
fn every_report_has_its_command_and_version_first() {
    for words in RUNS {
        let said = line(&format!("{words} --format json"));
        assert!([0, 1].contains(&said.code), "{words}: {}", said.err);
        for report in reports(&said.out) {
            assert_eq!(report["command"], format!("suffrage {words} --format json"));
            assert_eq!(report["version"], env!("CARGO_PKG_VERSION"), "{words}");
        }
        let keys: Vec<&str> =
            said.out.lines().filter_map(|line| line.trim().strip_prefix('"')).take(2).collect();
        assert!(keys[0].starts_with("command\"") && keys[1].starts_with("version\""), "{words}");
    }
}

#[test]
fn the_command_of_a_report_gives_the_same_report() {
    for words in RUNS.iter().filter(|words| !words.starts_with("cluster")) {
        let first = line(&format!("{words} --threads 2 --format json"));
        // Not all commands have threads.
        let first = if first.code == 2 { line(&format!("{words} --format json")) } else { first };
        let command = reports(&first.out)[0]["command"].as_str().unwrap().to_owned();
        assert!(!command.contains("--threads"), "{command}");
        let again = line(command.strip_prefix("suffrage ").unwrap());
        assert_eq!((again.code, again.out), (first.code, first.out), "{words}");
    }
}

#[test]
fn a_report_of_real_nodes_is_not_compared_with_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let said = line("cluster lelann --nodes 4 --transport channels --format json");
    std::fs::write(folder.path().join("real.json"), said.out).unwrap();
    let said = suffrage_in(folder.path(), ["run", "real.json", "--compare"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("real.json is of an election between nodes"), "{}", said.err);
}

/// A file may hold colours of this program, too.
#[test]
fn no_text_of_a_file_colours_what_is_piped() {
    let folder = tempfile::tempdir().unwrap();
    suffrage_in(folder.path(), "elect lelann --nodes 3 --trace t.jsonl".split(' '));
    let trace = std::fs::read_to_string(folder.path().join("t.jsonl")).unwrap();
    let red = trace.replacen("suffrage elect", "\\u001b[31mred\\u001b[0m", 1);
    assert_ne!(red, trace);
    std::fs::write(folder.path().join("t.jsonl"), red).unwrap();
    let said = suffrage_in(folder.path(), ["replay", "t.jsonl"]);
    assert!(said.out.contains("\\u001b[31mred") && !said.out.contains('\u{1b}'), "{}", said.out);
}

#[test]
fn every_trial_has_its_seed() {
    let summary = &reports(&line("elect humblet --nodes 30 --trials 6 --format json").out)[0];
    let seeds: Vec<u64> =
        summary["seeds"].as_array().unwrap().iter().map(|seed| seed.as_u64().unwrap()).collect();
    assert_eq!(seeds.len(), 6);
    // The figures of the summary are those of the elections with these seeds.
    let messages = |seed: &u64| {
        let said = line(&format!("elect humblet --nodes 30 --seed {seed} --format json"));
        reports(&said.out)[0]["messages"]["total"].as_u64().unwrap()
    };
    let all: Vec<u64> = seeds.iter().map(messages).collect();
    assert_eq!(summary["messages"]["max"].as_u64(), all.iter().copied().max());
    assert_eq!(summary["messages"]["min"].as_u64(), all.iter().copied().min());
    let first = summary["first_trial"].as_str().unwrap();
    assert!(first.starts_with("suffrage elect humblet --topology complete:30"), "{first}");
    let words = "compare --algorithms humblet --nodes 30 --trials 6 --format json";
    assert_eq!(reports(&line(words).out)[0]["seeds"], summary["seeds"]);
}

#[test]
fn a_word_with_blanks_is_quoted_as_a_shell_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my net.txt"), "a b\nb c\n").unwrap();
    let words = ["elect", "--topology", "my net.txt", "--format", "json"];
    let said = suffrage_in(folder.path(), words);
    let report = &reports(&said.out)[0];
    assert_eq!(report["command"], "suffrage elect --topology 'my net.txt' --format json");
}

/// Runs from files, and of nodes, which are no row of the table above.
#[test]
fn replays_and_nodes_have_their_commands_too() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    assert_eq!(run("elect lelann --nodes 3 --trace t.jsonl").code, 0);
    let config = "cluster = \"test\"\nalgorithm = \"humblet\"\nnetwork = \"complete\"\nid = 1\n\
                  listen = \"127.0.0.1:0\"\nalone = true\n";
    std::fs::write(folder.path().join("node.toml"), config).unwrap();
    std::fs::write(folder.path().join("rules.txt"), "init A 60%\ninit B 40%\nA, B -> A, A\n")
        .unwrap();
    for words in [
        "replay t.jsonl --format json",
        "node --config node.toml --timeout 30 --format json",
        "population --rules rules.txt --agents 30 --format json",
        "reproduce figure-1 --trials 1 --out figure --format json",
        "reproduce minimum --trials 2 --out minimum --format json",
        "tenure compare --trials 1 --format json",
    ] {
        let said = run(words);
        assert_eq!(said.code, 0, "{words}: {}", said.err);
        for report in reports(&said.out) {
            assert_eq!(report["command"], format!("suffrage {words}"));
            assert_eq!(report["version"], env!("CARGO_PKG_VERSION"), "{words}");
        }
    }
}

#[test]
fn a_report_of_others_names_no_file_to_write() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = |words: &str| suffrage_in(folder.path(), words.split_whitespace());
    let report = run("elect humblet --nodes 5 --trials 3 --format json").out;
    for flag in ["--trace", "--each", "--draw-network"] {
        let command = format!("suffrage elect humblet --nodes 5 {flag} victim.txt");
        let mut value: Value = serde_json::from_str(&report).unwrap();
        value["command"] = command.into();
        std::fs::write(at("foreign.json"), value.to_string()).unwrap();
        std::fs::write(at("victim.txt"), "precious").unwrap();
        for words in ["run foreign.json", "run foreign.json --compare"] {
            run(words);
            assert_eq!(std::fs::read_to_string(at("victim.txt")).unwrap(), "precious", "{flag}");
        }
        // A specification has no place for such a file.
        let key = flag.trim_start_matches('-');
        let text = format!("[elect]\nalgorithm = \"humblet\"\nnodes = 5\n{key} = \"victim.txt\"\n");
        std::fs::write(at("foreign.toml"), text).unwrap();
        assert_eq!(run("run foreign.toml").code, 2);
    }
}

#[test]
fn a_report_is_compared_with_itself_and_a_trace_is_for_replay() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split_whitespace());
    let report = run("elect humblet --nodes 5 --trace run.jsonl --format json").out;
    std::fs::write(folder.path().join("report.json"), &report).unwrap();
    assert_eq!(run("run report.json --compare").code, 0);
    let said = run("run run.jsonl --compare");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("`suffrage replay run.jsonl` runs again"), "{}", said.err);
}
