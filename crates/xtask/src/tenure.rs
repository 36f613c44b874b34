//! `cargo xtask tenure`: the figures of docs/tenure-figures.md.

use anyhow::{Context, ensure};
use std::{
    env,
    fmt::Write as _,
    fs,
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
};

/// The sections of the document: a title, and the arguments of the command.
const SHOWN: [(&str, &str); 3] = [
    ("Protocols in the same scenarios", "tenure compare --members 5 --trials 5 --seed 1"),
    (
        "Members, standers and offices",
        "tenure scale --member-series 3,5,7,11,21 --stander-series 0,10,100 \
         --office-series 1,10,100,1000 --trials 3 --seed 1",
    ),
    (
        "An hour of five members, every kind of fault",
        "tenure simulate --members 5 --faults all --hours 1 --trials 1 --seed 1",
    ),
];

/// Compare Tenure with other protocols, and write the output as a document
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to write the document
    #[arg(long, value_name = "FILE", default_value = "docs/tenure-figures.md")]
    out: PathBuf,
}

/// Runs the commands and writes what they print.
///
/// # Errors
/// If a command cannot be run or fails, or the document cannot be written.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut document = String::from(
        "# Figures of Tenure\n\nWritten by `cargo xtask tenure`: each block is the output of the \
         command above it.\n[tenure.md](tenure.md) says what they mean. Times are milliseconds of \
         simulated time.\n",
    );
    for (title, arguments) in SHOWN {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["run", "--release", "--quiet", "--locked", "--package", "suffrage-cli", "--"])
            .args(&arguments)
            .env("COLUMNS", "100")
            .stderr(Stdio::inherit())
            .output()
            .context("cannot run cargo")?;
        // Exit code 1 means a broken promise, which is a result.
        ensure!(
            matches!(output.status.code(), Some(0 | 1)),
            "`suffrage {}` failed: {}",
            arguments.join(" "),
            output.status
        );
        let text = String::from_utf8(output.stdout).context("the output is not text")?;
        write!(
            document,
            "\n## {title}\n\n```text\n$ suffrage {}\n{}\n```\n",
            arguments.join(" "),
            text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
        )?;
    }
    fs::write(&args.out, document)
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    Ok(ExitCode::SUCCESS)
}
