//! The command `suffrage` as a library.

pub mod binding;
mod cli;
mod commands;
pub mod election;
mod error;
mod flags;
mod interrupt;
mod offered;
mod output;
mod progress;
mod report;
mod specified;
mod terminal;
mod trace;
mod typed;

use std::process::ExitCode;

/// Returns the command line, for documentation of it.
#[must_use]
pub fn grammar() -> clap::Command {
    cli::Cli::grammar()
}

/// Runs the command line of this program.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match cli::Cli::of(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => return unread(&error),
    };
    interrupt::listen();
    output::of_grammar(cli::Cli::grammar);
    match cli.run() {
        Ok(ending) => ending.into(),
        Err(error) => failed(&error),
    }
}

/// Says why a command line was not read: it is wrong, or asks for help alone.
fn unread(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        error::complain(error.render().to_string().trim_end());
        return ExitCode::from(error::USAGE);
    }
    match output::written(error.print()) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &error::Error) -> ExitCode {
    error::complain(format_args!("error: {error}"));
    ExitCode::from(error::USAGE)
}
