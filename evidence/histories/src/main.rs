//! Tools for `.ci/namespaces-lead`: the judge of histories, an observer of waits, and delays between hosts.

mod delay_proxy;
mod waits;

use clap::Parser;
use std::{path::PathBuf, process::ExitCode};
use suffrage_histories::{Promises, RunHistory};

/// What .ci/namespaces-lead needs beside a shell
#[derive(Parser)]
#[command(version, arg_required_else_help = true)]
enum HistoriesCommand {
    Check(CheckArgs),
    DelayProxy(delay_proxy::DelayProxyArgs),
    Waits(waits::WaitsArgs),
}

/// Check the logs that a run of .ci/namespaces-lead has left
///
/// The exit code is 1 if a promise is broken.
#[derive(clap::Args)]
struct CheckArgs {
    /// The folder with the logs
    folder: PathBuf,

    #[command(flatten)]
    promises: Promises,
}

fn main() -> ExitCode {
    let done = match HistoriesCommand::parse() {
        HistoriesCommand::Check(args) => check(&args),
        HistoriesCommand::DelayProxy(args) => delay_proxy::run(&args).map(|()| ExitCode::SUCCESS),
        HistoriesCommand::Waits(args) => waits::run(&args).map(|()| ExitCode::SUCCESS),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

fn check(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let history = RunHistory::read(&args.folder, args.promises)?;
    for broken in &history.broken {
        eprintln!("BROKEN: {broken}");
    }
    if !history.broken.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    println!("ok: {history}");
    Ok(ExitCode::SUCCESS)
}
