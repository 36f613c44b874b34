//! Runs all nodes inside this program.

use super::{Args, Held, Stopped, Transport, files};
use crate::commands::node::interrupted;
use crate::error::{Ending, Error, complain};
use crate::plan::Plan;
use crate::report::Member;
use std::sync::Arc;
use suffrage::runtime::{Cluster, ClusterError, Membership, Stage, View};
use suffrage::simulator::Experiment;
use tokio::sync::watch;
use tokio::time::sleep;

/// The name of the cluster, which exists for one election.
pub(super) const NAME: &str = "local";

pub(super) fn hold(args: &Args, plan: &Plan) -> Result<Held, Stopped> {
    if args.transport != Transport::Channels {
        let (nodes, links) = (u64::from(plan.site.topology.nodes()), plan.site.topology.links());
        // Links are opened on demand; humblet on 1,000 nodes opens some 6,000 of 499,500.
        let wanted = if args.connect_first { links } else { links.min(nodes * 16) };
        // A listener for each node, and both ends of a link that reaches it.
        files::allow(3 * nodes + 64, nodes + 2 * wanted + 64, ", or use --transport channels")?;
    }
    let Experiment { wiring, ids, .. } = plan.experiment;
    let membership = Membership::new(NAME, wiring.clone(), ids.to_vec())
        .map_err(|error| Error::new(error.to_string()))?;
    let cluster = Cluster::from(Arc::new(membership))
        .medium(args.transport.medium())
        .initiators(plan.initiating())
        .seed(args.seed)
        .timeouts(args.timeouts()?)
        .steps(args.trace.is_some())
        .connect_first(args.connect_first);
    let cluster = match args.capacity {
        Some(capacity) => cluster.capacity(capacity),
        None => cluster,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::of("cannot start", error))?;
    let held = runtime.block_on(async {
        let failed = |error: ClusterError| Error::new(error.to_string());
        let assembly = cluster.assemble(plan.algorithm).await.map_err(failed)?;
        let views = assembly.watch();
        tokio::select! {
            result = assembly.elect() => match result {
                Ok(summary) => Ok(Held {
                    seconds: summary.time().unwrap_or_default().as_secs_f64(),
                    peak_in_flight: Some(summary.peak_in_flight),
                    links_opened: Some(summary.links() as u64),
                    members: summary
                        .outcomes
                        .iter()
                        .map(|outcome| Member::of(plan.algorithm, NAME, outcome))
                        .collect(),
                }),
                Err(error) => {
                    complain(format_args!("error: {error}"));
                    Err(Stopped::Ended(Ending::Broken))
                }
            },
            () = sleep(args.timeout) => {
                let seconds = args.timeout.as_secs_f64();
                complain(format_args!("error: gave up after {seconds} s: {}", state(&views)));
                if args.capacity.is_some() {
                    complain(format_args!(
                        "not every algorithm works with bounded links: see `suffrage algorithms {}`",
                        plan.algorithm.name
                    ));
                }
                Err(Stopped::Ended(Ending::Broken))
            }
            () = interrupted() => {
                complain(format_args!("interrupted: {}", state(&views)));
                Err(Stopped::Ended(Ending::Interrupted))
            }
        }
    });
    runtime.shutdown_background();
    held
}

/// Describes the progress of the nodes.
fn state(views: &[watch::Receiver<View>]) -> String {
    let count = |so: &dyn Fn(&View) -> bool| views.iter().filter(|view| so(&view.borrow())).count();
    format!(
        "of {} nodes {} know the leader, {} have halted, {} were never reached",
        views.len(),
        count(&|view| view.leader.is_some()),
        count(&|view| view.stage >= Stage::Halted),
        count(&|view| view.stage == Stage::Asleep)
    )
}
