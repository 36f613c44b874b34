//! The rounds or levels of an election.

use serde::Serialize;

/// The rounds or levels of an election.
#[derive(Clone, Debug, Serialize)]
pub struct StageTable {
    /// The word for one: `round` or `level`.
    pub stage: &'static str,
    /// The most processes that reach one.
    pub limit: &'static str,
    /// The rounds or levels.
    pub stages: Vec<StageRow>,
}

/// One round or level.
#[derive(Clone, Debug, Serialize)]
pub struct StageRow {
    /// Its number.
    pub number: u64,
    /// How many processes reached it.
    pub reached: u64,
    /// How many may.
    pub limit: u64,
    /// The ticks at which the first and the last of them reached it.
    pub first: u64,
    /// The tick at which the last of them reached it.
    pub last: u64,
    /// How many processes competed when the first had reached it.
    pub competing: u64,
    /// How many nodes were in their territories then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub territory: Option<u64>,
}

impl From<suffrage_simulator::CompetitionRounds> for StageTable {
    fn from(stages: suffrage_simulator::CompetitionRounds) -> Self {
        let row = |stage: suffrage_simulator::CompetitionRound| {
            let suffrage_simulator::CompetitionRound {
                number,
                reached,
                limit,
                first,
                last,
                competing,
                territory,
            } = stage;
            StageRow { number, reached, limit, first, last, competing, territory }
        };
        Self {
            stage: stages.name,
            limit: stages.formula,
            stages: stages.stages.into_iter().map(row).collect(),
        }
    }
}
