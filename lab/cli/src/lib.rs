//! The command `suffrage` as a library: the study of elections (feature `study`, the default), and the
//! leadership service (feature `service`).

// What belongs to the service comes from a crate of its own, or says how to get it.
#[cfg(not(all(feature = "service", target_os = "linux")))]
mod absent;
#[cfg(not(all(feature = "service", target_os = "linux")))]
use absent as service;
#[cfg(all(feature = "service", target_os = "linux"))]
use tenure_cli as service;

mod cert;
#[cfg(not(feature = "study"))]
mod service_alone;

#[cfg(feature = "study")]
mod agents;
#[cfg(feature = "study")]
pub mod call;
#[cfg(feature = "study")]
mod cli;
#[cfg(feature = "study")]
mod commands;
#[cfg(feature = "study")]
mod counts;
#[cfg(feature = "study")]
mod error;
#[cfg(feature = "study")]
mod flags;
#[cfg(feature = "study")]
mod interrupt;
#[cfg(feature = "study")]
mod log;
#[cfg(feature = "study")]
mod number;
#[cfg(feature = "study")]
mod offered;
#[cfg(feature = "study")]
mod output;
#[cfg(feature = "study")]
mod plan;
#[cfg(feature = "study")]
mod progress;
#[cfg(feature = "study")]
mod report;
#[cfg(feature = "distributed")]
mod team;
#[cfg(feature = "study")]
mod terminal;
#[cfg(feature = "study")]
mod trace;
#[cfg(feature = "study")]
mod trials;

use std::process::ExitCode;

/// Runs the command line of this program.
#[must_use]
pub fn main() -> ExitCode {
    // First, while there is one thread: a guard of a command, which is this program again.
    if let Some(code) = service::enter(std::env::args_os().skip(1)) {
        return code;
    }
    start()
}

#[cfg(not(feature = "study"))]
use service_alone::start;

#[cfg(feature = "study")]
fn start() -> ExitCode {
    let cli = match cli::Cli::read() {
        Ok(cli) => cli,
        Err(error) => return unread(&error),
    };
    // The service has its own answers to signals.
    if !cli.is_of_service() {
        interrupt::listen();
    }
    match cli.run() {
        Ok(ending) => ending.into(),
        Err(error) => failed(&error),
    }
}

/// Says why a command line was not read: it is wrong, or asks for help alone.
#[cfg(feature = "study")]
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

#[cfg(feature = "study")]
fn failed(error: &error::Error) -> ExitCode {
    error::complain(format_args!("error: {error}"));
    ExitCode::from(error::USAGE)
}
