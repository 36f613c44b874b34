//! For how long an office was vacant, and whether its leaders kept it, on a machine that may have other work.

use super::{
    Promises, RunHistory,
    events::{Events, Waits},
};

/// A lease, for which a leader is not deposed while members wait for processors, in microseconds.
const LEASE: u64 = 250_000;
/// For how long a member may owe its vote to the leader before: a leader that is older keeps its office.
const OWED: u64 = 300_000;
/// For how long before its successor's command started a leader has lost the office at most.
const RECENT: u64 = 1_000_000;

impl RunHistory {
    /// From the last sign of any command to the next start, or to the end of the run. Where clocks break their
    /// bound, that need not be the command that started last: an older leader may go on, and a newer one end.
    pub(super) fn check_vacancies(&mut self, events: &Events, promises: Promises) {
        let mut signs: Vec<(u64, u64)> = events.signs().collect();
        signs.sort_unstable();
        let nexts = events.starts.iter().skip(1).map(|start| {
            let waited = events.waited.get(&start.term).copied().unwrap_or(0);
            (start.at, waited, format!("before {start}"))
        });
        let end = events.end.map(|at| (at, 0, "at the end of the run".to_owned()));
        if end.is_none() {
            self.broken.push("the driver has not come to the end of the run".to_owned());
        }
        for (at, waited, what) in nexts.chain(end) {
            let signs = &signs[..signs.partition_point(|&(sign, _)| sign < at)];
            let Some(&(ended, term)) = signs.last() else { continue };
            let vacant = (at - ended) / 1000;
            if Some(at) != events.end {
                self.vacancies.push(vacant);
            }
            if promises.clocks {
                let adds = interval(signs, term) + events.adds(ended, at);
                let promised = promises.longest.saturating_add(adds / 1000);
                let waits = waited + events.waited_between(ended, at);
                let bound = promised.saturating_add(waits / 1000);
                self.bounds.push(bound);
                self.prolonged += usize::from(vacant > promised);
                if vacant > bound {
                    let why =
                        format!("vacant for {vacant} ms {what}, where {bound} ms are allowed");
                    self.broken.push(why);
                }
            }
        }
    }

    /// A leader keeps its office through a fault that it survives, once no member owes its vote to the one
    /// before.
    pub(super) fn check_kept(&mut self, events: &Events) {
        for fault in &events.faults {
            let Some(needed) = fault.survives else { continue };
            let (mut held, mut lost) = (false, false);
            for (index, leader) in events.starts.iter().enumerate() {
                let settled = leader.at + OWED;
                let next = events.starts.get(index + 1);
                let over = leader.at < fault.from && settled > fault.from;
                if over || next.is_some_and(|next| next.at < fault.from) || settled > fault.to {
                    continue;
                }
                let signs = events.signs().filter(|&(_, term)| term == leader.term);
                let last = signs.map(|(at, _)| at).max().unwrap_or(leader.at);
                if last < fault.from.max(settled) {
                    continue;
                }
                held = true;
                let Some(next) = next.filter(|next| next.at <= fault.to) else { continue };
                lost = true;
                let waited = events.busiest(next.at);
                if waited >= needed {
                    self.starved += 1;
                    continue;
                }
                self.broken.push(format!(
                    "a leader was deposed that a majority hears: {leader} by {next}, {}; members waited for \
                     processors for {waited} us at most within a lease",
                    fault.what
                ));
            }
            self.survived += usize::from(held && !lost);
        }
    }
}

impl Waits {
    /// For how long something may have been late: no longer than the time that has passed.
    fn late(&self) -> u64 {
        (self.processors + self.disks).min(self.to.saturating_sub(self.from))
    }
}

/// Returns the longest time between two of the last signs of a command: so much later than its last one it
/// may have ended.
fn interval(signs: &[(u64, u64)], term: u64) -> u64 {
    let mut own = signs.iter().rev().filter(|sign| sign.1 == term).take(20).map(|sign| sign.0);
    let Some(mut later) = own.next() else { return 0 };
    let intervals = own.map(|sign| std::mem::replace(&mut later, sign) - sign);
    intervals.max().unwrap_or(0)
}

impl Events {
    /// Instants at which commands were alive, with their terms.
    fn signs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let events = self.holds.iter().map(|hold| &hold.event).chain(&self.starts);
        events.map(|event| (event.at, event.term))
    }

    fn adds(&self, from: u64, to: u64) -> u64 {
        let faults = self.faults.iter().filter(|fault| fault.from < to && fault.to > from);
        faults.map(|fault| fault.adds).sum()
    }

    fn waited_between(&self, from: u64, to: u64) -> u64 {
        let waits = self.waits.iter().filter(|waits| waits.from < to && waits.to > from);
        waits.map(Waits::late).sum()
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
