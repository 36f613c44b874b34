//! The repository, as commands see it: its folder, its cargo, its documents.

use anyhow::Context;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns `cargo` with these words, split where spaces are, to be run in the repository.
pub(crate) fn cargo(words: &str) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(words.split_whitespace()).current_dir(repository());
    cargo
}

pub(crate) fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())
}

/// Returns the number of threads of a flag [default: all cores].
pub(crate) fn threads(flag: Option<NonZero<usize>>) -> NonZero<usize> {
    flag.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}
