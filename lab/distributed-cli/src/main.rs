//! The command `suffrage-distributed`: runs one election on several workers, which are threads and hosts, and
//! prints the report that `suffrage elect` prints on one core.

mod divided;
mod flags;
mod forecast;
mod team;

use clap::Parser;
use flags::Flags;
use std::process::ExitCode;
use suffrage_cli::election::{USAGE, complain, listen};

fn main() -> ExitCode {
    let flags = Flags::parse();
    listen();
    match team::report(&flags) {
        Ok(ending) => ending.into(),
        Err(error) => {
            complain(format_args!("error: {error}"));
            ExitCode::from(USAGE)
        }
    }
}
