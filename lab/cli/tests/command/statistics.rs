//! The statistics of trials, and adding them up.

use crate::common::{Said, json, line, refusal, refused, says, suffrage_in};
use serde_json::Value;
use std::path::Path;

fn run(folder: &Path, words: &str) -> Said {
    suffrage_in(folder, words.split_whitespace())
}

/// Holds one election of this seed, and returns a figure of it.
fn one(words: &str, seed: u64, figure: &str) -> u64 {
    json(&format!("{words} --seed {seed}")).pointer(figure).unwrap().as_u64().unwrap()
}

#[test]
fn a_summary_has_the_statistics_of_its_elections() {
    let words = "elect chang-roberts --nodes 15 --schedule uniform:3";
    let summary = json(&format!("{words} --seeds 4..9"));
    assert_eq!(summary["seeds"], serde_json::json!([4, 5, 6, 7, 8, 9]));
    for (key, figure) in [
        ("messages", "/messages/total"),
        ("election_messages", "/messages/election"),
        ("announcement_messages", "/messages/announcement"),
        ("bits", "/bits"),
        ("time", "/time"),
        ("causal_depth", "/causal_depth"),
        ("busiest", "/busiest/messages"),
    ] {
        let mut all: Vec<u64> = (4..=9).map(|seed| one(words, seed, figure)).collect();
        all.sort_unstable();
        let spread = &summary[key];
        let mean = all.iter().sum::<u64>() as f64 / 6.0;
        let square = |&x: &u64| (x as f64 - mean).powi(2);
        let deviation = (all.iter().map(square).sum::<f64>() / 5.0).sqrt();
        // Student's quantile for five degrees of freedom.
        let half = 2.5706 * deviation / 6.0_f64.sqrt();
        for (statistic, value) in [("mean", mean), ("deviation", deviation), ("ci95", half)] {
            let said = spread[statistic].as_f64().unwrap();
            assert!((said - value).abs() < 6e-4, "{key} {statistic}: {said}, not {value}");
        }
        let whole = |statistic: &str| spread[statistic].as_u64().unwrap();
        assert_eq!((whole("min"), whole("median")), (all[0], all[2]), "{key}");
        assert_eq!((whole("max"), whole("p95")), (all[5], all[5]), "{key}");
    }
    let text = line(&format!("{words} --seeds 4..9")).out;
    says(&text, &["mean ± 95 %", "deviation", "median", "  election", "busiest", " ± "]);
}

#[test]
fn parts_are_merged_to_the_report_of_one_run_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    for (words, formats) in [
        ("elect humblet --nodes 30 --ports random --schedule uniform:4", &["text", "json"][..]),
        ("elect villadangos@published --nodes 6 --schedule random", &["text", "json"]),
        ("elect --topology erdos-renyi:20:0.3 --initiators 3", &["text", "json"]),
        (
            "compare --algorithms humblet,villadangos@published --nodes 5,8 \
             --schedule random,synchronous",
            &["json", "csv", "text"],
        ),
        ("compare --topology tree:2 --nodes 7,15", &["json", "csv", "text"]),
        ("population self-terminating --agents 200 --failures 10% --each", &["json", "text"]),
        ("population epidemic --topology erdos-renyi:20:0.3 --ids random", &["json", "text"]),
        ("tenure simulate --faults all --duration 20s --members 3", &["json", "text"]),
        (
            "tenure simulate --protocol bully --faults split,crash --duration 20s --every 2s",
            &["json", "text"],
        ),
        ("tenure compare --scenarios chained,leader-crash --members 3", &["json", "text"]),
        (
            "tenure scale --member-series 3 --client-series 0,2 --office-series 4 --lease 200ms",
            &["json", "text"],
        ),
        ("check humblet --nodes 5..9", &["json", "text"]),
        ("check echo-extinction --nodes 3..6 --fault loss:1", &["json", "text"]),
        ("check dolev-klawe-rodeh@published --nodes 3..4 --scheduler uniform", &["json", "text"]),
    ] {
        let mut exit = 0;
        for (part, seeds) in [("b", "8..10"), ("c", "11..11"), ("a", "5..7")] {
            let said =
                run(folder.path(), &format!("{words} --seeds {seeds} --threads 2 --format json"));
            exit = exit.max(said.code);
            assert!(said.code < 2, "{words}: {}", said.err);
            std::fs::write(folder.path().join(part), said.out).unwrap();
        }
        for format in formats {
            let table = words.starts_with("compare") && *format == "text";
            let own = if table { "table" } else { format };
            let whole = run(folder.path(), &format!("{words} --seeds 5..11 --format {own}"));
            let merged = run(folder.path(), &format!("merge b c a --format {format}"));
            assert_eq!((merged.code, merged.err.as_str()), (exit, ""), "{words}");
            assert_eq!(merged.out, whole.out, "{words} {format}");
        }
        let nested = run(folder.path(), "merge b c --format json");
        std::fs::write(folder.path().join("bc"), nested.out).unwrap();
        let twice = run(folder.path(), "merge a bc --format json");
        assert_eq!(twice.out, run(folder.path(), "merge a b c --format json").out, "{words}");
    }
}

