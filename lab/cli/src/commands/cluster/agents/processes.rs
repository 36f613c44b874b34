//! Runs each agent as a process of its own.

use super::super::ClusterRun;
use super::super::files;
use super::super::processes::{Agreed, configure, start};
use super::{AgentsEnd, AgentsOutcome, Ground};
use crate::agents::numbers;
use crate::commands::node::interrupted;
use crate::error::{Error, complain};
use crate::report::AgentMember;
use std::process::Output;
use std::time::Duration;
use suffrage::population::agents::{MeetingRecord, RecordEntry};
use tempfile::TempDir;
use tokio::process::Child;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How an agent ended.
enum AgentEnd {
    Reported(Box<AgentMember>),
    /// It was killed.
    Died,
    /// It has ended by itself, without a report, for this reason.
    Failed(String),
}

pub(super) fn hold(args: &ClusterRun<'_>, ground: &Ground) -> Result<AgentsOutcome, Error> {
    let failed = |error: std::io::Error| Error::of("cannot start the processes", error);
    args.timeouts()?;
    let nodes = ground.ids.len() as u64;
    files::allow(3 * nodes + 64, 4 * nodes + 64, "")?;
    let folder = TempDir::new().map_err(failed)?;
    let site = Agreed {
        algorithm: ground.agents.name(),
        topology: &ground.topology,
        wiring: &ground.wiring,
        ids: &ground.ids,
        initiating: ground.initiating.clone(),
    };
    configure(args, &site, folder.path()).map_err(failed)?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let mut waiting = JoinSet::new();
        for node in 0..ground.ids.len() as u32 {
            let child = start(args, folder.path(), node, true).map_err(failed)?;
            let after = ground.crashes.iter().find(|&&(it, _)| it == node).map(|&(_, after)| after);
            waiting.spawn(async move { (node, wait(child, after).await) });
        }
        gather(args, ground, waiting).await
    })
}

/// Waits for a process to end, and kills it after this time, if there is one.
async fn wait(child: Child, kill_after: Option<Duration>) -> std::io::Result<Output> {
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

async fn gather(
    args: &ClusterRun<'_>,
    ground: &Ground,
    mut waiting: JoinSet<(u32, std::io::Result<Output>)>,
) -> Result<AgentsOutcome, Error> {
    let mut members = Vec::new();
    let (mut died, mut failed) = (false, false);
    let all = async {
        while let Some(ended) = waiting.join_next().await {
            let (node, output) = ended.map_err(|error| Error::of("a node", error))?;
            let id = ground.ids[node as usize];
            match understood(&output.map_err(|error| Error::of("a node", error))?) {
                AgentEnd::Reported(member) => members.push(*member),
                AgentEnd::Died => {
                    complain(format_args!("node {id} has died"));
                    died = true;
                }
                AgentEnd::Failed(why) => {
                    complain(format_args!("error: the process of node {id} has ended: {why}"));
                    failed = true;
                    break;
                }
            }
        }
        Ok(())
    };
    tokio::select! {
        result = all => result?,
        // The processes have the same timeout; this is for those that do not end by it.
        () = sleep(args.asked.timeout().mul_f64(1.5)) => {}
        () = interrupted() => {
            return Ok(AgentsOutcome {
                record: MeetingRecord::new(numbers(&ground.ids)),
                violations: Vec::new(),
                began: 0.0,
                end: AgentsEnd::Interrupted,
            });
        }
    }
    let entries: Vec<RecordEntry> =
        members.iter().flat_map(|member| member.entries.clone()).collect();
    let mut record = MeetingRecord::of(numbers(&ground.ids), entries);
    for node in (0..ground.ids.len() as u32)
        .filter(|node| members.iter().all(|member| member.node != *node))
    {
        // What it had seen is lost, so it counts as if it had never been.
        record.died(f64::NEG_INFINITY, node);
    }
    let reported = members.len() == ground.ids.len();
    let end = match () {
        () if failed => AgentsEnd::Failed,
        () if reported && members.iter().all(|member| member.all_halted) => AgentsEnd::Halted,
        () if died && members.iter().all(|member| member.leader.is_some()) => AgentsEnd::Settled,
        () => AgentsEnd::GaveUp,
    };
    Ok(AgentsOutcome {
        record,
        violations: members.iter().flat_map(|member| member.violations.clone()).collect(),
        began: members.iter().map(|member| member.started).fold(f64::INFINITY, f64::min),
        end,
    })
}

/// Reads what a process has printed.
fn understood(output: &Output) -> AgentEnd {
    if output.status.code().is_none() {
        return AgentEnd::Died;
    }
    match serde_json::from_slice(&output.stdout) {
        Ok(member) => AgentEnd::Reported(Box::new(member)),
        Err(error) => {
            let said = String::from_utf8_lossy(&output.stderr);
            AgentEnd::Failed(match said.trim_end() {
                "" => error.to_string(),
                said => said.to_owned(),
            })
        }
    }
}
