//! `suffrage compare`: compares the costs of algorithms on networks of one kind.

use super::elect::trial;
use crate::error::{Ending, Error, complain};
use crate::flags::{ConditionFlags, Conditions, FileFlags, Many, Timing, TrialFlags};
use crate::number::grouped;
use crate::offered;
use crate::output::Document;
use crate::plan::{Setup, Source, by_name, fits_all, natural, of_group};
use crate::progress::Progress;
use crate::report::{Each, Layout, Row, Stamped, Trial};
use crate::{counts, interrupt, trials};
use clap::builder::PossibleValuesParser;
use std::path::Path;
use suffrage::algorithms::{Algorithm, CATALOGUE, Group};
use suffrage::networks::{Spec, SpecError};

/// Compare the costs of algorithms on networks of one kind and several sizes
///
/// Every algorithm gets the same networks, ids, ports and initiators: trial T has the same seed
/// for all of them. A row is printed as soon as it is finished. Topologies, numbers of nodes,
/// schedules, ids, initiators, ports and capacities may have several values, with commas: every
/// combination is compared. A row has 10 trials, unless --trials, --seeds or --precision say another
/// number.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Names from `suffrage algorithms` [default: all correct ones that fit the networks, and neither draw
    /// at random nor need rounds]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    #[arg(value_parser = offered::algorithms(), hide_possible_values = true)]
    algorithms: Vec<String>,

    /// All algorithms for these networks, on networks of the class unless --topology says otherwise
    ///
    /// Those that draw at random are among them and, with --schedule rounds, those in rounds. Trees are
    /// random ones, graphs those of barabasi-albert:2.
    #[arg(long, value_name = "CLASS", conflicts_with = "algorithms")]
    #[arg(value_parser = PossibleValuesParser::new(Group::ALL.map(|group| group.name)))]
    class: Option<String>,

    /// The kind of network: a specification without its number of nodes; without --nodes one
    /// network, a specification or a file [default: complete]
    ///
    /// complete, ring, chordal:D, path, star, tree:K, tree:random, grid, torus, hypercube, regular:D,
    /// erdos-renyi:P or barabasi-albert:M. Without --nodes it is a network such as grid:4x5, or a
    /// file, as in `suffrage elect`. Several, with commas, are compared one after the other.
    #[arg(long, value_name = "KIND|SPEC|FILE,..")]
    #[arg(value_parser = offered::kinds(), hide_possible_values = true)]
    topology: Option<String>,

    /// Numbers of nodes
    #[arg(long, value_name = "N,..", required_unless_present = "topology", value_delimiter = ',')]
    #[arg(value_parser = counts::within32(1..=u32::MAX))]
    nodes: Vec<u32>,

    #[command(flatten)]
    file: FileFlags,

    #[command(flatten)]
    trials: TrialFlags,

    /// How to write the rows
    #[arg(long, value_enum, default_value_t)]
    format: Layout,

    #[command(flatten)]
    conditions: ConditionFlags,
}

const EXAMPLES: &str = "\
Columns: messages as mean with half of its 95 % confidence interval, 95th percentile and maximum over
the trials; time (in ticks) likewise; the mean causal depth; the largest ratio of messages sent to the
bound. CSV and JSON have more: deviation, median and minimum, of election and announcement messages, bits
and the load of the busiest node, too, and JSON how often each value was there.

Examples:
  suffrage compare --nodes 10,100 --trials 20
  suffrage compare --topology ring --nodes 10,100,1000 --ids bit-reversed
  suffrage compare --class ring --nodes 16,64,256 --schedule rounds
  suffrage compare --algorithms humblet,afek-gafni --nodes 100,1000 --ports random --format csv
  suffrage compare --topology torus --nodes 100,400 --schedule uniform:10 --initiators 5
  suffrage compare --topology ring --nodes 10,100 --schedule synchronous,uniform:10 --precision 1%
  suffrage compare --topology NETWORK.graphml --trials 50 --each trials.csv";

