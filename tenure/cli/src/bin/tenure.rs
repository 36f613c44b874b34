//! The command `tenure`: all of it is in the library of this crate, which tests execute, too.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    return tenure_cli::main();
    #[cfg(not(target_os = "linux"))]
    {
        eprintln!("error: tenure runs on Linux");
        ExitCode::from(2)
    }
}
