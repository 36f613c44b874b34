//! `suffrage completions`: prints completion scripts for shells.

use crate::error::{CommandEnding, Error};
use crate::output::print;
use clap::Command;
use suffrage_shell::Shell;

/// Print a script that completes this command in a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  suffrage completions bash > ~/.local/share/bash-completion/completions/suffrage
  suffrage completions fish > ~/.config/fish/completions/suffrage.fish")]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script of a command.
pub(crate) fn run(args: &Args, command: &mut Command) -> Result<CommandEnding, Error> {
    print(&suffrage_shell::completions(command, args.shell))?;
    Ok(CommandEnding::Fine)
}
