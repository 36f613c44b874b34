//! Runs all agents inside this program.

use super::super::ClusterRun;
use super::super::inside::{NAME, cluster, room};
use super::{AgentsEnd, AgentsOutcome, Ground};
use crate::agents::{Agents, Recorder};
use crate::commands::node::{interrupted, within_runtime};
use crate::error::{Error, complain};
use crate::progress::Terminal;
use std::sync::Arc;
use std::time::Duration;
use suffrage::algorithms::Violation;
use suffrage::experiment::{ExperimentProgress, Monitor};
use suffrage::runtime::{Membership, Node};
use tokio::runtime::Builder;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, interval, sleep_until};

/// How often the record is looked at.
const LOOK: Duration = Duration::from_millis(20);

pub(super) fn hold(args: &ClusterRun<'_>, ground: &Ground) -> Result<AgentsOutcome, Error> {
    room(args, ground.ids.len() as u64, ground.wiring.links(), ground.wiring.links())?;
    let membership = Membership::new(NAME, ground.wiring.clone(), ground.ids.clone())
        .map_err(|error| Error::new(error.to_string()))?;
    let cluster = cluster(args, Arc::new(membership), ground.initiating.clone())?;
    within_runtime(&mut Builder::new_multi_thread(), async {
        let recorder = Recorder::new(&ground.ids);
        let assembly = ground.agents.assemble(&cluster, &recorder).await;
        let assembly = assembly.map_err(|error| Error::new(error.to_string()))?;
        Ok(watch(args, ground, &recorder, assembly.into_nodes()).await)
    })
}

/// Runs the nodes until their election is over.
async fn watch(
    args: &ClusterRun<'_>,
    ground: &Ground,
    recorder: &Recorder,
    nodes: Vec<Node>,
) -> AgentsOutcome {
    let mut tasks = JoinSet::new();
    let handles: Vec<AbortHandle> =
        nodes.into_iter().map(|mut node| tasks.spawn(async move { node.elect().await })).collect();
    let began = recorder.with(|_, now| now);
    let start = Instant::now();
    let mut violations: Vec<Violation> = Vec::new();
    let mut crashes = ground.crashes.iter().peekable();
    let mut look = interval(LOOK);
    let terminal = Terminal::default();
    let (what, of) = ("agents have decided", Some(ground.ids.len() as u64));
    let end = loop {
        let crash = crashes.peek().map(|&&(_, after)| start + after);
        tokio::select! {
            ended = tasks.join_next() => match ended {
                None => break AgentsEnd::Halted,
                Some(Ok(Ok(outcome))) => violations.extend(outcome.violations),
                Some(Ok(Err(error))) => {
                    complain(format_args!("error: {error}"));
                    break AgentsEnd::Failed;
                }
                // It has died.
                Some(Err(_)) => {}
            },
            () = sleep_until(crash.unwrap_or(start)), if crash.is_some() => {
                if let Some(&(node, _)) = crashes.next() {
                    // Dropping a node closes its connections, as a crash does.
                    handles[node as usize].abort();
                    recorder.with(|record, now| record.died(now, node));
                }
            }
            _ = look.tick() => {
                let done = recorder.with(|record, _| record.decided().1).into();
                terminal.progress(ExperimentProgress::Done { what, done, of });
                let any_died = !ground.crashes.is_empty() && crashes.peek().is_none();
                if is_settled(ground, recorder, any_died) {
                    break AgentsEnd::Settled;
                }
            }
            () = sleep_until(start + args.asked.timeout()) => break AgentsEnd::GaveUp,
            () = interrupted() => break AgentsEnd::Interrupted,
        }
    };
    terminal.progress(ExperimentProgress::Ended);
    let record = recorder.with(|record, _| record.clone());
    let end = if record.findings().died.is_empty() || end != AgentsEnd::Halted {
        end
    } else {
        AgentsEnd::Settled
    };
    AgentsOutcome { record, violations, began, end }
}

fn is_settled(ground: &Ground, recorder: &Recorder, any_died: bool) -> bool {
    recorder.with(|record, _| match ground.agents {
        Agents::Epidemic => record.agrees() && (any_died || ground.crashes.is_empty()),
        Agents::KnownBounds | Agents::SelfTerminating => {
            let (alive, decided) = record.decided();
            any_died && alive == decided
        }
    })
}
