//! `suffrage cluster`: holds a real election on this machine.

mod agents;
mod facts;
mod files;
mod inside;
mod processes;

use crate::agents::Agents;
use crate::error::{CommandEnding, Error};
use crate::flags::{FileFlags, NamedTimeout, TimeoutFlags, port_orders, transports};
use crate::offered;
use crate::output::Output;
use crate::output::print;
use crate::report::text::election;
use crate::report::{MemberReport, ReportFormat, beside};
use crate::seconds::seconds;
use crate::terminal::fitted;
use crate::trace;
use crate::typed::typed;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;
use suffrage::algorithms::Algorithm;
use suffrage::experiment::choice::by_name;
use suffrage::experiment::conditions::{Initiators, PortOrder};
use suffrage::experiment::counts;
use suffrage::experiment::report::{Arrivals, ElectionReport, RunTiming, to_json};
use suffrage::experiment::source::{for_files, natural};
use suffrage::experiment::{
    ClusterSpecification, DEFAULT_NODES, NetworkSource, Prepared, Specification, Stamp, Stamped,
    Timeout, Transport, choose,
};
use suffrage::model::NetworkClass as Class;
use suffrage::runtime::LinkMedium;
use suffrage::runtime::Timeouts;
use suffrage::simulator::Fault;

/// Run an election between real nodes on this machine
///
/// The nodes are tasks of this program, linked by channels or by real sockets of the loopback interface. With
/// --processes, each node is a program of its own. The report has the form of `suffrage elect`, with the time in
/// seconds.
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
    #[arg(long, value_name = "PORTS", value_parser = port_orders(), default_value = "rotation")]
    #[arg(help_heading = "Conditions")]
    ports: PortOrder,

    /// Who starts: all, a number K (K nodes at random), or nodes:LIST [default: all]
    #[arg(long, value_name = "WHO", help_heading = "Conditions")]
    initiators: Option<Initiators>,

    /// The seed of everything random but the schedule: network, ids, ports, initiators
    #[arg(long, value_name = "S", default_value_t = 1, help_heading = "Conditions")]
    #[arg(value_parser = counts::count)]
    seed: u64,

    /// The medium of links
    #[arg(long, value_name = "TRANSPORT", value_parser = transports(), default_value = "tcp")]
    #[arg(help_heading = "Conditions")]
    transport: Transport,

    /// The number of messages that a link holds; the sender waits for room [default: enough for
    /// every algorithm]
    #[arg(long, value_name = "C", value_parser = counts::within32(1..=u32::MAX))]
    #[arg(help_heading = "Conditions")]
    capacity: Option<u32>,

    /// Only for agents: one that dies, crash:NODE@TICK (ticks of 10 ms); may be repeated
    ///
    /// With --processes it is killed; otherwise its task is dropped with its connections. Not available over channels.
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
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "60")]
    timeout: Duration,

    #[command(flatten)]
    timeouts: TimeoutFlags,

    /// Write a trace to this file, for `suffrage replay`
    ///
    /// Steps of different nodes have only a causal order: they are written by causal depth, in one
    /// sequence in which they could have happened. Links are unbounded in the file, whatever
    /// --capacity was.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    trace: Option<PathBuf>,

    /// Run the same election in the simulator, and print both
    #[arg(long, help_heading = "Output")]
    against_simulation: bool,

    /// Report the time and memory of the whole command
    #[arg(long, help_heading = "Output")]
    timing: bool,

    /// How to write the report
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: ReportFormat,

    /// Print the specification of the election as TOML, and run nothing
    ///
    /// `suffrage run FILE` runs it.
    #[arg(long, help_heading = "Output")]
    print_spec: bool,
}

const fn medium(transport: Transport) -> LinkMedium {
    match transport {
        Transport::Tcp => LinkMedium::Tcp,
        Transport::Tls => LinkMedium::Tls,
        Transport::Channels => LinkMedium::Channels,
    }
}

/// An election, with what is written besides the report.
pub(super) struct ClusterRun<'a> {
    pub(super) asked: &'a ClusterSpecification,
    pub(super) trace: Option<&'a Path>,
    pub(super) timing: bool,
    pub(super) format: ReportFormat,
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
struct ClusterOutcome {
    members: Vec<MemberReport>,
    peak_in_flight: Option<u64>,
    links_opened: Option<u64>,
    /// The time from the start until the last node knew the leader.
    seconds: f64,
}

/// The reason why there is no report.
enum Stopped {
    Failed(Error),
    /// It has been printed on standard error.
    Ended(CommandEnding),
}

impl From<Error> for Stopped {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

#[derive(Serialize)]
struct Both<'a> {
    real: &'a ElectionReport,
    simulated: &'a ElectionReport,
}

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let asked = args.specification();
    if args.print_spec {
        print(&Specification::Cluster(asked.into()).to_toml())?;
        return Ok(CommandEnding::Fine);
    }
    let (trace, timing) = (args.trace.as_deref(), args.timing);
    ClusterRun { asked: &asked, trace, timing, format: args.format }.run()
}

impl Args {
    /// The specification that the flags describe.
    fn specification(&self) -> ClusterSpecification {
        let timeout = |timeout: &NamedTimeout| Timeout {
            name: timeout.name.to_owned(),
            seconds: timeout.time.as_secs_f64(),
        };
        ClusterSpecification {
            algorithm: self.algorithm.clone(),
            nodes: self.nodes,
            topology: self.topology.clone(),
            topology_format: self.file.topology_format,
            largest_component: self.file.largest_component,
            ids: self.ids.clone(),
            ports: self.ports,
            initiators: self.initiators.clone(),
            seed: self.seed,
            transport: self.transport,
            capacity: self.capacity,
            fault: self.faults.clone(),
            processes: self.processes,
            connect_first: self.connect_first,
            timeout: self.timeout.as_secs_f64(),
            timeouts: self.timeouts.timeouts.iter().map(timeout).collect(),
            against_simulation: self.against_simulation,
        }
    }
}

