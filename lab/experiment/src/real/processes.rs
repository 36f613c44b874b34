//! Runs every node as a process of its own.

use super::{MemberReport, NAME, RealElection, RealOutcome, files, stopped, within_runtime};
use crate::cluster::Transport;
use crate::error::Error;
use crate::options::EarlyEnd;
use serde::de::DeserializeOwned;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;
use std::{fs, io};
use suffrage_model::{Id, Multiplicity, Port};
use suffrage_net::free;
use suffrage_networks::wiring::Wiring;
use suffrage_runtime::certificates::{Authority, CertificateSubject};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The reports of processes.
pub(super) struct ProcessReports<T> {
    pub(super) members: Vec<T>,
    /// Whether one was killed.
    pub(super) died: bool,
    /// Whether some did not end.
    pub(super) late: bool,
}

/// Runs an algorithm of the catalogue.
pub(super) fn elect(election: &RealElection<'_>) -> Result<RealOutcome, EarlyEnd> {
    if Multiplicity::of(&mut election.site.ids.clone()) > Multiplicity::ONE {
        return Err(Error::new(
            "--processes: separate processes need different ids, and here some are equal; leave it \
             out, so that all nodes are in one process",
        )
        .into());
    }
    let ProcessReports { mut members, late, .. } = hold::<MemberReport>(election, None)?;
    if late {
        return Err(EarlyEnd::GaveUp("some processes did not end".to_owned()));
    }
    members.sort_by_key(|member| member.node);
    let started = members.iter().map(|member| member.started).fold(f64::INFINITY, f64::min);
    let decided = |member: &MemberReport| member.started + member.time.unwrap_or(0.0);
    let seconds = members.iter().map(decided).fold(started, f64::max) - started;
    Ok(RealOutcome { members, peak_in_flight: None, links_opened: None, seconds })
}

/// Runs the processes, and kills some of them at their times if `crashes` are given. Without them no process
/// may die, since the others would wait for it until they give up.
pub(super) fn hold<T: DeserializeOwned>(
    election: &RealElection<'_>,
    crashes: Option<&[(u32, Duration)]>,
) -> Result<ProcessReports<T>, EarlyEnd> {
    let failed = |error: io::Error| Error::of("cannot start the processes", error);
    let nodes = election.nodes();
    // Two pipes to each process, and a descriptor of it.
    files::allow(3 * nodes + 64, 4 * nodes + 64, "")?;
    let folder = TempDir::new().map_err(failed)?;
    configure(election, folder.path()).map_err(failed)?;
    within_runtime(&mut Builder::new_current_thread(), async {
        let mut waiting = JoinSet::new();
        for node in 0..nodes as u32 {
            let child = start(election, folder.path(), node).map_err(failed)?;
            let mut crashes = crashes.unwrap_or_default().iter();
            let after = crashes.find(|&&(it, _)| it == node).map(|&(_, after)| after);
            waiting.spawn(async move { (node, wait(child, after).await) });
        }
        let mut reports = ProcessReports { members: Vec::new(), died: false, late: false };
        let late = tokio::select! {
            result = gather(election, waiting, crashes.is_some(), &mut reports) => {
                result?;
                false
            }
            // The processes have the same timeout; this is for those that do not end by it.
            () = sleep(election.asked.timeout().mul_f64(1.5)) => true,
            () = stopped(election.monitor) => {
                return Err(EarlyEnd::Interrupted("interrupted".to_owned()));
            }
        };
        Ok(ProcessReports { late, ..reports })
    })
}

