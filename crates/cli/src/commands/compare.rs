//! `suffrage compare`: what algorithms cost on networks of one kind, as these grow.

use super::elect::{ending, trial};
use crate::error::{Ending, Error};
use crate::flags::{Conditions, Timing};
use crate::output::Document;
use crate::plan::{Setup, Source, by_name, fitting};
use crate::progress::Progress;
use crate::report::{Layout, Row, Trial, grouped};
use crate::{interrupt, trials};
use std::num::NonZero;
use suffrage::algorithms::{Algorithm, CATALOGUE};
use suffrage::topology::{Spec, Topology};

/// Compare what algorithms cost on networks of one kind and several sizes
///
/// Every algorithm meets the same networks, ids, ports and initiators: trial T has the same seed
/// for all of them. A row is printed as soon as it is finished.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Names from `suffrage algorithms` [default: all correct ones that fit the networks]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    algorithms: Vec<String>,

    /// The kind of network: a specification without its number of nodes
    ///
    /// complete, ring, path, star, tree:K, tree:random, grid, torus, hypercube, regular:D,
    /// erdos-renyi:P or barabasi-albert:M.
    #[arg(long, value_name = "KIND", default_value = "complete")]
    topology: String,

    /// Numbers of nodes
    #[arg(long, value_name = "N,..", required = true, value_delimiter = ',')]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    nodes: Vec<u32>,

    /// Elections for each row
    #[arg(long, value_name = "T", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    trials: u64,

    /// Threads; the figures do not depend on them [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,

    /// How to write the rows
    #[arg(long, value_enum, default_value_t)]
    format: Layout,

    #[command(flatten)]
    conditions: Conditions,
}

const EXAMPLES: &str = "\
Columns: messages and time (in ticks) as mean, 95th percentile and maximum over the trials; the
mean causal depth; the largest ratio of messages sent to the bound.

Examples:
  suffrage compare --nodes 10,100 --trials 20
  suffrage compare --topology ring --nodes 10,100,1000 --ids bit-reversed
  suffrage compare --algorithms humblet,afek-gafni --nodes 100,1000 --ports random --format csv
  suffrage compare --topology torus --nodes 100,400 --schedule uniform:10 --initiators 5";

/// An election with more messages is held only for those who name its algorithm: it may take more
/// time and memory than they have.
const TOO_MANY: u64 = 1_000_000_000;

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    if matches!(args.conditions.schedule, Timing::Recorded(_)) {
        return Err(Error::new("--schedule replay:FILE is of one election: use `suffrage elect`"));
    }
    let specs = args.specs()?;
    let algorithms = args.algorithms(&specs)?;
    let mut setups = Vec::new();
    for &spec in &specs {
        for &algorithm in &algorithms {
            let setup = Setup::new(algorithm, Source::Made(spec), args.conditions.clone())?;
            // What does not fit is refused before anything is printed.
            let least = setup.plan(args.conditions.seed)?.least();
            if args.algorithms.is_empty() && least > TOO_MANY {
                eprintln!(
                    "left out: {} on {spec} sends some {} messages; --algorithms {} asks for it",
                    algorithm.name,
                    grouped(least),
                    algorithm.name
                );
            } else {
                setups.push(setup);
            }
        }
    }
    let all_rows = setups.len();
    let (mut rows, mut broken) = (0, false);
    let mut document = Document::begin(&args.format.begin(), args.format.end())?;
    for setup in &setups {
        if !document.read || interrupt::asked() {
            break;
        }
        let Some(row) = args.row(setup)? else { break };
        broken |= row.failures > 0;
        document.piece(&args.format.row(&row, rows == 0)?)?;
        rows += 1;
    }
    let reading = document.read;
    document.finish()?;
    let interrupted = rows < all_rows && reading;
    if interrupted {
        eprintln!("interrupted: {rows} of {all_rows} rows were finished");
    }
    Ok(ending(interrupted, broken))
}

impl Args {
    fn specs(&self) -> Result<Vec<Spec>, Error> {
        let of_size = |&nodes: &u32| {
            Spec::of_family(&self.topology, nodes).map_err(|error| Error::of("--topology", error))
        };
        self.nodes.iter().map(of_size).collect()
    }

    /// The algorithms to compare. Each must fit every network, which is seen before anything runs.
    fn algorithms(&self, specs: &[Spec]) -> Result<Vec<&'static Algorithm>, Error> {
        if !self.algorithms.is_empty() {
            return self.algorithms.iter().map(|name| by_name(name)).collect();
        }
        let networks = specs
            .iter()
            .map(|spec| spec.build(self.conditions.seed))
            .collect::<Result<Vec<Topology>, _>>()
            .map_err(|error| Error::of("--topology", error))?;
        let fit_all = |algorithm: &&Algorithm| {
            networks.iter().all(|network| {
                fitting(network, self.conditions.ports).any(|other| other.name == algorithm.name)
            })
        };
        Ok(CATALOGUE.iter().filter(fit_all).collect())
    }

    /// The row of a setup; `None` where it was interrupted.
    fn row(&self, setup: &Setup) -> Result<Option<Row>, Error> {
        let name = format!("trials: {} on {}", setup.algorithm.name, setup.source_text());
        let mut progress = Progress::towards(self.trials, &name);
        let finished = trials::hold(
            self.trials,
            trials::threads(self.threads),
            |number| trial(setup, number),
            |done| progress.at(done),
        )?;
        progress.clear();
        let trials: Vec<Trial> = finished.results;
        Ok(if finished.interrupted { None } else { Row::of(setup, &trials) })
    }
}
