//! The stages of a race, as processes reach them.

use std::collections::BTreeMap;
use suffrage_algorithms::{Race, Standing};
use suffrage_model::Process;

/// A round or a level, and the processes that reached it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompetitionRound {
    /// The number of the stage.
    pub number: u64,
    /// The number of processes that reached it.
    pub reached: u64,
    /// The greatest number that may reach it, according to the algorithm's [`Race`].
    pub limit: u64,
    /// The tick at which the first process reached it.
    pub first: u64,
    /// The tick at which the last process reached it.
    pub last: u64,
    /// The number of processes that competed when the first had reached it.
    pub competing: u64,
    /// The number of processes in their territories then; `None` if there are no territories.
    pub territory: Option<u64>,
}

/// All stages of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompetitionRounds {
    /// The name of a stage: "round" or "level".
    pub name: &'static str,
    /// The greatest number of processes that reach a stage, as a formula.
    pub formula: &'static str,
    /// The stages, in order.
    pub stages: Vec<CompetitionRound>,
}

/// A recorder of the standing of processes after each of their reactions.
pub(crate) struct CompetitionRecorder<P: Process> {
    race: Race<P>,
    ladder: Ladder,
}

/// The standing of all processes. It knows nothing of an algorithm, and is compiled once.
struct Ladder {
    /// The stage and the standing of each process.
    known: Vec<Option<(u64, Standing)>>,
    stages: BTreeMap<u64, CompetitionRound>,
    competing: u64,
    territory: Option<u64>,
}

impl<P: Process> CompetitionRecorder<P> {
    pub(crate) fn new(race: Race<P>, nodes: u32) -> Self {
        let known = vec![None; nodes as usize];
        let ladder = Ladder { known, stages: BTreeMap::new(), competing: 0, territory: None };
        Self { race, ladder }
    }

    /// Updates the standing of a process that has reacted.
    pub(crate) fn look(&mut self, node: u32, process: &P, now: u64) {
        self.ladder.look(node, (self.race.standing)(process), self.race.first, now);
    }

    pub(crate) fn into_stages(self) -> CompetitionRounds {
        let Race { stage, formula, limit, .. } = self.race;
        CompetitionRounds { name: stage, formula, stages: self.ladder.into_stages(limit) }
    }
}

impl Ladder {
    fn look(&mut self, node: u32, standing: Option<Standing>, first: u64, now: u64) {
        let known = &mut self.known[node as usize];
        let before = *known;
        if before.map(|(_, standing)| standing) == standing {
            return;
        }
        let after = standing.map(|standing| match (standing, before) {
            (Standing::Level(level), _) => (level, standing),
            (Standing::StandsFor(_), Some((round, _))) => (round + 1, standing),
            (Standing::StandsFor(_), None) => (first, standing),
        });
        *known = after;
        let territory = |of: Option<(u64, Standing)>| of.and_then(|(_, of)| of.territory());
        if let (Some(all), Some(lost)) = (&mut self.territory, territory(before)) {
            *all -= lost;
        }
        if let Some(gained) = territory(after) {
            self.territory = Some(self.territory.unwrap_or(0) + gained);
        }
        self.competing += u64::from(after.is_some());
        self.competing -= u64::from(before.is_some());
        let Some((number, _)) = after else { return };
        let (competing, territory) = (self.competing, self.territory);
        let stage = self.stages.entry(number).or_insert_with(|| CompetitionRound {
            number,
            reached: 0,
            limit: 0,
            first: now,
            last: now,
            competing,
            territory,
        });
        (stage.reached, stage.last) = (stage.reached + 1, now);
    }

    fn into_stages(self, limit: fn(u64, u64, u64) -> u64) -> Vec<CompetitionRound> {
        let nodes = self.known.len() as u64;
        let mut stages: Vec<CompetitionRound> = self.stages.into_values().collect();
        let mut before = stages.first().map_or(0, |stage| stage.reached);
        for stage in &mut stages {
            stage.limit = limit(nodes, stage.number, before);
            before = stage.reached;
        }
        stages
    }
}
