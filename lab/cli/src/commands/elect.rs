//! `suffrage elect`: runs one election, or many that differ in their seeds.

mod examples;

use crate::error::{CommandEnding, Error, complain};
use crate::flags::{ConditionFlags, FileFlags, TrialFlags};
use crate::offered;
use crate::output::{Output, print, refuse_ending, unwritten};
use crate::progress::Terminal;
use crate::report::{Each, ReportFormat, text_of};
use crate::specified::{self, RunFlags};
use crate::terminal;
use crate::trace;
use crate::typed::typed;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use examples::Example;
use std::io::Write;
use std::path::{Path, PathBuf};
use suffrage::diagram::{Diagram, Selection};
use suffrage::experiment::number::grouped;
use suffrage::experiment::report::TrialFigures;
use suffrage::experiment::{
    ElectionSpecification, Instance, Prepared, RunOptions, RunSink, Site, Specification, Stamp,
    counts, for_one, refuse_too_wide,
};
use suffrage::network::{MOST_NODES, Map};
use suffrage::run::RunRecorder;
use suffrage::simulator::Observer;

/// Run an election and report the leader and the cost
///
/// Without ALGORITHM it takes the algorithm with the smallest proven bound for the network, and says so. Without a
/// network it takes 16 nodes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A name from `suffrage algorithms`
    #[arg(value_parser = offered::algorithms(), hide_possible_values = true)]
    algorithm: Option<String>,

    /// The number of nodes, on the network that the algorithm is for [default: 16]
    ///
    /// That is complete:N, ring:N or tree:random:N; for algorithms on any connected network it is
    /// barabasi-albert:N:2, and without an algorithm complete:N.
    #[arg(long, value_name = "N", value_parser = counts::within32(1..=u32::MAX))]
    #[arg(conflicts_with = "topology", help_heading = "Network")]
    nodes: Option<u32>,

    /// A file, or a specification such as grid:4x5
    ///
    /// Specifications: complete:N, ring:N, chordal:N:D (a ring with chords of length D), path:N, star:N,
    /// tree:K:N (K children each), tree:random:N, grid:RxC, torus:RxC, hypercube:D, regular:N:D,
    /// erdos-renyi:N:P, barabasi-albert:N:M. If a file of this name exists, it is read: an edge list, an adjacency
    /// list or matrix, GraphML, DOT, GML, Pajek, METIS, the node-link JSON of networkx, DIMACS or
    /// Matrix Market, recognized by its content.
    #[arg(long, value_name = "SPEC|FILE", help_heading = "Network")]
    #[arg(value_parser = offered::specs(), hide_possible_values = true)]
    topology: Option<String>,

    #[command(flatten)]
    file: FileFlags,

    #[command(flatten)]
    conditions: ConditionFlags,

    /// Run this example of a source, with its words on each step
    ///
    /// It sets the algorithm, the network and the conditions; the report shows the equivalent
    /// command.
    #[arg(long, value_name = "NAME", value_parser = example(), help_heading = "Network")]
    #[arg(conflicts_with_all = ["algorithm", "nodes", "topology", "FileFlags", "ConditionFlags"])]
    #[arg(conflicts_with_all = ["trials", "seeds", "precision", "each", "timing", "rounds", "draw"])]
    example: Option<&'static Example>,

    #[command(flatten)]
    trials: TrialFlags,

    /// Show the rounds, or the levels and territories, in which processes compete
    ///
    /// For each round or level: how many processes reached it, how many may reach it, when the first and the last did,
    /// and how many competed then. Only for algorithms with rounds or levels, such as dolev-klawe-rodeh, humblet and
    /// afek-gafni.
    #[arg(long, help_heading = "Output")]
    rounds: bool,

    #[command(flatten)]
    pub(super) output: OutputFlags,

    /// Print the specification of the experiment as TOML, and run nothing
    ///
    /// `suffrage run FILE` runs it.
    #[arg(long, help_heading = "Output")]
    print_spec: bool,
}

/// What is written besides the report, and how.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Write every event to this file, as lines of JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Draw the election as a space-time diagram below the report, for up to 64 processes
    ///
    /// A column for each process, time downwards, an arrow for each message as it arrives. `suffrage
    /// draw` makes other drawings, also of wide runs, from the file of --trace.
    #[arg(long)]
    pub(crate) draw: bool,

    /// Draw the network to this file as SVG, for up to 2,000 nodes
    ///
    /// The picture shows the leader, which node lost to which, territories, and the load of nodes and links. A GraphML
    /// file may give the positions of nodes. Otherwise rings and complete networks are circles, and other networks have
    /// a force-directed layout.
    #[arg(long, value_name = "FILE")]
    pub(crate) draw_network: Option<PathBuf>,

    /// Report the time and memory of the run
    #[arg(long)]
    pub(crate) timing: bool,

    /// How to write the report
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: ReportFormat,
}

