//! `suffrage node` with an agent that meets others by messages.

use super::Args;
use crate::error::{CommandEnding, Error};
use crate::output::print;
use crate::report::{ReportFormat, json, text};
use crate::terminal::fitted;
use suffrage::experiment::real::agents::{AgentMember, Agents, Recorder};
use suffrage::experiment::real::within_runtime;
use suffrage::model::Id;
use suffrage::population::agents::AgentSnapshot;
use suffrage::runtime::{ConfigError, NodeConfig, NodeOutcome};
use suffrage_shell::StandardErrorLog;
use tokio::runtime::Builder;

/// Takes part, and reports also what an agent that gave up has seen.
pub(super) fn run(
    args: &Args,
    agents: Agents,
    config: &NodeConfig,
    place: impl Fn(ConfigError) -> Error,
    log: &StandardErrorLog,
) -> Result<CommandEnding, Error> {
    let seat = agents.place(config).map_err(&place)?;
    let ids = seat.membership.ids().to_vec();
    agents.check(&ids, config.capacity)?;
    if ids.len() < 2 {
        return Err(Error::new(format!("{}: agents meet in pairs: name others", agents.name())));
    }
    if agents == Agents::KnownBounds && !config.initiator {
        return Err(Error::new(
            "initiator = false: agents of known-bounds send nothing, so this one would sleep \
             forever",
        ));
    }
    let recorder = Recorder::new(&ids);
    let (ended, started) = within_runtime(Builder::new_multi_thread().worker_threads(2), async {
        let mut node = agents.bind(config, &recorder).await.map_err(&place)?;
        let started = recorder.with(|_, now| now);
        Ok((args.take_part(&mut node, log).await, started))
    })?;
    let id = ids[seat.node as usize];
    let member = member(agents, config, &recorder, (seat.node, id), started, ended.as_ref().ok());
    let decided = member.leader.is_some();
    print(&match args.format {
        ReportFormat::Text => fitted(&text::agents::member(&member)),
        ReportFormat::Json => json(&member)?,
    })?;
    Ok(match ended {
        Ok(_) if !member.violations.is_empty() => CommandEnding::Broken,
        Ok(_) if member.all_halted => CommandEnding::Fine,
        Ok(_) => CommandEnding::Doubtful,
        Err(CommandEnding::Broken) if decided => CommandEnding::Doubtful,
        Err(ending) => ending,
    })
}

fn member(
    agents: Agents,
    config: &NodeConfig,
    recorder: &Recorder,
    (node, id): (u32, Id),
    started: f64,
    outcome: Option<&NodeOutcome>,
) -> AgentMember {
    let entries = recorder.with(|record, _| record.entries().to_vec());
    let aid = id.get() as u32;
    let knew = entries.iter().find(|entry| entry.shows.belief.complete);
    let decided = entries.iter().find(|entry| entry.shows.has_decided(aid));
    let last = entries.last().map(|entry| entry.shows);
    let has_decided = last.is_some_and(|shows| shows.has_decided(aid));
    let count = |of: fn(&AgentSnapshot) -> u32| last.as_ref().map_or(0, of);
    AgentMember {
        cluster: config.cluster.clone(),
        algorithm: agents.name().to_owned(),
        node,
        id: id.get(),
        leader: last.filter(|_| has_decided).map(|shows| shows.belief.leader.into()),
        holds: last.map_or(aid, |shows| shows.belief.leader),
        leads: has_decided && last.is_some_and(|shows| shows.belief.is_leader),
        declared: last.is_some_and(|shows| shows.belief.declared),
        knew_at: knew.map(|entry| entry.shows.meetings()),
        initiated: count(|shows| shows.initiated),
        answered: count(|shows| shows.answered),
        refused: count(|shows| shows.refused),
        halted: last.is_some_and(|shows| shows.halted),
        all_halted: outcome.is_some_and(|outcome| outcome.all_halted),
        started,
        time: decided.map(|entry| entry.at - started),
        violations: outcome.map(|outcome| outcome.violations.clone()).unwrap_or_default(),
        entries: if config.steps { entries } else { Vec::new() },
    }
}