/// Takes the reports of processes as they end. One that fails ends the election, since the others would wait
/// for it until they give up.
async fn gather<T: DeserializeOwned>(
    election: &RealElection<'_>,
    mut waiting: JoinSet<(u32, io::Result<Output>)>,
    may_die: bool,
    reports: &mut ProcessReports<T>,
) -> Result<(), EarlyEnd> {
    while let Some(ended) = waiting.join_next().await {
        let (node, output) = ended.map_err(|error| Error::of("a node", error))?;
        let output = output.map_err(|error| Error::of("a node", error))?;
        let id = election.site.ids[node as usize];
        if may_die && output.status.code().is_none() {
            election.monitor.remark(&format!("node {id} has died"));
            reports.died = true;
            continue;
        }
        // Also a process that gave up, or whose process broke a property, may have printed a report.
        match serde_json::from_slice(&output.stdout) {
            Ok(member) => reports.members.push(member),
            Err(error) => {
                let said = String::from_utf8_lossy(&output.stderr);
                let how = match said.trim_end() {
                    "" if output.status.success() => error.to_string(),
                    "" => output.status.to_string(),
                    said => said.to_owned(),
                };
                let words = format!("the process of node {id} has ended: {how}");
                return Err(EarlyEnd::GaveUp(words));
            }
        }
    }
    Ok(())
}

/// Waits for a process to end, and kills it after this time, if there is one.
async fn wait(child: Child, kill_after: Option<Duration>) -> io::Result<Output> {
    let Some(after) = kill_after else { return child.wait_with_output().await };
    let id = child.id();
    let output = child.wait_with_output();
    tokio::pin!(output);
    tokio::select! {
        output = &mut output => return output,
        () = sleep(after) => {}
    }
    if let Some(pid) = id.and_then(|id| rustix::process::Pid::from_raw(id as i32)) {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL)?;
    }
    output.await
}

fn start(election: &RealElection<'_>, folder: &Path, node: u32) -> io::Result<Child> {
    let program = election.program.ok_or(io::ErrorKind::NotFound)?;
    Command::new(program)
        .args(["node", "--format", "json", "--log", "error", "--timeout"])
        .arg(election.asked.timeout.to_string())
        .arg("--config")
        .arg(folder.join(format!("{node}.toml")))
        .args(election.steps.then_some("--steps"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
}

/// Writes a configuration for each node.
fn configure(election: &RealElection<'_>, folder: &Path) -> io::Result<()> {
    let (asked, wiring, ids) = (election.asked, &election.site.wiring, &election.site.ids);
    let authority = match asked.transport {
        Transport::Tls => Some(Authority::new().map_err(io::Error::other)?),
        Transport::Tcp | Transport::Channels => None,
    };
    if let Some(authority) = &authority {
        fs::write(folder.join("ca.pem"), authority.own().certificate)?;
    }
    fs::write(folder.join(EDGES), edges(wiring))?;
    let network = match election.site.topology.kind() {
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
    let capacity = asked.capacity.map(|c| format!("capacity = {c}\n")).unwrap_or_default();
    let mut timeouts = String::from("\n[timeouts]\n");
    for timeout in &asked.timeouts {
        let _ = writeln!(timeouts, "{} = {:?}", timeout.name, timeout.seconds);
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
            election.algorithm,
            asked.ports.name(),
            asked.seed,
            name(node as usize),
            election.initiating.contains(&node),
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
            let other = wiring.across(node, Port(port)).node;
            if node < other {
                let _ = writeln!(edges, "e {} {}", node + 1, other + 1);
            }
        }
    }
    edges
}

/// Writes the certificate of a node, and returns the section that names it.
fn certified(authority: &Authority, id: Id, folder: &Path) -> io::Result<String> {
    let subject = CertificateSubject::Node(id.get());
    let own = authority.issue(NAME, subject).map_err(io::Error::other)?;
    let file = subject.to_string();
    fs::write(folder.join(format!("{file}.pem")), own.certificate)?;
    fs::write(folder.join(format!("{file}-key.pem")), own.key)?;
    Ok(format!(
        "\n[tls]\nauthority = \"ca.pem\"\ncertificate = \"{file}.pem\"\nkey = \"{file}-key.pem\"\n"
    ))
}
