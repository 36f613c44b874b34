//! `tenure valid`: tells a program whether its leadership is certain.

use crate::control::path_in;
use crate::error::{CommandError, FAILED};
use std::path::PathBuf;

/// Tell COMMAND whether its leadership is certain now
///
/// To be run by COMMAND, or by anything that it has handed `TENURE_LEASE` to, before a step that only a leader may
/// take. Prints nothing. Reads the lease's file and the clock of the host, and asks no other process.
#[derive(clap::Args)]
#[command(after_help = MORE)]
pub struct Args {
    /// The lease's file [default: what the variable `TENURE_LEASE` names, as for COMMAND]
    #[arg(long, value_name = "FILE")]
    lease: Option<PathBuf>,
}

const MORE: &str = "\
Exit codes:
  0    the leadership is certain
  1    it is over
  2    this cannot be told: the file is not named, or gives the time on another clock than the one here";

pub(crate) fn run(args: &Args) -> Result<u8, CommandError> {
    let named = args.lease.clone().or_else(|| path_in("TENURE_LEASE"));
    let file = named.ok_or_else(|| {
        let why = "the variable TENURE_LEASE names no file: run this by COMMAND of `tenure lead`, or write --lease FILE";
        CommandError::usage(why)
    })?;
    let left = tenure_guard::certain_for(&file)
        .map_err(|error| CommandError::usage(format!("--lease {}: {error}", file.display())))?;
    Ok(if left.is_zero() { FAILED } else { 0 })
}
