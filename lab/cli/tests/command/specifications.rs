//! `suffrage run`, and `--print-spec`.

use crate::common::{Said, refusal, says, suffrage_in};
use std::path::Path;

fn run(folder: &Path, words: &str) -> Said {
    suffrage_in(folder, words.split_whitespace())
}

#[test]
fn a_result_is_enough_to_make_it_again() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("net.txt"), "a b\nb c\nc d\n").unwrap();
    for words in [
        "elect humblet --nodes 20 --schedule uniform:5 --format json",
        "elect --topology net.txt --ids list:3,1,2,4 --trials 4 --format json",
        "elect villadangos@published --nodes 6 --seeds 1..20 --schedule random --format json",
        "compare --nodes 4,8 --trials 3 --format json",
        "check lelann --nodes 3 --format json",
        "check humblet --nodes 5..8 --seeds 1..40 --format json",
        "population self-terminating --agents 30 --trials 3 --format json",
    ] {
        let first = run(folder.path(), words);
        std::fs::write(folder.path().join("result.json"), &first.out).unwrap();
        let again = run(folder.path(), "run result.json");
        assert_eq!((again.code, &again.out), (first.code, &first.out), "{words}: {}", again.err);
        says(&again.err, &[&format!("suffrage {words}")]);
        let compared = run(folder.path(), "run result.json --compare");
        assert_eq!((compared.code, compared.out.as_str()), (0, ""), "{words}");
        std::fs::write(folder.path().join("result.json"), first.out.replacen('7', "8", 1)).unwrap();
        let changed = run(folder.path(), "run result.json --compare");
        if first.out.contains('7') {
            assert_eq!(changed.code, 1, "{words}: {}", changed.err);
            says(&changed.err, &[" differs"]);
        }
    }
}

#[test]
fn flags_are_a_specification() {
    let folder = tempfile::tempdir().unwrap();
    for (words, command) in [
        ("elect humblet --nodes 20 --schedule uniform:5 --seed 3", "elect"),
        ("elect lelann --nodes 9 --trials 4 --ids list:3,1,2,4,5,6,7,8,9 --initiators 2", "elect"),
        ("check lelann --nodes 3 --wake start --all-ids", "check"),
        ("population epidemic --agents 1e3 --rule printed --trials 2 --each", "population"),
        (
            "compare --topology ring,tree:2 --nodes 8 --schedule random,uniform:3 --trials 2",
            "compare",
        ),
    ] {
        let plain = run(folder.path(), words);
        let printed = run(folder.path(), &format!("{words} --print-spec"));
        assert!(printed.out.starts_with(&format!("[{command}]\n")), "{}", printed.out);
        std::fs::write(folder.path().join("it.toml"), &printed.out).unwrap();
        let again = run(folder.path(), "run it.toml");
        assert_eq!((again.code, &again.out), (plain.code, &plain.out), "{words}: {}", again.err);
    }
    let csv = run(folder.path(), "run it.toml --format csv");
    let flags = run(
        folder.path(),
        "compare --topology ring,tree:2 --nodes 8 --schedule random,uniform:3 --trials 2 --format csv",
    );
    assert_eq!(csv.out, flags.out);
}

#[test]
fn what_is_no_specification_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (text, why) in [
        ("", "file: "),
        ("{", "not JSON"),
        ("{\"command\":\"suffrage tenure simulate\"}", "a report without the key `specification`"),
        ("[elect]\nnode = 3", "file: line 2: elect.node: unknown field `node`"),
        ("[elect]\nalgorithm = 'humblett'", "did you mean `humblet`"),
        ("[elect]\nnodes = [3, 4]", "2 values are for `suffrage compare`"),
        (
            "[sweep.check]\nalgorithm = 'lelann'\nnodes = [3,\n'many']",
            "file: line 4: sweep.check.nodes[1]: ",
        ),
        ("[compare]\nnodes = 3\nclass = 'moebius'", "there is no such class"),
        ("[check]\nalgorithm = 'lelann'\nall-ids = true\nids = 'random'", "leave one of them out"),
        (
            "[check]\nalgorithm = 'lelann'\nmemory = '4'",
            "line 3: check.memory: write a number with MiB",
        ),
        ("[population]\nprotocol = 'epidemic'", "say how many agents there are"),
        (
            "[cluster]\ntransport = 'radio'",
            "cluster.transport: `radio` is none of tcp, tls, channels",
        ),
    ] {
        std::fs::write(folder.path().join("file"), text).unwrap();
        says(&refusal(run(folder.path(), "run file"), text), &[why]);
    }
}

