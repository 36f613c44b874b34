//! Guards, members and commands as real processes.
//!
//! This program is its own harness, because it executes itself again: as a guard, and as a member
//! (`__member`, in `member.rs`) that the tests kill and suspend. The processes of a test are found
//! by the name of its office, which they all have in their environment.

#![allow(clippy::unwrap_used)] // Clippy does not know these functions as tests.

mod ending;
mod failing;
mod hooks;
mod member;
mod running;
mod world;

use libtest_mimic::{Arguments, Trial, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = tenure_guard::enter(std::env::args_os().skip(1)) {
        return code;
    }
    if std::env::args().nth(1).as_deref() == Some("__member") {
        return member::main();
    }
    let tests =
        running::TESTS.iter().chain(ending::TESTS).chain(failing::TESTS).chain(hooks::TESTS);
    let trials = tests.map(|&(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    run(&Arguments::from_args(), trials.collect()).exit_code()
}
