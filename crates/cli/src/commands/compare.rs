//! `suffrage compare`: compares the costs of algorithms on networks of one kind.

use super::elect::trial;
use crate::error::{Ending, Error, complain};
use crate::flags::{Conditions, FileFlags, Timing};
use crate::number::grouped;
use crate::offered;
use crate::output::Document;
use crate::plan::{Setup, Source, by_name, fitting};
use crate::progress::Progress;
use crate::report::{Layout, Row, Trial};
use crate::{counts, interrupt, trials};
use std::num::NonZero;
use std::path::Path;
use suffrage::algorithms::{Algorithm, CATALOGUE};
use suffrage::topology::{Spec, SpecError};

/// Compare the costs of algorithms on networks of one kind and several sizes
///
/// Every algorithm gets the same networks, ids, ports and initiators: trial T has the same seed
/// for all of them. A row is printed as soon as it is finished.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Names from `suffrage algorithms` [default: all correct ones that fit the networks]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    #[arg(value_parser = offered::algorithms(), hide_possible_values = true)]
    algorithms: Vec<String>,

    /// The kind of network: a specification without its number of nodes; without --nodes one
    /// network, a specification or a file [default: complete]
    ///
    /// complete, ring, path, star, tree:K, tree:random, grid, torus, hypercube, regular:D,
    /// erdos-renyi:P or barabasi-albert:M. Without --nodes it is a network such as grid:4x5, or a
    /// file, as in `suffrage elect`.
    #[arg(long, value_name = "KIND|SPEC|FILE")]
    #[arg(value_parser = offered::kinds(), hide_possible_values = true)]
    topology: Option<String>,

    /// Numbers of nodes
    #[arg(long, value_name = "N,..", required_unless_present = "topology", value_delimiter = ',')]
    #[arg(value_parser = counts::within32(1..=u32::MAX))]
    nodes: Vec<u32>,

    #[command(flatten)]
    file: FileFlags,

    /// Elections for each row
    #[arg(long, value_name = "T", default_value_t = 10)]
    #[arg(value_parser = counts::positive)]
    trials: u64,

    /// Threads; the figures do not depend on them [default: all cores]
    #[arg(long, value_name = "N", value_parser = counts::threads)]
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
  suffrage compare --topology torus --nodes 100,400 --schedule uniform:10 --initiators 5
  suffrage compare --topology NETWORK.graphml --trials 50";

/// The number of messages from which on an election is held only if its algorithm is named, since
/// it may take too much time and memory.
const TOO_MANY: u64 = 1_000_000_000;

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    if matches!(args.conditions.schedule, Timing::Recorded(_)) {
        return Err(Error::new("--schedule replay:FILE is of one election: use `suffrage elect`"));
    }
    let sources = args.sources()?;
    let algorithms = args.algorithms(&sources)?;
    let mut setups = Vec::new();
    for source in &sources {
        for &algorithm in &algorithms {
            let least = source.shape().least(algorithm, &args.conditions);
            if args.algorithms.is_empty() && least > TOO_MANY {
                complain(format_args!(
                    "left out: {} on {} sends some {} messages; --algorithms {} asks for it",
                    algorithm.name,
                    source.text(),
                    grouped(least),
                    algorithm.name
                ));
                continue;
            }
            // Algorithms that do not fit are refused before any output.
            let setup = Setup::new(algorithm, source.clone(), args.conditions.clone())?;
            setup.room_for(args.trials.min(trials::threads(args.threads) as u64))?;
            setup.plan(&setup.site(args.conditions.seed)?)?;
            setups.push(setup);
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
        complain(format_args!("interrupted: {rows} of {all_rows} rows were finished"));
    }
    Ok(Ending::of(interrupted, broken))
}

impl Args {
    /// Returns the networks: one of each size, or the one network that was named.
    fn sources(&self) -> Result<Vec<Source>, Error> {
        let kind = match &self.topology {
            Some(text) if self.nodes.is_empty() => {
                return Ok(vec![Source::named(text, self.file)?]);
            }
            Some(text) => text,
            None => "complete",
        };
        if let Some(flag) = self.file.given() {
            return Err(Error::new(format!("{flag} is for files, and a file has no --nodes")));
        }
        let of_size = |&nodes: &u32| {
            Spec::of_family(kind, nodes)
                .map(Source::Made)
                .map_err(|error| sized(kind, nodes, error))
        };
        self.nodes.iter().map(of_size).collect()
    }

    /// Returns the algorithms to compare. Checks that each fits every network.
    fn algorithms(&self, sources: &[Source]) -> Result<Vec<&'static Algorithm>, Error> {
        if !self.algorithms.is_empty() {
            return self.algorithms.iter().map(|name| by_name(name)).collect();
        }
        let networks: Vec<_> = sources
            .iter()
            .map(|source| source.build(self.conditions.seed))
            .collect::<Result<_, _>>()?;
        let fit_all = |algorithm: &&Algorithm| {
            networks.iter().all(|network| {
                fitting(network, self.conditions.ports).any(|other| other.name == algorithm.name)
            })
        };
        Ok(CATALOGUE.iter().filter(fit_all).collect())
    }

    /// Returns the row of a setup; `None` if it was interrupted.
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

/// Creates the error for a kind of network that does not exist with this number of nodes.
fn sized(kind: &str, nodes: u32, error: SpecError) -> Error {
    let place = format!("--topology {kind} --nodes {nodes}");
    if Path::new(kind).exists() {
        return Error::of(place, "the file has a number of nodes of its own: leave out --nodes");
    }
    match kind.parse::<Spec>() {
        Ok(spec) => Error::of(
            place,
            format!(
                "`{kind}` has a number of nodes of its own: leave out --nodes, or name a kind \
                 without one, as in --topology {}",
                spec.family()
            ),
        ),
        Err(_) => Error::of(place, error),
    }
}
