//! `tenure config`: explains a configuration.

use crate::error::CommandError;
use crate::{join, lead, print};
use clap::Subcommand;
use std::fmt::Write as _;
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
    /// vacant, and which member this host is, by its certificate. Exit code 2 for all that `tenure
    /// serve` and `lead` would refuse here and now: an invalid configuration (with line and key),
    /// certificates that are missing, over, revoked, or of another member or authority, an unusable
    /// token, a record or an address that cannot be used. Warns of certificates that end within 30 days
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
            let checked = config
                .check()
                .map_err(|error| CommandError::usage(format!("{}: {error}", file.display())))?;
            let margin = lead::usual_margin_fits(&config.timing).err();
            let note = margin.map_or_else(String::new, |why| format!("for `tenure lead`: {why}\n"));
            let mut text = format!("{}{note}this host is {}\n", config.explain(), checked.member);
            for warning in &checked.warnings {
                let _ = writeln!(text, "warning: {warning}");
            }
            text
        }
        ConfigCommand::Example => tenure_node::config::EXAMPLE.to_owned(),
    })?;
    Ok(0)
}
