//! Checks the logs that a run of `.ci/namespaces-lead` has left.

use clap::Parser;
use std::{path::PathBuf, process::ExitCode};
use suffrage_histories::{History, Promises};

/// Check the logs that a run of .ci/namespaces-lead has left
///
/// The exit code is 1 if a promise is broken.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// The folder with the logs
    folder: PathBuf,

    /// The rates of clocks broke their bound: two may lead at once, and the register must notice
    #[arg(long)]
    clocks_beyond: bool,

    /// The longest vacancy, in milliseconds: more than is promised, since it includes the start of the
    /// command, on a machine that may have other work
    #[arg(long, value_name = "MS", default_value_t = 5000)]
    longest: u64,
}

fn main() -> anyhow::Result<ExitCode> {
    let args = Args::parse();
    let promises = Promises { clocks: !args.clocks_beyond, longest: args.longest };
    let history = History::read(&args.folder, promises)?;
    for broken in &history.broken {
        eprintln!("BROKEN: {broken}");
    }
    if !history.broken.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    println!("ok: {history}");
    Ok(ExitCode::SUCCESS)
}
