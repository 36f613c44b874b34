//! `suffrage man`: the manual, for the pager that every system has.

use crate::cli::Cli;
use crate::error::{Ending, Error, print};
use clap::CommandFactory;
use clap_mangen::Man;
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

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let command = Cli::command();
    if let Some(folder) = &args.out {
        let place = format!("cannot write manual pages into {}", folder.display());
        std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(command, folder))
            .map_err(|error| Error::of(place, error))?;
        return Ok(Ending::Fine);
    }
    let mut page = Vec::new();
    Man::new(command)
        .render(&mut page)
        .map_err(|error| Error::of("cannot make the manual page", error))?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Ending::Fine)
}
