//! The command of a demonstration: it sends the term in which it leads over a connection, which is
//! closed when it ends.

use std::env::var;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

/// The first argument of a program that is executed again as this command.
pub(crate) const WORK: &str = "__work";

/// The `main` of the command: `__work SOCKET`.
pub(crate) fn main(path: Option<std::ffi::OsString>) -> ExitCode {
    let work = || -> std::io::Result<()> {
        let mut stream = UnixStream::connect(path.unwrap_or_default())?;
        let said = |name| var(name).unwrap_or_default();
        writeln!(stream, "{} {}", said("TENURE_TERM"), said("TENURE_MEMBER"))?;
        // Until it is killed, or the demonstration ends.
        stream.read_to_end(&mut Vec::new()).map(drop)
    };
    if work().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