#[test]
fn what_does_not_add_up_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let make = |file: &str, words: &str| {
        let said = run(folder.path(), &format!("{words} --format json"));
        assert_eq!(said.code, 0, "{words}: {}", said.err);
        std::fs::write(folder.path().join(file), said.out).unwrap();
    };
    make("a", "elect lelann --nodes 5 --seeds 1..3");
    make("b", "elect lelann --nodes 5 --seeds 3..4");
    make("c", "elect lelann --nodes 5 --seeds 9..10");
    make("d", "elect lelann --nodes 6 --seeds 4..5");
    make("e", "elect lelann --nodes 5 --trials 3");
    make("f", "elect lelann --nodes 5");
    make("g", "compare --topology ring --nodes 5 --seeds 4..5");
    make("h", "population epidemic --agents 50 --seeds 1..3");
    make("i", "population epidemic --agents 60 --seeds 4..5");
    make("j", "population epidemic --agents 50 --trials 3");
    let refuses = |words: &str, all: &[&str]| {
        says(&refusal(run(folder.path(), words), words), all);
    };
    refuses("merge a b", &["b: seed 3 is in a, too"]);
    refuses("merge a c", &["the seeds 4..8 are missing"]);
    refuses("merge a d", &["d: it is of another experiment than a", "--nodes 6"]);
    refuses("merge e", &["e: ", "has no --seeds A..B"]);
    refuses("merge f", &["f: not a report of trials"]);
    refuses("merge a g", &["g: not a report of trials"]);
    refuses("merge a --format csv", &["compare"]);
    refuses("merge h i", &["i: it is of another experiment than h", "--agents 60"]);
    refuses("merge j", &["j: ", "has no --seeds A..B"]);
    refuses("merge a h", &["h: not a report of trials"]);
    make("k", "tenure simulate --duration 5s --seeds 1..2");
    make("l", "tenure simulate --duration 6s --seeds 3..4");
    make("m", "check humblet --nodes 5..6 --seeds 1..20");
    make("n", "check humblet --nodes 5..6 --sample 20");
    refuses("merge k l", &["l: it is of another experiment than k", "--duration 6s"]);
    refuses("merge k m", &["m: not a report of trials"]);
    refuses("merge n", &["n: ", "has no --seeds A..B"]);
    let whole = std::fs::read_to_string(folder.path().join("m")).unwrap();
    std::fs::write(folder.path().join("m"), whole.replace("1..20", "1..21")).unwrap();
    refuses("merge m", &["m: it has 20 of 21 seeds"]);
    make("o", "tenure scale --member-series 3 --client-series 1 --office-series 1 --seeds 1..2");
    make("p", "tenure scale --member-series 5 --client-series 1 --office-series 1 --seeds 3..3");
    make("q", "tenure scale --member-series 3 --client-series 1 --office-series 1 --trials 2");
    refuses("merge o p", &["p: it is of another experiment than o", "--member-series 5"]);
    refuses("merge q", &["q: ", "has no --seeds A..B"]);
    refuses("merge o --format csv", &["`suffrage compare`"]);
    refuses("merge nothing", &["cannot read nothing"]);
}