/// The number of messages from which on an election is held only if its algorithm is named, since
/// it may take too much time and memory.
const TOO_MANY: u64 = 1_000_000_000;

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    let many = args.trials.many(10);
    let mut all = args.conditions.all();
    if all.iter().any(|conditions| matches!(conditions.schedule, Timing::Recorded(_))) {
        return Err(Error::new("--schedule replay:FILE is of one election: use `suffrage elect`"));
    }
    all.iter_mut().for_each(|conditions| args.trials.apply(conditions));
    let mut setups = Vec::new();
    for kind in args.kinds() {
        let sources = args.sources(kind)?;
        for conditions in &all {
            let algorithms = args.algorithms(&sources, conditions)?;
            for source in &sources {
                args.add(&mut setups, source, &algorithms, conditions, many)?;
            }
        }
    }
    let all_rows = setups.len();
    let (mut rows, mut broken) = (0, false);
    let mut each = args.trials.each.as_deref().map(Each::begin).transpose()?;
    let mut document = Document::begin(&args.format.begin(), args.format.end())?;
    let mut before = None;
    for setup in &setups {
        if !document.read || interrupt::asked() {
            break;
        }
        let Some((row, trials)) = args.row(setup, many)? else { break };
        broken |= row.failures > 0;
        if all.len() > 1 && before.as_ref() != Some(&row.conditions) {
            document.piece(&args.format.conditions(&row.conditions))?;
            before = Some(row.conditions.clone());
        }
        if let Some(missed) = row.missed(many) {
            complain(format_args!("{}: {missed}", row.name()));
        }
        document.piece(&args.format.row(&Stamped::new(row), rows == 0)?)?;
        if let Some(each) = &mut each {
            each.write(setup, &trials)?;
        }
        rows += 1;
    }
    each.map_or(Ok(()), Each::finish)?;
    let reading = document.read;
    document.finish()?;
    let interrupted = rows < all_rows && reading;
    if interrupted {
        complain(format_args!("interrupted: {rows} of {all_rows} rows were finished"));
    }
    Ok(Ending::of(interrupted, broken))
}

impl Args {
    /// Adds the setups of algorithms on a network. Those that do not fit are refused before any
    /// output.
    fn add(
        &self,
        setups: &mut Vec<Setup>,
        source: &Source,
        algorithms: &[&'static Algorithm],
        conditions: &Conditions,
        many: Many,
    ) -> Result<(), Error> {
        for &algorithm in algorithms {
            let least = source.shape().least(algorithm, conditions);
            if self.algorithms.is_empty() && least > TOO_MANY {
                complain(format_args!(
                    "left out: {} on {} sends some {} messages; --algorithms {} asks for it",
                    algorithm.name,
                    source.text(),
                    grouped(least),
                    algorithm.name
                ));
                continue;
            }
            let setup = Setup::new(algorithm, source.clone(), conditions.clone())?;
            setup.room_for(many.most.min(trials::threads(self.trials.threads) as u64))?;
            setup.plan(&setup.site(conditions.seed)?)?;
            setups.push(setup);
        }
        Ok(())
    }

    fn kinds(&self) -> Vec<Option<&str>> {
        match &self.topology {
            None => vec![None],
            Some(text) if Path::new(text).exists() => vec![Some(text)],
            Some(text) => text.split(',').map(Some).collect(),
        }
    }

    fn sources(&self, kind: Option<&str>) -> Result<Vec<Source>, Error> {
        if let Some(text) = kind.filter(|_| self.nodes.is_empty()) {
            return Ok(vec![Source::named(text, self.file)?]);
        }
        if let Some(flag) = self.file.given() {
            return Err(Error::new(format!("{flag} is for files, and a file has no --nodes")));
        }
        let of_size = |&nodes: &u32| {
            let spec = match (kind, self.group()) {
                (None, Some(group)) => natural(group.class, nodes),
                (kind, _) => {
                    let kind = kind.unwrap_or("complete");
                    Spec::of_family(kind, nodes).map_err(|error| sized(kind, nodes, error))
                }
            };
            spec.map(Source::Made)
        };
        self.nodes.iter().map(of_size).collect()
    }

    fn group(&self) -> Option<&'static Group> {
        let named = self.class.as_deref();
        Group::ALL.iter().find(|group| Some(group.name) == named)
    }

    fn algorithms(
        &self,
        sources: &[Source],
        conditions: &Conditions,
    ) -> Result<Vec<&'static Algorithm>, Error> {
        if !self.algorithms.is_empty() {
            return self.algorithms.iter().map(|name| by_name(name)).collect();
        }
        let networks: Vec<_> = sources
            .iter()
            .map(|source| source.build(self.conditions.seed()))
            .collect::<Result<_, _>>()?;
        if let Some(group) = self.group() {
            return Ok(of_group(group, &networks, conditions));
        }
        let fit = |algorithm: &&Algorithm| fits_all(algorithm, &networks, conditions.ports);
        Ok(CATALOGUE.iter().filter(fit).collect())
    }

    fn row(&self, setup: &Setup, many: Many) -> Result<Option<(Row, Vec<Trial>)>, Error> {
        let name = format!("trials: {} on {}", setup.algorithm.name, setup.source_text());
        let mut progress = Progress::towards(many.most, &name);
        let finished = trials::hold(
            many,
            trials::threads(self.trials.threads),
            |number| trial(setup, number),
            |trial| trial.messages,
            |done| progress.at(done),
        )?;
        progress.clear();
        let trials: Vec<Trial> = finished.results;
        let row = Row::of(setup, &trials).filter(|_| !finished.interrupted);
        Ok(row.map(|row| (row, trials)))
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
