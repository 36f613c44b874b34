//! Networks and ids from valid and invalid files.

use crate::common::{json, line, refusal, refused, says, suffrage, suffrage_in, zoo};
use serde_json::Value;
use std::path::Path;

/// Creates a folder with a file of this name and content.
fn folder_with(name: &str, content: impl AsRef<[u8]>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), content).unwrap();
    folder
}

/// Runs an election on a file that must be refused, and returns the message.
fn refused_file(name: &str, content: impl AsRef<[u8]>) -> String {
    let folder = folder_with(name, content);
    refusal(suffrage_in(folder.path(), ["elect", "--topology", name]), name)
}

fn elect_in(folder: &Path, words: &str) -> Value {
    let words = format!("elect {words} --format json");
    let said = suffrage_in(folder, words.split(' '));
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn a_leader_has_the_name_of_its_file() {
    let folder = folder_with(
        "cities.txt",
        "# a ring\nOslo Wien\nRoma Oslo\nWien Roma\nOslo Oslo\nRoma Oslo\n",
    );
    let report =
        elect_in(folder.path(), "chang-roberts --topology cities.txt --initiators nodes:Roma,Wien");
    assert_eq!(report["network"]["kind"], "ring");
    assert_eq!(report["network"]["source"], "cities.txt");
    says(
        &report["network"]["notes"].to_string(),
        &["1 parallel link collapsed", "1 self-loop dropped"],
    );
    assert_eq!(report["initiators"]["count"], 2);
    let label = report["leader"]["label"].as_str().unwrap();
    assert!(["Roma", "Wien"].contains(&label), "{label}");
    let said = suffrage_in(
        folder.path(),
        ["elect", "--topology", "cities.txt", "--initiators", "nodes:Roma"],
    );
    says(&said.out, &["leader          Roma (node", "1 parallel link collapsed"]);
    let said = suffrage_in(
        folder.path(),
        ["elect", "--topology", "cities.txt", "--initiators", "nodes:Paris"],
    );
    says(&refusal(said, "Paris"), &["no node is called `Paris`", "labels are such as `Oslo`"]);
}

#[test]
fn labels_may_be_numbers_or_have_commas() {
    let folder = folder_with("n.txt", "10 20\n20 30\n");
    let report = elect_in(folder.path(), "echo-extinction --topology n.txt --initiators nodes:30");
    assert_eq!(report["leader"]["label"], "30");
    let said =
        suffrage_in(folder.path(), ["elect", "--topology", "n.txt", "--initiators", "nodes:0"]);
    says(&refusal(said, "0"), &["no node is called `0`"]);
    let folder = folder_with("w.tsv", "Washington, DC\tParis, TX\nParis, TX\tRome\n");
    let said = suffrage_in(
        folder.path(),
        [
            "elect",
            "--topology",
            "w.tsv",
            "--initiators",
            "nodes:Paris, TX,Rome,Washington, DC",
            "--format",
            "json",
        ],
    );
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["initiators"]["count"], 3);
}

#[test]
fn a_network_in_pieces_is_refused_or_cut() {
    let text = "a b\nb c\nc a\nd e\n";
    says(
        &refused_file("two.txt", text),
        &[
            "two.txt is not connected, it has 2 components: 3 nodes (a, b, c), 2 nodes (d, e)",
            "--largest-component takes the largest",
        ],
    );
    let folder = folder_with("two.txt", text);
    let report = elect_in(folder.path(), "--topology two.txt --largest-component --fault loss:0%");
    assert_eq!(report["network"]["nodes"], 3);
    says(&report["network"]["notes"].to_string(), &["largest of 2 components: 3 of 5 nodes"]);
    says(&refused("elect --topology ring:5 --largest-component"), &["is for files"]);
    says(&refused("elect --nodes 5 --largest-component"), &["--topology"]);
}

#[test]
fn formats_are_recognized_or_named() {
    // A METIS graph: the path 1-2-3. As an edge list it would have been another network.
    let folder = folder_with("net.txt", "3 2\n2\n1 3\n2\n");
    let report = elect_in(folder.path(), "tree-wave --topology net.txt");
    assert_eq!((&report["network"]["nodes"], &report["network"]["links"]), (&3.into(), &2.into()));
    says(&report["network"]["notes"].to_string(), &["read as a METIS graph, by its content"]);

    let text = "1 2 3\n2 3 1\n3 1 2\n";
    says(
        &refused_file("doubt.txt", text),
        &["doubt.txt:1: ", "--topology-format edge-list or --topology-format adjacency-list"],
    );
    let folder = folder_with("doubt.txt", text);
    let report = elect_in(folder.path(), "--topology doubt.txt --topology-format edge-list");
    says(&report["network"]["notes"].to_string(), &["weights of 2 links ignored"]);

    let words = "elect --topology doubt.txt --topology-format adjacency-list --fault loss:100%";
    let broken = suffrage_in(folder.path(), words.split(' '));
    assert_eq!(broken.code, 1);
    says(&broken.out, &["--topology doubt.txt --topology-format adjacency-list"]);

    says(&refused("elect --topology-format gml"), &["is for files: name one with --topology"]);
    says(&refused("check humblet --topology-format gml"), &["is for files"]);
    says(&refused("elect --topology ring:5 --topology-format gml"), &["is for files: `ring:5`"]);
    says(
        &refused("elect --topology a.txt --topology-format gexf"),
        &["there is no format `gexf`; there are edge-list, adjacency-list"],
    );
}

