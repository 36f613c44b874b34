//! The command line with its subcommands and the help of the program.

use crate::commands::{
    algorithms, cert, check, cluster, compare, draw, elect, grade, merge, node, plot, population,
    prove, replay, reproduce, run, tenure, watch,
};
use crate::error::{CommandEnding, Error};
use crate::output::print;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use suffrage_shell::{Completions, Group, Manual, brief, grouped};

/// Leader election: run any algorithm of the catalogue on any network, and compare its cost with
/// the theory.
#[derive(Parser)]
#[command(name = "suffrage", version, arg_required_else_help = true, after_help = CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: LaboratoryCommand,
}

impl Cli {
    /// Parses the words of a command line, the program's name first.
    pub(crate) fn of(
        words: impl IntoIterator<Item: Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let mut command = Self::grammar();
        let matches = command.try_get_matches_from_mut(words).map_err(without_useless_tip)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }

    pub(crate) fn grammar() -> clap::Command {
        /// Parses negative numbers as values, which their flags refuse with a message, and not as
        /// flags.
        fn with_numbers(command: clap::Command) -> clap::Command {
            command.allow_negative_numbers(true).mut_subcommands(with_numbers)
        }
        let command = grouped(Self::command(), GROUPS);
        with_numbers(BRIEF.iter().fold(command, |command, (path, flags)| {
            command.mut_subcommand(path[0], |command| match path.get(1) {
                Some(name) => command.mut_subcommand(name, |command| brief(command, flags)),
                None => brief(command, flags),
            })
        }))
    }

    /// Runs the subcommand.
    pub(crate) fn run(self) -> Result<CommandEnding, Error> {
        match self.command {
            LaboratoryCommand::Algorithms(args) => algorithms::run(&args),
            LaboratoryCommand::Elect(args) => elect::run(&args),
            LaboratoryCommand::Cluster(args) => cluster::run(&args),
            LaboratoryCommand::Node(args) => node::run(&args),
            LaboratoryCommand::Cert(args) => cert::run(&args),
            LaboratoryCommand::Merge(args) => merge::run(&args),
            LaboratoryCommand::Plot(args) => plot::run(&args),
            LaboratoryCommand::Check(args) => check::run(&args),
            LaboratoryCommand::Compare(args) => compare::run(&args),
            LaboratoryCommand::Population(args) => population::run(&args),
            LaboratoryCommand::Tenure(args) => tenure::run(&args),
            LaboratoryCommand::Prove(args) => prove::run(&args),
            LaboratoryCommand::Grade(args) => grade::run(&args),
            LaboratoryCommand::Replay(args) => replay::run(&args),
            LaboratoryCommand::Draw(args) => draw::run(&args),
            LaboratoryCommand::Watch(args) => watch::run(args),
            LaboratoryCommand::Reproduce(args) => reproduce::run(&args),
            LaboratoryCommand::Run(args) => run::run(&args),
            LaboratoryCommand::Completions(args) => {
                print(&args.script(Self::grammar())).map(|_| CommandEnding::Fine)
            }
            LaboratoryCommand::Man(args) => {
                let page = args.page(Self::grammar()).map_err(Error::new)?;
                print(&page).map(|_| CommandEnding::Fine)
            }
        }
    }
}

/// Removes the advice to write `-- -5%` for `-5%`, which would be another argument, and wrong as
/// well.
fn without_useless_tip(mut error: clap::Error) -> clap::Error {
    let is_short = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => !argument.starts_with("--"),
        _ => false,
    };
    if error.kind() == ErrorKind::UnknownArgument && is_short {
        error.remove(ContextKind::Suggested);
    }
    error
}

const CODES: &str = "\
Examples:
  suffrage algorithms
  suffrage elect humblet --nodes 1000
  suffrage elect --topology grid:20x30 --schedule uniform:10
  suffrage compare --topology ring --nodes 10,100,1000 --trials 50
  suffrage check humblet --nodes 4
  suffrage cluster humblet --nodes 100 --against-simulation
  suffrage population self-terminating --agents 1000 --trials 1000
  suffrage tenure simulate --faults all --trials 10

Exit codes:
  0    every property held
  1    a run broke a property
  2    the command line or the input cannot be used, or the output cannot be written
  130  interrupted; finished results have been printed";

/// The groups of the commands.
const GROUPS: &[Group<'static>] = &[
    ("Try an election, and see it", &["algorithms", "elect", "watch", "draw"]),
    ("Measure costs", &["compare", "population", "tenure", "run", "plot", "merge", "reproduce"]),
    ("Check every schedule, and see what is proved", &["check", "replay", "prove", "grade"]),
    ("Run it between hosts", &["cluster", "node", "cert"]),
    ("Tools", &["completions", "man"]),
];

/// The flags that `-h` shows, of commands that have many.
const BRIEF: &[(&[&str], &[&str])] = &[
    (
        &["elect"],
        &["nodes", "topology", "ports", "initiators", "schedule", "faults", "seed", "trials"],
    ),
    (
        &["check"],
        &["nodes", "topology", "all_ports", "all_initiators", "faults", "sample", "save", "format"],
    ),
    (
        &["compare"],
        &["algorithms", "topology", "nodes", "ports", "schedule", "seed", "trials", "format"],
    ),
    (
        &["population"],
        &["agents", "rules", "topology", "engine", "trials", "seed", "history", "format"],
    ),
    (
        &["cluster"],
        &[
            "nodes",
            "topology",
            "seed",
            "transport",
            "processes",
            "timeout",
            "against_simulation",
            "format",
        ],
    ),
    (
        &["node"],
        &["config", "print_config", "id", "listen", "algorithm", "timeout", "log", "format"],
    ),
    (
        &["tenure", "simulate"],
        &["protocol", "faults", "duration", "trials", "members", "seed", "save", "format"],
    ),
    (
        &["tenure", "compare"],
        &["protocols", "scenarios", "trials", "members", "lease", "profile", "seed", "format"],
    ),
];

#[derive(Subcommand)]
enum LaboratoryCommand {
    Algorithms(algorithms::Args),
    Elect(elect::Args),
    Compare(compare::Args),
    Merge(merge::Args),
    Plot(plot::Args),
    Check(check::Args),
    Cluster(cluster::Args),
    Node(node::Args),
    Cert(cert::Args),
    Population(population::Args),
    Prove(prove::Args),
    Grade(grade::Args),
    Tenure(tenure::Args),
    Replay(replay::Args),
    Draw(draw::Args),
    Watch(watch::Args),
    Reproduce(reproduce::Args),
    Run(run::Args),
    Completions(Completions),
    Man(Manual),
}
