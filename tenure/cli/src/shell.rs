//! `tenure completions` and `tenure man`: the command's description for shells.

use crate::{CommandError, print};
use clap::Command;
use std::path::PathBuf;
use suffrage_shell::Shell;

/// Print a script that completes this command in a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tenure completions bash > ~/.local/share/bash-completion/completions/tenure
  tenure completions fish > ~/.config/fish/completions/tenure.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self, mut command: Command) -> Result<u8, CommandError> {
        print(&suffrage_shell::completions(&mut command, self.shell))?;
        Ok(0)
    }
}

/// Print the manual page, or write the pages of all subcommands
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tenure man > tenure.1
  tenure man --out man1")]
pub(crate) struct Manual {
    /// Write a page for the command and for each subcommand into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Manual {
    pub(crate) fn run(&self, command: Command) -> Result<u8, CommandError> {
        match &self.out {
            Some(folder) => suffrage_shell::write_manuals(command, folder).map_err(|error| {
                CommandError::usage(format!(
                    "cannot write manual pages into {}: {error}",
                    folder.display()
                ))
            })?,
            None => {
                let page = suffrage_shell::manual(command);
                print(&page.map_err(|error| {
                    CommandError::failed(format!("cannot make the manual page: {error}"))
                })?)?;
            }
        }
        Ok(0)
    }
}
