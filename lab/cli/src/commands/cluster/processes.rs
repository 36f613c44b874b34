//! Runs every node as a process of its own.

use super::inside::NAME;
use super::{ClusterOutcome, ClusterRun, Stopped, files};
use crate::commands::node::interrupted;
use crate::error::{CommandEnding, Error, complain};
use crate::flags::NamedTimeout;
use crate::report::MemberReport;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use suffrage::experiment::Instance;
use suffrage::experiment::Transport;
use suffrage::model::{Id, Multiplicity};
use suffrage::networks::Topology;
use suffrage::networks::wiring::Wiring;
use suffrage::runtime::certificates::{Authority, CertificateSubject};
use suffrage_net::free;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// What the nodes agree about.
pub(super) struct Agreed<'a> {
    pub(super) algorithm: &'a str,
    pub(super) topology: &'a Topology,
    pub(super) wiring: &'a Wiring,
    pub(super) ids: &'a [Id],
    pub(super) initiating: Vec<u32>,
}

pub(super) fn hold(args: &ClusterRun<'_>, instance: &Instance) -> Result<ClusterOutcome, Stopped> {
    let failed = |error: std::io::Error| Error::of("cannot start the processes", error);
    args.timeouts()?;
    if Multiplicity::of(&mut instance.site.ids.to_vec()) > Multiplicity::ONE {
        return Err(Error::new(
            "--processes: separate processes need different ids, and here some are equal; leave \
             it out, so that all nodes are in one process",
        )
        .into());
    }
    let nodes = u64::from(instance.site.topology.nodes());
    // Two pipes to each process, and a descriptor of it.
    files::allow(3 * nodes + 64, 4 * nodes + 64, "")?;
    let folder = TempDir::new().map_err(failed)?;
    let site = Agreed {
        algorithm: instance.algorithm.name,
        topology: &instance.site.topology,
        wiring: &instance.site.wiring,
        ids: &instance.site.ids,
        initiating: instance.initiating(),
    };
    configure(args, &site, folder.path()).map_err(failed)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let mut children = Vec::new();
        for node in 0..instance.site.topology.nodes() {
            children.push(start(args, folder.path(), node, args.trace.is_some()).map_err(failed)?);
        }
        tokio::select! {
            members = gather(instance, children) => members,
            // The processes have the same timeout; this is for those that do not end by it.
            () = sleep(args.asked.timeout().mul_f64(1.5)) => {
                complain("error: some processes did not end");
                Err(Stopped::Ended(CommandEnding::Broken))
            }
            () = interrupted() => {
                complain("interrupted");
                Err(Stopped::Ended(CommandEnding::Interrupted))
            }
        }
    })
}

