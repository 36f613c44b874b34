//! The table of complaints in `docs/use/lead.md` names tests that exist.

use crate::Test;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

pub(crate) const TESTS: &[Test] = &[("complaints_are_answered_by_tests_that_exist", exist)];

const TABLE: &str = include_str!("../../../../docs/use/lead.md");
const HEADING: &str = "## Complaints about other systems";

/// Adds all words of the Rust files in a folder.
fn words(folder: &Path, all: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            words(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(path).unwrap();
            let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            all.extend(text.split(|letter| !word(letter)).map(str::to_owned));
        }
    }
}

fn exist() {
    let table = TABLE.split_once(HEADING).unwrap().1;
    let rows: Vec<_> = table.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    let rows = rows.split(|row| row.starts_with("| step")).next().unwrap();
    assert_eq!(rows.len(), 17, "{rows:?}");
    let mut all = BTreeSet::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    words(crates, &mut all);
    for row in rows {
        let shown = row.rsplit(" | ").next().unwrap();
        let tests: Vec<_> = shown.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "{row}");
        for test in tests {
            assert!(all.contains(test), "there is no test `{test}`");
        }
    }
}