#[test]
fn malformed_files_are_refused_with_the_place() {
    says(
        &refused_file("cut.graphml", "<graphml><graph><node id=\"a\"/><node id="),
        &["cut.graphml:1"],
    );
    says(&refused_file("bad.txt", b"a b\nb \xff\xfe\n"), &["bad.txt", "UTF-8"]);
    says(&refused_file("empty.txt", ""), &["empty.txt holds no nodes"]);
    says(&refused_file("half.dot", "graph { a -- b; a -- "), &["half.dot:1"]);
    says(&refused_file("zero.bin", [0_u8; 64]), &["zero.bin"]);
}

#[test]
fn what_is_not_there_is_said_in_both_readings() {
    says(
        &refused("elect --topology nowhere.graphml"),
        &[
            "there is no file `nowhere.graphml`",
            "there is no network `nowhere.graphml`",
            "complete:N",
        ],
    );
    says(&refused("elect --topology /"), &["--topology: cannot read /: Is a directory"]);
    says(&refused("elect --topology grid:4"), &["form grid:RxC, as in grid:4x5"]);
    says(&refused("elect --topology erdos-renyi:1000:0.0001"), &["connected"]);
}

#[test]
fn ids_are_shown_as_they_are_written() {
    let folder = folder_with("ids", "0 SN-003\n2 SN-010\n1 SN-001\n");
    let report = elect_in(folder.path(), "all-to-all --nodes 3 --ids ids");
    assert_eq!(
        (&report["leader"]["id"], &report["leader"]["written"]),
        (&3.into(), &"SN-010".into())
    );
    says(&report["network"]["notes"].to_string(), &["ids are ordered as strings"]);
    let said = suffrage_in(folder.path(), "elect all-to-all --nodes 3 --ids ids".split(' '));
    says(&said.out, &["leader          node 2, id SN-010"]);

    let folder = folder_with("ids", "00-1b-21-3a-bc-DE\n7\n");
    std::fs::write(folder.path().join("two.txt"), "Oslo Wien\n").unwrap();
    let said = suffrage_in(folder.path(), "elect --topology two.txt --ids ids".split(' '));
    says(&said.out, &["Oslo (node 0, id 00-1b-21-3a-bc-DE)", "first to Oslo; lines `LABEL ID`"]);
    let said = suffrage_in(folder.path(), "population epidemic --ids ids".split(' '));
    says(&said.out, &["identity is 00-1b-21-3a-bc-DE"]);
}

#[test]
fn ids_come_from_files() {
    let folder = folder_with("ids", "7\n0x10\naa:bb:cc:dd:ee:ff\n# the last\n3\n");
    let report = elect_in(folder.path(), "all-to-all --nodes 4 --ids ids");
    assert_eq!(report["leader"]["node"], 2);
    assert_eq!(report["leader"]["id"], 0xaabb_ccdd_eeff_u64);
    assert_eq!(report["ids"], "ids");
    let refuses = |content: &str, all: &[&str]| {
        let folder = folder_with("ids", content);
        let said = suffrage_in(folder.path(), ["elect", "--nodes", "3", "--ids", "ids"]);
        says(&refusal(said, content), all);
    };
    refuses("1\n2\n1\n", &["ids:3: id 1 is already in line 1; ids must be unique"]);
    refuses("1\n2\n", &["ids has 2 ids, the network has 3 nodes"]);
    refuses("1\n2\n3\n4\n", &["ids has 4 ids, the network has 3 nodes"]);
    refuses("1\nx\n3\n", &["ids:2: `x` is no id"]);
    says(&refused("elect --ids sorted"), &["`sorted`", "bit-reversed", "no such file"]);
    says(&refused("elect --ids /"), &["--ids: cannot read /"]);
    says(&refused("compare --nodes 4,5 --ids sorted"), &["`sorted`"]);
}

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
    let folder = folder_with("ring:5", "a b\n");
    assert_eq!(elect_in(folder.path(), "--topology ring:5")["network"]["nodes"], 2);
    assert_eq!(line("elect --topology ring:5").code, 0);
}
