//! The command `suffrage`.

mod cli;
mod commands;
mod counts;
mod error;
mod flags;
mod interrupt;
mod log;
mod output;
mod plan;
mod progress;
mod report;
mod trace;
mod trials;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::listen();
    match commands::run(cli::Cli::parse().command) {
        Ok(ending) => ending.into(),
        Err(error) => {
            error::complain(format_args!("error: {error}"));
            ExitCode::from(error::USAGE)
        }
    }
}
