//! The record of a member, in a folder of its own.
//!
//! Two files are written alternately, so that the last record is kept until the next one is on
//! stable storage. Each holds its image twice, in different blocks: a damaged image is repaired
//! from its copy, and a file in which neither copy is whole was not written completely, so the
//! other file has the last record. A save overwrites blocks that the file already has, so that it
//! needs no space on a full disk, and syncs once.

use super::image::{BLOCK, Image, VERSION};
use super::{Loaded, Record, Store, StoreError};
use crate::random::draw;
use rustix::fs::{FlockOperation, flock};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tenure_model::Memory;

/// The record of a member in a folder, which is locked while the member runs.
#[derive(Debug)]
pub struct FileStore {
    folder: PathBuf,
    /// The owner of the record: the cluster and the member.
    owner: String,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    /// The lock against other processes.
    _lock: File,
    files: [File; 2],
    /// The length of each file, if it is known.
    lengths: [Option<u64>; 2],
    store: u128,
    generation: u64,
}

const OWNER: &str = "owner";
const FILES: [&str; 2] = ["record.0", "record.1"];
/// How long to wait for another process to release the record.
const LOCK: Duration = Duration::from_secs(1);
/// The maximal length of a file that is read, in bytes.
const LONGEST: u64 = 1 << 30;

impl FileStore {
    /// Creates a store in a folder, which is created when the record is loaded.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>, cluster: &str, member: &str) -> Self {
        let owner = format!("member {member:?} of cluster {cluster:?}\n");
        Self { folder: folder.into(), owner, open: None }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn io(&self, name: &str) -> impl Fn(io::Error) -> StoreError + use<> {
        let path = self.path(name);
        move |error| StoreError::Io { path: path.clone(), error }
    }

    fn refused(&self, why: String) -> StoreError {
        StoreError::Refused { path: self.folder.clone(), why }
    }

    /// Checks that the record belongs to this member. A new record is assigned to this member.
    fn check_owner(&self) -> Result<File, StoreError> {
        let io = self.io(OWNER);
        let mut file = open(&self.path(OWNER)).map_err(&io)?;
        let began = Instant::now();
        while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            // The lock of a process that has just ended may last for a moment.
            if began.elapsed() < LOCK {
                sleep(LOCK / 50);
                continue;
            }
            return Err(self.refused("another process is using this record".to_owned()));
        }
        let mut found = String::new();
        (&mut file).take(4096).read_to_string(&mut found).map_err(&io)?;
        if found.is_empty() {
            file.write_all(self.owner.as_bytes()).map_err(&io)?;
            file.sync_all().map_err(&io)?;
        } else if found != self.owner {
            let why = format!(
                "this is the record of {}, and not of {}: give each member a folder of its own",
                found.trim_end(),
                self.owner.trim_end()
            );
            return Err(self.refused(why));
        }
        Ok(file)
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// What one of the files has.
enum Content {
    /// An image, and whether one of its two copies was damaged.
    Image(Image, bool),
    /// A record in another version of the format.
    Other(u8),
    /// Nothing that can be read.
    Nothing,
}

fn read(file: &mut File) -> io::Result<Content> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(LONGEST).read_to_end(&mut bytes)?;
    let (first, second) = bytes.split_at(bytes.len() / 2 / BLOCK * BLOCK);
    Ok(match (Image::decode(first), Image::decode(second)) {
        // If they differ, a newer image was being written over both.
        (Some(first), Some(second)) => {
            let differ = first != second;
            let newer = if first.generation >= second.generation { first } else { second };
            Content::Image(newer, differ)
        }
        (Some(image), None) | (None, Some(image)) => Content::Image(image, true),
        (None, None) => Image::other_version(&bytes).map_or(Content::Nothing, Content::Other),
    })
}

