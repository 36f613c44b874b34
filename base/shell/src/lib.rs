//! Shared code of both commands: help, completion scripts, manual pages, and the flags that make certificates.

mod certificates;
mod help;
mod log;
mod standard_error;

pub use certificates::Certificates;
pub use help::{Group, brief, grouped};
pub use log::LogFormat;
pub use standard_error::{LineWriter, LogLines, NEWS, StandardErrorLog};

use clap::{Arg, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use std::path::PathBuf;

/// Print a script that completes this command in a shell
#[derive(clap::Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Returns the script that completes a command in a shell.
    #[must_use]
    pub fn script(&self, mut command: Command) -> String {
        let (mut script, name) = (Vec::new(), command.get_name().to_owned());
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        String::from_utf8_lossy(&script).into_owned()
    }
}

/// Print the manual page, or write the pages of all subcommands
#[derive(clap::Args)]
pub struct Manual {
    /// Write a page for the command and for each subcommand into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Manual {
    /// Returns the manual page of a command; or writes a page for it and for each of its subcommands into a
    /// folder, which is made if there is none, and returns nothing.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn page(&self, command: Command) -> Result<String, String> {
        let Some(folder) = &self.out else {
            let mut page = Vec::new();
            let rendered = Man::new(whole(command)).render(&mut page);
            rendered.map_err(|error| format!("cannot make the manual page: {error}"))?;
            return Ok(String::from_utf8_lossy(&page).into_owned());
        };
        std::fs::create_dir_all(folder)
            .and_then(|()| clap_mangen::generate_to(whole(command), folder))
            .map(|()| String::new())
            .map_err(|error| {
                format!("cannot write manual pages into {}: {error}", folder.display())
            })
    }
}

/// Adds examples, with the name of the program, to the help of these two commands.
fn with_examples(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let completions = format!(
        "Examples:\n  \
         {name} completions bash > ~/.local/share/bash-completion/completions/{name}\n  \
         {name} completions fish > ~/.config/fish/completions/{name}.fish"
    );
    let man = format!("Examples:\n  {name} man > {name}.1\n  {name} man --out man1");
    command
        .mut_subcommand("completions", |one| one.after_help(completions))
        .mut_subcommand("man", |one| one.after_help(man))
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
