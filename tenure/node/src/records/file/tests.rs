use super::*;
use std::collections::BTreeMap;
use tenure_model::Cell;

fn record(boot: u64, cells: u64) -> MemberRecord {
    let cells: BTreeMap<_, _> =
        (0..cells).map(|key| (Cell { table: 1, key }, key ^ boot)).collect();
    MemberRecord { boot, cells, ..MemberRecord::default() }
}

fn store(folder: &Path) -> FileStore {
    FileStore::new(folder.join("record"), "lab", "a")
}

#[test]
fn a_new_folder_is_a_record_that_was_lost_and_then_one_that_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = store(folder.path());
    assert_eq!(first.load().unwrap().memory, Memory::Lost);
    for boot in 1..6 {
        first.save(&record(boot, boot * 100)).unwrap();
    }
    first.save(&record(6, 3)).unwrap(); // Shorter than the record that it replaces.
    drop(first);
    let loaded = store(folder.path()).load().unwrap();
    assert_eq!((loaded.memory, loaded.damaged), (Memory::Kept, false));
    assert_eq!(loaded.record, record(6, 3));
}

#[test]
fn a_record_is_that_of_one_member_and_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = store(folder.path());
    first.load().unwrap();
    let why = store(folder.path()).load().unwrap_err().to_string();
    assert!(why.contains("another process"), "{why}");
    drop(first);
    let path = folder.path().join("record");
    let why = FileStore::new(path, "lab", "b").load().unwrap_err().to_string();
    assert!(why.contains("member \"a\"") && why.contains("member \"b\""), "{why}");
}

/// Damages the file that was written last, and returns the record that is read then.
fn damaged(damage: impl Fn(&mut Vec<u8>)) -> Loaded {
    let folder = tempfile::tempdir().unwrap();
    let mut first = store(folder.path());
    first.load().unwrap();
    first.save(&record(1, 10)).unwrap();
    first.save(&record(2, 10)).unwrap(); // In the first file.
    drop(first);
    let path = folder.path().join("record").join(FILES[0]);
    let mut bytes = fs::read(&path).unwrap();
    damage(&mut bytes);
    fs::write(&path, bytes).unwrap();
    store(folder.path()).load().unwrap()
}

#[test]
fn one_damaged_copy_is_mended_from_the_other_wherever_it_is_damaged() {
    for place in [0, 9, 40, 200, 4000, 4096, 4100, 8191] {
        let loaded = damaged(|bytes| bytes[place] ^= 1);
        assert_eq!((loaded.record, loaded.damaged), (record(2, 10), true), "{place}");
    }
}

#[test]
fn a_save_that_was_torn_leaves_what_was_saved_before() {
    let half = |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 4);
    assert_eq!(damaged(half).record, record(1, 10));
    let zeros = |bytes: &mut Vec<u8>| bytes.fill(0);
    assert_eq!(damaged(zeros).record, record(1, 10));
    let second_half = |bytes: &mut Vec<u8>| bytes[4096..].fill(0);
    assert_eq!(damaged(second_half).record, record(2, 10));
}

#[test]
fn a_record_in_another_version_of_the_format_is_refused_and_not_taken_for_a_lost_one() {
    // In the file that was written last, or in the one before: an older program may have written once.
    for file in FILES {
        let folder = tempfile::tempdir().unwrap();
        let mut first = store(folder.path());
        first.load().unwrap();
        first.save(&record(1, 10)).unwrap();
        first.save(&record(2, 10)).unwrap();
        drop(first);
        let path = folder.path().join("record").join(file);
        let mut bytes = fs::read(&path).unwrap();
        for image in bytes.chunks_exact_mut(BLOCK) {
            image[7] = VERSION + 1;
        }
        fs::write(&path, &bytes).unwrap();
        let why = store(folder.path()).load().unwrap_err().to_string();
        assert!(why.contains(&format!("{file} has version {}", VERSION + 1)), "{why}");
        assert!(why.contains(&format!("reads version {VERSION}")), "{why}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "it is as it was");
    }
}

#[test]
fn two_files_of_different_records_are_refused() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [here, elsewhere] = folders.each_ref().map(|folder| {
        let mut first = store(folder.path());
        first.load().unwrap();
        for boot in 1..4 {
            first.save(&record(boot, 10)).unwrap();
        }
        folder.path().join("record").join(FILES[0])
    });
    fs::copy(&elsewhere, &here).unwrap();
    let why = store(folders[0].path()).load().unwrap_err().to_string();
    assert!(why.contains("record.0 and record.1 belong to two records"), "{why}");
    let folder = here.parent().unwrap();
    assert!(why.contains(&folder.display().to_string()), "{why}");
    // As the message says:
    FILES.iter().for_each(|name| fs::remove_file(folder.join(name)).unwrap());
    assert_eq!(store(folders[0].path()).load().unwrap().memory, Memory::Lost);
}

