//! `suffrage population`: its reports, that they are reproducible, and its errors.

use crate::common::{json, keys, line, refusal, refused, says, suffrage_in};
use serde_json::Value;
use std::path::Path;

/// Creates a folder with a file of identities.
fn folder_with(ids: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ids"), ids).unwrap();
    folder
}

fn refused_ids(words: &str, ids: &str) -> String {
    let folder = folder_with(ids);
    let words = format!("population epidemic --ids ids {words}");
    refusal(suffrage_in(folder.path(), words.split_whitespace()), ids)
}

#[test]
fn the_report_has_the_documented_keys() {
    let report = json("population self-terminating --agents 200 --trials 20 --each --seed 5");
    assert_eq!(
        keys(&report),
        [
            "agents",
            "command",
            "engine",
            "exact_for",
            "finished",
            "margin",
            "min_interactions",
            "protocol",
            "question",
            "results",
            "rule",
            "seed",
            "specification",
            "summary",
            "trials",
            "version",
        ]
    );
    let fields = [
        "completed_at",
        "declared_at",
        "leader_declared_at",
        "told_at",
        "conversions",
        "followers_met",
        "first_ok",
        "leader_ok",
        "final_ok",
    ];
    let mut sorted = fields;
    sorted.sort_unstable();
    assert_eq!(keys(&report["summary"]), sorted);
    assert_eq!(keys(&report["results"][19]), sorted);
    assert_eq!(report["exact_for"], serde_json::json!(fields));
    assert_eq!((&report["rule"], &report["margin"]), (&"text".into(), &4.into()));
    assert_eq!((&report["engine"], &report["agents"]), (&"direct".into(), &200.into()));
    assert_eq!((&report["trials"], &report["seed"]), (&20.into(), &5.into()));
    assert!(report["results"][0]["first_ok"].is_boolean());
    let mean = |field: &str| report["summary"][field]["mean"].as_f64().unwrap();
    assert!(mean("completed_at") < mean("declared_at"));
}

#[test]
fn the_same_command_says_the_same_for_any_number_of_threads() {
    for words in [
        "self-terminating --agents 300 --trials 50 --each",
        "self-terminating --agents 1e5 --trials 10 --engine batched --each",
        "self-terminating --agents 1e9 --trials 10 --question leader --each",
        "anonymous --agents 1000 --trials 10 --each",
    ] {
        for format in ["text", "json"] {
            let words = format!("population {words} --format {format}");
            let said = line(&words);
            assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
            assert_eq!(line(&words).out, said.out, "{words}");
            for threads in [1, 2] {
                assert_eq!(line(&format!("{words} --threads {threads}")).out, said.out, "{words}");
            }
        }
    }
    let seeded = |seed| line(&format!("population epidemic --agents 50 --seed {seed}")).out;
    assert_ne!(seeded(1), seeded(2));
}

#[test]
fn the_engine_is_chosen_for_what_is_asked() {
    let engine = |words: &str| json(&format!("population {words}"))["engine"].clone();
    assert_eq!(engine("self-terminating --agents 1000"), "direct");
    assert_eq!(engine("self-terminating --agents 1000 --question leader"), "closed-form");
    assert_eq!(engine("self-terminating --agents 1e11"), "closed-form");
    let batched = json("population self-terminating --agents 1e5 --engine batched --highest 8");
    assert_eq!(batched["among_highest"], 8);
    let exact_for = batched["exact_for"].as_array().unwrap();
    assert!(exact_for.contains(&"leader_ok".into()) && !exact_for.contains(&"first_ok".into()));
    let exact = json("population self-terminating --agents 100 --engine oracle");
    assert!((exact["expected"]["completed_at"]["mean"].as_f64().unwrap() - 512.56).abs() < 0.01);
}

#[test]
fn the_oracle_knows_whole_distributions() {
    let folder = tempfile::tempdir().unwrap();
    let words = "population self-terminating --agents 100 --engine oracle --distribution d.csv";
    let said = suffrage_in(folder.path(), format!("{words} --format json").split(' '));
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let quantiles = &report["quantiles"];
    let median = &quantiles["leader_declared_at"][3];
    assert_eq!(median["share"], 0.5);
    let table = std::fs::read_to_string(folder.path().join("d.csv")).unwrap();
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|word| word.parse().unwrap()).collect())
        .collect();
    assert!(table.starts_with("interactions,completed_at,leader_declared_at\n0,0.0"));
    assert!(rows.is_sorted_by(|a, b| a[0] < b[0] && a[1] <= b[1] + 1e-9 && a[2] <= b[2] + 1e-7));
    assert!(rows.iter().all(|row| row[2] <= row[1] + 0.01), "few declare before completion");
    let by = rows.iter().find(|row| row[2] >= 0.5).unwrap()[0];
    let median = median["time"].as_f64().unwrap();
    assert!(median <= by && by <= 1.01 * median, "{median} {by}");
    let text = suffrage_in(folder.path(), words.split(' ')).out;
    says(&text, &["leader declares", "50 % by "]);
    says(
        &refused("population epidemic --agents 9 --distribution d.csv"),
        &["--distribution", "--engine oracle"],
    );
}

