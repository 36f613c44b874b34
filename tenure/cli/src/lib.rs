//! The command `tenure` as a library.
//!
//! `tenure lead` runs a command while this host leads; `tenure office` and `tenure status`
//! are for operators. All of them talk to a member of their host over a Unix socket, and operators to
//! those of other hosts by certificates.
//!
//! Linux only: elsewhere this crate is empty.

#![cfg(target_os = "linux")]

pub mod cert;
mod child;
pub mod config;
pub mod connect;
mod control;
mod crash_notifier;
pub mod demo;
pub mod dev;
mod error;
mod join;
pub mod lead;
mod log;
pub mod members;
mod notify;
pub mod office;
pub mod serve;
mod signals;
pub mod status;
#[doc(hidden)]
pub mod testing;
pub mod valid;

pub use error::CommandError;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use rustix::process::{Signal, set_parent_process_death_signal};
use std::ffi::OsString;
use std::future::pending;
use std::io::{self, Write};
use std::process::ExitCode;
use suffrage_net::tasks::have_threads;
use suffrage_shell::{Completions, Group, Manual, brief, grouped};

/// One leader among your hosts, without a coordination cluster.
#[derive(Parser)]
#[command(name = "tenure", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct TenureCli {
    #[command(subcommand)]
    command: ServiceCommand,
}

/// Returns the command line with its commands in groups.
#[must_use]
pub fn grammar() -> clap::Command {
    let command = grouped(TenureCli::command(), GROUPS);
    let command = command.mut_subcommand("lead", |lead| brief(lead, LEAD_FLAGS));
    // The same as `tenure lead --once --wait 0s`, which says nothing where all is well.
    let command =
        command.mut_subcommand("dev", |dev| dev.mut_arg("log", |arg| arg.default_value("error")));
    command.mut_subcommand("try", |once| {
        brief(once, TRY_FLAGS)
            .mut_arg("once", |arg| arg.default_value("true").hide(true))
            .mut_arg("wait", |arg| arg.default_value("0s"))
            .mut_arg("log", |arg| arg.default_value("error"))
            .mut_arg("on_exit", |arg| arg.hide(true))
    })
}

/// The groups of the commands.
const GROUPS: &[Group<'static>] = &[
    ("Try it on this machine", &["demo", "dev"]),
    ("Set up", &["cert", "config"]),
    ("Run", &["lead", "try", "serve", "valid", "connect"]),
    ("Operate", &["office", "members", "status"]),
    ("Tools", &["completions", "man"]),
];

/// The flags of `tenure lead` that `-h` shows.
const LEAD_FLAGS: &[&str] = &[
    "config", "members", "priority", "value", "stop", "grace", "on_exit", "once", "ready", "health",
];

/// The flags of `tenure try` that `-h` shows.
const TRY_FLAGS: &[&str] = &["wait", "members", "value", "stop", "grace"];

const EXAMPLES: &str = "\
Examples:
  tenure demo
  tenure cert --cluster lab --members host-1,host-2,host-3 --out certificates
  tenure config example > members.toml
  tenure lead db-primary --config members.toml -- ./my-service
  tenure office list