#[test]
fn trials_end_when_the_mean_is_known_on_any_number_of_threads() {
    let words = "elect chang-roberts --nodes 20 --precision 2% --format json";
    let with = |threads: u32| line(&format!("{words} --threads {threads}"));
    let said = with(1);
    assert_eq!((said.code, &said.out), (0, &with(3).out));
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let share = |key: &str| report["messages"][key].as_f64().unwrap();
    assert!(share("ci95") <= 0.02 * share("mean"));
    let held = report["trials"]["finished"].as_u64().unwrap();
    assert!(held > 20 && report["trials"]["wanted"] == held, "{held}");
    let few = line("elect chang-roberts --nodes 20 --precision 0.1% --trials 25");
    assert_eq!(few.code, 0);
    says(&few.err, &["--precision: after 25 trials", "more --trials"]);
    says(&refused("elect lelann --nodes 4 --precision 0 --trials 3"), &["such as 1%"]);
}

#[test]
fn each_trial_has_its_figures_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let words = "compare --algorithms lelann,chang-roberts --topology ring --nodes 6,9 \
                 --seeds 3..5 --schedule synchronous,uniform:4";
    assert_eq!(run(folder.path(), &format!("{words} --each all.csv")).code, 0);
    assert_eq!(run(folder.path(), &format!("{words} --each all.jsonl")).code, 0);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (csv, lines) = (read("all.csv"), read("all.jsonl"));
    assert_eq!((csv.lines().count(), lines.lines().count()), (1 + 2 * 2 * 2 * 3, 24));
    let heads: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    for (row, object) in csv.lines().skip(1).zip(lines.lines()) {
        let object: Value = serde_json::from_str(object).unwrap();
        for (head, field) in heads.iter().zip(row.split(',')) {
            let value = match &object[*head] {
                Value::String(text) => text.clone(),
                Value::Array(empty) if empty.is_empty() => String::new(),
                other => other.to_string(),
            };
            assert_eq!(value, field, "{head}");
        }
    }
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    let same = "elect chang-roberts --topology ring:9 --schedule uniform:4";
    assert_eq!(last["messages"], one(same, 5, "/messages/total"));
    says(&refused("elect lelann --nodes 4 --each x.csv"), &["--each is for --trials"]);
}

#[test]
fn every_combination_of_values_is_compared() {
    let words = "compare --algorithms echo-extinction --topology ring,star --nodes 5,6 \
                 --schedule synchronous,uniform:3 --ids random,list:6,5,4,3,2,1 --trials 2";
    says(&line(words).err, &["list has 6 ids, the network has 5 nodes"]);
    let words = words
        .replace("--nodes 5,6", "--nodes 6")
        .replace("--trials 2", "--ports rotation,random --initiators all,nodes:0,3 --trials 2");
    let said = line(&format!("{words} --format json"));
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let rows: Vec<Value> = serde_json::from_str(&said.out).unwrap();
    assert_eq!(rows.len(), 2 * 2 * 2 * 2 * 2);
    let table = line(&words).out;
    says(
        &table,
        &[
            "schedule uniform:3, ids list:6,5,4,3,2,1, initiators nodes:0,3, ports rotation, capacity unbounded\n",
        ],
    );
    let said = refused("elect lelann --nodes 5 --schedule synchronous,uniform:3");
    says(&said, &["--schedule: 2 values are for `suffrage compare`"]);
}
