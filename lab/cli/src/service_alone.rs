//! The command line of a build with the service alone.

use crate::{cert, service};
use clap::{Parser, Subcommand};
use std::fmt::Display;
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
    Cert(cert::Args),
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
        Command::Cert(args) => {
            return match cert::run(&args) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => failed(error, USAGE),
            };
        }
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let code = error.code;
            failed(error, code)
        }
    }
}

/// The exit code of input that cannot be used; clap's own.
const USAGE: u8 = 2;

fn failed(error: impl Display, code: u8) -> ExitCode {
    // Nothing more can be done if it cannot be printed.
    let _ = writeln!(std::io::stderr(), "error: {error}");
    ExitCode::from(code)
}
