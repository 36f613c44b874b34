//! The commands of the leadership service.
//!
//! `suffrage lead` runs a command where it leads; `suffrage office` and `suffrage status` are an
//! operator's. All of them talk to a member of their host over a Unix socket.
//!
//! Linux only: elsewhere this crate is empty.

#![cfg(target_os = "linux")]

mod control;
mod error;
pub mod lead;
mod log;
mod notify;
pub mod office;
mod signals;
pub mod status;

pub use error::Error;

use clap::Subcommand;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

/// The commands.
#[derive(Subcommand)]
pub enum Command {
    /// Run a command where this host leads, and nowhere else
    Lead(Box<lead::Args>),
    /// See who leads what, at which term, and make a leader leave
    Office(office::Args),
    /// Show how a member of this host is
    Status(status::Args),
}

/// Does the work of a program that was executed again, and says how it ended; `None` if this is not
/// such a program. To be called first in `main`, before there are other threads.
pub fn enter(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    suffrage_supervision::enter(arguments)
}

/// Runs a command. Returns its exit code.
///
/// # Errors
/// With a message for the user, and the exit code.
pub fn run(command: &Command) -> Result<u8, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Error::failed(format!("cannot start: {error}")))?;
    let code = runtime.block_on(async {
        match command {
            Command::Lead(args) => lead::run(args).await,
            Command::Office(args) => office::run(args).await,
            Command::Status(args) => status::run(args).await,
        }
    });
    runtime.shutdown_background();
    code
}

/// Prints to standard output. Says whether anybody still reads.
fn print(text: &str) -> Result<bool, Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::failed(format!("cannot write to standard output: {error}"))),
    }
}
