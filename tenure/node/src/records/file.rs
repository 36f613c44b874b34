//! The record of a member, in a folder of its own.
//!
//! Two files are written alternately, so that the last record is kept until the next one is on
//! stable storage. Each holds its image twice, in different blocks: a damaged image is repaired
//! from its copy, and a file in which neither copy is whole was not written completely, so the
//! other file has the last record. A save overwrites blocks that the file already has, so that it
//! needs no space on a full disk, and syncs once.

use super::image::{BLOCK, Image, VERSION};
use super::{Loaded, MemberRecord, Store, StoreError};
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
    open: Option<OpenRecord>,
}

#[derive(Debug)]
struct OpenRecord {
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
        move |error| StoreError { path: path.clone(), why: error.to_string() }
    }

    fn refused(&self, why: String) -> StoreError {
        StoreError { path: self.folder.clone(), why }
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
enum FileContent {
    /// An image, and whether one of its two copies was damaged.
    Image(Image, bool),
    /// A record in another version of the format.
    Other(u8),
    /// Nothing that can be read.
    Nothing,
}

fn read(file: &mut File) -> io::Result<FileContent> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(LONGEST).read_to_end(&mut bytes)?;
    let (first, second) = bytes.split_at(bytes.len() / 2 / BLOCK * BLOCK);
    Ok(match (Image::decode(first), Image::decode(second)) {
        // If they differ, a newer image was being written over both.
        (Some(first), Some(second)) => {
            let differ = first != second;
            let newer = if first.generation >= second.generation { first } else { second };
            FileContent::Image(newer, differ)
        }
        (Some(image), None) | (None, Some(image)) => FileContent::Image(image, true),
        (None, None) => {
            Image::other_version(&bytes).map_or(FileContent::Nothing, FileContent::Other)
        }
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
                FileContent::Image(image, mended) => {
                    damaged |= mended;
                    found.push(image);
                }
                // It may be the newest, and then the other file has forgotten promises.
                FileContent::Other(version) => {
                    return Err(self.refused(format!(
                        "{name} has version {version} of the format, and this program reads version \
                         {VERSION}: run a program that reads it, such as the one that has written it"
                    )));
                }
                FileContent::Nothing => damaged |= !empty,
            }
            files.push(file);
        }
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(self.io(""))?;
        if let [first, second] = &found[..]
            && first.store != second.store
        {
            // The generations of two records do not compare: either may have forgotten promises.
            let why = format!(
                "{} and {} belong to two records: one of them was copied from elsewhere. Delete \
                 both: a member without a record asks the others what it has promised",
                FILES[0], FILES[1]
            );
            return Err(self.refused(why));
        }
        let newest = found.into_iter().max_by_key(|image| image.generation);
        let (store, generation, record, memory) = match newest {
            Some(image) => (image.store, image.generation, image.record, Memory::Kept),
            None => (draw(), 0, MemberRecord::default(), Memory::Lost),
        };
        let [first, second] = <[File; 2]>::try_from(files)
            .map_err(|_| self.refused("it has not two files".to_owned()))?;
        let files = [first, second];
        self.open = Some(OpenRecord { _lock: lock, files, lengths: [None; 2], store, generation });
        Ok(Loaded { record, memory, repaired: damaged && memory == Memory::Kept })
    }

    fn save(&mut self, record: &MemberRecord) -> io::Result<()> {
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
mod tests;