impl Store for FileStore {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        std::fs::create_dir_all(&self.folder).map_err(self.io(""))?;
        let lock = self.check_owner()?;
        let mut files = Vec::new();
        let mut found = Vec::new();
        let mut damaged = false;
        for name in FILES {
            let io = self.io(name);
            let mut file = open(&self.path(name)).map_err(&io)?;
            let empty = file.metadata().map_err(&io)?.len() == 0;
            match read(&mut file).map_err(&io)? {
                Content::Image(image, mended) => {
                    damaged |= mended;
                    found.push(image);
                }
                // It may be the newest, and then the other file has forgotten promises.
                Content::Other(version) => {
                    return Err(self.refused(format!(
                        "{name} has version {version} of the format, and this program reads version \
                         {VERSION}: run a program that reads it, such as the one that has written it"
                    )));
                }
                Content::Nothing => damaged |= !empty,
            }
            files.push(file);
        }
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(self.io(""))?;
        if let [first, second] = &found[..]
            && first.store != second.store
        {
            // The generations of two records do not compare: either may have forgotten promises.
            let why = format!(
                "{} and {} are of two records: one of them was put here from elsewhere. Delete both: a member \
                 without a record asks the others what it has promised",
                FILES[0], FILES[1]
            );
            return Err(self.refused(why));
        }
        let newest = found.into_iter().max_by_key(|image| image.generation);
        let (store, generation, record, memory) = match newest {
            Some(image) => (image.store, image.generation, image.record, Memory::Kept),
            None => (draw(), 0, Record::default(), Memory::Lost),
        };
        let [first, second] = <[File; 2]>::try_from(files)
            .map_err(|_| self.refused("it has not two files".to_owned()))?;
        let files = [first, second];
        self.open = Some(Open { _lock: lock, files, lengths: [None; 2], store, generation });
        Ok(Loaded { record, memory, repaired: damaged && memory == Memory::Kept })
    }

    fn save(&mut self, record: &Record) -> io::Result<()> {
        let open = self.open.as_mut().ok_or_else(|| io::Error::other("the record is not open"))?;
        let generation = open.generation + 1;
        let image = Image { store: open.store, generation, record: record.clone() };
        let bytes = image.encode();
        let which = (generation % 2) as usize;
        let (file, length) = (&mut open.files[which], 2 * bytes.len() as u64);
        let before = open.lengths[which].take();
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&bytes)?;
        file.write_all(&bytes)?;
        if before != Some(length) {
            // Not each time: a file system may write its journal then, also where nothing changes.
            file.set_len(length)?;
        }
        file.sync_data()?;
        open.lengths[which] = Some(length);
        open.generation = generation;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tenure_model::Cell;

    fn record(boot: u64, cells: u64) -> Record {
        let cells: BTreeMap<_, _> =
            (0..cells).map(|key| (Cell { table: 1, key }, key ^ boot)).collect();
        Record { boot, cells }
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
        assert_eq!((loaded.memory, loaded.repaired), (Memory::Kept, false));
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
        let mut bytes = std::fs::read(&path).unwrap();
        damage(&mut bytes);
        std::fs::write(&path, bytes).unwrap();
        store(folder.path()).load().unwrap()
    }

    #[test]
    fn one_damaged_copy_is_mended_from_the_other_wherever_it_is_damaged() {
        for place in [0, 9, 40, 200, 4000, 4096, 4100, 8191] {
            let loaded = damaged(|bytes| bytes[place] ^= 1);
            assert_eq!((loaded.record, loaded.repaired), (record(2, 10), true), "{place}");
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
            let mut bytes = std::fs::read(&path).unwrap();
            for image in bytes.chunks_exact_mut(BLOCK) {
                image[7] = VERSION + 1;
            }
            std::fs::write(&path, &bytes).unwrap();
            let why = store(folder.path()).load().unwrap_err().to_string();
            assert!(why.contains(&format!("{file} has version 2")), "{why}");
            assert!(why.contains("reads version 1"), "{why}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "it is as it was");
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
        std::fs::copy(&elsewhere, &here).unwrap();
        let why = store(folders[0].path()).load().unwrap_err().to_string();
        assert!(why.contains("record.0 and record.1 are of two records"), "{why}");
        let folder = here.parent().unwrap();
        assert!(why.contains(&folder.display().to_string()), "{why}");
        // As the message says:
        FILES.iter().for_each(|name| std::fs::remove_file(folder.join(name)).unwrap());
        assert_eq!(store(folders[0].path()).load().unwrap().memory, Memory::Lost);
    }

    #[test]
    fn a_record_that_is_damaged_beyond_recognition_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = store(folder.path());
        first.load().unwrap();
        first.save(&record(1, 10)).unwrap();
        drop(first);
        std::fs::write(folder.path().join("record").join(FILES[1]), [7; 8192]).unwrap();
        let loaded = store(folder.path()).load().unwrap();
        assert_eq!((loaded.memory, loaded.record), (Memory::Lost, Record::default()));
    }
}
