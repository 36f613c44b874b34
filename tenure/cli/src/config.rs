//! `tenure config`: explains a configuration.

use crate::error::CommandError;
use crate::{join, lead, print};
use clap::Subcommand;
use std::path::PathBuf;

/// Explain or check a configuration
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand)]
enum ConfigCommand {
    /// Read a configuration and explain it: who votes, how many may fail, how long an office can be
    /// vacant, and which member this host is, by its certificate. Exit code 2 for an invalid
    /// configuration (with line and key), certificates that are missing or of another member, and
    /// an unusable token
    Check {
        /// The configuration
        file: PathBuf,
    },
    /// Print a configuration with every key, explained
    Example,
}

pub(crate) fn run(args: &Args) -> Result<u8, CommandError> {
    print(&match &args.command {
        ConfigCommand::Check { file } => {
            let config = join::read(file)?;
            let unusable = |error| CommandError::usage(format!("{}: {error}", file.display()));
            let name = config.check_files().map_err(unusable)?;
            let margin = lead::usual_margin_fits(&config.timing).err();
            let note = margin.map_or_else(String::new, |why| format!("for `tenure lead`: {why}\n"));
            format!("{}{note}this host is {name}\n", config.explain())
        }
        ConfigCommand::Example => tenure_node::config::EXAMPLE.to_owned(),
    })?;
    Ok(0)
}
