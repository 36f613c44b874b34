//! Histories: the number of agents in each state over one run, at regular times.
//!
//! The only format is CSV. A history has as many lines as its reader asks for, at most a few
//! thousand for a plot, and every tool reads CSV; Parquet would add about fifty crates for files of
//! a hundred kilobytes (docs/why/design/populations.md).

use crate::{
    engine::{
        Supervisor,
        batched::{Ranks, StateCounts},
        direct::meet,
    },
    meetings::Pairs,
    protocol::{Belief, NumberedElection, PopulationProtocol},
    random::RandomStream,
};
use std::{
    fmt::Debug,
    io::{self, Write},
};

/// The number of meetings between two calls of the supervisor.
const SLICE: u64 = 1 << 12;

/// The counts that are recorded of numbered agents.
const COLUMNS: [&str; 4] = ["hold_maximum", "believe_in_self", "told", "declared"];

/// Counts over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountHistory {
    /// The names of the columns after the first, which is the time.
    pub columns: Vec<String>,
    /// Times, in interactions, and the counts at those times.
    pub rows: Vec<(u64, Vec<u64>)>,
}

impl CountHistory {
    /// Records a run of the batched engine every `interval` interactions, at least one, from its
    /// beginning until its goal; the last line is the moment of the goal. The times are exact: a
    /// batch is cut where a line is due.
    ///
    /// After an interruption, or once no count can change any more, returns the lines so far.
    pub fn of_counts<S: Clone + Ord + Debug>(
        engine: &mut StateCounts<S>,
        interval: u64,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Self {
        engine.restart();
        let columns = engine.table().states().iter().map(|state| format!("{state:?}")).collect();
        let mut rows = vec![(0, engine.counts().to_vec())];
        let mut due = 0_u64;
        loop {
            due = due.saturating_add(interval.max(1));
            let Some(reached) = engine.run(due, stream, supervisor) else { break };
            if engine.time() > 0 {
                rows.push((engine.time(), engine.counts().to_vec()));
            }
            if reached || engine.is_still() {
                break;
            }
        }
        Self { columns, rows }
    }

    /// Records an election by the batched engine in the same way, with the counts that that engine follows: how many
    /// hold the maximum, how many agents of the distinguished identities believe in themselves, the tally of the
    /// eventual leader, and whether it has declared. The last line is the moment from which on none of these changes.
    pub fn of_ranks<E: NumberedElection>(
        engine: &mut Ranks<E>,
        interval: u64,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Self {
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
        let mut rows = vec![row(engine)];
        let mut due = 0_u64;
        loop {
            due = due.saturating_add(interval.max(1));
            let Some(over) = engine.run(due, stream, supervisor) else { break };
            rows.push(row(engine));
            if over {
                break;
            }
        }
        Self { columns: columns.map(String::from).to_vec(), rows }
    }

    /// Records an election among the numbered agents of `meetings` every `interval` interactions,
    /// at least one, until it is `over`, which gets the four counts: agents that hold the maximum,
    /// that believe in themselves, that have been told that the election is complete, and that have
    /// declared it. Keeps every agent, as the protocol defines it; agent i begins in state
    /// `initial(i)`.
    pub fn of_election<P, M>(
        protocol: &P,
        mut meetings: M,
        initial: impl Fn(u32) -> P::State,
        interval: u64,
        over: impl Fn(&[u64; 4]) -> bool,
        stream: &mut RandomStream,
        supervisor: &dyn Supervisor,
    ) -> Self
    where
        P: PopulationProtocol<Output = Belief>,
        M: Pairs,
    {
        let columns = COLUMNS.map(String::from);
        meetings.start(stream);
        let agents = meetings.agents();
        let mut states: Vec<_> = (0..agents).map(initial).collect();
        let show = |agent: u32, belief: Belief| {
            [belief.leader == agents - 1, belief.leader == agent, belief.complete, belief.declared]
                .map(u64::from)
        };
        let mut counts = [0; 4];
        for (agent, state) in (0..).zip(&states) {
            add(&mut counts, show(agent, protocol.output(state)));
        }
        let mut rows = vec![(0, counts.to_vec())];
        let (mut time, mut due) = (0, 0_u64);
        let mut done = over(&counts);
        while !done {
            if time == due {
                due = due.saturating_add(interval.max(1));
            }
            if supervisor.go_on(time).is_none() {
                break;
            }
            for _ in 0..SLICE.min(due - time) {
                let (i, j) = meetings.next(stream);
                let (before, after) = meet(protocol, &mut states, (i, j));
                subtract(&mut counts, show(i, before.0));
                add(&mut counts, show(i, after.0));
                if i != j {
                    subtract(&mut counts, show(j, before.1));
                    add(&mut counts, show(j, after.1));
                }
                time += 1;
                done = over(&counts);
                if done {
                    break;
                }
            }
            if done || time == due {
                rows.push((time, counts.to_vec()));
            }
        }
        Self { columns: columns.to_vec(), rows }
    }

    /// Returns the history of an election of one agent, which has no meetings.
    #[must_use]
    pub fn of_one_agent() -> Self {
        Self { columns: COLUMNS.map(String::from).to_vec(), rows: vec![(0, vec![1, 1, 0, 0])] }
    }

    /// Returns the history of Algorithm 1, in which every agent knows the leader before the first meeting.
    #[must_use]
    pub fn of_known_bounds(agents: u64) -> Self {
        let columns = COLUMNS.map(String::from).to_vec();
        Self { columns, rows: vec![(0, vec![agents, 1, agents, 0])] }
    }

    /// Writes the history as CSV: a line of names, then a line for each time.
    ///
    /// # Errors
    /// If writing fails.
    pub fn write_csv(&self, to: &mut impl Write) -> io::Result<()> {
        write!(to, "interactions")?;
        for column in &self.columns {
            write!(to, ",{column}")?;
        }
        writeln!(to)?;
        for (time, counts) in &self.rows {
            write!(to, "{time}")?;
            for count in counts {
                write!(to, ",{count}")?;
            }
            writeln!(to)?;
        }
        Ok(())
    }
}

fn add(counts: &mut [u64; 4], what: [u64; 4]) {
    counts.iter_mut().zip(what).for_each(|(count, what)| *count += what);
}

fn subtract(counts: &mut [u64; 4], what: [u64; 4]) {
    counts.iter_mut().zip(what).for_each(|(count, what)| *count -= what);
}

#[cfg(test)]
mod tests;
