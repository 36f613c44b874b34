//! `suffrage elect`: holds one election, or many that differ in their seeds.

mod examples;
mod own;
mod refusals;

use crate::error::{Ending, Error, complain};
use crate::flags::{ConditionFlags, Conditions, FileFlags, Many, Timing as When, TrialFlags};
use crate::offered;
use crate::output::print;
use crate::plan::{Choice, Plan, Setup, Source, by_name, initiators, natural};
use crate::progress::Progress;
use crate::report::{Each, Facts, Format, Network, Summary, Trial, json};
use crate::terminal::{self, fitted};
use crate::trace::{Trace, header};
use crate::trials;
use crate::{counts, interrupt};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use examples::Example;
use refusals::{no_rounds, picture, too_wide};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;
use suffrage::algorithms::Algorithm;
use suffrage::checker::Objective;
use suffrage::diagram::{Diagram, ROOM, Selection};
use suffrage::model::NetworkClass as Class;
use suffrage::network::Map;
use suffrage::simulator::{Experiment, Observer, Outcome};

/// Hold an election and report the leader and the cost
///
/// Without ALGORITHM it takes, of those that fit the network, the one with the smallest proven
/// bound, and says why. Without a network it takes 16 nodes.
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

    /// Hold the election of this name that a source describes, with its words on each step
    ///
    /// It sets the algorithm, the network and the conditions; the report shows the equivalent
    /// command.
    #[arg(long, value_name = "NAME", value_parser = example(), help_heading = "Network")]
    #[arg(conflicts_with_all = ["algorithm", "nodes", "topology", "FileFlags", "ConditionFlags"])]
    #[arg(conflicts_with_all = ["trials", "seeds", "precision", "each", "timing", "rounds", "draw"])]
    example: Option<&'static Example>,

    #[command(flatten)]
    trials: TrialFlags,

    /// Write every event to this file, as lines of JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) trace: Option<PathBuf>,

    /// Show the rounds, or the levels and territories, in which processes compete
    ///
    /// For each round or level: how many processes reached it, how many may, when the first and the
    /// last did, and how many competed then. For algorithms that have some, as dolev-klawe-rodeh,
    /// humblet and afek-gafni.
    #[arg(long, help_heading = "Output")]
    rounds: bool,

    /// Draw the election as a space-time diagram below the report, for up to 64 processes
    ///
    /// A column for each process, time downwards, an arrow for each message as it arrives. `suffrage
    /// draw` makes other drawings, also of wide runs, from the file of --trace.
    #[arg(long, help_heading = "Output")]
    draw: bool,

    /// Draw the network to this file as SVG, for up to 2,000 nodes
    ///
    /// The picture shows the leader, which node lost to which, territories, and the load of nodes and
    /// links.
    /// Nodes are where a GraphML file says, or else in a circle (rings, complete networks), or where
    /// forces bring them.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    draw_network: Option<PathBuf>,

    /// Report the time and memory of the run
    #[arg(long, help_heading = "Output")]
    timing: bool,

    /// How to write the report
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
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

/// The default number of nodes.
pub const NODES: u32 = 16;

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    if let Some(example) = args.example {
        let shown = Args {
            trace: args.trace.clone(),
            draw_network: args.draw_network.clone(),
            format: args.format,
            ..example.args()
        };
        return shown.hold(Some(example));
    }
    args.hold(None)
}

impl Args {
    /// Holds the election or the trials; an example with the words of its source.
    fn hold(&self, example: Option<&Example>) -> Result<Ending, Error> {
        let many = self.trials.many(1);
        let once = many.most == 1 && self.trials.seeds.is_none();
        let mut conditions = self.conditions.one()?;
        self.trials.apply(&mut conditions);
        if !once {
            self.check_trials(&conditions)?;
        }
        let named = self.algorithm.as_deref().map(by_name).transpose()?;
        let source = match &self.topology {
            Some(text) => Source::named(text, self.file)?,
            None => {
                if let Some(flag) = self.file.given() {
                    let what = format!("{flag} is for files: name one with --topology");
                    return Err(Error::new(what));
                }
                let network = named.map_or(Class::Complete, |algorithm| algorithm.network);
                Source::Made(natural(network, self.nodes.unwrap_or(NODES))?)
            }
        };
        let (algorithm, reason) = match named {
            Some(algorithm) => (algorithm, None),
            None => choose(&source, &conditions)?,
        };
        let setup = Setup::new(algorithm, source, conditions)?;
        if once {
            if self.trials.each.is_some() {
                return Err(Error::new("--each is for --trials, --seeds and --precision"));
            }
            return self.once(&setup, reason, example);
        }
        self.often(&setup, many, reason)
    }

