//! `suffrage completions`: prints completion scripts for shells.

use crate::error::{Ending, Error};
use crate::output::print;
use clap::Command;
use clap_complete::Shell;

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
pub(crate) fn run(args: &Args, command: &mut Command) -> Result<Ending, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, command, "suffrage", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Fine)
}
