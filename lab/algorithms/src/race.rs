//! Races: the competition of processes, round by round or level by level.

use suffrage_model::{Id, Process};

/// How the processes of an algorithm compete: in stages; fewer processes reach each stage than the
/// previous one.
///
/// It belongs to the claims, and defines how to read a process's state; an engine that examines all
/// processes makes a table of it.
#[derive(Debug)]
pub struct Race<P: Process> {
    /// The name of a stage: "round" or "level".
    pub stage: &'static str,
    /// The number of the first stage.
    pub first: u64,
    /// The greatest number of processes that reach a stage, as a formula: `n` processes, stage `l`,
    /// and `a` processes that reached the stage before.
    pub formula: &'static str,
    /// The value of the formula, for `n`, `l` and `a`. At the first stage `a` is the number of
    /// processes that reached it.
    pub limit: fn(nodes: u64, stage: u64, before: u64) -> u64,
    /// Returns the standing of a process; `None` if it does not compete, or no longer does.
    pub standing: fn(&P) -> Option<Standing>,
}

/// The standing of a process that competes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// It is at this level, and has captured this number of others.
    Level(u64),
    /// It stands for this identity in its round. When it stands for another one, it is in the next
    /// round.
    StandsFor(Id),
}

impl Standing {
    /// Returns the number of processes in its territory, itself included; `None` if there are no
    /// territories.
    #[must_use]
    pub const fn territory(self) -> Option<u64> {
        match self {
            Self::Level(level) => Some(level + 1),
            Self::StandsFor(_) => None,
        }
    }
}

impl<P: Process> Race<P> {
    /// Returns the same race of a process that wraps one.
    #[must_use]
    pub fn lift<W: Process>(&self, standing: fn(&W) -> Option<Standing>) -> Race<W> {
        let Self { stage, first, formula, limit, .. } = *self;
        Race { stage, first, formula, limit, standing }
    }
}

impl<P: Process> Clone for Race<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Process> Copy for Race<P> {}
