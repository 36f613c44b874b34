//! The subcommands, one module each.

pub(crate) mod algorithms;
pub(crate) mod cert;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod elect;
pub(crate) mod man;
pub(crate) mod node;
pub(crate) mod population;
pub(crate) mod replay;
pub(crate) mod reproduce;
pub(crate) mod tenure;

use crate::cli::Command;
use crate::error::{Ending, Error};

/// Runs a subcommand.
pub(crate) fn run(command: Command) -> Result<Ending, Error> {
    match command {
        Command::Algorithms(args) => algorithms::run(&args),
        Command::Elect(args) => elect::run(&args),
        Command::Cluster(args) => cluster::run(&args),
        Command::Node(args) => node::run(&args),
        Command::Cert(args) => cert::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Population(args) => population::run(&args),
        Command::Tenure(args) => tenure::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Service(command) => Ok(Ending::of_service(crate::service::run(&command))),
    }
}
