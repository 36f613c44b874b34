//! Histories: the number of agents in each state over one run, at regular times.
//!
//! The only format is CSV. A history has as many lines as its reader asks for, at most a few
//! thousand for a plot, and every tool reads CSV; Parquet would add about fifty crates for files of
//! a hundred kilobytes (docs/why/design/populations.md).

use crate::{
    engine::{
        Supervisor, TrialEngine,
        batched::{Ranks, StateCounts},
        direct::{Reference, RunObserver},
    },
    meetings::Pairs,
    protocol::{Belief, NumberedElection, PopulationProtocol},
    random::RandomStream,
    trial::Trial,
};
use std::{
    fmt::Debug,
    io::{self, Write},
};

/// The counts that are recorded of numbered agents.
const COLUMNS: [&str; 4] = ["hold_maximum", "believe_in_self", "told", "declared"];

/// A time, in interactions, and the counts at that time.
type HistoryRow = (u64, Vec<u64>);

/// Counts over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountHistory {
    /// The names of the columns after the first, which is the time.
    pub columns: Vec<String>,
    /// Times, in interactions, and the counts at those times.
    pub rows: Vec<HistoryRow>,
}

impl CountHistory {
    /// Returns the history of an election among numbered agents whose four counts never change.
    #[must_use]
    pub fn of_still_election(counts: [u64; 4]) -> Self {
        Self { columns: COLUMNS.map(String::from).to_vec(), rows: vec![(0, counts.to_vec())] }
    }

    /// Writes the history as CSV: a line of names, then a line for each time.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_csv(&self, to: &mut impl Write) -> io::Result<()> {
        writeln!(to, "interactions,{}", self.columns.join(","))?;
        for (time, counts) in &self.rows {
            let counts: Vec<_> = counts.iter().map(u64::to_string).collect();
            writeln!(to, "{time},{}", counts.join(","))?;
        }
        Ok(())
    }
}

/// Records the history of a run, from its beginning until its goal. After an interruption, or once no
/// count can change any more, the history has the lines so far.
#[derive(Clone)]
pub struct HistoryRecorder<'a> {
    /// The number of interactions between two lines, at least one.
    pub interval: u64,
    /// The random numbers of the run.
    pub stream: RandomStream,
    /// May stop the run.
    pub supervisor: &'a dyn Supervisor,
}

