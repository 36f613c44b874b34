//! Tools for `.ci/namespaces-lead`: the judge of histories, an observer of waits, and delays between hosts.

mod delay_proxy;
mod waits;

use clap::Parser;
use std::{path::PathBuf, process::ExitCode};
use suffrage_histories::{LONGEST, Promises, RunHistory};

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

    /// The rates of clocks broke their bound: two may lead at once, and the register must notice
    #[arg(long)]
    clocks_beyond: bool,

    /// The longest vacancy, in milliseconds, beside what faults and waits explain: 1.01 leases of 250 ms,
    /// and the rest for two round trips, a disk sync, and the start of the command
    #[arg(long, value_name = "MS", default_value_t = LONGEST)]
    longest: u64,

    /// Commands that have ended are started again in their terms
    #[arg(long)]
    restarts: bool,

    /// The first host takes the office back, also where there is no fault
    #[arg(long)]
    takes_back: bool,
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
    let CheckArgs { longest, restarts, takes_back, .. } = *args;
    let promises = Promises { clocks: !args.clocks_beyond, longest, restarts, takes_back };
    let history = RunHistory::read(&args.folder, promises)?;
    for broken in &history.broken {
        eprintln!("BROKEN: {broken}");
    }
    if !history.broken.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    println!("ok: {history}");
    Ok(ExitCode::SUCCESS)
}
