//! `suffrage config`: explains a configuration.

use crate::error::Error;
use crate::{join, print};
use clap::Subcommand;
use std::path::PathBuf;

/// Explain or check a configuration
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Read a configuration and explain it: who votes, how many may fail, how long an office can be
    /// vacant. A bad one is refused with line and key, exit code 2
    Check {
        /// The configuration
        file: PathBuf,
    },
    /// Print a configuration with every key, explained
    Example,
}

pub(crate) fn run(args: &Args) -> Result<u8, Error> {
    print(&match &args.command {
        Command::Check { file } => join::read(file)?.explain(),
        Command::Example => suffrage_service::config::EXAMPLE.to_owned(),
    })?;
    Ok(0)
}
