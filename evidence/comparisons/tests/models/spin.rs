//! Spin judges what the checker exports: the same configurations, the same steps, the same verdict.
//!
//! Without `spin` and `gcc` it is skipped, with a message.

use crate::elections::{self, ExportedElection, is_said, judge};
use std::{
    path::Path,
    process::{Command, Output},
};
use suffrage_checker::{CheckVerdict, ModelLanguage, TabulatedElection, Wake};

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let ran = Command::new(program).args(arguments).current_dir(folder).output();
    ran.unwrap_or_else(|error| panic!("{program}: {error}"))
}

/// What Spin finds in a model: the numbers of errors, of states and of transitions.
fn spin(model: &str) -> [u64; 3] {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("election.pml"), model).expect("a file");
    let wrote = run(folder.path(), "spin", &["-a", "election.pml"]);
    assert!(wrote.status.success(), "{}", String::from_utf8_lossy(&wrote.stdout));
    let compiled =
        run(folder.path(), "gcc", &["-O0", "-w", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"]);
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let pan = folder.path().join("pan");
    let found = run(folder.path(), &pan.to_string_lossy(), &["-m1000000"]);
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    let number = |before: &str, after: &str| {
        let line = found.lines().find(|line| line.contains(before) && line.contains(after));
        let line = line.unwrap_or_else(|| panic!("no `{before}{after}` in {found}"));
        let mut words = line.split([' ', ',']).filter_map(|word| word.parse::<u64>().ok());
        if before.is_empty() { words.next() } else { words.next_back() }
    };
    [number("errors: ", ""), number("", "states, stored"), number("", "transitions (=")]
        .map(|number| number.expect("a number"))
}

fn compare(election: &ExportedElection, tabulated: &TabulatedElection) {
    let ExportedElection { title, instance, .. } = election;
    let model = tabulated.text(ModelLanguage::Promela, "election").expect("Promela says all");
    let [errors, states, transitions] = spin(&model);
    match &tabulated.exploration.verdict {
        CheckVerdict::Violated(found) if is_said(found.violation.property) => {
            assert!(errors > 0, "{title}: Spin does not find {}", found.violation.property);
        }
        CheckVerdict::Violated(_) => {}
        _ => {
            let expected = (0, tabulated.configurations, tabulated.steps + 1);
            assert_eq!((errors, states, transitions), expected, "{title}");
            // The wake-ups at the start are no steps of ours.
            if instance.wake == Wake::AnyTime {
                let ours = (tabulated.exploration.states, tabulated.exploration.transitions);
                assert_eq!((states, transitions - 1), ours, "{title}");
            }
        }
    }
}

/// Has Spin judge these elections.
fn compare_all(all: impl Iterator<Item = ExportedElection> + Send) {
    for tool in ["spin", "gcc"] {
        if Command::new(tool).arg("-V").output().is_err() {
            println!("skipped: {tool} is not installed, and Spin judges no model");
            return;
        }
    }
    judge(all, compare);
}

#[test]
fn spin_finds_the_same() {
    compare_all(elections::part());
}
