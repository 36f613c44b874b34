//! `suffrage cluster`: holds a real election on this machine.

mod agents;
mod facts;
mod files;
mod inside;
mod processes;

use crate::agents::Agents;
use crate::counts;
use crate::error::{Ending, Error};
use crate::flags::{
    Capacity, Conditions, FileFlags, Initiators, NodeOrder, PortOrder, TimeoutFlags, Timing as When,
};
use crate::offered;
use crate::output::Output;
use crate::output::print;
use crate::plan::{Choice, Plan, Setup, Source, by_name, initiators, natural};
use crate::report::{Arrivals, Facts, Format, Member, Timing, beside, json};
use crate::terminal::fitted;
use crate::trace;
use clap::ValueEnum;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;
use suffrage::algorithms::Algorithm;
use suffrage::model::NetworkClass as Class;
use suffrage::runtime::Medium;
use suffrage::runtime::Timeouts;
use suffrage::simulator::{Fault, Schedule};

/// Hold an election for real, between nodes on this machine
///
/// The nodes are tasks of this program, linked by channels or by real sockets of the loopback interface. With
/// --processes, each node is a program of its own. The report has the form that `suffrage elect` prints, with
/// the time in seconds, so that real and simulated counts can be compared side by side.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A name from `suffrage algorithms`, or agents that meet in random pairs: known-bounds, epidemic
    /// or self-terminating, with the default parameters of `suffrage population`
    #[arg(value_parser = offered::nodes(), hide_possible_values = true)]
    algorithm: Option<String>,

    /// The number of nodes, on the network that the algorithm is for [default: 16]
    #[arg(long, value_name = "N", value_parser = counts::within32(1..=MOST_NODES))]
    #[arg(conflicts_with = "topology", help_heading = "Network")]
    nodes: Option<u32>,

    /// A file, or a specification such as grid:4x5
    #[arg(long, value_name = "SPEC|FILE", help_heading = "Network")]
    #[arg(value_parser = offered::specs(), hide_possible_values = true)]
    topology: Option<String>,

    #[command(flatten)]
    file: FileFlags,

    /// Identities: random, ascending, descending, bit-reversed, scattered, homonyms:K, list:ID,.., or a
    /// file
    #[arg(long, value_name = "IDS", default_value = "random", help_heading = "Conditions")]
    #[arg(value_parser = offered::ids(), hide_possible_values = true)]
    ids: String,

    /// Numbering of the ports: algorithms for oriented networks need rotation
    #[arg(long, value_enum, default_value_t, help_heading = "Conditions")]
    ports: PortOrder,

    /// Who starts: all, a number K (K nodes at random), or nodes:LIST [default: all]
    #[arg(long, value_name = "WHO", help_heading = "Conditions")]
    initiators: Option<Initiators>,

    /// The seed of everything random but the schedule: network, ids, ports, initiators
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Conditions")]
    #[arg(value_parser = counts::count)]
    seed: u64,

    /// The medium of links
    #[arg(long, value_enum, default_value_t, help_heading = "Conditions")]
    transport: Transport,

    /// The number of messages that a link holds; the sender waits for room [default: enough for
    /// every algorithm]
    #[arg(long, value_name = "C", value_parser = counts::within32(1..=u32::MAX))]
    #[arg(help_heading = "Conditions")]
    capacity: Option<u32>,

    /// Agents alone: one that dies, crash:NODE@TICK (10 ms each); may be repeated
    ///
    /// With --processes it is killed, otherwise its task is dropped with its connections. Not over
    /// channels, which end together.
    #[arg(long = "fault", value_name = "FAULT", help_heading = "Conditions")]
    #[arg(value_parser = offered::crashes(str::parse::<Fault>), hide_possible_values = true)]
    faults: Vec<Fault>,

    /// Run each node as an operating-system process
    #[arg(long, help_heading = "Conditions")]
    processes: bool,

    /// Open all links before any node starts, and do not count that time
    #[arg(long, conflicts_with = "processes", help_heading = "Conditions")]
    connect_first: bool,

    /// Give up after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = counts::seconds, default_value = "60")]
    timeout: Duration,

    #[command(flatten)]
    timeouts: TimeoutFlags,

    /// Write what happened to this file, for `suffrage replay`
    ///
    /// Steps of different nodes have only a causal order: they are written by causal depth, in one
    /// sequence in which they could have happened. Links are unbounded in the file, whatever
    /// --capacity was.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    trace: Option<PathBuf>,

    /// Hold the same election in the simulator, and print both
    #[arg(long, help_heading = "Output")]
    against_simulation: bool,

    /// Report the time and memory of the whole command
    #[arg(long, help_heading = "Output")]
    timing: bool,

    /// How to write the report
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

/// The medium of links.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Transport {
    /// TCP over the loopback interface
    #[default]
    Tcp,
    /// TLS 1.3, with temporary certificates
    Tls,
    /// Bounded channels inside this program
    Channels,
}

impl Transport {
    const fn medium(self) -> Medium {
        match self {
            Self::Tcp => Medium::Tcp,
            Self::Tls => Medium::Tls,
            Self::Channels => Medium::Channels,
        }
    }

    const fn arrivals(self, processes: bool) -> Arrivals {
        Arrivals::Real { medium: self.medium(), processes }
    }
}

const EXAMPLES: &str = "\
Examples:
  suffrage cluster humblet --nodes 100 --against-simulation
  suffrage cluster chang-roberts --nodes 8 --processes --transport tls
  suffrage cluster afek-gafni --transport channels --capacity 1
  suffrage cluster lelann --nodes 5 --trace run.jsonl
  suffrage cluster self-terminating --nodes 100 --transport channels
  suffrage cluster self-terminating --nodes 20 --fault crash:3@50
  suffrage cluster --topology NETWORK.graphml --initiators 1 --format json";

