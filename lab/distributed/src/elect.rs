//! The election itself: workers that run blocks of processes, a tick at a time.

use crate::{
    Checkpoint, CheckpointError, Checkpoints, Team, TeamSubject,
    job::{ElectionEnd, Job},
};
use std::{
    collections::BTreeMap,
    io,
    ops::ControlFlow,
    sync::{Mutex, PoisonError},
};
use suffrage_simulator::{
    Impossible, Outcome,
    blocks::{BlockLayout, Election, Indivisible},
};

/// Runs an election with a team, by an algorithm of the catalogue or a
/// [`Custom`](suffrage_algorithms::Custom) one.
///
/// Returns the outcome in the program of the first worker, and `None` in the others. A
/// [`Simulator`](suffrage_simulator::Simulator) has the same outcome.
///
/// Calls `on_progress` after every tick with the number of delivered messages. The election stops when
/// it returns [`ControlFlow::Break`] in one of the programs.
///
/// If another program of the team ends before, the team's `OnLoss` ends this one.
///
/// # Errors
/// If the election is not possible or cannot be divided, or its processes set alarms and do not run in
/// rounds.
///
/// # Panics
/// If the algorithm has more than 16 kinds of messages.
pub fn elect<S: TeamSubject + ?Sized>(
    algorithm: &S,
    election: &Election<'_>,
    team: Team,
    on_progress: &mut OnProgress<'_>,
) -> Result<Option<Outcome>, ElectError> {
    let ended = elect_stored(algorithm, election, team, &Storage::default(), on_progress)?;
    Ok(ended.map(|ended| ended.outcome))
}

/// An election that has come to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// The outcome.
    pub outcome: Outcome,
    /// The names of its leader and of its busiest node, and maybe of others, where their network has been
    /// [read](crate::read) in parts.
    pub names: BTreeMap<u64, String>,
}

/// Where an election is stored, and from where it is resumed.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// Where and how often the election is stored; nowhere if `None`.
    pub save: Option<Checkpoints>,
    /// The checkpoint from which to resume the election; `None` starts at its beginning.
    pub resume: Option<Checkpoint>,
}

/// Runs an election with a team, as [`elect`] does, and stores it from time to time, or resumes it from
/// a checkpoint. The outcome is the same as without an interruption.
///
/// # Errors
/// The errors of [`elect`], and if a checkpoint cannot be written or read.
///
/// # Panics
/// If the algorithm has more than 16 kinds of messages.
pub fn elect_stored<S: TeamSubject + ?Sized>(
    algorithm: &S,
    election: &Election<'_>,
    team: Team,
    storage: &Storage,
    on_progress: &mut OnProgress<'_>,
) -> Result<Option<Ended>, ElectError> {
    let layout = check(algorithm, election, team.workers())?;
    if let Some(save) = &storage.save {
        save.prepare()?;
    }
    let engine = algorithm.engine();
    // One of the workers tells it.
    let on_progress = Mutex::new(Some(on_progress));
    let ends = team.run(|post| {
        let on_progress = on_progress.lock().unwrap_or_else(PoisonError::into_inner).take();
        let part = |number| (engine.part)(election, layout, number);
        Job::new(post, election, layout, storage).run(part, on_progress)
    })?;
    let ends = ends.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(ends.into_iter().flatten().next().map(|ElectionEnd { clock, shares, names }| {
        let outcome = (engine.conclude)(election, algorithm.claims(), clock, shares);
        Ended { outcome, names }
    }))
}

/// Checks whether this many workers can run an election, before they have met. Returns which worker has
/// which processes.
///
/// Takes the time of [`Election::check`].
///
/// # Errors
/// The errors of [`elect`], except errors of connections.
///
/// # Panics
/// If there are no workers.
pub fn check<S: TeamSubject + ?Sized>(
    algorithm: &S,
    election: &Election<'_>,
    workers: u32,
) -> Result<BlockLayout, ElectError> {
    let layout = BlockLayout::new(election, workers)?;
    let (network, timing) = algorithm.needs();
    election.check(network, timing)?;
    let nodes = election.network.nodes();
    if nodes > u32::MAX.into() && algorithm.knows_size() {
        return Err(ElectError::Knows { nodes });
    }
    Ok(layout)
}

/// An error: an election could not be held by a team.
#[derive(Debug, thiserror::Error)]
pub enum ElectError {
    /// The experiment is not possible.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// The election is one for a single worker.
    #[error(transparent)]
    Indivisible(#[from] Indivisible),
    /// The processes set alarms, and do not run in rounds.
    #[error("its processes set alarms, which only algorithms in rounds can that workers divide")]
    Alarms,
    /// The processes know numbers that have 32 bits, and there are more processes.
    #[error(
        "its processes know the size of the network or their position, as numbers of 32 bits, and \
         there are {nodes} of them"
    )]
    Knows {
        /// The number of processes.
        nodes: u64,
    },
    /// A checkpoint cannot be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The connections to the other programs cannot be used.
    #[error("the connections between the hosts cannot be used: {0}")]
    Connections(#[from] io::Error),
}

/// A callback that gets the number of delivered messages, and may stop the election.
pub type OnProgress<'a> = dyn FnMut(u64) -> ControlFlow<()> + Send + 'a;
