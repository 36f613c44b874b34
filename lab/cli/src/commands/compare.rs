//! `suffrage compare`: compares the costs of algorithms on networks of one kind.

use crate::error::{CommandEnding, Error, complain};
use crate::flags::{ConditionFlags, FileFlags, TrialFlags};
use crate::interrupt;
use crate::offered;
use crate::output::{Document, print};
use crate::progress::Terminal;
use crate::report::text::comparison::Layout;
use crate::report::{Each, stamp};
use crate::session;
use clap::builder::PossibleValuesParser;
use std::num::NonZero;
use std::path::Path;
use suffrage::algorithms::Group;
use suffrage::experiment::{
    Comparison, ElectionSpecification, Several, Specification, Stamped, counts,
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
    format: Layout,

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
messages sent to the bound. CSV and JSON also have deviation, median and minimum, and the figures
of election messages, announcement messages, bits and the load of the busiest node. JSON also has
how often each value occurred.

Examples:
  suffrage compare --nodes 10,100 --trials 20
  suffrage compare --topology ring --nodes 10,100,1000 --ids bit-reversed
  suffrage compare --class ring --nodes 16,64,256 --schedule rounds
  suffrage compare --algorithms humblet,afek-gafni --nodes 100,1000 --ports random --format csv
  suffrage compare --topology torus --nodes 100,400 --schedule uniform:10 --initiators 5
  suffrage compare --topology ring --nodes 10,100 --schedule synchronous,uniform:10 --precision 1%
  suffrage compare --topology NETWORK.graphml --trials 50 --each trials.csv";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let specification = args.specification();
    if args.print_spec {
        print(&Specification::Compare(specification).to_toml())?;
        return Ok(CommandEnding::Fine);
    }
    let (each, threads) = (args.trials.each.as_deref(), args.trials.threads);
    compare(specification, args.format, each, threads)
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
    specification: ElectionSpecification,
    format: Layout,
    each: Option<&Path>,
    threads: Option<NonZero<usize>>,
) -> Result<CommandEnding, Error> {
    let terminal = Terminal::default();
    let comparison = Comparison::new(&specification, &session::networks(), &terminal)?;
    let comparison = comparison.with_threads(threads)?;
    let stamp = stamp(Some(&Specification::Compare(specification)));
    let all_rows = comparison.rows.len();
    let (mut rows, mut broken) = (0, false);
    let mut each = each.map(Each::begin).transpose()?;
    let mut document = Document::begin(&format.begin(), format.end())?;
    let mut before = None;
    for prepared in &comparison.rows {
        if !document.read || interrupt::asked() {
            break;
        }
        let Some((row, trials)) = comparison.row(prepared, &terminal)? else { break };
        broken |= row.failures > 0;
        if comparison.varied && before.as_ref() != Some(&row.conditions) {
            document.piece(&format.conditions(&row.conditions))?;
            before = Some(row.conditions.clone());
        }
        if let Some(missed) = row.missed(comparison.many) {
            complain(format_args!("{}: {missed}", row.name()));
        }
        document.piece(&format.row(&Stamped::new(stamp.clone(), row), rows == 0)?)?;
        if let Some(each) = &mut each {
            each.write(prepared, &trials)?;
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
    Ok(CommandEnding::of(interrupted, broken))
}