Exit codes (`lead` and `try` may also end with COMMAND's exit code):
  0    done
  1    it failed, or the answer is no
  2    the command line or the input cannot be used
  3    this host did not lead in the time to wait (`try`)";

/// Runs the command line of this program.
#[must_use]
pub fn main() -> ExitCode {
    // First, while there is one thread: a guard of a command, which is this program again.
    if let Some(code) = enter(std::env::args_os().skip(1)) {
        return code;
    }
    start(std::env::args_os())
}

/// Runs the command line of these words. The first one names the program. An error is printed to
/// standard error, and a wrong command line ends the program.
pub fn start(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut grammar = grammar();
    let matches = grammar.clone().get_matches_from(words);
    match TenureCli::from_arg_matches(&matches) {
        Ok(cli) => ended(run(&cli.command)),
        Err(error) => error.format(&mut grammar).exit(),
    }
}

/// The commands.
#[derive(Subcommand)]
enum ServiceCommand {
    /// Run a command while this host leads
    Lead(Box<lead::Args>),
    /// Run a command one time if this host leads now, and end with its exit code
    ///
    /// Stands for OFFICE by the member of this host, or by --members. Where another program leads, ends with 3, at once or
    /// after the time to wait; and also where no host can lead for 5 s. On becoming leader, runs COMMAND as `tenure lead`
    /// does, one time, and releases OFFICE when COMMAND has ended. So COMMAND never runs on two hosts at the same time; but
    /// it may run on one after the other. It is `tenure lead --once --wait 0s`.
    #[command(after_help = lead::TRY)]
    Try(Box<lead::Args>),
    /// Be a member of the cluster, for several programs of this host
    Serve(serve::Args),
    /// Tell COMMAND whether its leadership is certain now
    Valid(valid::Args),
    /// Show who leads what, at which term, and make a leader leave
    Office(office::Args),
    /// Show the members of the cluster, and change them while offices are led
    Members(members::Args),
    /// Show the state of a member
    Status(status::Args),
    /// Run a command against the leader, and again when that changes
    Connect(connect::Args),
    /// Explain or check a configuration
    Config(config::Args),
    Cert(cert::Args),
    Demo(demo::Args),
    Dev(dev::Args),
    Completions(Completions),
    Man(Manual),
}

/// The first argument of any program that is executed again as `tenure lead`.
const LEAD: &str = "__lead";

/// Does the work of a process that this crate has executed again, and returns its exit code; `None`
/// if this is no such process. To be called first in `main`, before other threads are started.
pub fn enter(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match arguments.first().and_then(|first| first.to_str()) {
        Some(demo::monitor::WORK) => Some(demo::monitor::work(arguments.into_iter().nth(1))),
        Some(LEAD) => {
            // A demonstration that is killed leaves nothing behind. Its main thread, which starts its
            // programs, ends with it.
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            let again = LeadAgain::parse_from(&arguments);
            Some(ended(run(&ServiceCommand::Lead(again.lead))))
        }
        Some(crash_notifier::CRASH_NOTIFIER) => Some(crash_notifier::main()),
        _ => tenure_guard::enter(arguments),
    }
}

/// Turns the result of a command into the exit code of the program. Prints an error to standard error, if
/// that can be written.
fn ended(done: Result<u8, CommandError>) -> ExitCode {
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(error.code)
        }
    }
}

#[derive(Parser)]
struct LeadAgain {
    #[command(flatten)]
    lead: Box<lead::Args>,
}

fn run(command: &ServiceCommand) -> Result<u8, CommandError> {
    if matches!(
        command,
        ServiceCommand::Lead(_)
            | ServiceCommand::Try(_)
            | ServiceCommand::Serve(_)
            | ServiceCommand::Dev(_)
    ) {
        // Leases have to be renewed in time on a busy host, too.
        tenure_guard::raise_priority();
    }
    match command {
        ServiceCommand::Lead(args) | ServiceCommand::Try(args) => block_on(lead::run(args)),
        ServiceCommand::Serve(args) => block_on(serve::run(args)),
        ServiceCommand::Office(args) => block_on(office::run(args)),
        ServiceCommand::Members(args) => block_on(members::run(args)),
        ServiceCommand::Status(args) => block_on(status::run(args)),
        ServiceCommand::Demo(args) => block_on(demo::run(args)),
        ServiceCommand::Dev(args) => block_on(dev::run(args)),
        ServiceCommand::Connect(args) => block_on(connect::run(args)),
        ServiceCommand::Valid(args) => valid::run(args),
        ServiceCommand::Config(args) => config::run(args),
        ServiceCommand::Cert(args) => cert::run(args),
        ServiceCommand::Completions(args) => print(&args.script(grammar())).map(|_| 0),
        ServiceCommand::Man(args) => {
            print(&args.page(grammar()).map_err(CommandError::usage)?).map(|_| 0)
        }
    }
}

/// The threads of the runtime that do its work.
const WORKERS: usize = 2;

fn block_on(work: impl Future<Output = Result<u8, CommandError>>) -> Result<u8, CommandError> {
    // Besides the workers, threads read files and look up names.
    have_threads(WORKERS + 2).map_err(|error| CommandError::usage(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()
        .map_err(|error| CommandError::failed(format!("cannot start: {error}")))?;
    let code = runtime.block_on(work);
    runtime.shutdown_background();
    code
}

/// Prints to standard output, and returns whether there is still a reader.
fn print(text: &str) -> Result<bool, CommandError> {
    suffrage_stdio::print(text)
        .map_err(|error| CommandError::failed(format!("cannot write to standard output: {error}")))
}

/// Waits for what is under way. Where nothing is, never returns.
async fn done<T>(under_way: Option<impl Future<Output = T>>) -> T {
    match under_way {
        Some(future) => future.await,
        None => pending().await,
    }
}