#[test]
fn the_smallest_populations() {
    says(&refused("population epidemic --agents 0"), &["at least one agent"]);
    let first = |words: &str| json(&format!("population {words}"))["results"][0].clone();
    let alone = first("self-terminating --agents 1");
    assert_eq!((&alone["completed_at"], alone["declared_at"].as_u64()), (&0.into(), None));
    assert_eq!(first("epidemic --agents 1")["final_ok"], true);
    let two = first("self-terminating --agents 2");
    assert_eq!((&two["completed_at"], &two["declared_at"]), (&1.into(), &25.into()));
    assert_eq!(two["final_ok"], true);
    // The one conversion of two agents comes before any follower is met.
    let printed = first("self-terminating --agents 2 --rule printed");
    assert_eq!(printed["declared_at"], Value::Null);
}

#[test]
fn numbers_out_of_range_are_refused() {
    let refused = |words: &str| refused(&format!("population {words}"));
    says(
        &refused("self-terminating --agents 9 --margin 0"),
        &["with margin 0 the rule 'text'", "at least 1"],
    );
    for wrong in ["1.5", "-5", "ten"] {
        let said = refused(&format!("self-terminating --agents {wrong}"));
        says(&said, &[wrong, "such as 1000 or 1e12"]);
        assert!(!said.contains("`-- "), "no useless advice: {said}");
    }
    for large in ["1e20", "1e30"] {
        let limit = "the largest number here is 18446744073709551615";
        says(&refused(&format!("self-terminating --agents {large}")), &[large, limit]);
    }
    says(&refused("epidemic --agents 9 --highest 5e9"), &["--highest", "4294967295"]);
    says(&refused("self-terminating --agents 9 --margin -1"), &["-1", "such as 4 or 0.5"]);
    says(&refused("epidemic --agents 9 --margin 4"), &["--margin", "only self-terminating"]);
    says(&refused("self-terminating --agents 9 --rule equal --margin 4"), &["--margin", "`equal`"]);
    says(&refused("self-terminating --agents 9 --trials 0"), &["at least one trial"]);
    says(&refused("self-terminating --agents 9 --threads 0"), &["--threads"]);
    says(&refused("self-terminating --agents 9 --rule strict"), &["strict", "at-least"]);
    says(&refused("self-terminating"), &["--agents"]);
    says(&refused("self-destructing --agents 9"), &["self-destructing", "known-bounds"]);
    says(&refused("epidemic --agents 1e14"), &["limit here is 17592186044416"]);
    says(&refused("self-terminating --agents 10001 --engine oracle"), &["the closed-form engine"]);
}

#[test]
fn what_no_memory_holds_is_refused_with_the_engine_that_would_do() {
    says(
        &refused("population self-terminating --agents 1e12 --engine direct"),
        &["1000000000000 agents", "the closed-form and the batched engine"],
    );
    let everything = "population self-terminating --agents 1e12 --question everything";
    says(&refused(everything), &["direct engine", "the closed-form and the batched engine"]);
    says(
        &refused("population epidemic --agents 1e9 --engine oracle"),
        &["whose limit here is 10000", "closed-form"],
    );
    says(
        &refused("population self-terminating --agents 9 --engine closed-form --rule printed"),
        &["use the direct engine"],
    );
    says(
        &refused(
            "population self-terminating --agents 9 --engine closed-form --question everything",
        ),
        &["does not follow declared_at, told_at, first_ok, final_ok"],
    );
}

#[test]
fn identities_that_no_memory_holds_are_not_told_apart() {
    let all = "population self-terminating --agents 1e13 --engine batched --highest 4294967295";
    says(&refused(all), &["to tell 4294967295 identities apart", "are free", "16 are enough"]);
}