pub(super) fn start(
    args: &ClusterRun<'_>,
    folder: &Path,
    node: u32,
    steps: bool,
) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["node", "--format", "json", "--log", "error", "--timeout"])
        .arg(args.asked.timeout().as_secs_f64().to_string())
        .arg("--config")
        .arg(folder.join(format!("{node}.toml")))
        .args(steps.then_some("--steps"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
}

/// Writes a configuration for each node.
pub(super) fn configure(
    args: &ClusterRun<'_>,
    agreed: &Agreed<'_>,
    folder: &Path,
) -> std::io::Result<()> {
    let ids = agreed.ids;
    let authority = match args.asked.transport {
        Transport::Tls => Some(Authority::new().map_err(std::io::Error::other)?),
        Transport::Tcp | Transport::Channels => None,
    };
    if let Some(authority) = &authority {
        fs::write(folder.join("ca.pem"), authority.own().certificate)?;
    }
    fs::write(folder.join(EDGES), edges(agreed.wiring))?;
    let network = match agreed.topology.kind() {
        kind @ ("complete" | "ring") => kind,
        _ => EDGES,
    };
    let addresses = free::addresses(ids.len())?;
    let name = |node: usize| match network {
        EDGES => format!("name = \"{}\"\n", node + 1),
        _ => String::new(),
    };
    let mut peers = String::new();
    for ((node, id), address) in ids.iter().enumerate().zip(&addresses) {
        let name = name(node);
        let _ = write!(peers, "\n[[peers]]\nid = {id}\naddress = \"{address}\"\n{name}");
    }
    let order: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let order = match network {
        EDGES => String::new(),
        _ => format!("order = [{}]\n", order.join(", ")),
    };
    let capacity = args.asked.capacity.map(|c| format!("capacity = {c}\n")).unwrap_or_default();
    let mut timeouts = String::from("\n[timeouts]\n");
    for NamedTimeout { name, time } in args.named_timeouts().map_err(std::io::Error::other)? {
        let _ = writeln!(timeouts, "{name} = {:?}", time.as_secs_f64());
    }
    for ((node, &id), address) in (0..).zip(ids).zip(&addresses) {
        let tls = match &authority {
            Some(authority) => certified(authority, id, folder)?,
            None => String::new(),
        };
        let text = format!(
            "cluster = \"{NAME}\"\nalone = {}\nalgorithm = \"{}\"\nnetwork = \"{network}\"\n{order}ports = \
             \"{}\"\nseed = {}\nid = {id}\n{}listen = \"{address}\"\ninitiator = \
             {}\n{capacity}{peers}{tls}{timeouts}",
            ids.len() == 1,
            agreed.algorithm,
            args.asked.ports.name(),
            args.asked.seed,
            name(node as usize),
            agreed.initiating.contains(&node),
        );
        fs::write(folder.join(format!("{node}.toml")), text)?;
    }
    Ok(())
}

/// The file of a network that is neither complete nor a ring.
const EDGES: &str = "network.dimacs";

/// The network as links between numbers, in a format that keeps the numbers, so that nodes and ports are
/// numbered as here. DIMACS counts from 1.
fn edges(wiring: &Wiring) -> String {
    let mut edges = format!("p edge {} {}\n", wiring.nodes(), wiring.links());
    for node in 0..wiring.nodes() {
        for port in 0..wiring.degree(node) {
            let other = wiring.across(node, suffrage::model::Port(port)).node;
            if node < other {
                let _ = writeln!(edges, "e {} {}", node + 1, other + 1);
            }
        }
    }
    edges
}

/// Writes the certificate of a node, and returns the section that names it.
fn certified(authority: &Authority, id: Id, folder: &Path) -> std::io::Result<String> {
    let subject = CertificateSubject::Node(id.get());
    let own = authority.issue(NAME, subject).map_err(std::io::Error::other)?;
    let file = subject.to_string();
    fs::write(folder.join(format!("{file}.pem")), own.certificate)?;
    fs::write(folder.join(format!("{file}-key.pem")), own.key)?;
    Ok(format!(
        "\n[tls]\nauthority = \"ca.pem\"\ncertificate = \"{file}.pem\"\nkey = \"{file}-key.pem\"\n"
    ))
}

/// Waits for the reports of all nodes. The first that ends without one ends the election, since
/// the others would wait for it until they give up.
async fn gather(instance: &Instance, children: Vec<Child>) -> Result<ClusterOutcome, Stopped> {
    let ids = &instance.site.ids;
    let mut waiting = JoinSet::new();
    for (&id, child) in ids.iter().zip(children) {
        waiting.spawn(async move { (id, child.wait_with_output().await) });
    }
    let mut members = Vec::new();
    while let Some(ended) = waiting.join_next().await {
        let failed = |error: &dyn std::fmt::Display| Error::of("a node", error);
        let (id, output) = ended.map_err(|error| failed(&error))?;
        let output = output.map_err(|error| failed(&error))?;
        if !has_reported(output.status) {
            let said = String::from_utf8_lossy(&output.stderr);
            let how = match said.trim_end() {
                "" => output.status.to_string(),
                said => said.to_owned(),
            };
            complain(format_args!("error: the process of node {id} has ended: {how}"));
            return Err(Stopped::Ended(CommandEnding::Broken));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        members
            .push(MemberReport::read(instance.algorithm, &text).map_err(|error| failed(&error))?);
    }
    members.sort_by_key(|member| member.node);
    let started = members.iter().map(|member| member.started).fold(f64::INFINITY, f64::min);
    let decided = |member: &MemberReport| member.started + member.time.unwrap_or(0.0);
    let last = members.iter().map(decided).fold(started, f64::max);
    Ok(ClusterOutcome {
        members,
        peak_in_flight: None,
        links_opened: None,
        seconds: last - started,
    })
}

/// Returns whether a node with this exit status has printed a report. All reports together show
/// that all have halted, which one alone may not know.
fn has_reported(status: ExitStatus) -> bool {
    status.success() || status.code() == Some(CommandEnding::Doubtful.code().into())
}
