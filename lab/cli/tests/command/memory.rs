//! Elections that do not fit in memory are refused before any allocation.
#![cfg(target_os = "linux")]

use crate::common::{Said, refusal, says};
use std::process::Command;

/// Runs a command that may take this many MiB of address space.
fn within(mebibytes: u64, words: &str) -> Said {
    let script = format!("ulimit -v {}; exec \"$@\"", mebibytes * 1024);
    let output = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(assert_cmd::cargo::cargo_bin!("suffrage"))
        .args(words.split(' '))
        // Each thread that asks for memory early enough has glibc reserve 64 MiB of address space for it.
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap();
    output.into()
}

fn refused(words: &str, all: &[&str]) {
    says(&refusal(within(1500, words), words), all);
}

#[test]
fn an_election_that_does_not_fit_is_refused_with_what_would() {
    refused(
        "elect --topology complete:100000000",
        &["complete:100000000", "100,000,000 processes", "GiB", "of memory are free", "smaller"],
    );
    refused(
        "elect humblet --nodes 100000000",
        &["humblet takes at least", "100,000,000 messages in flight", "nodes fit"],
    );
    refused(
        "elect all-to-all --nodes 100000",
        &["9,999,900,000 messages in flight", "humblet takes", "or about", "nodes fit"],
    );
    refused("elect all-to-all --nodes 1e5 --schedule random", &["9,999,900,000 messages"]);
    refused("elect lyndon-word --nodes 1e5", &["lyndon-word takes at least", "nodes fit"]);
    refused("elect lelann --nodes 4e9", &["4,000,000,000 processes"]);
    refused("elect --topology grid:5000x5000", &["grid:5000x5000: the network and", "smaller"]);
}

/// How many messages are under way at most is known of the beginning alone.
#[test]
fn memory_that_runs_out_on_the_way_ends_with_a_message() {
    // Of several threads, one may be refused what another has taken meanwhile.
    let said = within(140, "compare --algorithms echo-extinction --nodes 1000 --threads 1");
    assert_eq!(said.code, 2, "{}", said.err);
    says(&said.err, &["memory allocation of", "bytes failed"]);
}

#[test]
fn what_is_advised_fits() {
    let said = within(1500, "elect all-to-all --nodes 100000");
    let words = said.err.split("about ").last().unwrap();
    let nodes: u64 = words.split(' ').next().unwrap().replace(',', "").parse().unwrap();
    assert!((1000..20_000).contains(&nodes), "{}", said.err);
    let said = within(1500, &format!("elect all-to-all --nodes {}", nodes / 2));
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn those_who_are_woken_by_messages_count() {
    // One wakes and sends to all, which then send to all.
    refused("elect all-to-all --nodes 1e5 --initiators 1", &["9,999,900,000 messages"]);
    refused("elect all-to-all --nodes 1e5 --wake spread:1000", &["9,999,900,000 messages"]);
    let said = within(1500, "elect humblet --nodes 1e6 --initiators 1");
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn trials_and_comparisons_are_refused_as_well() {
    refused(
        "elect all-to-all --nodes 5000 --trials 8 --threads 8",
        &["8 elections at a time", "--threads"],
    );
    refused(
        "compare --algorithms all-to-all --nodes 10,100000",
        &["complete:100000", "9,999,900,000 messages"],
    );
}

#[test]
fn a_population_that_does_not_fit_is_refused_with_what_would() {
    for (words, instead) in [
        (
            "population epidemic --agents 1e9 --engine direct",
            "the closed-form and the batched engine",
        ),
        (
            "population self-terminating --agents 1e9 --engine direct",
            "the closed-form and the batched",
        ),
        (
            "population self-terminating --agents 1e13 --engine batched --highest 4294967295",
            "16 are enough",
        ),
        (
            "population self-terminating --agents 1e9 --engine batched --highest 2e8",
            "16 are enough",
        ),
        ("population epidemic --topology grid:5000x5000", "smaller network"),
    ] {
        refused(words, &["are free", instead]);
    }
}

#[test]
fn other_commands_have_limits_of_their_own() {
    refused("check humblet --topology complete:100000000", &["100000000 nodes", "limit"]);
    refused("check echo-extinction --topology grid:9000x9000", &["81000000 nodes", "limit"]);
    refused("cluster humblet --topology complete:100000000", &["a cluster at most 10000"]);
    refused("cluster --topology torus:3000x3000", &["a cluster at most 10000"]);
}

#[test]
fn endless_input_is_refused_before_it_fills_the_memory() {
    for words in [
        "elect --topology /dev/zero",
        "elect --nodes 5 --ids /dev/zero",
        "run /dev/zero",
        "plot /dev/zero",
        "merge /dev/zero",
        "replay /dev/zero",
        "draw /dev/zero",
        "population --rules /dev/zero --agents 9",
        "elect humblet --nodes 5 --schedule replay:/dev/zero",
    ] {
        refused(words, &["/dev/zero", "NUL byte: this is no text"]);
    }
}

#[test]
fn the_limit_of_input_is_named_and_can_be_raised() {
    let folder = tempfile::tempdir().unwrap();
    let links: String = (1..400).map(|node| format!("{node} {}\n", node + 1)).collect();
    std::fs::write(folder.path().join("net.edges"), &links).unwrap();
    let elect = |most: &str| -> Said {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("suffrage"))
            .args(["elect", "--topology", "net.edges", "--topology-format", "edge-list"])
            .env("SUFFRAGE_MAX_INPUT", most)
            .current_dir(folder.path())
            .output()
            .unwrap();
        output.into()
    };
    let said = refusal(elect("1000"), "a limit of 1000 bytes");
    says(
        &said,
        &["net.edges", "more than 1,000 bytes; SUFFRAGE_MAX_INPUT=BYTES raises this limit"],
    );
    assert_eq!(elect("1e6").code, 0);
    says(&refusal(elect("many"), "no number"), &["SUFFRAGE_MAX_INPUT=many"]);
}

#[test]
fn standard_input_is_read_where_a_file_is_named_by_a_dash() {
    let said = assert_cmd::Command::cargo_bin("suffrage")
        .unwrap()
        .args(["elect", "--topology", "-", "--topology-format", "edge-list"])
        .write_stdin("1 2\n2 3\n")
        .output()
        .unwrap();
    assert_eq!(said.status.code(), Some(0), "{}", String::from_utf8_lossy(&said.stderr));
}

/// Only candidates send at first, and chance decides which processes are.
#[test]
fn messages_that_chance_sends_are_estimated_by_their_bound() {
    let said = within(1500, "elect random-referees --nodes 30000 --schedule rounds");
    assert_eq!(said.code, 0, "{}", said.err);
    refused(
        "elect random-referees --nodes 3000000000 --schedule rounds",
        &["with high probability at most", "messages in flight"],
    );
}
