//! `cargo xtask book`: the lessons of `docs/learn/book`, with the runs that they embed.

use crate::repository::{cargo, repository};
use anyhow::{Context, ensure};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{fs, path};

/// What is to be installed: the version with which the book has been looked at.
const INSTALL: &str = "cargo install mdbook --locked --version 0.5.4";

/// Build the lessons, docs/learn/book: mdBook makes the pages, commands in the lessons the runs in them
///
/// Takes seconds, and a build of the command before. A command of a lesson that writes a file is run; what it
/// prints beside is compared with the lesson by `cargo test -p suffrage-cli --test command book`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to write the book; replaces existing files
    #[arg(long, value_name = "FOLDER", default_value = "target/book")]
    out: PathBuf,

    /// The program that makes the runs [default: it is built]
    #[arg(long, value_name = "FILE")]
    suffrage: Option<PathBuf>,
}

/// Builds the book.
///
/// # Errors
/// If mdBook is not installed, or it or a command fails, or a lesson embeds what no command of its own writes.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let book = repository().join("docs/learn/book");
    let out = path::absolute(&args.out)?;
    let built = Command::new("mdbook")
        .args(["build", "--dest-dir"])
        .args([&out, &book])
        .env("MDBOOK_LOG", "warn")
        .stdout(Stdio::null())
        .status()
        .with_context(|| format!("cannot run mdbook; `{INSTALL}` installs it"))?;
    ensure!(built.success(), "mdbook: {built}");

    let suffrage = args.suffrage.as_ref().map(path::absolute).transpose()?;
    let runs = out.join("runs");
    fs::create_dir_all(&runs).with_context(|| format!("cannot write {}", runs.display()))?;
    let lessons = lessons(&book.join("src"))?;
    let commands: Vec<&str> = lessons.iter().flat_map(|(_, text)| commands(text)).collect();
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} runs: {msg}")?;
    let bar = ProgressBar::new(commands.len() as u64).with_style(style);
    for command in commands {
        bar.set_message(command.to_owned());
        let built_here = || {
            let mut run = cargo("run --quiet --locked --package suffrage-cli --manifest-path");
            run.arg(repository().join("Cargo.toml")).arg("--");
            run
        };
        let program = suffrage.as_deref().map_or_else(built_here, Command::new);
        carry_out(program, command, &runs)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    for (lesson, text) in &lessons {
        for run in embedded(text) {
            let made = runs.join(run).exists();
            ensure!(made, "{}: no command of a lesson writes {run}", lesson.display());
        }
    }
    println!("{}", out.join("index.html").display());
    Ok(ExitCode::SUCCESS)
}

fn lessons(folder: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let entries = fs::read_dir(folder).with_context(|| format!("{}", folder.display()))?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<BTreeSet<_>>>()?;
    let lessons =
        paths.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "md"));
    lessons.map(|path| Ok((path.clone(), fs::read_to_string(path)?))).collect()
}

fn commands(text: &str) -> impl Iterator<Item = &str> {
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ suffrage "));
    commands.filter(|words| words.contains(" --html ") || words.contains(" --out "))
}

fn embedded(text: &str) -> impl Iterator<Item = &str> {
    text.split(['"', '(', ')']).filter_map(|part| part.strip_prefix("runs/"))
}

/// Runs `suffrage` with these words in a folder.
fn carry_out(mut suffrage: Command, words: &str, folder: &Path) -> anyhow::Result<()> {
    let output = suffrage.args(words.split_whitespace()).current_dir(folder).output();
    let output = output.with_context(|| format!("cannot run `suffrage {words}`"))?;
    // Exit code 1 means a broken property, which a lesson is about.
    let said = String::from_utf8_lossy(&output.stderr);
    let status = output.status;
    ensure!(matches!(status.code(), Some(0 | 1)), "`suffrage {words}`: {status}\n{said}");
    Ok(())
}