#[test]
fn a_record_that_is_damaged_beyond_recognition_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = store(folder.path());
    first.load().unwrap();
    first.save(&record(1, 10)).unwrap();
    drop(first);
    fs::write(folder.path().join("record").join(FILES[1]), [7; 8192]).unwrap();
    let loaded = store(folder.path()).load().unwrap();
    assert_eq!((loaded.memory, loaded.record), (Memory::Lost, MemberRecord::default()));
    assert!(loaded.damaged);
    let nothing = store(tempfile::tempdir().unwrap().path()).load().unwrap();
    assert_eq!((nothing.memory, nothing.damaged), (Memory::Lost, false));

    let owner = folder.path().join("record").join(OWNER);
    fs::write(&owner, [0xff; 40]).unwrap();
    let why = store(folder.path()).load().unwrap_err().to_string();
    assert!(why.contains("owner: it is damaged") && why.contains("delete this file"), "{why}");
    fs::remove_file(owner).unwrap();
    assert!(store(folder.path()).load().is_ok());
}

#[test]
fn a_record_that_is_deleted_or_replaced_is_made_anew_at_the_next_save() {
    type Damage<'a> = &'a dyn Fn(&Path, &Path);
    let damages: [Damage<'_>; 4] = [
        &|record, _| fs::remove_dir_all(record).unwrap(),
        &|record, _| fs::remove_file(record.join(FILES[1])).unwrap(),
        &|record, other| fs::rename(other.join(FILES[0]), record.join(FILES[0])).unwrap(),
        &|record, other| {
            fs::rename(record, record.with_extension("old")).unwrap();
            fs::rename(other, record).unwrap();
        },
    ];
    for damage in damages {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [mut first, mut other] = folders.each_ref().map(|folder| store(folder.path()));
        for boot in 1..4 {
            for store in [&mut first, &mut other] {
                if boot == 1 {
                    store.load().unwrap();
                }
                store.save(&record(boot, 10)).unwrap();
                assert!(!store.was_recreated());
            }
        }
        drop(other);
        let [here, elsewhere] = folders.each_ref().map(|folder| folder.path().join("record"));
        damage(&here, &elsewhere);
        first.save(&record(7, 10)).unwrap();
        assert!(first.was_recreated());
        first.save(&record(8, 10)).unwrap();
        assert!(!first.was_recreated());
        let why = store(folders[0].path()).load().unwrap_err().to_string();
        assert!(why.contains("another process"), "{why}");
        drop(first);
        let loaded = store(folders[0].path()).load().unwrap();
        assert_eq!((loaded.memory, loaded.record), (Memory::Kept, record(8, 10)));
    }
}

#[test]
fn a_record_of_which_another_process_has_taken_the_place_is_not_written() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [mut first, mut other] = folders.each_ref().map(|folder| store(folder.path()));
    first.load().unwrap();
    other.load().unwrap();
    let [here, elsewhere] = folders.each_ref().map(|folder| folder.path().join("record"));
    fs::remove_dir_all(&here).unwrap();
    fs::rename(elsewhere, here).unwrap();
    let why = first.save(&record(1, 1)).unwrap_err().to_string();
    assert!(why.contains("another process is using this record"), "{why}");
}

#[test]
fn a_check_refuses_what_a_start_refuses_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let checked = store(folder.path());
    checked.check().unwrap();
    assert!(!folder.path().join("record").exists());
    store(folder.path()).load().unwrap();
    checked.check().unwrap();
    let path = folder.path().join("record");
    let why = FileStore::new(&path, "lab", "b").check().unwrap_err().to_string();
    assert!(why.contains("member \"a\"") && why.contains("member \"b\""), "{why}");
    let file = path.join(OWNER);
    for below in [file.clone(), file.join("deeper")] {
        let why = FileStore::new(below, "lab", "a").check().unwrap_err().to_string();
        assert!(why.contains("owner: it is no folder"), "{why}");
    }
    // No user can make a file in this file system.
    let why = FileStore::new("/proc/record", "lab", "a").check().unwrap_err().to_string();
    assert!(why.starts_with("/proc: no file can be made in it: "), "{why}");
}