/// The files of docs/use/experiments.md, and their results beside them, which `UPDATE_GOLDEN=1` writes.
#[test]
fn the_documented_experiments_have_the_results_that_are_kept_with_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/use/experiments.md")).unwrap();
    for (file, format, code) in [
        ("sweep", "csv", 0),
        ("worst-case", "csv", 0),
        ("broken", "json", 1),
        ("agents", "csv", 0),
        ("faults", "csv", 0),
    ] {
        let command = format!("run docs/use/experiments/{file}.toml");
        assert!(text.contains(&format!("suffrage {command}")), "{file}");
        let said = run(&root, &format!("{command} --format {format}"));
        assert_eq!(said.code, code, "{file}: {}", said.err);
        let result = root.join(format!("docs/use/experiments/{file}.{format}"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&result, &said.out).unwrap();
        }
        let kept = std::fs::read_to_string(&result).unwrap_or_default();
        assert!(kept == said.out, "UPDATE_GOLDEN=1 writes {}", result.display());
    }
}

/// An author's commands make the artifact, and a reviewer's commands find that it is the same.
#[test]
fn the_documented_artifact_is_made_and_made_again() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/use/experiments.md")).unwrap();
    let (_, section) = text.split_once("## An artifact for a paper\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let sweep = root.join("docs/use/experiments/sweep.toml");
    std::fs::copy(sweep, folder.path().join("figure-1.toml")).unwrap();
    let mut codes = Vec::new();
    for block in section.split("```sh\n").skip(1).take(2) {
        for line in block.split("```").next().unwrap().lines() {
            let words = line.strip_prefix("suffrage ").unwrap();
            let (words, file) = words.split_once(" >").unwrap_or((words, ""));
            let said = run(folder.path(), words);
            codes.push(said.code);
            if !file.is_empty() {
                std::fs::write(folder.path().join(file), said.out).unwrap();
            }
        }
    }
    // The deadlock breaks a property, and does so again.
    assert_eq!(codes, [0, 0, 0, 1, 0, 0, 1]);
}