impl ClusterRun<'_> {
    pub(super) fn run(&self) -> Result<CommandEnding, Error> {
        self.check()?;
        if let Some(agents) = self.asked.algorithm.as_deref().and_then(Agents::named) {
            return agents::run(self, agents);
        }
        if let Some(fault) = self.asked.fault.first() {
            return Err(Error::new(format!(
                "--fault {fault}: no algorithm of the catalogue survives a crash, and nodes would wait \
                 forever; it is for agents, and `suffrage elect` simulates faults"
            )));
        }
        let named = self.asked.algorithm.as_deref().map(by_name).transpose()?;
        let source = self.network(named)?;
        few_enough(&source)?;
        if self.asked.processes && self.asked.transport == Transport::Channels {
            return Err(Error::new(
                "--transport channels is for nodes of one program: leave out --processes",
            ));
        }
        let (algorithm, reason) = match named {
            Some(algorithm) => (algorithm, None),
            None => choose(&source, &self.asked.conditions())?,
        };
        let prepared = Prepared::new(algorithm, source, self.asked.conditions())?;
        let instance = prepared.instance(self.asked.seed)?;
        // Begun before the election, so that errors are reported early.
        let trace = self.trace.map(|path| Output::begin(TRACE, path)).transpose()?;
        let start = std::time::Instant::now();
        let held = match if self.asked.processes {
            processes::hold(self, &instance)
        } else {
            inside::hold(self, &instance)
        } {
            Ok(held) => held,
            Err(Stopped::Failed(error)) => return Err(error),
            Err(Stopped::Ended(ending)) => return Ok(ending),
        };
        let seconds = start.elapsed().as_secs_f64();
        if let Some(file) = trace {
            let steps = held.members.iter().map(|member| (member.node, member.steps.as_slice()));
            trace::put(&trace::real(self.arrivals(), &instance, steps), file)?;
        }
        let mut facts = facts::of(&prepared, &instance, &held, self);
        facts.choice = reason;
        facts.by_default = self.asked.nodes.is_none() && self.asked.topology.is_none();
        facts.timing = self.timing.then(|| RunTiming {
            links_opened: held.links_opened,
            ..RunTiming::of(facts.messages.total, seconds)
        });
        let mut broken = !facts.violations.is_empty();
        if self.asked.against_simulation {
            let outcome = instance.run(None, |_| ControlFlow::Continue(()))?;
            let simulated = ElectionReport::of(&prepared, &instance, &outcome);
            broken |= !simulated.violations.is_empty();
            print(&match self.format {
                ReportFormat::Text => {
                    fitted(&(election::text(&facts) + &beside(&facts, &simulated)))
                }
                ReportFormat::Json => to_json(&Stamped::new(
                    Stamp::new(typed(), Some(self.specification())),
                    Both { real: &facts, simulated: &simulated },
                ))?,
            })?;
        } else {
            print(&match self.format {
                ReportFormat::Text => fitted(&election::text(&facts)),
                ReportFormat::Json => {
                    to_json(&Stamped::new(Stamp::new(typed(), Some(self.specification())), &facts))?
                }
            })?;
        }
        Ok(if broken { CommandEnding::Broken } else { CommandEnding::Fine })
    }

    fn network(&self, named: Option<&Algorithm>) -> Result<NetworkSource, Error> {
        let options = self.asked.file_options();
        if let Some(text) = &self.asked.topology {
            return NetworkSource::named(text, options, &[]);
        }
        if let Some(flag) = for_files(options) {
            return Err(Error::new(format!("{flag} is for files: name one with --topology")));
        }
        let network = named.map_or(Class::Complete, |algorithm| algorithm.network);
        Ok(NetworkSource::Made(natural(network, self.asked.nodes.unwrap_or(DEFAULT_NODES))?))
    }

    /// Refuses what the flags do not let through.
    fn check(&self) -> Result<(), Error> {
        let asked = self.asked;
        seconds(&asked.timeout.to_string()).map_err(|error| Error::of("--timeout", error))?;
        if asked.processes && asked.connect_first {
            return Err(Error::new("--connect-first and --processes: leave one of them out"));
        }
        if asked.nodes.is_some() && asked.topology.is_some() {
            return Err(Error::new("--topology and --nodes: leave one of them out"));
        }
        Ok(())
    }

    fn specification(&self) -> Specification {
        Specification::Cluster(self.asked.clone().into())
    }

    fn arrivals(&self) -> Arrivals {
        Arrivals::Real { medium: self.asked.transport.name(), processes: self.asked.processes }
    }

    /// The timeouts by their names.
    fn named_timeouts(&self) -> Result<Vec<NamedTimeout>, Error> {
        let named = |timeout: &Timeout| timeout.to_string().parse::<NamedTimeout>();
        let all = self.asked.timeouts.iter().map(named).collect::<Result<_, _>>();
        all.map_err(|error| Error::of("--timeouts", error))
    }

    fn timeouts(&self) -> Result<Timeouts, Error> {
        let mut timeouts = Timeouts::default();
        TimeoutFlags { timeouts: self.named_timeouts()? }.apply(&mut timeouts)?;
        Ok(timeouts)
    }
}

/// Refuses a network with too many nodes.
fn few_enough(source: &NetworkSource) -> Result<(), Error> {
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
