//! Elections that the sources describe, and rings in the order of identities.

use super::common::{json, line, refused, says, suffrage_in};
use std::fs;
use std::path::Path;

const EXAMPLES: [&str; 9] = [
    "villadangos-1",
    "villadangos-2",
    "afek-gafni-1",
    "humblet-1",
    "tree-wave-1",
    "lelann-1",
    "chang-roberts-1",
    "dolev-klawe-rodeh-1",
    "echo-extinction-1",
];

/// The statements of a source are beside the events; `UPDATE_GOLDEN=1` rewrites the texts, which
/// must then be reviewed.
#[test]
fn every_example_goes_as_its_source_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/command/golden/examples");
    for name in EXAMPLES {
        let said = line(&format!("elect --example {name}"));
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{name}");
        let path = folder.join(format!("{name}.txt"));
        if std::env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1") {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&path, &said.out).unwrap();
        }
        let known = fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(said.out, known, "UPDATE_GOLDEN=1 rewrites {}", path.display());
    }
}

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

#[test]
fn an_example_takes_no_conditions_of_ones_own() {
    says(&refused("elect --example fermat-1"), &["fermat-1", "villadangos-1", "echo-extinction-1"]);
    for flag in ["--nodes 4", "--topology ring:4", "--seed 2", "--ids ascending", "--trials 5"] {
        says(&refused(&format!("elect --example lelann-1 {flag}")), &["cannot be used with"]);
    }
}

#[test]
fn names_are_identities() {
    let said = json("elect villadangos --topology complete:3 --ids list:Oslo,Praha,Bergen");
    assert_eq!(said["leader"]["written"], "Praha");
    assert_eq!(said["leader"]["id"], 3);
    says(
        &refused("elect humblet --topology complete:3 --ids list:Oslo,Bergen,17"),
        &["list:3", "`17` is no name", "line 1 has the name `Oslo`"],
    );
    says(
        &refused("elect humblet --topology complete:3 --ids list:Oslo,Bergen,Oslo"),
        &["id Oslo is already in line 1"],
    );
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

#[test]
fn only_a_complete_network_can_be_put_in_order() {
    says(
        &refused("elect lelann --nodes 5 --order ids"),
        &["--order ids", "complete networks", "lelann"],
    );
}
