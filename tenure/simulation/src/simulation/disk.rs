//! Stable storage: cells, writes that take time, and what remains of them after a crash.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use tenure_model::Cell;

/// The condition of a disk, from best to worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Condition {
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
struct Pending {
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
pub(crate) struct Disk {
    /// The cells, with all writes, synced or not.
    cells: FxHashMap<Cell, u64>,
    /// The previous values of the cells that unsynced writes have replaced, oldest first.
    replaced: VecDeque<(Cell, Option<u64>)>,
    /// The reactions whose writes are not synced, oldest first.
    pending: VecDeque<Pending>,
    /// The number of cells that the present reaction has written.
    writing: usize,
    /// The conditions that faults cause, by number of the fault.
    faults: Vec<(u32, Condition)>,
    /// A copy of the cells at some earlier instant.
    backup: Option<FxHashMap<Cell, u64>>,
    /// The number of completed syncs.
    pub(crate) syncs: u64,
}

impl Disk {
    #[inline]
    pub(crate) fn read(&self, cell: Cell) -> Option<u64> {
        self.cells.get(&cell).copied()
    }

    pub(crate) fn write(&mut self, cell: Cell, number: u64) {
        let old = self.cells.insert(cell, number);
        self.replaced.push_back((cell, old));
        self.writing += 1;
    }

    /// Returns whether the present reaction has written.
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
        self.pending.push_back(Pending { cells, begins, done });
        done
    }

    /// Returns the duration of a sync; `None` if it does not end.
    fn time(&self, takes: u64) -> Option<u64> {
        match self.condition() {
            Condition::Good => Some(takes),
            Condition::Slow(least) => Some(takes.max(least)),
            Condition::Stuck | Condition::Failed => None,
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

    /// Returns its condition: the worst one among its faults.
    #[inline]
    pub(crate) fn condition(&self) -> Condition {
        self.faults.iter().map(|&(_, condition)| condition).max().unwrap_or_default()
    }

    /// Begins a fault of the disk.
    pub(crate) fn suffer(&mut self, fault: u32, condition: Condition) {
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

    /// Returns the number of reactions whose writes are not synced.
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
mod tests {
    use super::*;

    const A: Cell = Cell { table: 0, key: 0 };
    const B: Cell = Cell { table: 0, key: 1 };

    #[test]
    fn a_crash_undoes_whole_reactions_from_the_last_one_back() {
        for (kept, a, b) in [(0, None, None), (1, Some(1), Some(2)), (2, Some(3), Some(2))] {
            let mut disk = Disk::default();
            disk.write(A, 1);
            disk.write(B, 2);
            disk.sync(0, 10);
            disk.write(A, 3);
            disk.sync(5, 10);
            disk.crash(kept);
            assert_eq!((disk.read(A), disk.read(B)), (a, b));
        }
    }

    #[test]
    fn what_is_synced_survives() {
        let mut disk = Disk::default();
        disk.write(A, 1);
        disk.sync(0, 10);
        assert!(!disk.synced(9));
        assert!(disk.synced(10));
        disk.write(A, 2);
        disk.crash(0);
        assert_eq!(disk.read(A), Some(1));
    }

    #[test]
    fn what_is_written_during_a_sync_is_synced_together_after_it() {
        let mut disk = Disk::default();
        for (now, done) in [(0, 10), (1, 20), (9, 20), (10, 30), (29, 40), (50, 60)] {
            disk.write(A, now);
            assert_eq!(disk.sync(now, 10), done);
        }
        while disk.synced(60) {}
        assert_eq!((disk.pending(), disk.syncs), (0, 5));
    }

    #[test]
    fn a_stuck_disk_goes_on_when_it_is_repaired() {
        let mut disk = Disk::default();
        disk.suffer(1, Condition::Stuck);
        disk.write(A, 1);
        assert_eq!(disk.sync(0, 10), u64::MAX);
        let mut done = Vec::new();
        disk.repair(1, 100, 10, |at| done.push(at));
        assert_eq!(done, [110]);
        assert!(disk.synced(110));
    }

    #[test]
    fn a_disk_is_as_bad_as_the_worst_of_its_faults() {
        let mut disk = Disk::default();
        disk.suffer(1, Condition::Failed);
        disk.suffer(2, Condition::Stuck);
        disk.suffer(3, Condition::Slow(7));
        for (fault, left) in [(1, Condition::Stuck), (2, Condition::Slow(7)), (3, Condition::Good)]
        {
            disk.repair(fault, 0, 1, |_| {});
            assert_eq!(disk.condition(), left);
        }
    }

    #[test]
    fn an_old_copy_is_told_from_a_current_one() {
        let mut disk = Disk::default();
        disk.write(A, 1);
        disk.sync(0, 0);
        disk.back_up();
        assert!(!disk.restore());
        disk.write(A, 2);
        assert!(disk.restore());
        assert_eq!(disk.read(A), Some(1));
    }
}
