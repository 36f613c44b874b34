//! Elections that the sources describe, and rings in the order of identities.

use super::common::{says, suffrage_in};
use std::fs;

#[test]
fn an_example_is_the_command_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| {
        let said = suffrage_in(folder.path(), format!("elect {words}").split(' '));
        assert_eq!(said.code, 0, "{}", said.err);
        said.out
    };
    let by_name = run("--example villadangos-2 --trace named.jsonl --format json");
    let by_flags = run("villadangos@published --topology complete:5 --ids list:A,B,C,D,E --order \
                        ids-ascending --initiators nodes:0,2,3 --seed 1 --trace flags.jsonl \
                        --format json");
    // Without the second line, which is the command that was typed.
    let result = |json: &str| json.lines().skip(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(result(&by_name), result(&by_flags));
    let trace = |name| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(trace("named.jsonl"), trace("flags.jsonl"));
}

/// The neighbour of a node is the one with the next smaller identity, or the next larger one, and
/// names and labels stay with their nodes.
#[test]
fn a_ring_is_sorted_by_identities_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("ids.txt"), "c 30\na 10\nd 40\nb 0x14\n").unwrap();
    fs::write(folder.path().join("net.txt"), "a b\na c\na d\nb c\nb d\nc d\n").unwrap();
    for (order, ids) in [("ids", [40, 30, 20, 10]), ("ids-ascending", [10, 20, 30, 40])] {
        let words = format!(
            "elect villadangos --topology net.txt --ids ids.txt --order {order} --initiators \
             nodes:b,c --trace {order}.jsonl --format json"
        );
        let said = suffrage_in(folder.path(), words.split(' '));
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{order}");
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(
            (&report["leader"]["id"], &report["leader"]["label"]),
            (&30.into(), &"c".into())
        );
        says(
            &report["network"]["notes"].to_string(),
            &["nodes renumbered in the order of their ids"],
        );
        let trace = fs::read_to_string(folder.path().join(format!("{order}.jsonl"))).unwrap();
        let header: serde_json::Value =
            serde_json::from_str(trace.lines().next().unwrap()).unwrap();
        assert_eq!(header["ids"], serde_json::json!(ids));
        says(header["command"].as_str().unwrap(), &[&format!("--order {order}")]);
    }
}