const TRACE: &str = "--trace";

/// The maximal number of nodes of a cluster.
const MOST_NODES: u32 = 10_000;

/// The reports of all nodes, and the measurements of the whole.
struct Held {
    members: Vec<Member>,
    peak_in_flight: Option<u64>,
    links_opened: Option<u64>,
    /// The time from the start until the last node knew the leader.
    seconds: f64,
}

/// The reason why there is no report.
enum Stopped {
    Failed(Error),
    /// It has been printed on standard error.
    Ended(Ending),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

#[derive(Serialize)]
struct Both<'a> {
    real: &'a Facts,
    simulated: &'a Facts,
}

pub(crate) fn run(args: &Args) -> Result<Ending, Error> {
    if let Some(agents) = args.algorithm.as_deref().and_then(Agents::named) {
        return agents::run(args, agents);
    }
    if let Some(fault) = args.faults.first() {
        return Err(Error::new(format!(
            "--fault {fault}: no algorithm of the catalogue survives a crash, and nodes would wait for \
             ever; it is for agents, and `suffrage elect` simulates faults"
        )));
    }
    let named = args.algorithm.as_deref().map(by_name).transpose()?;
    let source = match &args.topology {
        Some(text) => Source::named(text, args.file)?,
        None => {
            if let Some(flag) = args.file.given() {
                let what = format!("{flag} is for files: name one with --topology");
                return Err(Error::new(what));
            }
            let network = named.map_or(Class::Complete, |algorithm| algorithm.network);
            Source::Made(natural(network, args.nodes.unwrap_or(16))?)
        }
    };
    few_enough(&source)?;
    if args.processes && args.transport == Transport::Channels {
        return Err(Error::new(
            "--transport channels is for nodes of one program: leave out --processes",
        ));
    }
    let (algorithm, reason) = match named {
        Some(algorithm) => (algorithm, None),
        None => args.choose(&source)?,
    };
    let setup = Setup::new(algorithm, source, args.conditions())?;
    let site = setup.site(args.seed)?;
    let plan = setup.plan(&site)?;
    // Begun before the election, so that errors are reported early.
    let trace = args.trace.as_deref().map(|path| Output::begin(TRACE, path)).transpose()?;
    let start = std::time::Instant::now();
    let held = match if args.processes { args.processes(&plan) } else { args.inside(&plan) } {
        Ok(held) => held,
        Err(Stopped::Failed(error)) => return Err(error),
        Err(Stopped::Ended(ending)) => return Ok(ending),
    };
    let seconds = start.elapsed().as_secs_f64();
    if let Some(file) = trace {
        let steps = held.members.iter().map(|member| (member.node, member.steps.as_slice()));
        trace::put(&trace::real(args.transport.arrivals(args.processes), &plan, steps), file)?;
    }
    let mut facts = facts::of(&setup, &plan, &held, args);
    facts.choice = reason;
    facts.by_default = args.nodes.is_none() && args.topology.is_none();
    facts.timing = args.timing.then(|| Timing {
        links_opened: held.links_opened,
        ..Timing::of(facts.messages.total, seconds)
    });
    let mut broken = !facts.violations.is_empty();
    if args.against_simulation {
        let outcome = plan.hold(None, |_| ControlFlow::Continue(()))?;
        let simulated = Facts::of(&setup, &plan, &outcome);
        broken |= !simulated.violations.is_empty();
        print(&match args.format {
            Format::Text => fitted(&(facts.text() + &beside(&facts, &simulated))),
            Format::Json => json(&Both { real: &facts, simulated: &simulated })?,
        })?;
    } else {
        print(&match args.format {
            Format::Text => fitted(&facts.text()),
            Format::Json => json(&facts)?,
        })?;
    }
    Ok(if broken { Ending::Broken } else { Ending::Fine })
}

/// Refuses a network with too many nodes.
fn few_enough(source: &Source) -> Result<(), Error> {
    let nodes = source.shape().nodes();
    if nodes > u64::from(MOST_NODES) {
        return Err(Error::new(format!(
            "{} has {nodes} nodes, and a cluster at most {MOST_NODES}; `suffrage elect` simulates \
             larger ones",
            source.text()
        )));
    }
    Ok(())
}

impl Args {
    fn conditions(&self) -> Conditions {
        Conditions {
            ids: self.ids.clone(),
            order: NodeOrder::Given,
            ports: self.ports,
            initiators: self.initiators.clone(),
            wake: None,
            schedule: When::Rule(Schedule::Synchronous),
            capacity: Capacity(self.capacity),
            faults: Vec::new(),
            seed: self.seed,
            consecutive: false,
            event_limit: None,
            invariants: false,
        }
    }

    fn timeouts(&self) -> Result<Timeouts, Error> {
        let mut timeouts = Timeouts::default();
        self.timeouts.apply(&mut timeouts)?;
        Ok(timeouts)
    }

    fn choose(&self, source: &Source) -> Result<(&'static Algorithm, Option<String>), Error> {
        let conditions = self.conditions();
        let topology = source.build(self.seed)?;
        let initiators = initiators::wakes(&conditions, &topology, self.seed)?.1;
        let choice = Choice::best(&topology, self.ports, initiators)?;
        Ok((choice.algorithm, Some(choice.reason)))
    }

    fn inside(&self, plan: &Plan) -> Result<Held, Stopped> {
        inside::hold(self, plan)
    }

    fn processes(&self, plan: &Plan) -> Result<Held, Stopped> {
        processes::hold(self, plan)
    }
}
