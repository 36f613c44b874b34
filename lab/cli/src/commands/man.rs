//! `suffrage man`: prints or writes the manual pages.

use crate::error::{CommandEnding, Error};
use crate::output::print;
use clap::Command;
use std::path::PathBuf;

/// Print the manual page, or write the pages of all subcommands
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  suffrage man > suffrage.1
  suffrage man --out man1")]
pub(crate) struct Args {
    /// Write a page for the command and for each subcommand into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints or writes the pages of a command.
pub(crate) fn run(args: &Args, command: Command) -> Result<CommandEnding, Error> {
    if let Some(folder) = &args.out {
        let place = format!("cannot write manual pages into {}", folder.display());
        suffrage_shell::write_manuals(command, folder).map_err(|error| Error::of(place, error))?;
        return Ok(CommandEnding::Fine);
    }
    let page = suffrage_shell::manual(command)
        .map_err(|error| Error::of("cannot make the manual page", error))?;
    print(&page)?;
    Ok(CommandEnding::Fine)
}
