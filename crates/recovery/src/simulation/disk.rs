//! Stable storage: cells, writes that take time, and what of them a crash leaves.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use suffrage_process::recovery::Cell;

/// How well a disk works; the worst comes last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Condition {
    #[default]
    Good,
    /// Each write takes at least so long.
    Slow(u64),
    /// No write ends.
    Stuck,
    /// A write fails, and its process with it.
    Failed,
}

/// The disk of one participant. It outlives the process.
#[derive(Default)]
pub(crate) struct Disk {
    /// The cells, with all that was written, synced or not.
    cells: FxHashMap<Cell, u64>,
    /// What the writes replaced that are not synced, oldest first.
    replaced: VecDeque<(Cell, Option<u64>)>,
    /// The reactions whose writes are not synced, oldest first: how many cells each wrote, and when
    /// it is done.
    pending: VecDeque<(usize, u64)>,
    /// How many cells the present reaction has written.
    writing: usize,
    /// What is wrong with it, by the number of the fault.
    faults: Vec<(u32, Condition)>,
    /// A copy of the cells at some earlier instant.
    backup: Option<FxHashMap<Cell, u64>>,
    /// How many reactions have been synced.
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

    /// Whether the present reaction has written.
    #[inline]
    pub(crate) const fn has_written(&self) -> bool {
        self.writing > 0
    }

    /// The present reaction is over, and its writes are on their way: one sync after the other, each
    /// of which takes `takes`. Says when it will be done; `u64::MAX` on a disk that is stuck.
    pub(crate) fn sync(&mut self, now: u64, takes: u64) -> u64 {
        let begins = self.pending.back().map_or(now, |&(_, done)| done.max(now));
        let done = match self.condition() {
            Condition::Stuck | Condition::Failed => u64::MAX,
            Condition::Slow(least) => begins.saturating_add(takes.max(least)),
            Condition::Good => begins.saturating_add(takes),
        };
        self.pending.push_back((std::mem::take(&mut self.writing), done));
        done
    }

    /// The oldest pending writes are on stable storage, if they should be by now.
    pub(crate) fn synced(&mut self, now: u64) -> bool {
        let Some(&(cells, done)) = self.pending.front() else { return false };
        if done > now {
            return false;
        }
        self.pending.pop_front();
        self.replaced.drain(..cells);
        self.syncs += 1;
        true
    }

    /// How well it works: as the worst of its faults has it.
    #[inline]
    pub(crate) fn condition(&self) -> Condition {
        self.faults.iter().map(|&(_, condition)| condition).max().unwrap_or_default()
    }

    /// A fault of it begins.
    pub(crate) fn suffer(&mut self, fault: u32, condition: Condition) {
        self.faults.push((fault, condition));
    }

    /// A fault of it is over. If writes get through again, it says when each of those that are pending
    /// will be done, at the latest one `takes` after the other.
    pub(crate) fn repair(
        &mut self,
        fault: u32,
        now: u64,
        takes: u64,
        mut done_at: impl FnMut(u64),
    ) {
        self.faults.retain(|&(number, _)| number != fault);
        let takes = match self.condition() {
            Condition::Good => takes,
            Condition::Slow(least) => takes.max(least),
            Condition::Stuck | Condition::Failed => return,
        };
        let mut free = now;
        for (_, done) in &mut self.pending {
            free += takes;
            if *done > free {
                *done = free;
                done_at(free);
            }
            free = *done;
        }
    }

    /// How many reactions have writes that are not synced.
    pub(crate) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// The process crashes: of the pending writes, those of the first `kept` reactions got through.
    pub(crate) fn crash(&mut self, kept: usize) {
        let survive: usize = self.pending.iter().take(kept).map(|&(cells, _)| cells).sum();
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

    /// Everything on it is gone.
    pub(crate) fn wipe(&mut self) {
        self.cells.clear();
    }

    /// Copies the cells away. To be asked while nothing is pending, or what is pending is in it.
    pub(crate) fn back_up(&mut self) {
        self.backup = Some(self.cells.clone());
    }

    /// Puts the copy in the place of the cells. Says whether they were newer.
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
            assert_eq!(disk.sync(0, 10), 10);
            disk.write(A, 3);
            assert_eq!(disk.sync(5, 10), 20);
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
