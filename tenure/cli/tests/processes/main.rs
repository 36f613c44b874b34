//! Commands of the service as real processes.
//!
//! This program is its own harness, because it executes itself again: as the command line of the
//! service (`__tenure`), as a guard, and as a command.

#![allow(clippy::unwrap_used)] // Clippy does not know these functions as tests.

mod clients;
mod complaints;
mod demo;
mod dev;
mod dialogues;
mod flags;
mod hosts;
mod logs;
mod margin;
mod notified;
mod once;
mod operators;
mod page;
mod refusals;
mod releases;
mod reloads;
mod transcripts;

use libtest_mimic::{Arguments, Trial, run};
use std::process::{Command as Process, ExitCode, Output};

/// A name, and a test.
type Test = (&'static str, fn());

/// The argument before a command line of the service.
const TENURE: &str = "__tenure";

fn main() -> ExitCode {
    if let Some(code) = tenure_cli::enter(std::env::args_os().skip(1)) {
        return code;
    }
    if std::env::args().nth(1).as_deref() == Some(TENURE) {
        return tenure_cli::start(std::env::args_os().skip(1));
    }
    let tests = demo::TESTS.iter().chain(flags::TESTS).chain(hosts::TESTS).chain(refusals::TESTS);
    let tests = tests
        .chain(logs::TESTS)
        .chain(margin::TESTS)
        .chain(notified::TESTS)
        .chain(once::TESTS)
        .chain(operators::TESTS)
        .chain(complaints::TESTS)
        .chain(dev::TESTS)
        .chain(dialogues::TESTS)
        .chain(page::TESTS)
        .chain(releases::TESTS)
        .chain(reloads::TESTS)
        .chain(clients::TESTS)
        .chain(transcripts::TESTS);
    let trials = tests.map(|&(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn tenure(arguments: &[&str]) -> Process {
    let mut process = Process::new(std::env::current_exe().unwrap());
    process.arg(TENURE).args(arguments);
    process
}

fn ended(arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = tenure(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}
