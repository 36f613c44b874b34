//! Runs all nodes inside this program.

use super::{ClusterOutcome, ClusterRun, Stopped, files, medium};
use crate::commands::node::{interrupted, within_runtime};
use crate::error::{CommandEnding, Error, complain};
use crate::report::MemberReport;
use std::sync::Arc;
use suffrage::experiment::Transport;
use suffrage::experiment::{Instance, Site};
use suffrage::runtime::{Cluster, ClusterError, Membership, NodeStage, NodeView};
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::sleep;

/// The name of the cluster, which exists for one election.
pub(super) const NAME: &str = "local";

pub(super) fn hold(args: &ClusterRun<'_>, instance: &Instance) -> Result<ClusterOutcome, Stopped> {
    let (nodes, links) =
        (u64::from(instance.site.topology.nodes()), instance.site.topology.links());
    // Links are opened on demand; humblet on 1,000 nodes opens some 6,000 of 499,500.
    room(args, nodes, links, links.min(nodes * 16))?;
    let Site { wiring, ids, .. } = &instance.site;
    let membership = Membership::new(NAME, wiring.clone(), ids.to_vec())
        .map_err(|error| Error::new(error.to_string()))?;
    let cluster = cluster(args, Arc::new(membership), instance.initiating())?;
    within_runtime(&mut Builder::new_multi_thread(), async {
        let failed = |error: ClusterError| Error::new(error.to_string());
        let assembly = cluster.assemble(instance.algorithm).await.map_err(failed)?;
        let views = assembly.watch();
        tokio::select! {
            result = assembly.elect() => match result {
                Ok(summary) => Ok(ClusterOutcome {
                    seconds: summary.time().unwrap_or_default().as_secs_f64(),
                    peak_in_flight: Some(summary.peak_in_flight),
                    links_opened: Some(summary.links() as u64),
                    members: summary
                        .outcomes
                        .iter()
                        .map(|outcome| MemberReport::of(instance.algorithm, NAME, outcome))
                        .collect(),
                }),
                Err(error) => {
                    complain(format_args!("error: {error}"));
                    Err(Stopped::Ended(CommandEnding::Broken))
                }
            },
            () = sleep(args.asked.timeout()) => {
                let seconds = args.asked.timeout().as_secs_f64();
                complain(format_args!("error: gave up after {seconds} s: {}", state(&views)));
                if args.asked.capacity.is_some() {
                    complain(format_args!(
                        "not every algorithm works with bounded links: see `suffrage algorithms {}`",
                        instance.algorithm.name
                    ));
                }
                Err(Stopped::Ended(CommandEnding::Broken))
            }
            () = interrupted() => {
                complain(format_args!("interrupted: {}", state(&views)));
                Err(Stopped::Ended(CommandEnding::Interrupted))
            }
        }
    })
}

/// Allows as many open files as a cluster over sockets needs that opens this many of its links.
pub(super) fn room(
    args: &ClusterRun<'_>,
    nodes: u64,
    links: u64,
    opened: u64,
) -> Result<(), Error> {
    if args.asked.transport == Transport::Channels {
        return Ok(());
    }
    let wanted = if args.asked.connect_first { links } else { opened };
    // A listener for each node, and both ends of a link that reaches it.
    files::allow(3 * nodes + 64, nodes + 2 * wanted + 64, ", or use --transport channels")
}

pub(super) fn cluster(
    args: &ClusterRun<'_>,
    membership: Arc<Membership>,
    initiating: Vec<u32>,
) -> Result<Cluster, Error> {
    let cluster = Cluster::from(membership)
        .medium(medium(args.asked.transport))
        .initiators(initiating)
        .seed(args.asked.seed)
        .timeouts(args.timeouts()?)
        .steps(args.trace.is_some())
        .connect_first(args.asked.connect_first);
    Ok(match args.asked.capacity {
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
