//! The record of a member, in a folder of its own.
//!
//! Two files are written alternately, so that the last record is kept until the next one is on
//! stable storage. Each holds its image twice, in different blocks: a damaged image is repaired
//! from its copy, and a file in which neither copy is whole was not written completely, so the
//! other file has the last record. A save overwrites blocks that the file already has, so that it
//! needs no space on a full disk, and syncs once.
//!
//! The files stay open. A save that finds others in their places, or none, makes the record anew: without that it
//! would write what no later start finds.

use super::image::{BLOCK, Image, VERSION};
use super::{Loaded, MemberRecord, Store, StoreError};
use crate::random::draw;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
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
    /// The file of the owner, with the lock against other processes.
    lock: File,
    files: [File; 2],
    /// The length of each file, if it is known.
    lengths: [Option<u64>; 2],
    store: u128,
    generation: u64,
    /// Whether the last save made the record anew.
    recreated: bool,
    /// Whether the last save has failed.
    failing: bool,
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

    /// Checks that a member could load this record, and save it, if no other process does. Leaves everything as it is.
    /// Returns the record, if there is one.
    pub(crate) fn check(&self) -> Result<Option<Loaded>, StoreError> {
        let Some(there) = self.folder.ancestors().find(|path| path.exists()) else {
            return Ok(None);
        };
        let there = if there == Path::new("") { Path::new(".") } else { there };
        let refused = |why: String| StoreError { path: there.to_owned(), why };
        if !there.is_dir() {
            return Err(refused("it is no folder".to_owned()));
        }
        let trial = there.join(format!(".tenure-check-{:x}", draw()));
        File::create_new(&trial)
            .and_then(|_| fs::remove_file(&trial))
            .map_err(|error| refused(format!("no file can be made in it: {error}")))?;
        let mut contents = Vec::new();
        for name in [OWNER, FILES[0], FILES[1]] {
            let (path, io) = (self.path(name), self.io(name));
            if !path.exists() {
                continue;
            }
            let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(&io)?;
            if name == OWNER {
                self.check_owned(&self.owner_in(&mut file)?)?;
            } else {
                contents.push((name, read(&mut file).map_err(&io)?));
            }
        }
        let (newest, damaged) = self.newest(contents)?;
        Ok(newest.map(|Image { store, record, .. }| Loaded {
            record,
            memory: Memory::Kept,
            damaged,
            store,
        }))
    }

    fn owner_in(&self, file: &mut File) -> Result<String, StoreError> {
        let mut found = String::new();
        match file.take(4096).read_to_string(&mut found) {
            Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(StoreError {
                path: self.path(OWNER),
                why: "it is damaged: if this is the folder of this member, delete this file"
                    .to_owned(),
            }),
            Err(error) => Err(self.io(OWNER)(error)),
            Ok(_) => Ok(found),
        }
    }

    /// Checks that the record belongs to this member, or to none.
    fn check_owned(&self, found: &str) -> Result<(), StoreError> {
        if found.is_empty() || found == self.owner {
            return Ok(());
        }
        Err(self.refused(format!(
            "this is the record of {}, and not of {}: give each member a folder of its own",
            found.trim_end(),
            self.owner.trim_end()
        )))
    }

    /// Returns the newest of the images in these files, and whether something was damaged.
    fn newest(
        &self,
        contents: Vec<(&str, FileContent)>,
    ) -> Result<(Option<Image>, bool), StoreError> {
        let (mut found, mut damaged) = (Vec::new(), false);
        for (name, content) in contents {
            match content {
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
                FileContent::Nothing { empty } => damaged |= !empty,
            }
        }
        if let [first, second] = &found[..]
            && first.store != second.store
        {
            // The generations of two records do not compare: either may have forgotten promises.
            return Err(self.refused(format!(
                "{} and {} belong to two records: one of them was copied from elsewhere. Delete \
                 both: a member without a record asks the others what it has promised",
                FILES[0], FILES[1]
            )));
        }
        Ok((found.into_iter().max_by_key(|image| image.generation), damaged))
    }

    /// Makes the record anew where its files are no longer in their places. Returns whether it did.
    fn recreate(&mut self) -> io::Result<bool> {
        let Some(open) = &self.open else { return Err(io::Error::other("the record is not open")) };
        let owner = is_at(&open.lock, &self.path(OWNER));
        let places = [0, 1].map(|which| is_at(&open.files[which], &self.path(FILES[which])));
        if owner && places == [true, true] {
            return Ok(false);
        }
        fs::create_dir_all(&self.folder)?;
        // Another process may have the record by now. If so, this one must not write it.
        let lock = if owner { None } else { Some(self.check_owner().map_err(io::Error::other)?) };
        let [first, second] = FILES.map(|name| open_file(&self.path(name)));
        let files = [first?, second?];
        for (file, kept) in files.iter().zip(places) {
            if !kept {
                file.set_len(0)?; // It is of no record, or of another one.
            }
        }
        File::open(&self.folder)?.sync_all()?;
        if let Some(open) = &mut self.open {
            if let Some(lock) = lock {
                open.lock = lock;
            }
            open.files = files;
            open.lengths = [None; 2];
        }
        Ok(true)
    }

    /// Checks that the record belongs to this member. A new record is assigned to this member.
    fn check_owner(&self) -> Result<File, StoreError> {
        let io = self.io(OWNER);
        let mut file = open_file(&self.path(OWNER)).map_err(&io)?;
        let began = Instant::now();
        while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            // The lock of a process that has just ended may last for a moment.
            if began.elapsed() < LOCK {
                sleep(LOCK / 50);
                continue;
            }
            return Err(self.refused("another process is using this record".to_owned()));
        }
        let found = self.owner_in(&mut file)?;
        self.check_owned(&found)?;
        if found.is_empty() {
            file.write_all(self.owner.as_bytes()).map_err(&io)?;
            file.sync_all().map_err(&io)?;
        }
        Ok(file)
    }
}

