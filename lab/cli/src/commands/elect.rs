//! `suffrage elect`: runs one election, or many that differ in their seeds.

mod examples;
mod own;

use crate::error::{CommandEnding, Error, complain};
use crate::flags::{ConditionFlags, FileFlags, TrialFlags};
use crate::offered;
use crate::output::{Output, print};
use crate::progress::Terminal;
use crate::report::text::{election, trials};
use crate::report::{Each, ReportFormat, json};
use crate::session;
use crate::terminal::{self, fitted};
use crate::trace::{Trace, header};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use examples::Example;
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Instant;
use suffrage::diagram::{Diagram, ROOM, Selection};
use suffrage::experiment::number::grouped;
use suffrage::experiment::report::RunTiming;
use suffrage::experiment::{Chosen, ElectionSpecification, Specification, counts, for_one};
use suffrage::network::{MOST_NODES, Map};
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
        let specification = self.specification();
        if print_spec {
            print(&Specification::Elect(specification).to_toml())?;
            return Ok(CommandEnding::Fine);
        }
        let (each, threads) = (self.trials.each.as_deref(), self.trials.threads);
        ElectRun { specification, output, each, threads, example }.run()
    }
}

/// One election or many, with what is written besides the report.
pub(super) struct ElectRun<'a> {
    pub(super) specification: ElectionSpecification,
    pub(super) output: &'a OutputFlags,
    /// The file for the figures of each trial.
    pub(super) each: Option<&'a Path>,
    pub(super) threads: Option<NonZero<usize>>,
    /// The source that describes the election.
    pub(super) example: Option<&'a Example>,
}

impl ElectRun<'_> {
    pub(super) fn run(&self) -> Result<CommandEnding, Error> {
        if let Some(many) = self.specification.many_words() {
            self.check_trials(&many)?;
        }
        let election = self.specification.prepare(&session::networks())?;
        if !self.specification.is_single() {
            return self.often(&election);
        }
        if self.each.is_some() {
            return Err(Error::new("--each is for --trials, --seeds and --precision"));
        }
        self.once(&election)
    }

    fn check_trials(&self, many: &str) -> Result<(), Error> {
        let given = [
            ("--trace", self.output.trace.is_some()),
            ("--rounds", self.specification.rounds),
            ("--draw", self.output.draw),
            ("--draw-network", self.output.draw_network.is_some()),
            ("--timing", self.output.timing),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(for_one(flag, many)),
            None => Ok(()),
        }
    }

    fn once(&self, election: &Chosen) -> Result<CommandEnding, Error> {
        let (output, terminal) = (self.output, Terminal::default());
        let (instance, stopped) = election.instance(self.specification.rounds, &terminal)?;
        let (site, seed) = (&instance.site, instance.seed());
        let mut trace = match &output.trace {
            Some(path) => Some(Trace::begin(path, &header(&election.prepared, &instance))?),
            None => None,
        };
        if output.draw && site.ids.len() > ROOM.0 {
            return Err(too_wide(site.ids.len()));
        }
        let drawn = self.example.is_some() || output.draw && output.format == ReportFormat::Text;
        let mut diagram = drawn.then(|| Diagram::new(&site.wiring, &site.ids));
        let mut map = match &output.draw_network {
            Some(path) => {
                let file = picture(path, site.ids.len())?;
                Some((Map::new(&site.topology, &site.wiring, &site.ids), file))
            }
            None => None,
        };
        let start = Instant::now();
        let watched = diagram.is_some() || map.is_some() || trace.is_some();
        let drawings = (diagram.as_mut(), map.as_mut().map(|(map, _)| map));
        let mut observers = (drawings, trace.as_mut().map(Trace::observer));
        let observer = watched.then_some(&mut observers as &mut dyn Observer);
        let outcome = election.run(&instance, observer, stopped, &terminal)?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(trace) = trace {
            trace.finish()?;
        }
        let mut report = election.report(&instance, &outcome);
        if let Some((map, mut file)) = map {
            let (name, network, schedule) =
                (report.algorithm, site.topology.source(), &report.schedule);
            let title = format!("{name} on {network}, schedule {schedule}, seed {seed}");
            let written = file.write_all(map.svg(&title).as_bytes());
            written.map_err(|error| file.unwritten(error))?;
            file.finish()?;
        }
        let walk = self.walk(diagram.as_ref(), &election.prepared.command(seed));
        report.timing = output.timing.then(|| RunTiming::of(report.messages.total, seconds));
        print(&match output.format {
            ReportFormat::Text => fitted(&election::text(&report)) + &walk,
            ReportFormat::Json => json(&report, Some(&self.asked()))?,
        })?;
        if stopped {
            complain("interrupted: the schedule is the costliest that was found up to here");
        }
        if outcome.interrupted {
            complain("interrupted: the figures are for the run so far");
            if let Some(path) = &output.trace {
                complain(format_args!("the trace up to here is in {}", path.display()));
            }
        }
        // A recording that is shorter than its election does not show how the election ends.
        let failed = !report.violations.is_empty() || outcome.unfinished;
        Ok(CommandEnding::of(outcome.interrupted || stopped, failed))
    }

    /// The drawing below the report: of an example with the words of its source.
    fn walk(&self, diagram: Option<&Diagram>, command: &str) -> String {
        match (self.example, diagram) {
            (Some(example), Some(diagram)) => example.text(command, &diagram.text()),
            (None, Some(diagram)) => {
                let all = Selection::default();
                let drawing = diagram.drawing().text_within(terminal::diagram_width(), &all);
                format!("\n{}", drawing.unwrap_or_else(|error| format!("  not drawn: {error}\n")))
            }
            _ => String::new(),
        }
    }

    fn often(&self, election: &Chosen) -> Result<CommandEnding, Error> {
        let many = self.specification.many(1);
        let mut each = self.each.map(Each::begin).transpose()?;
        let found = election.many(many, self.threads, &Terminal::default())?;
        if let (Some(each), Some((_, trials))) = (&mut each, &found) {
            each.write(&election.prepared, trials)?;
        }
        each.map_or(Ok(()), Each::finish)?;
        let Some((report, held)) = found else {
            complain("interrupted before the first trial was finished");
            return Ok(CommandEnding::Interrupted);
        };
        if let Some(missed) = report.missed(many) {
            complain(missed);
        }
        print(&match self.output.format {
            ReportFormat::Text => fitted(&trials::text(&report)),
            ReportFormat::Json => json(&report, Some(&self.asked()))?,
        })?;
        let interrupted = report.trials.finished < report.trials.wanted;
        if interrupted {
            let held = held.len();
            complain(format_args!("interrupted: the figures are for the first {held} trials"));
        }
        Ok(CommandEnding::of(interrupted, !report.failures.is_empty()))
    }

    fn asked(&self) -> Specification {
        Specification::Elect(self.specification.clone())
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
    Output::begin(FLAG, path)
}

/// An election has too many processes for a diagram below its report.
fn too_wide(processes: usize) -> Error {
    Error::new(format!(
        "--draw: {} processes are too many for the terminal, which shows up to {}; write the run \
         with --trace FILE, and choose processes with `suffrage draw FILE --processes LIST`",
        grouped(processes),
        ROOM.0
    ))
}
