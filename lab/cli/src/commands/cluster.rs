//! `suffrage cluster`: holds a real election on this machine.

use crate::error::{CommandEnding, Error};
use crate::flags::{FileFlags, TimeoutFlags, port_orders, transports};
use crate::offered;
use crate::output::Output;
use crate::progress::Terminal;
use crate::report::ReportFormat;
use crate::specified::{options, print_spec, run_and_print};
use crate::typed::typed;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use suffrage::experiment::conditions::{Initiators, PortOrder};
use suffrage::experiment::real::{MOST_NODES, seconds};
use suffrage::experiment::{ClusterSpecification, RunOptions, Specification, Transport, counts};
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

const EXAMPLES: &str = "\
Examples:
  suffrage cluster humblet --nodes 100 --against-simulation
  suffrage cluster chang-roberts --nodes 8 --processes --transport tls
  suffrage cluster afek-gafni --transport channels --capacity 1
  suffrage cluster lelann --nodes 5 --trace run.jsonl
  suffrage cluster self-terminating --nodes 100 --transport channels
  suffrage cluster self-terminating --nodes 20 --fault crash:3@50
  suffrage cluster --topology NETWORK.graphml --initiators 1 --format json";

pub(crate) fn run(args: &Args) -> Result<CommandEnding, Error> {
    let asked = Specification::Cluster(args.specification().into());
    if args.print_spec {
        return print_spec(&asked);
    }
    // Begun before the election, so that errors are reported early.
    let mut trace = args.trace.as_ref().map(|path| Output::begin("--trace", path)).transpose()?;
    let terminal = Terminal::default();
    let options = RunOptions {
        timing: args.timing,
        trace: trace.as_mut().map(|file| file as &mut dyn Write),
        ..options(&terminal)
    };
    let ran = run_and_print(asked, options, args.format, typed())?;
    if ran.report.is_some() {
        trace.map_or(Ok(()), Output::finish)?;
    }
    CommandEnding::after(ran)
}

impl Args {
    /// The specification that the flags describe.
    fn specification(&self) -> ClusterSpecification {
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
            timeouts: self.timeouts.timeouts.clone(),
            against_simulation: self.against_simulation,
        }
    }
}