const EXAMPLES: &str = "\
Examples:
  suffrage elect humblet --nodes 1000
  suffrage elect --topology torus:10x12 --initiators 3 --schedule exponential:5
  suffrage elect chang-roberts --nodes 100 --ids descending --format json
  suffrage elect tree-wave --topology star:20 --wake spread:50 --trace star.jsonl
  suffrage elect tree-wave --topology star:20 --schedule replay:star.jsonl
  suffrage elect --example villadangos-2
  suffrage elect villadangos@published --nodes 8 --schedule random --trials 100
  suffrage elect humblet --nodes 1000 --schedule uniform:10 --fault no-fifo
  suffrage elect afek-gafni --nodes 64 --ports random --schedule random --invariants
  suffrage elect dolev-klawe-rodeh --nodes 1000 --rounds
  suffrage elect chang-roberts --nodes 1000 --precision 1% --each trials.csv
  suffrage elect chang-roberts --nodes 6 --draw
  suffrage elect --topology NETWORK.graphml --draw-network network.svg
  suffrage elect humblet --nodes 8 --schedule worst --trace worst.jsonl";

fn example() -> impl TypedValueParser<Value = &'static Example> {
    PossibleValuesParser::new(Example::names())
        .map(|name| Example::named(&name).expect("one of the names"))
}

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    if let Some(example) = args.example {
        let shown = example.args();
        let output = OutputFlags {
            trace: args.output.trace.clone(),
            draw_network: args.output.draw_network.clone(),
            format: args.output.format,
            ..OutputFlags::default()
        };
        return shown.elect(&output, Some(example), args.print_spec);
    }
    args.elect(&args.output, None, args.print_spec)
}

impl Args {
    /// The specification that the flags describe.
    fn specification(&self) -> ElectionSpecification {
        let mut specification = ElectionSpecification {
            algorithm: self.algorithm.iter().cloned().collect(),
            nodes: self.nodes.into_iter().collect(),
            topology: self.topology.iter().cloned().collect(),
            topology_format: self.file.topology_format,
            largest_component: self.file.largest_component,
            rounds: self.rounds,
            ..ElectionSpecification::default()
        };
        self.conditions.set(&mut specification);
        self.trials.set(&mut specification);
        specification
    }

    fn elect(
        &self,
        output: &OutputFlags,
        example: Option<&Example>,
        print_spec: bool,
    ) -> Result<CommandEnding, Error> {
        let (each, threads) = (self.trials.each.as_deref(), self.trials.threads);
        let asked = self.specification();
        if print_spec {
            return specified::print_spec(&Specification::Elect(asked));
        }
        elect(asked, output, RunFlags { each, threads, command: typed() }, example)
    }
}

/// Runs one election or many, and writes what is written besides the report.
pub(super) fn elect(
    asked: ElectionSpecification,
    output: &OutputFlags,
    flags: RunFlags<'_>,
    example: Option<&Example>,
) -> Result<CommandEnding, Error> {
    check_files(&asked, output, flags.each)?;
    let drawn = example.is_some() || output.draw && output.format == ReportFormat::Text;
    let each = flags.each.map(Each::begin).transpose()?;
    let mut beside = BesideElection { drawn, each, ..BesideElection::new(output) };
    let terminal = Terminal::default();
    let specification = Specification::Elect(asked);
    let mut options = RunOptions {
        threads: flags.threads,
        timing: output.timing,
        sink: Some(&mut beside),
        command: Some(flags.command.clone()),
        ..RunOptions::new(&terminal)
    };
    let ran = specification.run_with(&mut options)?;
    let replay = std::mem::take(&mut beside.replay);
    let diagram = beside.finish()?;
    if let Some(report) = &ran.report {
        let walk = walk(example, diagram.as_ref(), &replay);
        print(&match output.format {
            ReportFormat::Text => text_of(report)? + &walk,
            ReportFormat::Json => {
                report.to_json(&Stamp::new(flags.command, Some(specification)))?
            }
        })?;
    }
    let ending = CommandEnding::after(ran)?;
    if let (CommandEnding::Interrupted, Some(path)) = (ending, &output.trace) {
        complain(format_args!("the trace up to here is in {}", path.display()));
    }
    Ok(ending)
}

