//! Runs every node as a process of its own.

use super::inside::NAME;
use super::{Args, Held, Stopped, Transport, files};
use crate::commands::node::interrupted;
use crate::error::{Ending, Error, complain};
use crate::flags::NamedTimeout;
use crate::plan::Plan;
use crate::report::Member;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
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
pub(super) struct Site<'a> {
    pub(super) algorithm: &'a str,
    pub(super) topology: &'a Topology,
    pub(super) wiring: &'a Wiring,
    pub(super) ids: &'a [Id],
    pub(super) initiating: Vec<u32>,
}

pub(super) fn hold(args: &Args, plan: &Plan) -> Result<Held, Stopped> {
    let failed = |error: std::io::Error| Error::of("cannot start the processes", error);
    args.timeouts()?;
    if Multiplicity::of(&mut plan.experiment.ids.to_vec()) > Multiplicity::ONE {
        return Err(Error::new(
            "--processes: processes of their own are told apart by their ids, and here several have \
             the same one; leave it out, so that all nodes are in one process",
        )
        .into());
    }
    let nodes = u64::from(plan.site.topology.nodes());
    // Two pipes to each process, and a descriptor of it.
    files::allow(3 * nodes + 64, 4 * nodes + 64, "")?;
    let folder = TempDir::new().map_err(failed)?;
    let site = Site {
        algorithm: plan.algorithm.name,
        topology: &plan.site.topology,
        wiring: plan.experiment.wiring,
        ids: plan.experiment.ids,
        initiating: plan.initiating(),
    };
    configure(args, &site, folder.path()).map_err(failed)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let mut children = Vec::new();
        for node in 0..plan.site.topology.nodes() {
            children.push(start(args, folder.path(), node, args.trace.is_some()).map_err(failed)?);
        }
        tokio::select! {
            members = gather(plan, children) => members,
            // The processes have the same timeout; this is for those that do not end by it.
            () = sleep(args.timeout.mul_f64(1.5)) => {
                complain("error: some processes did not end");
                Err(Stopped::Ended(Ending::Broken))
            }
            () = interrupted() => {
                complain("interrupted");
                Err(Stopped::Ended(Ending::Interrupted))
            }
        }
    })
}

pub(super) fn start(args: &Args, folder: &Path, node: u32, steps: bool) -> std::io::Result<Child> {
    Command::new(std::env::current_exe()?)
        .args(["node", "--format", "json", "--log", "error", "--timeout"])
        .arg(args.timeout.as_secs_f64().to_string())
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
pub(super) fn configure(args: &Args, site: &Site<'_>, folder: &Path) -> std::io::Result<()> {
    let &Site { algorithm, topology, wiring, ids, ref initiating } = site;
    let authority = match args.transport {
        Transport::Tls => Some(Authority::new().map_err(std::io::Error::other)?),
        Transport::Tcp | Transport::Channels => None,
    };
    if let Some(authority) = &authority {
        fs::write(folder.join("ca.pem"), authority.own().certificate)?;
    }
    // The network as links between numbers, in a format that keeps the numbers, so that nodes and
    // ports are numbered as here. DIMACS counts from 1.
    let mut edges = format!("p edge {} {}\n", wiring.nodes(), wiring.links());
    for node in 0..wiring.nodes() {
        for port in 0..wiring.degree(node) {
            let other = wiring.across(node, suffrage::model::Port(port)).node;
            if node < other {
                let _ = writeln!(edges, "e {} {}", node + 1, other + 1);
            }
        }
    }
    let network = match topology.kind() {
        kind @ ("complete" | "ring") => kind,
        _ => "network.dimacs",
    };
    fs::write(folder.join("network.dimacs"), edges)?;
    let addresses = free::addresses(ids.len())?;
    let mut peers = String::new();
    for ((node, id), address) in ids.iter().enumerate().zip(&addresses) {
        let name = if network == "network.dimacs" {
            format!("name = \"{}\"\n", node + 1)
        } else {
            String::new()
        };
        let _ = write!(peers, "\n[[peers]]\nid = {id}\naddress = \"{address}\"\n{name}");
    }
    let order: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let order = match network {
        "network.dimacs" => String::new(),
        _ => format!("order = [{}]\n", order.join(", ")),
    };
    for ((node, &id), address) in (0..).zip(ids).zip(&addresses) {
        let name = if network == "network.dimacs" {
            format!("name = \"{}\"\n", node + 1)
        } else {
            String::new()
        };
        let capacity = args.capacity.map(|c| format!("capacity = {c}\n")).unwrap_or_default();
        let mut tls = String::new();
        if let Some(authority) = &authority {
            let subject = CertificateSubject::Node(id.get());
            let own = authority.issue(NAME, subject).map_err(std::io::Error::other)?;
            let file = subject.to_string();
            fs::write(folder.join(format!("{file}.pem")), own.certificate)?;
            fs::write(folder.join(format!("{file}-key.pem")), own.key)?;
            tls = format!(
                "\n[tls]\nauthority = \"ca.pem\"\ncertificate = \"{file}.pem\"\nkey = \
                 \"{file}-key.pem\"\n"
            );
        }
        let mut timeouts = String::from("\n[timeouts]\n");
        for NamedTimeout { name, time } in &args.timeouts.timeouts {
            let _ = writeln!(timeouts, "{name} = {:?}", time.as_secs_f64());
        }
        let text = format!(
            "cluster = \"{NAME}\"\nalone = {}\nalgorithm = \"{}\"\nnetwork = \"{network}\"\n{order}ports = \
             \"{}\"\nseed = {}\nid = {id}\n{name}listen = \"{address}\"\ninitiator = \
             {}\n{capacity}{peers}{tls}{timeouts}",
            ids.len() == 1,
            algorithm,
            args.ports.name(),
            args.seed,
            initiating.contains(&node),
        );
        fs::write(folder.join(format!("{node}.toml")), text)?;
    }
    Ok(())
}

/// Waits for the reports of all nodes. The first that ends without one ends the election, since
/// the others would wait for it until they give up.
async fn gather(plan: &Plan<'_>, children: Vec<Child>) -> Result<Held, Stopped> {
    let ids = plan.experiment.ids;
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
            return Err(Stopped::Ended(Ending::Broken));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        members.push(Member::read(plan.algorithm, &text).map_err(|error| failed(&error))?);
    }
    members.sort_by_key(|member| member.node);
    let started = members.iter().map(|member| member.started).fold(f64::INFINITY, f64::min);
    let decided = |member: &Member| member.started + member.time.unwrap_or(0.0);
    let last = members.iter().map(decided).fold(started, f64::max);
    Ok(Held { members, peak_in_flight: None, links_opened: None, seconds: last - started })
}

/// Returns whether a node with this exit status has printed a report. All reports together show
/// that all have halted, which one alone may not know.
fn has_reported(status: ExitStatus) -> bool {
    status.success() || status.code() == Some(Ending::Doubtful.code().into())
}