#[test]
fn agents_meet_along_the_links_of_a_graph() {
    let words = "population self-terminating --topology ring:40 --trials 20";
    let report = json(words);
    assert_eq!((&report["agents"], &report["engine"]), (&40.into(), &"direct".into()));
    assert_eq!(
        (&report["meetings"], &report["network"]),
        (&"along-links".into(), &"ring:40".into())
    );
    assert!(report["summary"]["told_at"]["mean"].as_f64().unwrap() > 0.0);
    says(&line(words).out, &["meetings along the links of ring:40", "all are told"]);
    assert_eq!(line(&format!("{words} --threads 1")).out, line(words).out);
    // All pairs of a complete network meet: that is no graph.
    assert_eq!(json("population epidemic --topology complete:40")["engine"], "closed-form");
    let folder = folder_with("3\n9\n4\n");
    std::fs::write(folder.path().join("net"), "Oslo Wien\nWien Roma\n").unwrap();
    let words = "population epidemic --topology net --ids ids --format json";
    let said = suffrage_in(folder.path(), words.split(' '));
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&report["agents"], &report["leader"]), (&3.into(), &9.into()));
    // Wien leads, and takes two meetings.
    assert_eq!(report["results"][0]["conversions"], 2);
    let refused = |words: &str| refused(&format!("population {words}"));
    says(&refused("epidemic --topology ring:9 --agents 8"), &["ring:9 has 9 nodes"]);
    says(&refused("anonymous --topology ring:9"), &["not neighbours"]);
    let batched = "epidemic --topology ring:9 --engine batched";
    says(&refused(batched), &["who is whose neighbour", "use the direct engine"]);
    says(&refused("epidemic --topology rink:9"), &["rink"]);
}

#[test]
fn agents_may_meet_themselves() {
    let words = "population self-terminating --agents 300 --self-meetings --trials 50";
    assert_eq!(json(words)["meetings"], "with-self-meetings");
    says(&line(words).out, &["self-meetings included", "engine direct"]);
    let leader = "population epidemic --agents 1e9 --self-meetings";
    assert_eq!(json(leader)["engine"], "closed-form");
    let both = "population epidemic --self-meetings --topology ring:9";
    says(&refused(both), &["--self-meetings", "--topology"]);
    says(&refused("population anonymous --agents 9 --self-meetings"), &["would resign"]);
}

#[test]
fn margins_may_be_fractions() {
    let report = json("population self-terminating --agents 100 --margin 2.5");
    assert_eq!(report["margin"], 2.5);
    let equal = json("population self-terminating --agents 100 --rule equal");
    assert_eq!((&equal["rule"], &equal["margin"]), (&"equal".into(), &Value::Null));
}

#[test]
fn the_leader_has_the_highest_identity_of_the_file() {
    let folder = folder_with("7\n0x10\n# serial numbers\naa:bb:cc:dd:ee:ff\n3\n");
    let of = |words: &str| {
        let words = format!("population epidemic --ids ids --format json {words}");
        let said = suffrage_in(folder.path(), words.split_whitespace());
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
        serde_json::from_str::<Value>(&said.out).unwrap()
    };
    assert_eq!(of("")["agents"], 4);
    let report = of("--agents 4");
    assert_eq!(report["leader"], 0xaabb_ccdd_eeff_u64);
    assert_eq!(report["leader_label"], "aa:bb:cc:dd:ee:ff", "as it is written");
    let text = suffrage_in(folder.path(), "population epidemic --ids ids".split(' ')).out;
    says(&text, &["the eventual leader's identity is aa:bb:cc:dd:ee:ff"]);
    let random = |seed| {
        let report = json(&format!("population epidemic --agents 9 --ids random --seed {seed}"));
        report["leader"].as_u64().unwrap()
    };
    assert_eq!(random(1), random(1));
    assert_ne!(random(1), random(2));
}

#[test]
fn identities_that_cannot_be_are_refused_with_the_line() {
    says(&refused_ids("", "7\n3\n7\n"), &["ids:3: id 7 is already in line 1"]);
    says(&refused_ids("", "7\nzz\n3\n"), &["ids:2: `zz` is no id"]);
    says(&refused_ids("", "SN-7\nSN-10\n"), &["ids:2: `SN-10` has another form than `SN-7`"]);
    says(&refused_ids("", "Oslo 7\n3\n"), &["ids:2: this line has no label before the id"]);
    says(&refused_ids("", "# none\n"), &["--ids: there are none in ids"]);
    says(&refused_ids("--agents 5", "7\n3\n"), &["2 identities for 5 agents"]);
    says(&refused("population epidemic --ids nowhere"), &["cannot read nowhere"]);
    says(&refused("population epidemic --ids random"), &["--agents"]);
    says(&refused("population epidemic --ids random --agents 1e12"), &["leave out --ids"]);
}

