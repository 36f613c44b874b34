//! `cargo xtask tenure`: the figures of docs/reference/tenure-figures.md.

use crate::repository::{cargo, write};
use anyhow::{Context, ensure};
use std::{
    fmt::Write as _,
    path::PathBuf,
    process::{ExitCode, Stdio},
};

/// The sections of the document: a title, the arguments of the command, and what is to be said of it.
const SHOWN: [(&str, &str, &str); 4] = [
    (
        "Members, clients and offices",
        "tenure scale --trials 3 --seed 1 --office-series 1,10,100",
        "With n members and s clients, each member that stands sends a renewal to n - 1 others per heartbeat, \
         each client to n, and all are acknowledged: 2((n + s)(n - 1) + s) messages a heartbeat of 50 ms. \
         That is what the columns of messages show, 2.00 *per pair and beat*: linear in the \
         clients, and the same for any number of offices. The lower bound of a vacancy is the lease of \
         250 ms less half a heartbeat: on average, so much of the lease has passed when the leader crashes. \
         A ratio can be less than 1: each row has only three crashes, and they may have come late after \
         a renewal. A ratio above 1 is due to the owed lease's margin for the clocks, and to messages.",
    ),
    (
        "Many offices",
        "tenure scale --trials 1 --seed 1 --member-series 3 --client-series 0 --office-series 1000,10000",
        "A sync of the disk takes a millisecond. What is written in the meantime is synced together, so \
         that 10,000 offices start and change hands like one.",
    ),
    (
        "Protocols in the same scenarios",
        "tenure compare --members 5 --trials 5 --seed 1",
        "The rivals are judged by Tenure's promises, although their authors do not make all of them.",
    ),
    (
        "An hour of five members, every kind of fault",
        "tenure simulate --members 5 --faults all --hours 1 --trials 1 --seed 1",
        "Vacancies by the kind of the fault that was last before them.",
    ),
];

/// Measure Tenure against the size of the cluster and beside other protocols, and write a document
///
/// Takes some minutes. The figures are those of simulated time, the same on every machine;
/// `cargo test -p suffrage-cli --test command figures` compares them with the document.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to write the document
    #[arg(long, value_name = "FILE", default_value = "docs/reference/tenure-figures.md")]
    out: PathBuf,
}

/// Runs the commands and writes what they print.
///
/// # Errors
/// If a command cannot be run or fails, or the document cannot be written.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut document = String::from(
        "# Figures of Tenure\n\nWritten by `cargo xtask tenure`: each block is a command and its output, \
         the same on every machine.\n[tenure.md](../why/tenure.md) says what the promises are. Times are \
         milliseconds of simulated time.\n",
    );
    for (title, arguments, said) in SHOWN {
        let output = cargo("run --quiet --locked --package suffrage-cli --")
            .args(arguments.split_whitespace())
            .env("COLUMNS", "100")
            .stderr(Stdio::inherit())
            .output()
            .context("cannot run cargo")?;
        // Exit code 1 means a broken promise, which is a result.
        ensure!(
            matches!(output.status.code(), Some(0 | 1)),
            "`suffrage {arguments}` failed: {}",
            output.status
        );
        let text = String::from_utf8(output.stdout).context("the output is not text")?;
        write!(
            document,
            "\n## {title}\n\n{}\n\n```console\n$ suffrage {arguments}\n{}\n```\n",
            wrapped(said),
            text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
        )?;
    }
    write(&args.out, document)?;
    Ok(ExitCode::SUCCESS)
}

/// A paragraph in lines of at most 100 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.len() + word.len() < 100 => _ = write!(line, " {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n")
}
