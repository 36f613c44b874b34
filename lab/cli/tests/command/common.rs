//! Runs the command as a user does.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

/// The exit code and the output of a command.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs `suffrage` with these words.
pub(crate) fn suffrage<S: AsRef<str>>(words: impl IntoIterator<Item = S>) -> Said {
    suffrage_in(Path::new("."), words)
}

/// Runs `suffrage` in a folder.
pub(crate) fn suffrage_in<S: AsRef<str>>(
    folder: &Path,
    words: impl IntoIterator<Item = S>,
) -> Said {
    let words: Vec<String> = words.into_iter().map(|word| word.as_ref().to_owned()).collect();
    let output = assert_cmd::Command::cargo_bin("suffrage")
        .unwrap()
        .args(&words)
        .current_dir(folder)
        .output()
        .unwrap();
    output.into()
}

/// Runs the words of a line.
pub(crate) fn line(words: &str) -> Said {
    suffrage(words.split_whitespace())
}

/// Runs a line that must succeed, and returns its JSON.
pub(crate) fn json(words: &str) -> Value {
    let said = line(&format!("{words} --format json"));
    assert_eq!((said.code, said.err.as_str()), (0, ""), "{words}");
    serde_json::from_str(&said.out).unwrap()
}

/// Runs a line that must be refused, and returns the message.
pub(crate) fn refused(words: &str) -> String {
    refusal(line(words), words)
}

pub(crate) fn refusal(said: Said, words: &str) -> String {
    assert_eq!((said.code, said.out.as_str()), (2, ""), "{words}: {}", said.err);
    assert!(said.err.starts_with("error: "), "{words}: {}", said.err);
    assert!(!said.err.contains("panicked"), "{words}: {}", said.err);
    said.err
}

/// Asserts that a text contains all of these parts.
#[track_caller]
pub(crate) fn says(text: &str, all: &[&str]) {
    for part in all {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
}

pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

pub(crate) fn zoo(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/topologies");
    let path = folder.join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}
