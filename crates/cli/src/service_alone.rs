//! The command line of a build with the service alone.

use crate::service;
use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;

/// Leader election: one leader among your hosts, without a coordination cluster.
#[derive(Parser)]
#[command(name = "suffrage", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    #[command(flatten)]
    Service(service::Command),
    /// Leadership that survives crashes
    #[command(subcommand)]
    Tenure(Tenure),
}

#[derive(Subcommand)]
enum Tenure {
    Demo(service::demo::Args),
}

/// Runs the command.
pub(crate) fn start() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Service(command) => service::run(&command),
        Command::Tenure(Tenure::Demo(args)) => service::demonstrate(&args),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // Nothing more can be done if it cannot be printed.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.code)
        }
    }
}
