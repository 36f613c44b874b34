//! The reference of the commands, from what they parse.

use super::SiteFolder;
use super::frame::{Frame, Link, escaped, inline, prose};
use clap::{Arg, Command};
use std::fmt::Write;

/// Writes a page for each command and each of its subcommands.
pub(super) fn write(site: &SiteFolder) -> anyhow::Result<()> {
    let programs = [
        suffrage_cli::grammar(),
        #[cfg(target_os = "linux")]
        tenure_cli::grammar(),
    ];
    let mut list = String::from("<h1>Commands</h1>\n");
    for program in programs {
        let mut program = program.disable_help_subcommand(true);
        // Sets the full names of the subcommands.
        program.build();
        list += &listed(&program);
        write_one(site, &program, None)?;
    }
    site.write("commands/index.html", Frame::new("commands/index.html", "Commands").page(&list))
}

/// A command with its subcommands, for the list of all.
fn listed(command: &Command) -> String {
    let mut list = String::new();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let _ = write!(list, "<h2>{}</h2>\n<p>{}</p>\n", anchor(command), inline(&about));
    list + &subcommands(command)
}

fn subcommands(command: &Command) -> String {
    let mut list = String::new();
    for one in shown(command) {
        let about = one.get_about().map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(list, "<dt>{}</dt><dd>{}</dd>", anchor(one), inline(&about));
    }
    if list.is_empty() { list } else { format!("<dl class=\"commands\">\n{list}</dl>\n") }
}

/// Its subcommands, by name: their order in the grammar is that in which they were changed last.
fn shown(command: &Command) -> Vec<&Command> {
    let mut shown: Vec<_> = command.get_subcommands().filter(|one| !one.is_hide_set()).collect();
    shown.sort_by_key(|one| one.get_name());
    shown
}

fn name(command: &Command) -> &str {
    command.get_bin_name().unwrap_or_else(|| command.get_name())
}

fn file(command: &Command) -> String {
    format!("{}.html", name(command).replace(' ', "-"))
}

fn anchor(command: &Command) -> String {
    format!("<a href=\"{}\"><code>{}</code></a>", file(command), name(command))
}

/// Writes the page of a command, and those of its subcommands.
fn write_one(site: &SiteFolder, command: &Command, above: Option<&Command>) -> anyhow::Result<()> {
    let mut page = format!("<h1>{}</h1>\n", name(command));
    let about = command.get_long_about().or_else(|| command.get_about());
    page += &prose(&about.map(ToString::to_string).unwrap_or_default());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = writeln!(page, "<pre tabindex=\"0\"><code>{}</code></pre>", escaped(usage));
    page += &subcommands(command);
    let mut headings: Vec<&str> = Vec::new();
    let arguments = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    for arg in arguments() {
        let heading = heading(arg);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for of in headings {
        let _ = writeln!(page, "<h2>{of}</h2>\n<dl class=\"flags\">");
        for arg in arguments().filter(|arg| heading(arg) == of) {
            page += &described(arg);
        }
        page += "</dl>\n";
    }
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    if let Some(after) = after {
        let after = escaped(&after.to_string());
        let _ = writeln!(page, "<pre tabindex=\"0\">{after}</pre>");
    }
    let address = format!("commands/{}", file(command));
    let mut frame = Frame::new(&address, name(command));
    if let Some(above) = above {
        let link = |one: &Command| Link {
            to: format!("commands/{}", file(one)),
            words: name(one).to_owned(),
        };
        frame =
            frame.beside("Commands", [above].into_iter().chain(shown(above)).map(link).collect());
    }
    site.write(&address, frame.page(&page))?;
    for one in shown(command) {
        write_one(site, one, Some(command))?;
    }
    Ok(())
}

fn heading(arg: &Arg) -> &str {
    arg.get_help_heading().unwrap_or(if arg.is_positional() { "Arguments" } else { "Options" })
}

/// A flag or an argument: its form, its help, its values.
fn described(arg: &Arg) -> String {
    let form = escaped(arg.to_string().trim());
    let short = arg.get_short().filter(|_| arg.get_long().is_some());
    let short = short.map(|short| format!("-{short}, ")).unwrap_or_default();
    let id = arg.get_id();
    let help = arg.get_long_help().or_else(|| arg.get_help());
    let help = prose(&help.map(ToString::to_string).unwrap_or_default());
    let mut page = format!("<dt id=\"{id}\"><code>{short}{form}</code></dt><dd>{help}");
    let values = arg.get_possible_values();
    let takes = arg.get_action().takes_values();
    if takes && !arg.is_hide_possible_values_set() && !values.is_empty() {
        page += "<ul>\n";
        for value in values.iter().filter(|value| !value.is_hide_set()) {
            let help = value.get_help().map(|help| format!(": {}", inline(&help.to_string())));
            let help = help.unwrap_or_default();
            let _ = writeln!(page, "<li><code>{}</code>{help}</li>", escaped(value.get_name()));
        }
        page += "</ul>\n";
    }
    let defaults = arg.get_default_values().iter().map(|value| value.to_string_lossy());
    let defaults: Vec<_> = defaults.collect();
    if takes && !arg.is_hide_default_value_set() && !defaults.is_empty() {
        let _ = write!(
            page,
            "<p class=\"soft\">Default: <code>{}</code></p>",
            escaped(&defaults.join(" "))
        );
    }
    page + "</dd>\n"
}
