//! `suffrage man`: prints or writes the manual pages.

use crate::error::{Ending, Error};
use crate::output::print;
use clap::{Arg, Command};
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

/// Prints or writes the pages of a command.
pub(crate) fn run(args: &Args, command: Command) -> Result<Ending, Error> {
    let mut command = command.disable_help_subcommand(true);
    // Sets the full names of the subcommands.
    command.build();
    let command = with_synopsis(command);
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

/// Returns the command and its subcommands, each with a synopsis that names the values of its
/// flags.
fn with_synopsis(command: Command) -> Command {
    let synopsis = synopsis(&command);
    command.override_usage(synopsis).mut_subcommands(with_synopsis)
}

/// Returns a synopsis such as `suffrage check [--nodes <N>] [--full] <ALGORITHM>`.
fn synopsis(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let mut words = vec![name.to_owned()];
    let (positional, flags): (Vec<&Arg>, Vec<&Arg>) = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set())
        .partition(|arg| arg.is_positional());
    for arg in flags.into_iter().chain(positional) {
        let values: Vec<_> =
            arg.get_value_names().into_iter().flatten().map(|name| format!("<{name}>")).collect();
        let takes = arg.get_action().takes_values();
        let name = arg.get_long().map(|name| format!("--{name}"));
        let text =
            [name, takes.then(|| values.join(" "))].into_iter().flatten().collect::<Vec<_>>();
        let text = text.join(" ");
        words.push(if arg.is_required_set() { text } else { format!("[{text}]") });
    }
    if command.has_subcommands() {
        words.push("<COMMAND>".to_owned());
    }
    words.join(" ")
}
