//! The help of commands: subcommands in groups, and few flags where `-h` asks for a summary.

use crate::with_examples;
use clap::Command;
use std::fmt::Write;

/// Subcommands under a heading, in the order in which the help lists them.
pub type Group<'a> = (&'a str, &'a [&'a str]);

/// The columns of a help, as clap assumes them without a terminal.
const COLUMNS: usize = 100;

/// Lists the subcommands of a program in groups. The last group has the subcommands that no group
/// names. The help of `completions` and `man` gets its examples.
#[must_use]
pub fn grouped(command: Command, groups: &[Group<'_>]) -> Command {
    let (header, literal) =
        (*command.get_styles().get_header(), *command.get_styles().get_literal());
    let about = |name: &str| {
        let found = command.get_subcommands().find(|one| one.get_name() == name)?;
        Some(found.get_about().map(ToString::to_string).unwrap_or_default())
    };
    let listed = |name: &str| groups.iter().any(|(_, names)| names.contains(&name));
    let others: Vec<&str> =
        command.get_subcommands().map(Command::get_name).filter(|name| !listed(name)).collect();
    let names = command.get_subcommands().map(|one| one.get_name().len());
    let width = names.chain(["help".len()]).max().unwrap_or_default();
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    let row = |text: &mut String, name: &str, about: &str| {
        let _ = write!(text, "  {literal}{name:width$}{literal:#} ");
        let mut column = 2 + width + 1;
        for word in about.split(' ') {
            if column + 1 + word.chars().count() > COLUMNS {
                let _ = write!(text, "\n{:1$}", "", 2 + width + 1);
                column = 2 + width + 1;
            }
            let _ = write!(text, " {word}");
            column += 1 + word.chars().count();
        }
        text.push('\n');
    };
    for (place, (heading, names)) in groups.iter().enumerate() {
        let _ = writeln!(text, "\n{header}{heading}:{header:#}");
        let is_last = place + 1 == groups.len();
        let rest = if is_last { &others[..] } else { &[] };
        for name in names.iter().chain(rest) {
            if let Some(about) = about(name) {
                row(&mut text, name, &about);
            }
        }
        if is_last {
            row(&mut text, "help", "Print this message or the help of the given subcommand(s)");
        }
    }
    let _ = write!(text, "\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    with_examples(command).help_template(text)
}

/// Shows only these flags with `-h`, and all with `--help`.
#[must_use]
pub fn brief(command: Command, flags: &[&str]) -> Command {
    debug_assert!(
        flags.iter().all(|flag| command.get_arguments().any(|arg| arg.get_id() == *flag)),
        "{} has not all of {flags:?}",
        command.get_name()
    );
    command.mut_args(|arg| {
        let shown = arg.is_positional() || flags.iter().any(|flag| arg.get_id() == *flag);
        if shown { arg } else { arg.hide_short_help(true) }
    })
}
