//! Runs all nodes inside this program.

use super::{MemberReport, NAME, RealElection, RealOutcome, files, stopped, within_runtime};
use crate::cluster::Transport;
use crate::error::Error;
use crate::options::EarlyEnd;
use std::sync::Arc;
use suffrage_algorithms::Algorithm;
use suffrage_runtime::{Cluster, ClusterError, LinkMedium, Membership, NodeStage, NodeView};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::sleep;

/// Runs an algorithm of the catalogue.
pub(super) fn elect(
    election: &RealElection<'_>,
    algorithm: &'static Algorithm,
) -> Result<RealOutcome, EarlyEnd> {
    // Links are opened on demand; humblet on 1,000 nodes opens some 6,000 of 499,500.
    let opened = election.site.topology.links().min(election.nodes() * 16);
    let cluster = cluster(election, opened)?;
    within_runtime(&mut Builder::new_multi_thread(), async {
        let failed = |error: ClusterError| Error::new(error.to_string());
        let assembly = cluster.assemble(algorithm).await.map_err(failed)?;
        let views = assembly.watch();
        tokio::select! {
            result = assembly.elect() => {
                let summary = result.map_err(|error| EarlyEnd::GaveUp(error.to_string()))?;
                let member = |outcome| MemberReport::of(algorithm, NAME, outcome);
                Ok(RealOutcome {
                    seconds: summary.time().unwrap_or_default().as_secs_f64(),
                    peak_in_flight: Some(summary.peak_in_flight),
                    links_opened: Some(summary.links() as u64),
                    members: summary.outcomes.iter().map(member).collect(),
                })
            }
            () = sleep(election.asked.timeout()) => {
                let bounded = match election.asked.capacity {
                    Some(_) => format!(
                        "\nnot every algorithm works with bounded links: see `suffrage algorithms {}`",
                        algorithm.name
                    ),
                    None => String::new(),
                };
                let (seconds, state) = (election.asked.timeout, state(&views));
                Err(EarlyEnd::GaveUp(format!("gave up after {seconds} s: {state}{bounded}")))
            }
            () = stopped(election.monitor) => {
                Err(EarlyEnd::Interrupted(format!("interrupted: {}", state(&views))))
            }
        }
    })
}

/// The nodes. They will open this many links.
pub(super) fn cluster(election: &RealElection<'_>, opened: u64) -> Result<Cluster, Error> {
    let (asked, site) = (election.asked, election.site);
    let medium = match asked.transport {
        Transport::Tcp => LinkMedium::Tcp,
        Transport::Tls => LinkMedium::Tls,
        Transport::Channels => LinkMedium::Channels,
    };
    if asked.transport != Transport::Channels {
        let nodes = election.nodes();
        let links = if asked.connect_first { site.topology.links() } else { opened };
        // A listener for each node, and both ends of a link that reaches it.
        let wanted = nodes + 2 * links + 64;
        files::allow(3 * nodes + 64, wanted, ", or use --transport channels")?;
    }
    let membership = Membership::new(NAME, site.wiring.clone(), site.ids.clone())
        .map_err(|error| Error::new(error.to_string()))?;
    let cluster = Cluster::from(Arc::new(membership))
        .medium(medium)
        .initiators(election.initiating.clone())
        .seed(asked.seed)
        .timeouts(election.timeouts)
        .steps(election.steps)
        .connect_first(asked.connect_first);
    Ok(match asked.capacity {
        Some(capacity) => cluster.capacity(capacity),
        None => cluster,
    })
}

/// Describes the progress of the nodes, and why one of them cannot be reached, if one cannot.
fn state(views: &[watch::Receiver<NodeView>]) -> String {
    let count =
        |so: &dyn Fn(&NodeView) -> bool| views.iter().filter(|view| so(&view.borrow())).count();
    let missing = |view: &watch::Receiver<NodeView>| {
        let view = view.borrow();
        view.missing.values().next().map(|absence| format!("; missing: node {absence}"))
    };
    format!(
        "of {} nodes {} know the leader, {} have halted, {} were never reached{}",
        views.len(),
        count(&|view| view.leader.is_some()),
        count(&|view| view.stage >= NodeStage::Halted),
        count(&|view| view.stage == NodeStage::Asleep),
        views.iter().find_map(missing).unwrap_or_default()
    )
}
