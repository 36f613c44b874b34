//! For how long an office was vacant, and whether its leaders kept it, on a machine that may have other work.

use super::{
    MILLI, Promises, RunHistory,
    events::{InjectedFault, RunEvents, TenureEvent, Waits, disagrees},
};
use std::{collections::BTreeMap, ops::Range};

/// A lease, for which a leader is not deposed while members wait for processors.
const LEASE: u64 = 250 * MILLI;
/// For how long a member may owe its vote to the leader before: a leader that is older keeps its office.
const OWED: u64 = 300 * MILLI;
/// For how long before its successor's command started a leader has lost the office at most.
const RECENT: u64 = 1_000 * MILLI;
/// For how long members must have waited for processors if a leader loses its office where there is no fault, or a
/// member does not say who leads: a lease is renewed each 50 ms, and scripts have a margin of 100 ms.
const LATE: u64 = 100 * MILLI;

/// What befalls hosts while no fault of a script has effect.
const NO_FAULT: &str = "without a fault";

impl RunHistory {
    /// From the last sign of any command to the next start, or to the end of the run. Where clocks break their
    /// bound, that need not be the command that started last: an older leader may go on, and a newer one end.
    pub(super) fn check_vacancies(&mut self, events: &RunEvents, promises: Promises) {
        let mut signs: Vec<(u64, u64)> = events.signs().collect();
        signs.sort_unstable();
        let mut last = None;
        // A command that is started again in its term ends no vacancy.
        let starts =
            events.starts.iter().filter(|start| last.replace(start.term) != Some(start.term));
        let starts = starts.map(|start| (start.at, Some(start)));
        for (at, start) in starts.chain(events.end.map(|at| (at, None))) {
            let signs = &signs[..signs.partition_point(|&(sign, _)| sign < at)];
            let Some(&(ended, term)) = signs.last() else { continue };
            let vacant = at - ended;
            self.vacancies.extend(start.map(|_| vacant));
            if promises.clocks_beyond {
                continue;
            }
            let known = events.ends.binary_search(&(ended, term)).is_ok();
            let mut adds = if known { 0 } else { interval(signs, term) };
            adds += events.adds(ended, at);
            let common = |it: &Range<u64>| it.end.min(at).saturating_sub(it.start.max(ended));
            adds += events.unsettled.iter().map(common).sum::<u64>();
            let promised = promises.longest.saturating_add(adds / MILLI);
            let waited = start.and_then(|start| events.waited.get(&start.term)).copied();
            let waits = waited.unwrap_or(0) + events.waited_between(ended, at);
            let bound = promised.saturating_add(waits / MILLI);
            self.bounds.push(bound);
            let vacant = vacant / MILLI;
            self.prolonged += usize::from(vacant > promised);
            if vacant > bound {
                let what =
                    start.map_or("at the end of the run".to_owned(), |it| format!("before {it}"));
                let why = format!("vacant for {vacant} ms {what}, where {bound} ms are allowed");
                self.broken.push(why);
            }
        }
    }

    /// A leader keeps its office through a fault that it survives, and while there is none, once no member owes its
    /// vote to the one before.
    pub(super) fn check_kept(&mut self, events: &RunEvents, promises: Promises) {
        let mut last: BTreeMap<u64, u64> = BTreeMap::new();
        for (at, term) in events.signs() {
            let latest = last.entry(term).or_default();
            *latest = at.max(*latest);
        }
        let calm = events.calm();
        let takes_back = |term| {
            let first = events.logs.first().filter(|_| promises.takes_back);
            first.is_some_and(|log| log.iter().any(|won| won.term == term))
        };
        for fault in events.faults.iter().chain(&calm) {
            let Some(needed) = fault.survives else { continue };
            let (mut held, mut lost) = (false, false);
            for (index, leader) in events.starts.iter().enumerate() {
                let settled = leader.at + OWED;
                let next = events.starts.get(index + 1);
                let over = leader.at < fault.from && settled > fault.from;
                if over || next.is_some_and(|next| next.at < fault.from) || settled > fault.to {
                    continue;
                }
                if last.get(&leader.term).is_none_or(|&last| last < fault.from.max(settled)) {
                    continue;
                }
                held = true;
                let moves = |next: &&TenureEvent| {
                    next.at <= fault.to
                        && next.term != leader.term
                        && !(fault.what == NO_FAULT && takes_back(next.term))
                };
                let Some(next) = next.filter(moves) else { continue };
                lost = true;
                let waited = events.busiest(next.at);
                if waited >= needed {
                    self.starved += 1;
                    continue;
                }
                self.broken.push(format!(
                    "a leader was deposed that a majority hears: {leader} by {next}, {}; members waited for \
                     processors for {} us at most within a lease",
                    fault.what,
                    waited / 1000
                ));
            }
            self.survived += usize::from(held && !lost && fault.what != NO_FAULT);
        }
    }