/// Returns whether this path leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    let same =
        |one: Metadata, other: Metadata| (one.dev(), one.ino()) == (other.dev(), other.ino());
    file.metadata().is_ok_and(|one| fs::metadata(path).is_ok_and(|other| same(one, other)))
}

fn open_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// What one of the files has.
enum FileContent {
    /// An image, and whether one of its two copies was damaged.
    Image(Image, bool),
    /// A record in another version of the format.
    Other(u8),
    /// Nothing that can be read.
    Nothing { empty: bool },
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
            let nothing = FileContent::Nothing { empty: bytes.is_empty() };
            Image::other_version(&bytes).map_or(nothing, FileContent::Other)
        }
    })
}

impl Store for FileStore {
    fn load(&mut self) -> Result<Loaded, StoreError> {
        fs::create_dir_all(&self.folder).map_err(self.io(""))?;
        let lock = self.check_owner()?;
        let mut files = Vec::new();
        let mut contents = Vec::new();
        for name in FILES {
            let io = self.io(name);
            let mut file = open_file(&self.path(name)).map_err(&io)?;
            contents.push((name, read(&mut file).map_err(&io)?));
            files.push(file);
        }
        File::open(&self.folder).and_then(|folder| folder.sync_all()).map_err(self.io(""))?;
        let (newest, damaged) = self.newest(contents)?;
        let (store, generation, record, memory) = match newest {
            Some(image) => (image.store, image.generation, image.record, Memory::Kept),
            None => (draw(), 0, MemberRecord::default(), Memory::Lost),
        };
        let [first, second] = <[File; 2]>::try_from(files)
            .map_err(|_| self.refused("it has not two files".to_owned()))?;
        let files = [first, second];
        let (lengths, recreated, failing) = ([None; 2], false, false);
        self.open =
            Some(OpenRecord { lock, files, lengths, store, generation, recreated, failing });
        Ok(Loaded { record, memory, damaged, store })
    }

    fn save(&mut self, record: &MemberRecord) -> io::Result<()> {
        let recreated = self.recreate()?;
        let open = self.open.as_mut().ok_or_else(|| io::Error::other("the record is not open"))?;
        // Also if this save fails: then the next one finds the files in place.
        open.recreated = recreated || open.recreated && open.failing;
        open.failing = true;
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
        open.failing = false;
        Ok(())
    }

    fn was_recreated(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.recreated)
    }
}

#[cfg(test)]
mod tests;
