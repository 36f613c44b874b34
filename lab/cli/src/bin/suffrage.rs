//! The command `suffrage`: all of it is in the library of this crate, which other programs call.

use std::process::ExitCode;

fn main() -> ExitCode {
    suffrage_cli::main()
}
