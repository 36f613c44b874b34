//! `suffrage compare`.

use crate::common::{line, refused, says};
use serde_json::Value;

fn rows(words: &str) -> Vec<Value> {
    let said = line(&format!("compare {words} --format json"));
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn threads_change_nothing() {
    for layout in ["table", "csv", "json"] {
        let with = |threads: u32| {
            line(&format!(
                "compare --nodes 8,20 --trials 12 --schedule uniform:6 --ports random \
                 --threads {threads} --format {layout}"
            ))
            .out
        };
        assert_eq!(with(1), with(2));
        assert_eq!(with(1), with(5));
    }
}

#[test]
fn the_algorithms_are_those_that_fit() {
    let names = |words: &str| -> Vec<String> {
        rows(words).iter().map(|row| row["algorithm"].as_str().unwrap().to_owned()).collect()
    };
    let waves = ["echo-extinction", "depth-first-extinction"];
    let others = ["gallager-humblet-spira", "korach-kutten-moran", "yo-yo"];
    let graph = [&waves[..], &others].concat();
    let ring = [
        "lelann",
        "chang-roberts",
        "hirschberg-sinclair",
        "dolev-klawe-rodeh",
        "franklin",
        "peterson",
        "stages-with-feedback",
        "alternating-steps",
        "higham-przytycka",
        "ring-extinction",
        "lyndon-word",
        "content-oblivious",
    ];
    assert_eq!(names("--topology ring --nodes 8 --trials 2"), [&ring[..], &graph].concat());
    let complete = [
        "all-to-all",
        "humblet",
        "afek-gafni",
        "villadangos",
        "korach-moran-zaks",
        "bully",
        "loui-matsushita-west",
    ];
    assert_eq!(names("--nodes 8 --trials 2"), [&complete[..], &graph].concat());
    let tree = ["tree-wave", "tree-extinction"];
    assert_eq!(names("--topology tree:2 --nodes 7 --trials 1"), [&tree[..], &graph].concat());
    assert!(!names("--nodes 8 --trials 2 --ports random").contains(&"villadangos".to_owned()));
    assert_eq!(names("--algorithms lelann --topology ring --nodes 4,6"), ["lelann", "lelann"]);
    // All of a class, with those that draw and, in rounds, those in rounds.
    let drawn = ["itai-rodeh", "fokkink-pang-a", "fokkink-pang-b", "probabilistic-franklin"];
    let class = "--class ring --nodes 8 --trials 1";
    assert_eq!(names(class), [&ring[..], &drawn].concat());
    let rounds = ["time-slice", "variable-speeds"];
    let in_rounds = format!("{class} --schedule rounds");
    assert_eq!(names(&in_rounds), [&ring[..], &drawn, &rounds].concat());
    assert_eq!(names(&format!("{in_rounds} --capacity 8")), [&ring[..], &drawn].concat());
    let referees = |words: &str| {
        let words = format!("--class complete --nodes 8 --trials 1 --schedule rounds{words}");
        names(&words).contains(&"random-referees".to_owned())
    };
    assert!(referees("") && !referees(" --initiators 3") && !referees(" --wake spread:4"));
    assert_eq!(rows("--class hypercube --nodes 16 --trials 1")[0]["network"], "hypercube:4");
    let trees = rows("--class tree --topology path --nodes 5 --trials 1");
    assert!(trees.iter().all(|row| row["network"] == "path:5") && trees.len() == 3, "{trees:?}");
}

#[test]
fn a_row_is_the_summary_of_elect() {
    let row = &rows("--algorithms humblet --nodes 50 --trials 7 --schedule uniform:4")[0];
    let said = line("elect humblet --nodes 50 --trials 7 --schedule uniform:4 --format json");
    let summary: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(row["messages"], summary["messages"]);
    assert_eq!(row["time"], summary["time"]);
    assert_eq!(row["bound"]["ratio"], summary["bound"]["ratio"]);
    assert_eq!(row["time_bound"], summary["time_bound"]);
    let (units, most) = (&row["time_bound"]["units"], &row["time_bound"]["most"]);
    assert!(units.as_u64() > Some(0) && units.as_u64() <= most.as_u64(), "{row}");
}

#[test]
fn the_table_and_the_values_say_the_same() {
    let table = line("compare --algorithms lelann --topology ring --nodes 10 --trials 3").out;
    says(&table, &["algorithm", "messages", "lelann", "110.0", "1.000", "= k n + n"]);
    let csv =
        line("compare --algorithms lelann --topology ring --nodes 10 --trials 3 --format csv");
    let lines: Vec<Vec<&str>> = csv.out.lines().map(|row| row.split(',').collect()).collect();
    let [heads, values] = &lines[..] else { panic!("{}", csv.out) };
    assert_eq!(heads.len(), values.len());
    let of = |head: &str| values[heads.iter().position(|one| *one == head).unwrap()];
    for (head, value) in [
        ("algorithm", "lelann"),
        ("network", "ring:10"),
        ("schedule", "synchronous"),
        ("trials", "3"),
        ("messages_mean", "110.000"),
        ("messages_ci95", "0.000"),
        ("election_messages_median", "100"),
        ("announcement_messages_max", "10"),
        ("time_p95", "20"),
        ("causal_depth_mean", "20.000"),
        ("ratio", "1.000"),
        ("bound", "k n + n"),
        ("bound_messages", "110"),
        ("units", "20"),
        ("failures", "0"),
        ("replay", ""),
    ] {
        assert_eq!(of(head), value, "{head}");
    }
}

#[test]
fn a_failing_row_says_so_and_how_to_see_it() {
    let words =
        "compare --algorithms villadangos@published --nodes 6 --trials 10 --schedule random";
    let said = line(words);
    assert_eq!(said.code, 1);
    says(&said.out, &["BROKEN in", "exactly-one-leader"]);
    let command = said.out.lines().last().unwrap().trim();
    let again = line(command.strip_prefix("suffrage ").unwrap());
    assert_eq!(again.code, 1);
    says(&again.out, &["exactly-one-leader"]);
    let json = line(&format!("{words} --format json"));
    let rows: Value = serde_json::from_str(&json.out).unwrap();
    assert!(rows[0]["failures"].as_u64().unwrap() > 0);
}

#[test]
fn what_does_not_fit_is_refused_before_the_first_row() {
    let refuses = |words: &str, all: &[&str]| says(&refused(words), all);
    refuses("compare", &["--nodes"]);
    refuses("compare --nodes 0", &["--nodes", "0"]);
    refuses("compare --nodes 10,x", &["--nodes", "x"]);
    refuses("compare --nodes 10 --topology torrus", &["did you mean `torus`?"]);
    refuses("compare --nodes 10 --topology hypercube", &["a power of two"]);
    refuses(
        "compare --nodes 10 --topology ring --algorithms lelann,humblet",
        &["humblet: ring:10 is a ring", "algorithms that fit: lelann, chang-roberts"],
    );
    refuses("compare --nodes 10,3 --initiators 5", &["--initiators 5", "3 nodes only"]);
    refuses("compare --nodes 10 --algorithms humblt", &["did you mean `humblet`?"]);
    refuses("compare --nodes 10 --schedule replay:x", &["suffrage elect"]);
    refuses("compare --nodes 10 --trials 0", &["--trials"]);
    refuses("compare --class hypercube --nodes 10", &["a power of two of nodes"]);
    refuses("compare --class ring --nodes 10 --algorithms lelann", &["--algorithms"]);
}

#[test]
fn what_would_take_too_long_is_left_out_unless_it_is_named() {
    let said = line("compare --nodes 40000 --trials 1 --format csv");
    assert_eq!(said.code, 0);
    says(
        &said.err,
        &[
            "left out: all-to-all on complete:40000 sends some 1,599,960,000 messages",
            "left out: echo-extinction on complete:40000",
            "left out: depth-first-extinction on complete:40000",
            "left out: bully on complete:40000 sends some 1,599,960,000 messages",
            "left out: gallager-humblet-spira on complete:40000",
        ],
    );
    assert_eq!(said.out.lines().count(), 1 + 5, "{}", said.out);
}

#[test]
fn a_network_with_a_size_of_its_own_is_compared_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.txt"), "a b\nb c\nc d\n").unwrap();
    let run = |words: &str| crate::common::suffrage_in(folder.path(), words.split(' '));
    let said = run("compare --topology net.txt --trials 3 --format csv");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    says(&said.out, &["tree-wave,net.txt,4,", "echo-extinction,net.txt,4,"]);
    assert_eq!(said.out.lines().count(), 1 + 7);
    let row = &rows("--topology grid:2x3 --trials 2")[0];
    assert_eq!((&row["network"], &row["nodes"]), (&"grid:2x3".into(), &6.into()));
    says(
        &refused("compare --topology ring:10 --nodes 10"),
        &[
            "--topology ring:10 --nodes 10",
            "`ring:10` has a number of nodes of its own",
            "--topology ring\n",
        ],
    );
    let said = run("compare --topology net.txt --nodes 10");
    assert_eq!(said.code, 2);
    says(&said.err, &["--topology net.txt --nodes 10", "leave out --nodes"]);
    says(
        &refused("compare --topology regular:x --nodes 10"),
        &["--topology regular:x --nodes 10", "`x`"],
    );
    says(&refused("compare --nodes 10 --largest-component"), &["--largest-component is for files"]);
}