/// Refuses files of one election beside many, and of many beside one.
pub(crate) fn check_files(
    asked: &ElectionSpecification,
    output: &OutputFlags,
    each: Option<&Path>,
) -> Result<(), Error> {
    let Some(many) = asked.many_words() else {
        return match each {
            Some(_) => Err(Error::new("--each is for --trials, --seeds and --precision")),
            None => Ok(()),
        };
    };
    let given = [
        ("--trace", output.trace.is_some()),
        ("--rounds", asked.rounds),
        ("--draw", output.draw),
        ("--draw-network", output.draw_network.is_some()),
        ("--timing", output.timing),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(for_one(flag, &many)),
        None => Ok(()),
    }
}

/// The observers of an election: a diagram, a map, and a trace.
type Watching = ((Option<Diagram>, Option<Map>), Option<RunRecorder<Output>>);

/// What is written besides the report of an election.
pub(crate) struct BesideElection<'a> {
    output: &'a OutputFlags,
    /// Whether there is a diagram below the report.
    drawn: bool,
    watching: Watching,
    picture: Option<Output>,
    title: String,
    /// The command of the election with everything named.
    replay: String,
    pub(crate) each: Option<Each>,
}

impl<'a> BesideElection<'a> {
    pub(crate) fn new(output: &'a OutputFlags) -> Self {
        let (title, replay) = (String::new(), String::new());
        let watching = ((None, None), None);
        Self { output, drawn: false, watching, picture: None, title, replay, each: None }
    }
}

impl BesideElection<'_> {
    /// Gives the files their names. Returns the diagram.
    pub(crate) fn finish(self) -> Result<Option<Diagram>, Error> {
        let ((diagram, map), trace) = self.watching;
        self.each.map_or(Ok(()), Each::finish)?;
        trace.map_or(Ok(()), trace::finish)?;
        if let (Some(map), Some(mut file)) = (map, self.picture) {
            file.write_all(map.svg(&self.title).as_bytes()).map_err(unwritten)?;
            file.finish()?;
        }
        Ok(diagram)
    }
}

impl RunSink for BesideElection<'_> {
    fn election(
        &mut self,
        prepared: &Prepared,
        instance: &Instance,
    ) -> Result<Option<&mut dyn Observer>, Error> {
        let Site { topology, wiring, ids, .. } = &instance.site;
        let seed = instance.seed();
        self.replay = prepared.command(seed);
        let ((diagram, map), trace) = &mut self.watching;
        let header = instance.header(Some(self.replay.clone()), &prepared.conditions.schedule);
        if let Some(path) = &self.output.trace {
            *trace = Some(trace::begin(path, &header)?);
        }
        if self.output.draw {
            refuse_too_wide(ids.len())?;
        }
        *diagram = self.drawn.then(|| Diagram::new(wiring, ids));
        if let Some(path) = &self.output.draw_network {
            self.picture = Some(picture(path, ids.len())?);
            *map = Some(Map::new(topology, wiring, ids));
            let (name, schedule) = (instance.algorithm.name, &prepared.conditions.schedule);
            let network = topology.source();
            self.title = format!("{name} on {network}, schedule {schedule}, seed {seed}");
        }
        let watched = diagram.is_some() || map.is_some() || trace.is_some();
        Ok(watched.then_some(&mut self.watching as &mut dyn Observer))
    }

    fn trials(&mut self, of: &Prepared, trials: &[TrialFigures]) -> Result<(), Error> {
        self.each.as_mut().map_or(Ok(()), |each| each.write(of, trials))
    }
}

/// The drawing below the report: of an example with the words of its source.
fn walk(example: Option<&Example>, diagram: Option<&Diagram>, command: &str) -> String {
    match (example, diagram) {
        (Some(example), Some(diagram)) => example.text(command, &diagram.text()),
        (None, Some(diagram)) => {
            let all = Selection::default();
            let drawing = diagram.drawing().text_within(terminal::diagram_width(), &all);
            format!("\n{}", drawing.unwrap_or_else(|error| format!("  not drawn: {error}\n")))
        }
        _ => String::new(),
    }
}

/// Creates the file for a picture of this number of nodes.
fn picture(path: &Path, nodes: usize) -> Result<Output, Error> {
    const FLAG: &str = "--draw-network";
    if nodes > MOST_NODES {
        let (nodes, most) = (grouped(nodes), grouped(MOST_NODES));
        let what = format!("{FLAG}: {nodes} nodes are too many; at most {most} are drawn");
        return Err(Error::new(what));
    }
    refuse_ending(FLAG, path, "svg")?;
    Output::begin(FLAG, path)
}
