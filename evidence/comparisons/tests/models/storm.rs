//! Storm judges what the checker exports: the same number of configurations, the same verdict, the same expectations.
//!
//! `STORM_PYTHON` names a Python that has `stormpy`. Without it, this is skipped, with a message.

use crate::elections::{self, ExportedElection, is_said, judge};
use std::{env, ffi::OsString, fs, process::Command};
use suffrage_checker::{CheckVerdict, Exploration, ModelLanguage, TabulatedElection};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/models/storm.py");

/// What Storm finds in a model: the number of states, the probabilities of what must always hold, and the
/// probabilities and expectations, the least first.
fn storm(python: &OsString, title: &str, model: &str) -> (u64, [f64; 3], [f64; 4]) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("election.prism");
    fs::write(&file, model).expect("a file");
    let found = Command::new(python).arg(SCRIPT).arg(&file).output().expect("Python");
    let said = String::from_utf8_lossy(&found.stdout).into_owned();
    let last = said.lines().last().unwrap_or_default();
    let numbers: Vec<f64> = last.split(' ').filter_map(|number| number.parse().ok()).collect();
    let &[states, always, possible, ended, ref expected @ ..] = numbers.as_slice() else {
        panic!("{title}: {said}{}", String::from_utf8_lossy(&found.stderr));
    };
    (states as u64, [always, possible, ended], expected.try_into().expect("four numbers"))
}

/// The probabilities and expectations that the checker has found, if nothing is violated.
fn expected(exploration: &Exploration) -> Option<[f64; 4]> {
    if let Some(chances) = &exploration.chances {
        let (elected, messages) = (chances.elected, chances.messages);
        return Some([elected.min, elected.max, messages.min, messages.max]);
    }
    let messages = exploration.costs.as_ref()?.messages;
    Some([1.0, 1.0, messages.min as f64, messages.max as f64])
}

fn compare(python: &OsString, election: &ExportedElection, tabulated: &TabulatedElection) {
    let ExportedElection { title, instance, .. } = election;
    if instance.capacity.is_some() {
        let refused = tabulated.text(ModelLanguage::Prism, "election");
        return assert!(refused.is_err(), "{title}: what waits for room is not said");
    }
    let model = tabulated.text(ModelLanguage::Prism, "election").expect("unbounded links are said");
    let (states, certain, numbers) = storm(python, title, &model);
    assert_eq!(states, tabulated.configurations, "{title}");
    match &tabulated.exploration.verdict {
        CheckVerdict::Violated(found) if is_said(found.violation.property) => {
            let property = found.violation.property;
            assert_ne!(certain, [1.0; 3], "{title}: Storm does not find {property}");
        }
        CheckVerdict::Violated(_) => {}
        _ => {
            assert_eq!(certain, [1.0; 3], "{title}");
            let Some(expected) = expected(&tabulated.exploration) else { return };
            for (one, other) in numbers.iter().zip(expected) {
                assert!(
                    (one - other).abs() < 1e-4 * other.max(1.0),
                    "{title}: {numbers:?} {expected:?}"
                );
            }
        }
    }
}

/// Has Storm judge these elections.
fn compare_all(all: impl Iterator<Item = ExportedElection> + Send) {
    match env::var_os("STORM_PYTHON") {
        Some(python) => judge(all, |election, model| compare(&python, election, model)),
        None => {
            println!("skipped: STORM_PYTHON names no Python with stormpy: Storm judges nothing");
        }
    }
}

#[test]
fn storm_finds_the_same() {
    compare_all(elections::part());
}
