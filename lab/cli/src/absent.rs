//! Stand-ins for the commands of the leadership service if they are not built in: each says how to
//! get it.

use clap::Subcommand;
use std::ffi::OsString;
use std::fmt::{self, Display};
use std::process::ExitCode;

/// The commands, which take anything.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a command where this host leads, and nowhere else (feature `service`)
    Lead(Anything),
    /// Be a member of the cluster, for several programs of this host (feature `service`)
    Serve(Anything),
    /// Show who leads what, at which term, and make a leader leave (feature `service`)
    Office(Anything),
    /// Show the state of a member (feature `service`)
    Status(Anything),
    /// Explain or check a configuration (feature `service`)
    Config(Anything),
}

/// Arguments that are ignored.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Anything {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    rest: Vec<OsString>,
}

pub(crate) mod demo {
    /// Kill, suspend, cut off and heal five members on this machine (feature `service`)
    #[derive(clap::Args)]
    pub(crate) struct Args {
        #[command(flatten)]
        anything: super::Anything,
    }
}

/// The error, which says how to get the commands.
pub(crate) struct Error {
    /// The exit code.
    pub(crate) code: u8,
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if cfg!(target_os = "linux") {
            "this command belongs to the leadership service, which is not built in: `cargo install \
             --path lab/cli --features service` installs it, and `cargo run --features service --` \
             runs it"
        } else {
            "this command belongs to the leadership service, which runs on Linux"
        })
    }
}

const ABSENT: Error = Error { code: 2 };

pub(crate) fn run(command: &Command) -> Result<u8, Error> {
    let (Command::Lead(anything)
    | Command::Serve(anything)
    | Command::Office(anything)
    | Command::Status(anything)
    | Command::Config(anything)) = command;
    let _ = &anything.rest;
    Err(ABSENT)
}

pub(crate) fn demonstrate(args: &demo::Args) -> Result<u8, Error> {
    let _ = args;
    Err(ABSENT)
}

/// Returns `None`: without the service, this program is never executed again.
pub(crate) fn enter(_: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    None
}