impl HistoryRecorder<'_> {
    /// Records a run of the batched engine; the last line is the moment of the goal. The times are
    /// exact: a batch is cut where a line is due.
    #[must_use]
    pub fn of_counts<S: Clone + Ord + Debug>(self, mut engine: StateCounts<S>) -> CountHistory {
        engine.restart();
        let columns = engine.table().states().iter().map(|state| format!("{state:?}")).collect();
        let first = (0, engine.counts().to_vec());
        let rows = self.rows(first, |due, stream, supervisor| {
            let reached = engine.run(due, stream, supervisor)?;
            Some(((engine.time(), engine.counts().to_vec()), reached || engine.is_still()))
        });
        CountHistory { columns, rows }
    }

    /// Records an election by the batched engine, with the counts that that engine follows: how many
    /// hold the maximum, how many agents of the distinguished identities believe in themselves, the
    /// tally of the eventual leader, and whether it has declared. The last line is the moment from
    /// which on none of these changes.
    #[must_use]
    pub fn of_ranks<E: NumberedElection>(self, mut engine: Ranks<E>) -> CountHistory {
        let columns = [
            "hold_maximum",
            "highest_believe_in_self",
            "leader_conversions",
            "leader_followers_met",
            "leader_declared",
        ];
        let row = |engine: &Ranks<E>| {
            let standing = engine.standing();
            let counts = vec![
                standing.hold_maximum,
                standing.candidates,
                standing.leader.conversions.into(),
                standing.leader.met_followers.into(),
                standing.leader_declared.into(),
            ];
            (engine.time(), counts)
        };
        engine.restart();
        let first = row(&engine);
        let rows = self.rows(first, |due, stream, supervisor| {
            let over = engine.run(due, stream, supervisor)?;
            Some((row(&engine), over))
        });
        CountHistory { columns: columns.map(String::from).to_vec(), rows }
    }

    /// Runs an engine from line to line. `run` runs it until a time, and returns the counts and
    /// whether these are the last.
    fn rows(
        mut self,
        first: HistoryRow,
        mut run: impl FnMut(u64, &mut RandomStream, &dyn Supervisor) -> Option<(HistoryRow, bool)>,
    ) -> Vec<HistoryRow> {
        let (mut rows, mut due) = (vec![first], 0_u64);
        loop {
            due = due.saturating_add(self.interval.max(1));
            let Some((row, last)) = run(due, &mut self.stream, self.supervisor) else {
                return rows;
            };
            if row.0 > 0 {
                rows.push(row);
            }
            if last {
                return rows;
            }
        }
    }

    /// Records an election among the numbered agents of `meetings` until it is `over`, which gets the
    /// four counts: agents that hold the maximum, that believe in themselves, that have been told that
    /// the election is complete, and that have declared it. Keeps every agent, as the protocol defines
    /// it; agent i begins in state `initial(i)`.
    #[must_use]
    pub fn of_election<P, M>(
        mut self,
        protocol: P,
        meetings: M,
        initial: impl Fn(u32) -> P::State,
        over: impl Fn(&[u64; 4]) -> bool,
    ) -> CountHistory
    where
        P: PopulationProtocol<Output = Belief>,
        M: Pairs,
    {
        let interval = self.interval.max(1);
        let (highest, counts, rows) = (meetings.agents() - 1, [0; 4], Vec::new());
        let watch = WatchCounts { interval, due: interval, highest, counts, rows, over };
        let mut engine = Reference::new(protocol, meetings, initial, watch);
        // The lines so far are the history of an interrupted trial, too.
        let _ = engine.trial(&mut self.stream, self.supervisor);
        let columns = COLUMNS.map(String::from).to_vec();
        CountHistory { columns, rows: engine.into_watch().rows }
    }
}

/// Observes the four counts of an election.
struct WatchCounts<F> {
    interval: u64,
    /// The time of the next line.
    due: u64,
    highest: u32,
    counts: [u64; 4],
    rows: Vec<HistoryRow>,
    over: F,
}

impl<F: Fn(&[u64; 4]) -> bool> WatchCounts<F> {
    fn shown(&self, agent: u32, belief: Belief) -> [u64; 4] {
        [belief.leader == self.highest, belief.leader == agent, belief.complete, belief.declared]
            .map(u64::from)
    }
}

impl<F: Fn(&[u64; 4]) -> bool> RunObserver<Belief> for WatchCounts<F> {
    fn start(&mut self, _: u32, outputs: &mut dyn Iterator<Item = Belief>) -> bool {
        for (agent, belief) in (0..).zip(outputs) {
            let shown = self.shown(agent, belief);
            self.counts.iter_mut().zip(shown).for_each(|(count, one)| *count += one);
        }
        self.rows.push((0, self.counts.to_vec()));
        (self.over)(&self.counts)
    }

    fn interaction(
        &mut self,
        time: u64,
        (i, j): (u32, u32),
        before: (Belief, Belief),
        after: (Belief, Belief),
    ) -> bool {
        let both = [(i, before.0, after.0), (j, before.1, after.1)];
        for (agent, before, after) in both.into_iter().take(if i == j { 1 } else { 2 }) {
            let (before, after) = (self.shown(agent, before), self.shown(agent, after));
            for (place, count) in self.counts.iter_mut().enumerate() {
                *count = *count + after[place] - before[place];
            }
        }
        let over = (self.over)(&self.counts);
        if over || time == self.due {
            self.rows.push((time, self.counts.to_vec()));
            self.due = self.due.saturating_add(self.interval);
        }
        over
    }

    fn trial(&self) -> Trial {
        Trial::default()
    }
}

#[cfg(test)]
mod tests;
