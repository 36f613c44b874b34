//! `suffrage compare`: compares the costs of algorithms on networks of one kind.

use crate::error::{CommandEnding, Error};
use crate::flags::{ConditionFlags, FileFlags, TrialFlags};
use crate::offered;
use crate::output::Document;
use crate::progress::Terminal;
use crate::report::{Each, RowFormat};
use crate::specified::{RunFlags, print_spec};
use crate::typed::typed;
use clap::builder::PossibleValuesParser;
use std::path::Path;
use suffrage::algorithms::Group;
use suffrage::experiment::report::{ComparisonRow, TrialFigures, VariedConditions};
use suffrage::experiment::{
    ElectionSpecification, Prepared, RunOptions, RunSink, Several, Specification, Stamp, Stamped,
    counts,
};

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
    /// Names from `suffrage algorithms` [default: all correct ones that fit the networks, without randomized ones and
    /// those in rounds]
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    #[arg(value_parser = offered::algorithms(), hide_possible_values = true)]
    algorithms: Vec<String>,

    /// All algorithms for these networks, on networks of the class unless --topology says otherwise
    ///
    /// These include randomized algorithms and, with --schedule rounds, those in rounds. Trees are random, graphs are
    /// barabasi-albert:2.
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
    format: RowFormat,

    /// Print the specification of the experiment as TOML, and run nothing
    ///
    /// `suffrage run FILE` runs it.
    #[arg(long)]
    print_spec: bool,

    #[command(flatten)]
    conditions: ConditionFlags,
}

const EXAMPLES: &str = "\
Columns: messages as mean with half of its 95 % confidence interval, 95th percentile and maximum
over the trials; the same for the time (in ticks); the mean causal depth; the largest ratio of
messages sent to the bound, whose variables `suffrage algorithms NAME` explains. CSV and JSON also
have deviation, median and minimum, and the figures of election messages, announcement messages,
bits and the load of the busiest node. JSON also has how often each value occurred.

Examples:
  suffrage compare --nodes 10,100 --trials 20
  suffrage compare --topology ring --nodes 10,100,1000 --ids bit-reversed
  suffrage compare --class ring --nodes 16,64,256 --schedule rounds
  suffrage compare --algorithms humblet,afek-gafni --nodes 100,1000 --ports random --format csv
  suffrage compare --topology torus --nodes 100,400 --schedule uniform:10 --initiators 5
  suffrage compare --topology ring --nodes 10,100 --schedule synchronous,uniform:10 --precision 1%
  suffrage compare --topology NETWORK.graphml --trials 50 --each trials.csv";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let asked = args.specification();
    if args.print_spec {
        return print_spec(&Specification::Compare(asked));
    }
    let (each, threads) = (args.trials.each.as_deref(), args.trials.threads);
    compare(asked, args.format, RunFlags { each, threads, command: typed() })
}

impl Args {
    /// The specification that the flags describe.
    fn specification(&self) -> ElectionSpecification {
        let topology = match &self.topology {
            None => Several::default(),
            // The name of a file may have commas in it.
            Some(text) if Path::new(text).exists() => Several::one(text.clone()),
            Some(text) => text.split(',').map(str::to_owned).collect(),
        };
        let mut specification = ElectionSpecification {
            algorithm: Several(self.algorithms.clone()),
            class: self.class.clone(),
            nodes: Several(self.nodes.clone()),
            topology,
            topology_format: self.file.topology_format,
            largest_component: self.file.largest_component,
            ..ElectionSpecification::default()
        };
        self.conditions.set(&mut specification);
        self.trials.set(&mut specification);
        specification
    }
}

/// Runs a comparison. Each row is written as soon as it is finished.
pub(super) fn compare(
    asked: ElectionSpecification,
    format: RowFormat,
    flags: RunFlags<'_>,
) -> Result<CommandEnding, Error> {
    let specification = Specification::Compare(asked);
    let mut rows = ComparisonDocument {
        format,
        stamp: Stamp::new(flags.command, Some(specification.clone())),
        each: flags.each.map(Each::begin).transpose()?,
        document: None,
        varied: false,
        before: None,
        first: true,
    };
    let terminal = Terminal::default();
    let ran = specification.run_with(&mut RunOptions {
        threads: flags.threads,
        sink: Some(&mut rows),
        ..RunOptions::new(&terminal)
    })?;
    rows.each.map_or(Ok(()), Each::finish)?;
    if let Some(mut document) = rows.document {
        document.piece(&format.left_out())?;
        document.finish()?;
    }
    CommandEnding::after(ran)
}

/// The rows of a comparison, as they are written.
struct ComparisonDocument {
    format: RowFormat,
    stamp: Stamp,
    each: Option<Each>,
    document: Option<Document>,
    varied: bool,
    /// The conditions of the row before.
    before: Option<VariedConditions>,
    first: bool,
}

impl RunSink for ComparisonDocument {
    fn rows(&mut self, varied: bool) -> Result<(), Error> {
        self.varied = varied;
        self.document = Some(Document::begin(&self.format.begin(), self.format.end())?);
        Ok(())
    }

    fn row(&mut self, row: &ComparisonRow) -> Result<bool, Error> {
        let Some(document) = &mut self.document else { return Ok(true) };
        if self.varied && self.before.as_ref() != Some(&row.conditions) {
            document.piece(&self.format.conditions(&row.conditions))?;
            self.before = Some(row.conditions.clone());
        }
        let stamped = Stamped::new(self.stamp.clone(), row.clone());
        document.piece(&self.format.row(&stamped, std::mem::take(&mut self.first))?)?;
        Ok(document.read)
    }

    fn trials(&mut self, of: &Prepared, trials: &[TrialFigures]) -> Result<(), Error> {
        self.each.as_mut().map_or(Ok(()), |each| each.write(of, trials))
    }
}
