//! Checkpoints: the state of an election between two ticks, in a directory.
//!
//! Every worker writes a part, and when all parts are on the disk the first worker writes a list of them
//! in the place of the one before, in one step. So the directory always has a whole checkpoint, or none.

use crate::{Terms, digest::Sha256};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Write},
    num::TryFromIntError,
    ops::Range,
    path::{Path, PathBuf},
};
use suffrage_simulator::blocks::ClockState;

/// Where and how often to store an election.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    /// The directory, in which every host has the files of all or of its own workers.
    pub directory: PathBuf,
    /// The number of ticks from one checkpoint to the next, at least.
    pub every: u64,
    /// The terms of the election.
    pub terms: Terms,
}

/// A checkpoint that was found, from which an election can be resumed.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    directory: PathBuf,
    list: List,
    digest: String,
}

/// What is in the file of the list: the list, and the digest of its text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sealed<'a> {
    digest: String,
    #[serde(borrow)]
    list: &'a RawValue,
}

/// The list of the parts of a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct List {
    terms: Terms,
    parts: Vec<StoredPart>,
    moment: String,
}

/// A part of a checkpoint: what one worker has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredPart {
    tick: u64,
    worker: u32,
    bytes: u64,
    /// The digest of the heads of its pieces, which have those of the pieces.
    digest: String,
}

impl StoredPart {
    /// Returns the name of its file. No other part has this name: a second run of the election in the same
    /// directory must not change the parts of the checkpoint there.
    fn name(&self) -> String {
        let Self { tick, worker, digest, .. } = self;
        format!("{tick}-{worker}-{digest}{PART}")
    }
}

/// An error: a checkpoint cannot be written or read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum CheckpointError {
    /// A file cannot be written or read.
    #[error("{path}: {why}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        why: String,
    },
    /// There is no checkpoint in a directory.
    #[error("{0} has no checkpoint: no file `{LIST}`, which --checkpoint writes")]
    None(String),
    /// A file is not what was written.
    #[error(
        "{0} is damaged, or of another version; take an older copy of the directory, or run the \
         election from its beginning"
    )]
    Damaged(String),
    /// A part is not there.
    #[error("{0} is missing: copy the files of all hosts into one directory")]
    Missing(String),
    /// The checkpoint is of another election.
    #[error("{directory} has a checkpoint of another election: {difference}")]
    Other {
        /// The directory.
        directory: String,
        /// What differs.
        difference: String,
    },
}

/// The name of the list.
const LIST: &str = "checkpoint.json";

/// The endings of the names of parts, and of files that will become a part or the list.
const PART: &str = ".part";
const FRESH: &str = ".new";

/// The length of the head of a piece: its own length, its nodes, a digest.
const HEAD: usize = 4 + 8 + 8 + 8;

impl CheckpointError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::File { path, why: error.to_string() }
    }
}

impl Checkpoints {
    /// Creates the directory, if it is not there.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn prepare(&self) -> Result<(), CheckpointError> {
        fs::create_dir_all(&self.directory).map_err(CheckpointError::file(&self.directory))?;
        let probe = self.directory.join(".writable");
        fs::write(&probe, "").map_err(CheckpointError::file(&self.directory))?;
        fs::remove_file(&probe).or_else(|error| match error.kind() {
            // Another host has removed it.
            io::ErrorKind::NotFound => Ok(()),
            _ => Err(CheckpointError::file(&probe)(error)),
        })
    }

    /// Writes a part by what `pieces` passes on.
    pub(crate) fn write_part(
        &self,
        tick: u64,
        worker: u32,
        pieces: impl FnOnce(&mut dyn FnMut(Range<u64>, &[u8]) -> io::Result<()>) -> io::Result<()>,
    ) -> Result<StoredPart, CheckpointError> {
        let fresh = self.directory.join(format!("{tick}-{worker}{PART}{FRESH}"));
        let write = || {
            let mut file = BufWriter::with_capacity(1 << 20, File::create(&fresh)?);
            let (mut bytes, mut heads) = (0, Sha256::writer());
            pieces(&mut |nodes, piece| {
                let head = head(nodes, piece).map_err(io::Error::other)?;
                heads.update(&head);
                file.write_all(&head)?;
                file.write_all(piece)?;
                bytes += (HEAD + piece.len()) as u64;
                Ok(())
            })?;
            file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            let digest = Sha256::from(heads.finish()).to_string();
            let part = StoredPart { tick, worker, bytes, digest };
            self.rename(&fresh, &part.name())?;
            Ok(part)
        };
        write().map_err(CheckpointError::file(&fresh))
    }

    /// Gives a file that is whole its name, so that it outlives a loss of power.
    fn rename(&self, fresh: &Path, name: &str) -> io::Result<()> {
        fs::rename(fresh, self.directory.join(name))?;
        File::open(&self.directory)?.sync_all()
    }

    /// Writes the list, when all parts are there.
    pub(crate) fn write_list(
        &self,
        parts: &[StoredPart],
        moment: &ClockState,
    ) -> Result<(), CheckpointError> {
        let path = self.directory.join(LIST);
        let write = || {
            let moment = serde_json::to_string(moment)?;
            let list = List { terms: self.terms.clone(), parts: parts.to_vec(), moment };
            let list = RawValue::from_string(serde_json::to_string_pretty(&list)?)?;
            let digest = Sha256::of_bytes(list.get().as_bytes()).to_string();
            let fresh = self.directory.join(format!("{LIST}{FRESH}"));
            let mut file = File::create(&fresh)?;
            file.write_all(&serde_json::to_vec(&Sealed { digest, list: &list })?)?;
            file.sync_all()?;
            self.rename(&fresh, LIST)
        };
        write().map_err(CheckpointError::file(&path))
    }

    /// Removes all parts but these: the list that named them is gone.
    pub(crate) fn remove_others(&self, parts: &[StoredPart]) {
        let named: Vec<String> = parts.iter().map(StoredPart::name).collect();
        let Ok(files) = fs::read_dir(&self.directory) else { return };
        for file in files.flatten() {
            let name = file.file_name();
            let name = name.to_string_lossy();
            let is_part = name.trim_end_matches(FRESH).ends_with(PART);
            if is_part && named.iter().all(|named| *named != *name) {
                // What cannot be removed does no harm.
                let _ = fs::remove_file(file.path());
            }
        }
    }
}

