//! TLC judges what the checker exports: the same number of configurations, the same verdict.
//!
//! `TLA2TOOLS` names the file `tla2tools.jar`, and Java runs it. Without them it is skipped, with a message.

use crate::elections::{self, ExportedElection, is_said, judge};
use std::{env, ffi::OsString, fs, process::Command};
use suffrage_checker::{CheckVerdict, ModelLanguage, TabulatedElection};

/// What TLC finds in a model: whether an invariant is violated, and the number of distinct states.
fn tlc(jar: &OsString, model: &str) -> (bool, u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    file("election.tla", model);
    file("election.cfg", "SPECIFICATION Spec\nINVARIANTS Possible Always Ended\n");
    let mut java = Command::new("java");
    // Two run at a time, and none needs more.
    java.args(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g"]);
    // It unpacks its own modules there.
    java.arg(format!("-Djava.io.tmpdir={}", folder.path().display())).arg("-cp").arg(jar);
    java.args(["tlc2.TLC", "-deadlock", "-workers", "1", "-nowarning", "election"]);
    let found = java.current_dir(folder.path()).output().expect("Java");
    let found = String::from_utf8_lossy(&found.stdout).into_owned();
    let violated = found.contains("is violated");
    let (before, _) = found
        .rsplit_once(" distinct states found")
        .unwrap_or_else(|| panic!("TLC counts no states: {found}"));
    let states = before.rsplit([' ', '\n']).next().unwrap_or_default().replace(',', "");
    let is_done = found.contains("No error has been found");
    assert!(violated || is_done, "{found}");
    (violated, states.parse().expect("a number"))
}

fn compare(jar: &OsString, election: &ExportedElection, tabulated: &TabulatedElection) {
    let ExportedElection { title, .. } = election;
    let model = tabulated.text(ModelLanguage::Tla, "election").expect("TLA+ says all");
    let (violated, states) = tlc(jar, &model);
    match &tabulated.exploration.verdict {
        CheckVerdict::Violated(found) if is_said(found.violation.property) => {
            assert!(violated, "{title}: TLC does not find {}", found.violation.property);
        }
        CheckVerdict::Violated(_) => {}
        _ => assert_eq!((violated, states), (false, tabulated.configurations), "{title}"),
    }
}

/// Has TLC judge these elections.
fn compare_all(all: impl Iterator<Item = ExportedElection> + Send) {
    let java = Command::new("java").arg("-version").output();
    match (env::var_os("TLA2TOOLS"), java) {
        (Some(jar), Ok(_)) => judge(all, |election, model| compare(&jar, election, model)),
        _ => println!(
            "skipped: TLA2TOOLS names no tla2tools.jar, or there is no Java: TLC judges nothing"
        ),
    }
}

#[test]
fn tlc_finds_the_same() {
    compare_all(elections::part());
}