    /// When all should be well, members say who leads, unless they waited for processors shortly before or after.
    pub(super) fn check_views(&mut self, events: &RunEvents) {
        for (member, told) in &events.views {
            let begun = events.starts.partition_point(|start| start.at < told.at);
            let Some(right) = events.starts[..begun].last() else { continue };
            let why = disagrees(member, (&told.member, told.term), (&right.member, right.term));
            let waited = [told.at, told.at + RECENT].map(|at| events.busiest(at));
            match why {
                Some(_) if waited.iter().any(|&waited| waited >= LATE) => self.starved += 1,
                why => self.broken.extend(why),
            }
        }
    }
}

/// Returns ranges in order and apart: those that overlap, or follow at once, as one.
#[must_use]
pub fn apart(mut all: Vec<Range<u64>>) -> Vec<Range<u64>> {
    all.sort_by_key(|times| times.start);
    all.dedup_by(|later, earlier| {
        let joined = later.start <= earlier.end;
        if joined {
            earlier.end = earlier.end.max(later.end);
        }
        joined
    });
    all
}

/// Returns the longest time between two of the last signs of a command: so much later than its last one it
/// may have ended.
fn interval(signs: &[(u64, u64)], term: u64) -> u64 {
    let mut own = signs.iter().rev().filter(|sign| sign.1 == term).take(20).map(|sign| sign.0);
    let Some(mut later) = own.next() else { return 0 };
    let intervals = own.map(|sign| std::mem::replace(&mut later, sign) - sign);
    intervals.max().unwrap_or(0)
}

impl RunEvents {
    /// Instants at which commands were alive, with their terms.
    fn signs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let events = self.holds.iter().chain(&self.starts);
        events.map(|event| (event.at, event.term)).chain(self.ends.iter().copied())
    }

    /// Returns the times between, and after, those: a leader keeps its office.
    fn calm(&self) -> Vec<InjectedFault> {
        let ends = self.unsettled.iter().skip(1).map(|times| times.start).chain([u64::MAX]);
        let calm = self.unsettled.iter().zip(ends).map(|(times, to)| InjectedFault {
            from: times.end,
            to,
            adds: 0,
            survives: Some(LATE),
            what: NO_FAULT.to_owned(),
        });
        calm.collect()
    }

    fn adds(&self, from: u64, to: u64) -> u64 {
        let faults = self.faults.iter().filter(|fault| fault.from < to && fault.to > from);
        faults.map(|fault| fault.adds).sum()
    }

    fn waited_between(&self, from: u64, to: u64) -> u64 {
        let waits = self.waits.iter().filter(|waits| waits.from < to && waits.to > from);
        // No longer than the time that has passed.
        waits.map(|it| (it.processors + it.disks).min(it.to.saturating_sub(it.from))).sum()
    }

    /// Returns for how long members waited for processors in that lease, of those shortly before an instant, in
    /// which it was longest.
    fn busiest(&self, at: u64) -> u64 {
        let recent = |waits: &&Waits| waits.from < at && waits.to + RECENT > at;
        let recent: Vec<_> = self.waits.iter().filter(recent).collect();
        let of_a_lease = (0..recent.len()).map(|first| {
            let until = recent[first].from + LEASE;
            let lease = recent[first..].iter().take_while(|waits| waits.from < until);
            lease.map(|waits| waits.processors).sum()
        });
        of_a_lease.max().unwrap_or(0)
    }
}