#[test]
fn a_history_is_a_table_of_counts_over_time() {
    let folder = tempfile::tempdir().unwrap();
    let history = |words: &str| {
        let words = format!("population {words} --history h.csv");
        let said = suffrage_in(folder.path(), words.split_whitespace());
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
        let table = std::fs::read_to_string(folder.path().join("h.csv")).unwrap();
        table.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let infected = history("two-way-epidemic --agents 1000 --interval 500");
    assert_eq!(infected[..2], ["interactions,infected,healthy", "0,1,999"]);
    assert!(infected[2].starts_with("500,"));
    assert!(infected.last().unwrap().ends_with(",1000,0"));
    let election = history("self-terminating --agents 100");
    assert!(election.last().unwrap().ends_with(",100,1,100,1"), "{election:?}");
    let large = history("epidemic --agents 1e7 --interval 1e7");
    let columns = "interactions,hold_maximum,highest_believe_in_self,leader_conversions,\
                   leader_followers_met,leader_declared";
    assert_eq!(large[..2], [columns, "0,1,16,0,0,0"]);
    assert!(large[2].starts_with("10000000,"));
    assert!(large.last().unwrap().contains(",10000000,1,"));
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(files.len(), 1, "nothing is left beside");
    let missing = Path::new("nowhere").join("h.csv");
    let words = format!("population epidemic --agents 9 --history {}", missing.display());
    says(&refused(&words), &["--history: cannot write nowhere"]);
    says(&refused("population epidemic --agents 9 --interval 5"), &["--history"]);
}

#[test]
fn survivors_elect_again() {
    let words = "population self-terminating --agents 200 --failures 25% --trials 30";
    let report = json(words);
    let again = &report["after_failures"];
    assert_eq!((&again["failed"], &again["survivors"]), (&50.into(), &150.into()));
    assert!(again["summary"]["told_at"]["mean"].as_f64().unwrap() > 0.0);
    says(&line(words).out, &["50 agents fail, the leader among them; 150 elect again:"]);
    assert_eq!(line(&format!("{words} --threads 1")).out, line(words).out);
    let refused = |words: &str| refused(&format!("population {words}"));
    says(&refused("self-terminating --agents 9 --failures 1.5"), &["--failures", "0.1 or 10%"]);
    says(&refused("self-terminating --agents 9 --failures 95%"), &["--failures", "there are 0"]);
    says(&refused("epidemic --agents 9 --failures 0.1"), &["--failures", "self-terminating"]);
}

const MAJORITY: &str = "\
init A 60%
init B 40%
A + B >> A + U
U + A >> 2*A
U + B >> 2*B
output A yes
";

#[test]
fn a_protocol_may_be_a_file_of_transitions() {
    let folder = tempfile::tempdir().unwrap();
    let with = |rules: &str, words: &str| {
        std::fs::write(folder.path().join("rules"), rules).unwrap();
        let words = format!("population --rules rules {words}");
        suffrage_in(folder.path(), words.split_whitespace())
    };
    let said = with(MAJORITY, "--agents 1e6 --trials 5 --format json");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((&report["agents"], &report["silent"]), (&1_000_000.into(), &5.into()));
    assert_eq!(
        (&report["outputs"][0]["output"], &report["outputs"][0]["by_all"]),
        (&"yes".into(), &5.into())
    );
    says(
        &with(MAJORITY, "--agents 1e6").out,
        &["rules among 1,000,000 agents", "show yes", ": all"],
    );
    let ring = with(MAJORITY, "--topology ring:30 --trials 4 --interactions 1e5");
    says(&ring.out, &["meetings along the links of ring:30", "engine direct"]);
    let history = with(MAJORITY, "--agents 1000 --history h.csv --interval 500");
    assert_eq!(history.code, 0, "{}", history.err);
    let table = std::fs::read_to_string(folder.path().join("h.csv")).unwrap();
    assert!(table.starts_with("interactions,A,B,U\n0,600,400,0\n500,"), "{table}");
    let wrong = |rules: &str, words: &str| refusal(with(rules, words), rules);
    says(&wrong("init A 3\nA B\n", ""), &["--rules rules: line 2: `A B` is no statement"]);
    says(&wrong(MAJORITY, ""), &["--agents"]);
    says(&wrong("init A 3\n", "--self-meetings"), &["--rules", "--self-meetings"]);
    says(&wrong("init A 3\n", "--margin 4"), &["--rules", "--margin"]);
    says(&refused("population --rules nowhere"), &["--rules nowhere"]);
    says(&refused("population --agents 3"), &["<PROTOCOL"]);
}