fn head(nodes: Range<u64>, piece: &[u8]) -> Result<[u8; HEAD], TryFromIntError> {
    let mut head = [0; HEAD];
    head[..4].copy_from_slice(&u32::try_from(piece.len())?.to_le_bytes());
    head[4..12].copy_from_slice(&nodes.start.to_le_bytes());
    head[12..20].copy_from_slice(&nodes.end.to_le_bytes());
    head[20..].copy_from_slice(&Sha256::of_bytes(piece).short());
    Ok(head)
}

impl Checkpoint {
    /// Finds the checkpoint of an election in a directory. The numbers of workers and hosts may have
    /// changed.
    ///
    /// # Errors
    /// If there is no checkpoint, if it is of another election, or if a part is missing.
    pub fn find(directory: &Path, terms: &Terms) -> Result<Self, CheckpointError> {
        let path = directory.join(LIST);
        let text = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => CheckpointError::None(directory.display().to_string()),
            _ => CheckpointError::file(&path)(error),
        })?;
        let damaged = || CheckpointError::Damaged(path.display().to_string());
        let sealed: Sealed<'_> = serde_json::from_slice(&text).map_err(|_| damaged())?;
        let digest = Sha256::of_bytes(sealed.list.get().as_bytes()).to_string();
        if digest != sealed.digest {
            return Err(damaged());
        }
        let list: List = serde_json::from_str(sealed.list.get()).map_err(|_| damaged())?;
        serde_json::from_str::<ClockState>(&list.moment).map_err(|_| damaged())?;
        if let Some(difference) = terms.same_election(&list.terms) {
            let (directory, difference) = (directory.display().to_string(), difference.to_string());
            return Err(CheckpointError::Other { directory, difference });
        }
        for part in &list.parts {
            let path = directory.join(part.name());
            let shown = path.display().to_string();
            match fs::metadata(&path) {
                Err(_) => return Err(CheckpointError::Missing(shown)),
                Ok(file) if file.len() != part.bytes => {
                    return Err(CheckpointError::Damaged(shown));
                }
                Ok(_) => {}
            }
        }
        Ok(Self { directory: directory.to_owned(), list, digest })
    }

    /// Returns the digest of its list, which all hosts must have.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn moment(&self) -> Result<ClockState, CheckpointError> {
        let damaged = |_| CheckpointError::Damaged(self.directory.join(LIST).display().to_string());
        serde_json::from_str(&self.list.moment).map_err(damaged)
    }

    /// Passes on the pieces that are about some of these nodes, or about none in particular; `take`
    /// returns whether it can read one.
    pub(crate) fn read(
        &self,
        nodes: &Range<u64>,
        mut take: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), CheckpointError> {
        for part in &self.list.parts {
            let path = self.directory.join(part.name());
            let damaged = || CheckpointError::Damaged(path.display().to_string());
            let failed = |error: io::Error| match error.kind() {
                io::ErrorKind::UnexpectedEof => damaged(),
                _ => CheckpointError::file(&path)(error),
            };
            let file = File::open(&path).map_err(failed)?;
            let mut file = BufReader::with_capacity(1 << 20, file);
            let (mut left, mut heads) = (part.bytes, Sha256::writer());
            while left > 0 {
                let mut head = [0; HEAD];
                file.read_exact(&mut head).map_err(failed)?;
                heads.update(&head);
                let word = |at: usize| {
                    let mut word = [0; 8];
                    word.copy_from_slice(&head[at..at + 8]);
                    word
                };
                let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]);
                let about = u64::from_le_bytes(word(4))..u64::from_le_bytes(word(12));
                left = left.checked_sub(HEAD as u64 + u64::from(length)).ok_or_else(damaged)?;
                if about.start >= nodes.end || nodes.start >= about.end {
                    file.seek_relative(length.into()).map_err(failed)?;
                    continue;
                }
                let mut piece = vec![0; length as usize];
                file.read_exact(&mut piece).map_err(failed)?;
                if Sha256::of_bytes(&piece).short() != word(20) || !take(&piece) {
                    return Err(damaged());
                }
            }
            // Only now is it known that no head that was passed over says something else than was written.
            if Sha256::from(heads.finish()).to_string() != part.digest {
                return Err(damaged());
            }
        }
        Ok(())
    }
}
