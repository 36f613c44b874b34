//! Shared code of both commands: help, completion scripts, manual pages, and the flags that make certificates.

mod certificates;
mod help;

pub use certificates::Certificates;
pub use help::{Group, brief, grouped};

use clap::{Arg, Command};
use clap_mangen::Man;
use std::{io, path::Path};

pub use clap_complete::Shell;

/// Returns the script that completes a command in a shell.
#[must_use]
pub fn completions(command: &mut Command, shell: Shell) -> String {
    let (mut script, name) = (Vec::new(), command.get_name().to_owned());
    clap_complete::generate(shell, command, name, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns the manual page of a command.
///
/// # Errors
/// None that the renderer would not make up: it writes to memory.
pub fn manual(command: Command) -> io::Result<String> {
    let mut page = Vec::new();
    Man::new(whole(command)).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Writes a manual page for a command and for each of its subcommands into a folder, which is made if
/// there is none.
///
/// # Errors
/// If they cannot be written.
pub fn write_manuals(command: Command, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(whole(command), folder)
}

fn whole(command: Command) -> Command {
    let mut command = command.disable_help_subcommand(true);
    // Sets the full names of the subcommands.
    command.build();
    with_synopsis(command)
}

/// Returns the command and its subcommands, each with a synopsis that names the values of its
/// flags.
fn with_synopsis(command: Command) -> Command {
    let synopsis = synopsis(&command);
    command.override_usage(synopsis).mut_subcommands(with_synopsis)
}

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
