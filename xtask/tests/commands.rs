//! The commands of `cargo xtask`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use assert_cmd::Command;
use std::path::{Path, PathBuf};

/// Runs a command that must succeed, and returns what it prints.
fn xtask(words: &str) -> String {
    let output = Command::cargo_bin("xtask").unwrap().args(words.split(' ')).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo xtask {words}: {}\n{err}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn bench_measures_beside_loops_written_by_hand() {
    let said = xtask("bench --nodes 1000 --repeat 1");
    assert!(said.contains("chang-roberts") && said.contains("humblet"), "{said}");
}

fn document(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference").join(name)
}

/// All rows but those that take minutes.
#[test]
#[ignore = "takes a minute or two"]
fn what_is_explored_of_elections_is_in_the_document() {
    xtask(&format!("verify --check {}", document("verified.md").display()));
}

#[test]
fn what_schedules_reach_is_in_the_document() {
    let committed = std::fs::read_to_string(document("schedules.md")).unwrap();
    assert_eq!(
        committed,
        xtask("schedules"),
        "cargo xtask schedules > docs/reference/schedules.md"
    );
}

#[test]
fn what_small_elections_cost_is_in_the_document() {
    xtask(&format!("catalogue --check {}", document("catalogue.md").display()));
}

/// The short rows; the long ones take an hour.
#[test]
#[ignore = "takes minutes"]
fn what_is_explored_of_tenure_is_in_the_document() {
    xtask(&format!("explore --check {}", document("tenure-explored.md").display()));
}

#[test]
fn a_row_that_is_explored_again_is_replaced_in_the_document() {
    let committed = std::fs::read_to_string(document("tenure-explored.md")).unwrap();
    let row = "| two members | any, 2 under way | 1 | 1 | any messages lost |";
    let line = committed.lines().find(|line| line.starts_with(row)).unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("explored.md");
    std::fs::write(&path, committed.replace(line, &format!("{row} 7 |"))).unwrap();
    let explore = |only: &str| {
        let mut command = Command::cargo_bin("xtask").unwrap();
        command.args(["explore", "--only", only, "--out"]).arg(&path).output().unwrap()
    };
    assert!(explore(row).status.success());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), committed);

    let unknown = explore("| two members | any, 3 under way |");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no row contains this"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), committed);
}