    fn check_trials(&self, conditions: &Conditions) -> Result<(), Error> {
        let many = match &self.trials {
            TrialFlags { trials: Some(trials), .. } => format!("--trials {trials}"),
            TrialFlags { seeds: Some(_), .. } => "--seeds".to_owned(),
            _ => "--precision".to_owned(),
        };
        let clash = |flag| {
            Err(Error::new(format!(
                "{flag} is for one election, {many} are many: leave one of them out"
            )))
        };
        match self {
            Self { trace: Some(_), .. } => clash("--trace"),
            Self { rounds: true, .. } => clash("--rounds"),
            Self { draw: true, .. } => clash("--draw"),
            Self { draw_network: Some(_), .. } => clash("--draw-network"),
            Self { timing: true, .. } => clash("--timing"),
            _ if matches!(conditions.schedule, When::Recorded(_)) => {
                clash("--schedule replay:FILE")
            }
            _ => Ok(()),
        }
    }

    fn once(
        &self,
        setup: &Setup,
        reason: Option<String>,
        example: Option<&Example>,
    ) -> Result<Ending, Error> {
        let site = setup.site(setup.conditions.seed)?;
        let mut plan = setup.plan(&site)?;
        plan.rounds = self.rounds;
        let stopped = match setup.conditions.schedule {
            When::Worst(objective) => search(&mut plan, objective)?,
            _ => false,
        };
        if self.rounds && plan.algorithm.stages().is_none() {
            return Err(no_rounds(plan.algorithm));
        }
        let mut trace = match &self.trace {
            Some(path) => Some(Trace::begin(path, &header(setup, &plan))?),
            None => None,
        };
        let Experiment { wiring, ids, .. } = plan.experiment;
        if self.draw && ids.len() > ROOM.0 {
            return Err(too_wide(ids.len()));
        }
        let drawn = example.is_some() || self.draw && self.format == Format::Text;
        let mut diagram = drawn.then(|| Diagram::new(wiring, ids));
        let mut map = match &self.draw_network {
            Some(path) => {
                let file = picture(path, ids.len())?;
                Some((Map::new(&site.topology, wiring, ids), file))
            }
            None => None,
        };
        let start = Instant::now();
        let observers = (diagram.as_mut(), map.as_mut().map(|(map, _)| map));
        let outcome = hold(&plan, observers, trace.as_mut(), stopped)?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(trace) = trace {
            trace.finish()?;
        }
        if let Some((map, mut file)) = map {
            let (name, network) = (plan.algorithm.name, site.topology.source());
            let (schedule, seed) = (&setup.conditions.schedule, plan.experiment.seed);
            let title = format!("{name} on {network}, schedule {schedule}, seed {seed}");
            let written = file.write_all(map.svg(&title).as_bytes());
            written.map_err(|error| file.unwritten(error))?;
            file.finish()?;
        }
        let walk = match (example, &diagram) {
            (Some(example), Some(diagram)) => {
                example.text(&setup.command(plan.experiment.seed), &diagram.text())
            }
            (None, Some(diagram)) => {
                let all = Selection::default();
                let drawing = diagram.drawing().text_within(terminal::diagram_width(), &all);
                format!("\n{}", drawing.unwrap_or_else(|error| format!("  not drawn: {error}\n")))
            }
            _ => String::new(),
        };
        let facts = Facts::of(setup, &plan, &outcome);
        self.report(facts, &Held { outcome, seconds, stopped, walk }, reason)
    }

    /// Prints the report of one election.
    fn report(
        &self,
        mut facts: Facts,
        held: &Held,
        reason: Option<String>,
    ) -> Result<Ending, Error> {
        let &Held { ref outcome, seconds, stopped, ref walk } = held;
        facts.choice = reason;
        facts.by_default = self.nodes.is_none() && self.topology.is_none();
        if self.timing {
            facts.time_it(seconds);
        }
        print(&match self.format {
            Format::Text => fitted(&facts.text()) + walk,
            Format::Json => json(&facts)?,
        })?;
        if stopped {
            complain("interrupted: the schedule is the costliest that was found up to here");
        }
        if outcome.interrupted {
            complain("interrupted: the figures are those of the run up to here");
            if let Some(path) = &self.trace {
                complain(format_args!("the trace up to here is in {}", path.display()));
            }
        }
        // A recording that is shorter than its election does not show how the election ends.
        let failed = !facts.violations.is_empty() || outcome.unfinished;
        Ok(Ending::of(outcome.interrupted || stopped, failed))
    }

