//! Stable storage: cells, writes that take time, and the cells that survive a crash.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tenure_model::Cell;

/// The condition of a disk, from best to worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DiskCondition {
    #[default]
    Good,
    /// Each sync takes at least this number of nanoseconds.
    Slow(u64),
    /// No sync ends.
    Stuck,
    /// A write fails, and its process crashes.
    Failed,
}

/// The writes of a reaction that are not yet synced.
#[derive(Clone, Copy)]
struct PendingWrite {
    cells: usize,
    /// The instants at which the sync that contains them begins and ends.
    begins: u64,
    done: u64,
}

/// The disk of one participant. It outlives the process.
///
/// There is one sync at a time. Writes made in the meantime wait, and are synced together: group
/// commit (Gray and Reuter, *Transaction Processing*, 1993).
#[derive(Default)]
pub(crate) struct SimulatedDisk {
    /// The cells, with all writes, synced or not.
    cells: FxHashMap<Cell, u64>,
    /// The previous values of the cells that unsynced writes have replaced, oldest first.
    replaced: VecDeque<(Cell, Option<u64>)>,
    /// The reactions whose writes are not synced, oldest first.
    pending: VecDeque<PendingWrite>,
    /// The number of cells that the present reaction has written.
    writing: usize,
    /// The conditions that faults cause, by number of the fault.
    faults: Vec<(u32, DiskCondition)>,
    /// A copy of the cells at some earlier instant.
    backup: Option<FxHashMap<Cell, u64>>,
    /// The number of completed syncs.
    pub(crate) syncs: u64,
}

impl SimulatedDisk {
    #[inline]
    pub(crate) fn read(&self, cell: Cell) -> Option<u64> {
        self.cells.get(&cell).copied()
    }

    pub(crate) fn write(&mut self, cell: Cell, number: u64) {
        let old = self.cells.insert(cell, number);
        self.replaced.push_back((cell, old));
        self.writing += 1;
    }

    #[inline]
    pub(crate) const fn has_written(&self) -> bool {
        self.writing > 0
    }

    /// Ends the present reaction, whose writes become part of the next sync to begin, which takes
    /// `takes` unless it has been announced before. Returns the instant at which that sync ends;
    /// `u64::MAX` on a disk that is stuck.
    pub(crate) fn sync(&mut self, now: u64, takes: u64) -> u64 {
        let cells = std::mem::take(&mut self.writing);
        let (begins, done) = match self.pending.back() {
            Some(next) if next.begins > now => (next.begins, next.done),
            last => {
                let begins = last.map_or(now, |last| last.done.max(now));
                let time = self.time(takes);
                (begins, time.map_or(u64::MAX, |time| begins.saturating_add(time)))
            }
        };
        self.pending.push_back(PendingWrite { cells, begins, done });
        done
    }

    fn time(&self, takes: u64) -> Option<u64> {
        match self.condition() {
            DiskCondition::Good => Some(takes),
            DiskCondition::Slow(least) => Some(takes.max(least)),
            DiskCondition::Stuck | DiskCondition::Failed => None,
        }
    }

    /// Completes the sync of the writes of the oldest pending reaction, and returns `true`, if it
    /// is due by now.
    pub(crate) fn synced(&mut self, now: u64) -> bool {
        let Some(&oldest) = self.pending.front().filter(|oldest| oldest.done <= now) else {
            return false;
        };
        self.pending.pop_front();
        self.replaced.drain(..oldest.cells);
        let whole = self.pending.front().is_none_or(|next| next.begins != oldest.begins);
        self.syncs += u64::from(whole);
        true
    }

    #[inline]
    pub(crate) fn condition(&self) -> DiskCondition {
        self.faults.iter().map(|&(_, condition)| condition).max().unwrap_or_default()
    }

    /// Begins a fault of the disk.
    pub(crate) fn suffer(&mut self, fault: u32, condition: DiskCondition) {
        self.faults.push((fault, condition));
    }

    /// Ends a fault of the disk. If writes get through again, all pending writes are synced within
    /// `takes`, and `done_at` is called with the new instant for each reaction that was to wait for
    /// longer.
    pub(crate) fn repair(
        &mut self,
        fault: u32,
        now: u64,
        takes: u64,
        mut done_at: impl FnMut(u64),
    ) {
        self.faults.retain(|&(number, _)| number != fault);
        let Some(time) = self.time(takes) else { return };
        let done = now.saturating_add(time);
        for one in self.pending.iter_mut().filter(|one| one.done > done) {
            (one.begins, one.done) = (now, done);
            done_at(done);
        }
    }

    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// Crashes the process: of the pending writes, those of the first `kept` reactions got through.
    pub(crate) fn crash(&mut self, kept: usize) {
        let survive: usize = self.pending.iter().take(kept).map(|one| one.cells).sum();
        while self.replaced.len() > survive {
            let Some((cell, old)) = self.replaced.pop_back() else { break };
            match old {
                Some(old) => self.cells.insert(cell, old),
                None => self.cells.remove(&cell),
            };
        }
        self.replaced.clear();
        self.pending.clear();
        self.writing = 0;
    }

    /// Erases all cells.
    pub(crate) fn wipe(&mut self) {
        self.cells.clear();
    }

    /// Makes a copy of the cells, pending writes included.
    pub(crate) fn back_up(&mut self) {
        self.backup = Some(self.cells.clone());
    }

    /// Replaces the cells by the copy. Returns whether that changed them.
    pub(crate) fn restore(&mut self) -> bool {
        let copy = self.backup.clone().unwrap_or_default();
        let newer = copy != self.cells;
        self.cells = copy;
        newer
    }
}

#[cfg(test)]
mod tests;
