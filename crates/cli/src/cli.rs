//! The command line: the subcommands, and what is said of the whole.

use crate::commands::{
    algorithms, cert, check, cluster, compare, completions, elect, man, node, population, replay,
    reproduce, tenure,
};
use clap::{Parser, Subcommand};

/// Leader election: hold elections by any algorithm of the catalogue on any network, and see what
/// they cost beside what the theory allows.
#[derive(Parser)]
#[command(name = "suffrage", version, arg_required_else_help = true, after_help = CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
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
  2    the command line or the input cannot be used
  130  interrupted; what was finished has been printed";

#[derive(Subcommand)]
pub(crate) enum Command {
    Algorithms(algorithms::Args),
    Elect(elect::Args),
    Compare(compare::Args),
    Check(check::Args),
    Cluster(cluster::Args),
    Node(node::Args),
    Cert(cert::Args),
    Population(population::Args),
    Tenure(tenure::Args),
    Replay(replay::Args),
    Reproduce(reproduce::Args),
    Completions(completions::Args),
    Man(man::Args),
    #[command(flatten)]
    Service(crate::service::Command),
}

impl Command {
    /// Whether it is a command of the leadership service.
    pub(crate) const fn is_of_service(&self) -> bool {
        match self {
            Self::Service(_) => true,
            Self::Tenure(args) => args.is_of_service(),
            _ => false,
        }
    }
}