    fn often(&self, setup: &Setup, many: Many, reason: Option<String>) -> Result<Ending, Error> {
        let threads = trials::threads(self.trials.threads);
        setup.room_for(many.most.min(threads as u64))?;
        let network = Network::of(&setup.site(setup.conditions.seed)?.topology);
        let network = network.with(setup.id_notes());
        let mut each = self.trials.each.as_deref().map(Each::begin).transpose()?;
        let mut progress = Progress::towards(many.most, "trials");
        let finished = trials::hold(
            many,
            threads,
            |number| trial(setup, number),
            |trial| trial.messages,
            |done| progress.at(done),
        )?;
        if let Some(each) = &mut each {
            each.write(setup, &finished.results)?;
        }
        each.map_or(Ok(()), Each::finish)?;
        progress.clear();
        let interrupted = finished.interrupted;
        let held = finished.results.len() as u64;
        // With a precision, as many are wanted as it takes.
        let wanted = if many.precision.is_some() && !interrupted { held } else { many.most };
        match Summary::of(setup, network, wanted, &finished.results) {
            Some(mut summary) => {
                summary.choice = reason;
                if let Some(missed) = summary.missed(many) {
                    complain(missed);
                }
                print(&match self.format {
                    Format::Text => fitted(&summary.text()),
                    Format::Json => json(&summary)?,
                })?;
                if interrupted {
                    complain(format_args!(
                        "interrupted: the figures are those of the first {held} trials"
                    ));
                }
                Ok(Ending::of(interrupted, !summary.failures.is_empty()))
            }
            None => {
                complain("interrupted before the first trial was finished");
                Ok(Ending::Interrupted)
            }
        }
    }
}

/// An election that has been held.
struct Held {
    outcome: Outcome,
    seconds: f64,
    /// Whether the search for its schedule was stopped.
    stopped: bool,
    /// The drawing below the report.
    walk: String,
}

/// Chooses the algorithm with the smallest proven bound on a network, and says why.
///
/// # Errors
/// If the schedule is a recording, or the network cannot be made.
pub fn choose(
    source: &Source,
    conditions: &Conditions,
) -> Result<(&'static Algorithm, Option<String>), Error> {
    if matches!(conditions.schedule, When::Recorded(_)) {
        return Err(Error::new(
            "a recorded schedule is that of one algorithm: name it, as in `suffrage elect \
             humblet --schedule replay:FILE`",
        ));
    }
    let topology = source.build(conditions.seed)?;
    let initiators = initiators::wakes(conditions, &topology, conditions.seed)?.1;
    let choice = Choice::best(&topology, conditions.ports, initiators)?;
    Ok((choice.algorithm, Some(choice.reason)))
}

/// Holds one trial of many; `None` if it was interrupted.
pub(crate) fn trial(setup: &Setup, number: u64) -> Result<Option<Trial>, Error> {
    let seed = setup.seed_of(number);
    let place = |error| match number {
        0 => error,
        _ => Error::of(format!("trial {number}, seed {seed}"), error),
    };
    let site = setup.site(seed).map_err(place)?;
    let mut plan = setup.plan(&site).map_err(place)?;
    if let When::Worst(objective) = setup.conditions.schedule
        && plan.search(objective, &mut |_| interrupt::stop_if_asked()).map_err(place)?
    {
        return Ok(None);
    }
    let outcome = plan.hold(None, |_| interrupt::stop_if_asked()).map_err(place)?;
    Ok((!outcome.interrupted).then(|| Trial::of(&plan, &outcome)))
}

/// Searches for a schedule with progress on the terminal. Returns whether it was stopped.
fn search(plan: &mut Plan, objective: Objective) -> Result<bool, Error> {
    let mut progress = Progress::counting(match objective {
        Objective::Messages => "messages in the costliest run found",
        Objective::Depth => "messages in the longest chain found",
    });
    let stopped = plan.search(objective, &mut |cost| {
        progress.at(cost);
        interrupt::stop_if_asked()
    })?;
    progress.clear();
    Ok(stopped)
}

/// Holds one election with progress on the terminal, and with a diagram and a trace if wanted. It
/// can be interrupted unless it is to be held to its end.
fn hold(
    plan: &Plan,
    drawings: (Option<&mut Diagram>, Option<&mut Map>),
    trace: Option<&mut Trace>,
    to_its_end: bool,
) -> Result<Outcome, Error> {
    let mut progress = Progress::counting("messages delivered");
    let watched = drawings.0.is_some() || drawings.1.is_some() || trace.is_some();
    let mut observers = (drawings, trace.map(Trace::observer));
    let observer = watched.then_some(&mut observers as &mut dyn Observer);
    let outcome = plan.hold(observer, |delivered| {
        progress.at(delivered);
        if to_its_end { ControlFlow::Continue(()) } else { interrupt::stop_if_asked() }
    })?;
    progress.clear();
    Ok(outcome)
}
