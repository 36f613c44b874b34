//! Networks from files: those of the Internet Topology Zoo, where they are there.

use crate::common::{json, line, refusal, says, suffrage, suffrage_in, zoo};

#[test]
fn real_networks_have_leaders() {
    let on = |words: &str, name: &str| {
        let path = zoo(name)?;
        Some(json(&format!("elect {words} --topology {}", path.display())))
    };
    if let Some(report) = on("chang-roberts", "Sanren.graphml") {
        assert_eq!(report["network"]["kind"], "ring");
        assert!(report["leader"]["label"].is_string());
    }
    if let Some(report) = on("tree-wave", "Cesnet1993.graphml") {
        let nodes = report["network"]["nodes"].as_u64().unwrap();
        assert_eq!(report["messages"]["total"], 4 * nodes - 4);
    }
    if let Some(report) = on("echo-extinction --schedule uniform:10", "Kdl.graphml") {
        assert_eq!(report["agreed"], true);
        assert!(report["network"]["nodes"].as_u64().unwrap() > 700);
    }
    if let Some(report) = on("--largest-component", "DeutscheTelekom.graphml") {
        says(&report["network"]["notes"].to_string(), &["largest of"]);
    }
}

#[test]
fn real_networks_that_do_not_fit_are_refused() {
    let Some(path) = zoo("DeutscheTelekom.graphml") else { return };
    let said = suffrage(["elect", "--topology", path.to_str().unwrap()]);
    says(&refusal(said, "DeutscheTelekom"), &["is not connected", "--largest-component"]);
    let Some(path) = zoo("Abilene.graphml") else { return };
    let said = suffrage(["elect", "lelann", "--topology", path.to_str().unwrap()]);
    says(
        &refusal(said, "Abilene"),
        &[
            "is a graph of 11 nodes and 14 links; the algorithm wants a ring",
            "every node of a ring has 2",
            "algorithms that fit: echo-extinction",
        ],
    );
}

#[test]
fn a_file_that_is_named_like_a_network_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ring:5"), "a b\n").unwrap();
    let said = suffrage_in(folder.path(), ["elect", "--topology", "ring:5"]);
    says(&said.out, &["complete, 2 nodes, 1 link"]);
    says(&line("elect --topology ring:5").out, &["ring, 5 nodes, 5 links"]);
}

/// Spreadsheets and some editors begin a file with a byte order mark.
#[test]
fn a_byte_order_mark_begins_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| suffrage_in(folder.path(), words.split(' '));
    let at = |name: &str| folder.path().join(name);
    for (make, file, read) in [
        ("elect lelann --nodes 4 --trace run.jsonl", "run.jsonl", "replay run.jsonl"),
        ("elect lelann --nodes 4 --format json", "report.json", "run report.json --compare"),
        (
            "compare --algorithms lelann --topology ring --nodes 4,8 --trials 2 --format csv",
            "rows.csv",
            "plot rows.csv",
        ),
    ] {
        let made = run(make);
        assert_eq!(made.code, 0, "{make}: {}", made.err);
        let text = std::fs::read_to_string(at(file)).unwrap_or(made.out);
        std::fs::write(at(file), format!("\u{FEFF}{text}")).unwrap();
        let said = run(read);
        assert_eq!(said.code, 0, "{read}: {}", said.err);
    }
}

#[test]
fn standard_input_is_one_input() {
    let output = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(["elect", "lelann", "--topology", "-", "--ids", "-"])
        .write_stdin("a b\nb c\nc a\n")
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(err.contains("cannot read -: standard input was read already"), "{err}");
}