/// Every row of a sweep is the report of its experiment, and the whole is made again from itself.
#[test]
fn a_sweep_is_made_again_from_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[sweep.elect]\nalgorithm = 'chang-roberts'\nnodes = 8\ntrials = 3\n\
                fault = [[], ['loss:0.5']]\ncapacity = [1, 'unbounded']";
    std::fs::write(folder.path().join("sweep.toml"), text).unwrap();
    let first = run(folder.path(), "run sweep.toml --format json");
    assert_eq!(first.code, 1, "an election that loses messages fails: {}", first.err);
    let rows: serde_json::Value = serde_json::from_str(&first.out).unwrap();
    assert_eq!(rows.as_array().map(Vec::len), Some(4));
    assert_eq!(rows[3]["sweep"]["fault"], serde_json::json!(["loss:0.5"]));
    std::fs::write(folder.path().join("result.json"), &first.out).unwrap();
    let again = run(folder.path(), "run result.json --compare");
    assert_eq!(again.code, 0, "{}", again.err);
    let one =
        run(folder.path(), "elect chang-roberts --nodes 8 --trials 3 --capacity 1 --format json");
    let one: serde_json::Value = serde_json::from_str(&one.out).unwrap();
    assert_eq!(rows[0]["figures"], one["figures"]);
    assert_eq!(rows[0]["messages"], one["messages"]);
    // A row of a comparison is a row.
    let text = "[sweep.compare]\nalgorithm = ['lelann', 'peterson']\nnodes = [4, 8]\ntrials = 2\n\
                topology = 'ring'\nwake = ['once', 'spread:9']";
    std::fs::write(folder.path().join("sweep.toml"), text).unwrap();
    let csv = run(folder.path(), "run sweep.toml --format csv");
    assert_eq!((csv.code, csv.out.lines().count()), (0, 1 + 2 * 2 * 2), "{}", csv.err);
    assert!(csv.out.starts_with("algorithm,nodes,wake,"), "{}", csv.out);
    // What cannot be run ends the sweep after the rows before it.
    let text =
        "[sweep.elect]\nalgorithm = ['lelann', 'tree-wave']\ntopology = 'ring:4'\ntrials = 2";
    std::fs::write(folder.path().join("sweep.toml"), text).unwrap();
    let cut = run(folder.path(), "run sweep.toml --format csv");
    assert_eq!((cut.code, cut.out.lines().count()), (2, 2), "{}", cut.err);
    says(&cut.err, &["algorithm tree-wave: tree-wave: "]);
}

/// A real election differs from run to run, but not in its question.
#[test]
fn a_cluster_is_a_specification() {
    let folder = tempfile::tempdir().unwrap();
    for words in [
        "cluster lelann --nodes 4 --transport channels --timeouts gone=9",
        "cluster lelann --nodes 3 --processes --against-simulation",
        "cluster epidemic --nodes 3 --transport channels",
    ] {
        let first = run(folder.path(), &format!("{words} --format json"));
        std::fs::write(folder.path().join("result.json"), &first.out).unwrap();
        let printed = run(folder.path(), &format!("{words} --print-spec"));
        std::fs::write(folder.path().join("it.toml"), &printed.out).unwrap();
        let again = run(folder.path(), "run result.json");
        let of_flags = run(folder.path(), "run it.toml --format json");
        let asked = |out: &str| {
            let report: serde_json::Value = serde_json::from_str(out).unwrap();
            let leader = report.get("real").unwrap_or(&report)["leader"].clone();
            (report["specification"].clone(), leader)
        };
        assert_eq!(asked(&again.out), asked(&first.out), "{words}: {}", again.err);
        assert_eq!(asked(&of_flags.out), asked(&first.out), "{words}: {}", of_flags.err);
        assert!(asked(&first.out).0["cluster"]["transport"].is_string(), "{words}");
    }
}

/// The last value of a key, or the first one, would be a guess.
#[test]
fn a_key_that_is_there_twice_is_refused_by_every_reader() {
    let folder = tempfile::tempdir().unwrap();
    let made = [
        "elect lelann --nodes 3 --trace run.jsonl",
        "tenure simulate --duration 3s --trace tenure.jsonl",
        "elect lelann --nodes 3 --seeds 1..4 --format json",
        "elect lelann --nodes 3 --seeds 5..8 --format json",
    ]
    .map(|words| run(folder.path(), words).out);
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("good.json", &made[2]);
    for name in ["run.jsonl", "tenure.jsonl"] {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        write(name, &text.replacen("\"seed\"", "\"seed\":7,\"seed\"", 1));
    }
    write("bad.json", &made[3].replacen("\"nodes\"", "\"nodes\": 7, \"nodes\"", 1));
    for words in [
        "replay run.jsonl",
        "elect lelann --nodes 3 --schedule replay:run.jsonl",
        "replay tenure.jsonl",
        "merge good.json bad.json",
        "plot bad.json",
        "run bad.json",
    ] {
        let said = run(folder.path(), words);
        assert_eq!(said.code, 2, "{words}: {}", said.err);
        says(&said.err, &["is there twice"]);
    }
}
