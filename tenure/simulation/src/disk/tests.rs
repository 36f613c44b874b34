use super::*;

const A: Cell = Cell { table: 0, key: 0 };
const B: Cell = Cell { table: 0, key: 1 };

#[test]
fn a_crash_undoes_whole_reactions_from_the_last_one_back() {
    for (kept, a, b) in [(0, None, None), (1, Some(1), Some(2)), (2, Some(3), Some(2))] {
        let mut disk = SimulatedDisk::default();
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
    let mut disk = SimulatedDisk::default();
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
    let mut disk = SimulatedDisk::default();
    for (now, done) in [(0, 10), (1, 20), (9, 20), (10, 30), (29, 40), (50, 60)] {
        disk.write(A, now);
        assert_eq!(disk.sync(now, 10), done);
    }
    while disk.synced(60) {}
    assert_eq!((disk.pending(), disk.syncs), (0, 5));
}

#[test]
fn a_stuck_disk_goes_on_when_it_is_repaired() {
    let mut disk = SimulatedDisk::default();
    disk.suffer(1, DiskCondition::Stuck);
    disk.write(A, 1);
    assert_eq!(disk.sync(0, 10), u64::MAX);
    let mut done = Vec::new();
    disk.repair(1, 100, 10, |at| done.push(at));
    assert_eq!(done, [110]);
    assert!(disk.synced(110));
}

#[test]
fn a_disk_is_as_bad_as_the_worst_of_its_faults() {
    let mut disk = SimulatedDisk::default();
    disk.suffer(1, DiskCondition::Failed);
    disk.suffer(2, DiskCondition::Stuck);
    disk.suffer(3, DiskCondition::Slow(7));
    for (fault, left) in
        [(1, DiskCondition::Stuck), (2, DiskCondition::Slow(7)), (3, DiskCondition::Good)]
    {
        disk.repair(fault, 0, 1, |_| {});
        assert_eq!(disk.condition(), left);
    }
}

#[test]
fn an_old_copy_is_told_from_a_current_one() {
    let mut disk = SimulatedDisk::default();
    disk.write(A, 1);
    disk.sync(0, 0);
    disk.back_up();
    assert!(!disk.restore());
    disk.write(A, 2);
    assert!(disk.restore());
    assert_eq!(disk.read(A), Some(1));
}
