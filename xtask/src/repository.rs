//! The repository, as commands see it: its folder, its cargo, its documents.

use anyhow::{Context, ensure};
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

/// Runs a command, and returns what it prints.
pub(crate) fn printed(command: &mut Command) -> anyhow::Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let err = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {}\n{err}", output.status);
    Ok(output.stdout)
}

/// Begins a folder anew: what an earlier call has written goes. By its mark, a file, it is known to be one.
pub(crate) fn begin(folder: &Path, mark: &str, what: &str) -> anyhow::Result<()> {
    let name = || folder.display().to_string();
    if folder.exists() {
        let is_empty = fs::read_dir(folder).with_context(name)?.next().is_none();
        ensure!(
            is_empty || folder.join(mark).exists(),
            "{} is not empty, and has no {what}: name another folder with --out",
            name()
        );
        fs::remove_dir_all(folder).with_context(name)?;
    }
    fs::create_dir_all(folder).with_context(name)
}

/// Returns the number of threads of a flag [default: all cores].
pub(crate) fn threads(flag: Option<NonZero<usize>>) -> NonZero<usize> {
    flag.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}
